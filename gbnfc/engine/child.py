"""Running a child process that may die or hang, to try what must not take this process with it.

In: a command. Out: its exit status and what it wrote.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
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
            capture_output=True,
            timeout=timeout_s,
            check=False,
            encoding="utf-8",
            errors="replace",
        )
    except subprocess.TimeoutExpired:
        return Ended(None)
    return Ended(done.returncode, done.stdout, done.stderr)
