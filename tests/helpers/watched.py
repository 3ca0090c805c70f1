"""Numbered cases in a child process: one that hangs, dies or takes too much is told, and replaced.

In: how to look at one case. Out: its problems on stdout, the number of problems. Linux only.
"""

from __future__ import annotations

import os
import resource
import signal
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Check = Callable[[int], Iterable[str]]

_NOT_BEGUN = -1
_FIELD = 12  # digits of a number in the file that parent and child share


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one case may take: processor seconds until it is a finding, until it is ended; memory.

    Every `told_every` cases a line says how far the run is; 0 for none.
    """

    slow_s: float = 10
    hangs_s: float = 60
    max_kb: int = 1_000_000
    told_every: int = 500


def watched(
    numbers: range, prepare: Callable[[], Check], name: Callable[[int], str], bounds: Bounds
) -> int:
    """Look at the cases of `numbers` and return how many problems there were.

    `prepare` is called in each child and returns what yields the problems of one case; `name`
    tells which case it was. Raises: `RuntimeError` when a child does not get through `prepare`.
    """
    shared = _Shared()
    number = numbers.start
    while number < numbers.stop:
        shared.begin(_NOT_BEGUN)
        child = os.fork()
        if child == 0:
            _work(range(number, numbers.stop), prepare, name, bounds, shared)
        ended = _ended(child, shared, bounds.hangs_s)
        number = shared.number
        if number == _NOT_BEGUN:
            raise RuntimeError("the child process ended before its first case")
        if ended != 0:
            shared.add(1)
            print(f"{name(number)}\n    {'hangs' if ended is None else 'dies'}", flush=True)
            number += 1
    return shared.problems


class _Shared:
    """The number of the case at hand and of the problems so far, for parent and child."""

    def __init__(self) -> None:
        self._file = os.memfd_create("watched")

    def _read(self, at: int) -> int:
        return int(os.pread(self._file, _FIELD, at * _FIELD).strip(b"\0") or 0)

    def _write(self, at: int, value: int) -> None:
        os.pwrite(self._file, b"%*d" % (_FIELD, value), at * _FIELD)

    @property
    def number(self) -> int:
        return self._read(0)

    def begin(self, number: int) -> None:
        self._write(0, number)

    @property
    def problems(self) -> int:
        return self._read(1)

    def add(self, problems: int) -> None:
        self._write(1, self.problems + problems)


def _work(
    numbers: range,
    prepare: Callable[[], Check],
    name: Callable[[int], str],
    bounds: Bounds,
    shared: _Shared,
) -> None:
    """Look at `numbers` until one needs too much memory, and end this process."""
    code = 1
    try:
        check = prepare()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # llama.cpp prints each text it refuses
        for number in numbers:
            shared.begin(number)
            found = _problems(number, check, bounds)
            for problem in found:
                print(f"{name(number)}\n    {problem}", flush=True)
            shared.add(len(found))
            if bounds.told_every and (number + 1) % bounds.told_every == 0:
                print(f"{number + 1} looked at, {shared.problems} problems", flush=True)
            shared.begin(number + 1)
            if peak_kb() > bounds.max_kb:
                break
        code = 0
    except BaseException:  # noqa: BLE001 - the fork of a whole program must not go on with it
        traceback.print_exc()
    finally:
        os._exit(code)


def _problems(number: int, check: Check, bounds: Bounds) -> list[str]:
    started = time.process_time()
    try:
        found = list(check(number))
    except Exception:  # noqa: BLE001 - a traceback is what we look for
        found = [traceback.format_exc()]
    if (spent := time.process_time() - started) > bounds.slow_s:
        found.append(f"took {spent:.0f} s")
    if (used := peak_kb()) > bounds.max_kb:
        found.append(f"needed {used // 1000} MB")
    return found


def peak_kb() -> int:
    """Return the most memory that this process has used at once, in kB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _cpu_time_of(child: int) -> float:
    """Return the seconds that `child` has computed: others may use the machine too."""
    user, system = Path(f"/proc/{child}/stat").read_text("utf-8").rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _ended(child: int, shared: _Shared, hangs_s: float) -> int | None:
    """Return how `child` ended; None: it was at one case for too long, and was ended."""
    seen, since = -1, 0.0
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status
        if (number := shared.number) != seen:
            seen, since = number, _cpu_time_of(child)
        elif _cpu_time_of(child) - since > hangs_s:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return None
        time.sleep(0.2)
