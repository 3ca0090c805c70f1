"""Which file a model's weights are read from: its own, or a 16-bit copy that is multiplied faster.

In: a model file. Out: the file to load. llama.cpp's CPU backend takes many tokens through most
kinds of weights at once; Q4_1 and Q5_1 it unpacks again for each token (llama.cpp of
llama-cpp-python 0.3.36; SmolLM2 135M with AVX-512: a token of a prompt 3.5 ms, as BF16 1.3; a step
of 8 sequences 36 and 30). The copy is made once per model, build and machine, by a child process
that also times it against the file, and stays in the user's cache folder where it is the faster.
It is also nearer to what the weights say, because it does not round activations to 8 bits (mean KL
divergence from 32-bit arithmetic on the same weights: 3.3e-3 for the file, 1.6e-4 as BF16).

As a program (`python -m gbnfc.engine.weights MODEL COPY extra|plain THREADS`) it is that child, and
writes how many times faster the copy is.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from gbnfc.engine.cache import (
    add_finding,
    build_key,
    cache_folder,
    read_findings,
    short_hash,
)
from gbnfc.engine.child import be_expendable, run_to_end
from gbnfc.engine.gguf import read_header
from gbnfc.engine.weight_source import Weights
from gbnfc.errors import EngineError

if TYPE_CHECKING:
    from gbnfc.engine.llama import Context

CHILD_TIMEOUT_S = 600
ENOUGH_GAIN = 1.15
"""The copy must be so many times faster to be kept: it takes three times the memory."""

MAX_COPY = 2**30
"""In bytes. Larger models wait for memory, not for arithmetic, and their copies fill disks."""

MAX_COPIES = 4
"""More copies than this are not kept: the oldest go."""

MOST_CLOSE = 3
"""So many times a copy that is faster, but not by enough, is timed: the machine may be busy."""

_SLOW_KINDS = ("Q4_1", "Q5_1")
"""The kinds of weights that are unpacked for each token."""

_AS_IT_IS = "as it is"
_USUAL_BITS = 4
_MAX_NAME_LENGTH = 60
_LEFT_OVER_S = 3600
_MB = 10**6

Runner: TypeAlias = Callable[[Sequence[str]], str]
"""Runs a command and returns what it wrote on stdout, "" when it died."""


@dataclass(frozen=True, slots=True)
class CopyOptions:
    """How copies are made. `say` tells the user what takes time or room; `folder` holds them."""

    wanted: Weights
    extra_buffers: bool
    threads: int
    say: Callable[[str], None]
    folder: Path


def default_folder() -> Path:
    """Return the folder of the copies, in the user's cache folder. All in it may be deleted."""
    return cache_folder() / "weights"


def run_child(command: Sequence[str]) -> str:
    """Run `command` and return its stdout, "" when it dies or hangs."""
    done = run_to_end(command, CHILD_TIMEOUT_S)
    return done.out if done.status in (0, 1) else ""


def faster_file(model: Path, copy_options: CopyOptions, run: Runner = run_child) -> Path:
    """Return the file to load `model` from: `model` itself, or its copy, made if need be.

    What goes wrong with the copy is told, and `model` is used.
    """
    if copy_options.wanted is Weights.FILE:
        return model
    try:
        return _faster_file(model, copy_options, run)
    except OSError as error:
        copy_options.say(f"no 16-bit copy of the weights: {error}; the file is used")
        return model


def _faster_file(model: Path, copy_options: CopyOptions, run: Runner) -> Path:
    about, source, folder = model.stat(), model.resolve(), copy_options.folder
    # One copy for each file and build; another state of the file replaces it.
    of_file = short_hash(f"{source} {build_key()}")[:12]
    of_state = short_hash(f"{about.st_size} {about.st_mtime_ns}")[:8]
    key, findings = f"{of_file}-{of_state}", folder / "findings.json"
    copy = folder / f"{_short(source.stem)}-{key}.gguf"
    _drop(folder, lambda path: path.suffix == ".tmp" and _age(path) > _LEFT_OVER_S)
    known = read_findings(findings).get(key)
    close = known.get("close", 0) if isinstance(known, dict) else 0
    if isinstance(known, dict) and not close and known.get("bytes") == _size(copy):
        return copy if _is_wanted(copy_options.wanted, known.get("gain")) else model
    is_auto = copy_options.wanted is Weights.AUTO
    if known == _AS_IT_IS and is_auto:
        return model
    kind = read_header(model).quantisation
    size = about.st_size * 16 // _bits(kind)
    _drop(folder, lambda path: path.suffix == ".gguf" and f"-{of_file}-" in path.name)
    if is_auto and (kind not in _SLOW_KINDS or size > MAX_COPY):
        add_finding(findings, key, _AS_IT_IS)
        return model
    gain = _make(model, copy, size, copy_options, run)
    if gain is None:
        return model
    if _is_wanted(copy_options.wanted, gain):
        add_finding(findings, key, {"gain": gain, "bytes": _size(copy)})
        copy_options.say(f"the copy is {gain:.1f} times as fast as the file")
        return copy
    copy.unlink(missing_ok=True)
    if gain > 1 and close + 1 < MOST_CLOSE:
        add_finding(findings, key, {"close": close + 1})
        copy_options.say(
            "the copy is hardly faster; the file is used, and the next run times again"
        )
        return model
    add_finding(findings, key, _AS_IT_IS)
    copy_options.say(
        "the copy is not faster here; from now on the file is used (gbnfc doctor --again forgets)"
    )
    return model


