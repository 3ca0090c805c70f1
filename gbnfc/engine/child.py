"""Running a child process that may die or hang, to try what must not take this process with it.

In: a command. Out: its exit status and what it wrote. `be_expendable` is for the child itself.
"""

from __future__ import annotations

import io
import os
import site
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Ended:
    """How a child ended. `status` is negative for a signal, `None` when it hung and was killed."""

    status: int | None
    out: str = ""
    err: str = ""


def run_to_end(command: Sequence[str], timeout_s: float) -> Ended:
    """Run `command`, without input, for `timeout_s` seconds at most."""
    try:
        done = subprocess.run(
            list(command),
            stdin=subprocess.DEVNULL,
            env=_environment(),
            capture_output=True,
            timeout=timeout_s,
            check=False,
            encoding="utf-8",
            errors="replace",
        )
    except subprocess.TimeoutExpired:
        return Ended(None)
    return Ended(done.returncode, done.stdout, done.stderr)


def be_expendable() -> None:
    """Let this process, a child, die at once and quietly: no stack trace, core file or dialog."""
    leave_out_stack_traces()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "win32":
        import ctypes

        fail_critical_errors, no_fault_box = 0x0001, 0x0002
        ctypes.windll.kernel32.SetErrorMode(fail_critical_errors | no_fault_box)


def leave_out_stack_traces() -> None:
    """Keep llama.cpp from starting a debugger where it aborts: that writes to stdout, or hangs."""
    os.environ.setdefault("GGML_NO_BACKTRACE", "1")


def _environment() -> dict[str, str]:
    """Return an environment in which Python runs no code of the current folder.

    `python -m` would look there first, for our modules and all that they import; the folder may be
    someone else's. Where ours are to be found then is said, unless they are installed.
    """
    found = {**os.environ, "PYTHONSAFEPATH": "1"}
    home = str(Path(__file__).resolve().parents[2])
    if home not in site.getsitepackages():
        found["PYTHONPATH"] = os.pathsep.join(filter(None, (found.get("PYTHONPATH"), home)))
    return found
