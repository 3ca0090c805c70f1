"""What is written for people: data on stdout, everything else on stderr, coloured on a terminal.

In: messages. Out: lines, made safe to show.
"""

from __future__ import annotations

import os
import sys
from typing import IO

from gbnfc.cli.io.shown import shown


def use_color(stream: IO[str]) -> bool:
    """Return whether to colour `stream`: NO_COLOR, FORCE_COLOR, then whether it is a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def print_shown(text: str) -> None:
    """Write `text` on stdout for people to read."""
    print(shown(text))


def _print_marked(mark: str, color: int, message: str) -> None:
    marked = f"\x1b[1;{color}m{mark}\x1b[0m" if use_color(sys.stderr) else mark
    print(f"{marked} {shown(message)}", file=sys.stderr)


def print_error(message: str) -> None:
    """Write `error: message` on stderr."""
    _print_marked("error:", 31, message)


def print_warning(message: str) -> None:
    """Write `warning: message` on stderr."""
    _print_marked("warning:", 33, message)


def print_note(message: str) -> None:
    """Write `message` on stderr without a mark."""
    print(shown(message), file=sys.stderr)


def counted(number: int, noun: str) -> str:
    """Return `1 rule`, `2,000 rules`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