def _short(stem: str) -> str:
    return stem.encode("utf-8", "replace")[:_MAX_NAME_LENGTH].decode("utf-8", "ignore")


def _bits(kind: str) -> int:
    """Return about how many bits a weight of `kind` takes: the number in its name.

    The kinds that end in `_1` take one more: 32 weights have a scale and a least value.
    """
    found = re.search(r"[0-9]+", kind)
    return max(1, int(found[0])) + kind.endswith("_1") if found else _USUAL_BITS


def _is_wanted(wanted: Weights, gain: object) -> bool:
    return wanted is Weights.WIDE or (isinstance(gain, float) and gain >= ENOUGH_GAIN)


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def _age(path: Path) -> float:
    return time.time() - path.stat().st_mtime


def _drop(folder: Path, is_old: Callable[[Path], bool]) -> None:
    # Another process may tidy, too, and the folder may be one that cannot be written.
    with suppress(OSError):
        for path in list(folder.iterdir()):
            with suppress(OSError):
                if is_old(path):
                    path.unlink()


def _make(
    model: Path, copy: Path, size: int, copy_options: CopyOptions, run: Runner
) -> float | None:
    # Returns the copy's gain, None when there is no copy; that is not remembered, for it may be
    # the disk's fault.
    say, folder = copy_options.say, copy_options.folder
    folder.mkdir(parents=True, exist_ok=True)
    copies = sorted((p for p in folder.glob("*.gguf")), key=_age)
    _drop(folder, lambda path: path in copies[MAX_COPIES - 1 :])
    free = shutil.disk_usage(folder).free
    if free < size:
        say(
            f"no room for a 16-bit copy of the weights in {folder}: it takes up to "
            f"{size // _MB:,} MB, {free // _MB:,} MB are free; the file is used"
        )
        return None
    say(
        f"making a 16-bit copy of the weights, which may be faster here (once, up to "
        f"{size // _MB:,} MB in {folder}; --weights file does without)"
    )
    fresh = copy.with_suffix(f".{os.getpid()}.tmp")
    kind = "extra" if copy_options.extra_buffers else "plain"
    child = (sys.executable, "-m", "gbnfc.engine.weights")
    try:
        told = run([*child, str(model), str(fresh), kind, str(copy_options.threads)]).strip()
        gain = float(told)
        fresh.replace(copy)
    except ValueError:
        say(f"no copy was made: {told or 'llama.cpp died of it'}; the file is used")
        return None
    finally:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
    return gain


# --- the child -----------------------------------------------------------------------------------

_SEQUENCES, _PROMPT, _STEPS, _ROUNDS = 8, 48, 2, 3


def least_times(
    works: Sequence[Callable[[], object]],
    rounds: int,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[float, ...]:
    """Return the seconds that each of `works` takes at least.

    They are timed by turns, so that what else the machine does slows all of them.
    """
    least = [float("inf")] * len(works)
    for _ in range(rounds):
        for index, work in enumerate(works):
            began = clock()
            work()
            least[index] = min(least[index], clock() - began)
    return tuple(least)


def _decode_some(context: Context, tokens: list[int]) -> None:
    # What an extraction mostly does: a prompt and a few steps of several sequences.
    for sequence in range(_SEQUENCES):
        context.trim_sequence(sequence, 0)
    context.decode([(token, i, 0, False) for i, token in enumerate(tokens)])
    for sequence in range(1, _SEQUENCES):
        context.copy_sequence(0, sequence, len(tokens))
    for step in range(_STEPS):
        place = len(tokens) + step
        context.decode([(tokens[step], place, s, True) for s in range(_SEQUENCES)])
        context.logits(0)


def main(arguments: Sequence[str]) -> int:
    """Be the child: make the copy, time both, write the gain. Nothing is left of what fails."""
    be_expendable()
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda *_: sys.exit(1))
    model, copy = Path(arguments[0]), Path(arguments[1])
    is_done = False
    try:
        gain = _gain(model, copy, extra_buffers=arguments[2] == "extra", threads=int(arguments[3]))
        print(gain, flush=True)  # fails where who asked is gone
        is_done = True
    except (EngineError, OSError) as error:
        with suppress(OSError):
            print(str(error).splitlines()[0], flush=True)
    finally:
        if not is_done:
            copy.unlink(missing_ok=True)
    return 0 if is_done else 1


def _gain(model: Path, copy: Path, *, extra_buffers: bool, threads: int) -> float:
    from gbnfc.engine.llama import Context, Model, unpack_weights

    unpack_weights(model, copy, threads)
    with copy.open("rb+") as file:  # whole on the disk before it gets its name
        os.fsync(file.fileno())
    models = [Model(path, extra_buffers=extra_buffers) for path in (model, copy)]
    text = "The quick brown fox jumps over the lazy dog. " * _PROMPT
    contexts = [
        Context(each, cells=1024, sequences=_SEQUENCES, batch_tokens=_PROMPT, threads=threads)
        for each in models
    ]
    works = [
        partial(_decode_some, context, each.tokenize(text)[:_PROMPT])
        for each, context in zip(models, contexts, strict=True)
    ]
    slow, fast = least_times(works, _ROUNDS + 1)  # the first reads the files in
    for context, each in zip(contexts, models, strict=True):
        context.close()
        each.close()
    return round(slow / fast, 2)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
