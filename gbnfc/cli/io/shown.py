"""Texts that others wrote, as they are shown: neither a terminal nor GitHub's runner obeys them.

In: messages, or a terminal to which data is written. Out: the same with what would be a command
spelled out.
"""

from __future__ import annotations

import re
from typing import IO, Any

from gbnfc.source import visible

_FOR_RUNNERS = re.compile(r"^([^\S\n]*):(?=:)|##(?=\[)", re.MULTILINE)
_SECRETS = re.compile(r"(:/{1,2}[^\s/:@]*:)[^\s/@]+(?=@)|(\bhf_)[A-Za-z0-9]{16,}")
"""The password in a URL (RFC 3986, section 3.2.1; as a path it has lost a slash), and a token of
the Hugging Face Hub."""


def shown(text: str) -> str:
    """Return `text`, which may hold what others wrote, as it may be printed for people to read.

    Neither the terminal nor GitHub's runner, which obeys lines that begin with `::` and whatever
    holds `##[`, takes anything in it for a command. Passwords are left out.
    """
    return _FOR_RUNNERS.sub(_disarmed, visible(_SECRETS.sub(_censored, text)))


def _censored(found: re.Match[str]) -> str:
    return f"{found[1] or found[2]}***"


def _disarmed(found: re.Match[str]) -> str:
    return r"#\x23" if found[1] is None else rf"{found[1]}\x3a"


class VisibleStream:
    """A terminal to which data is written: it is shown, not obeyed. Else as the stream itself."""

    def __init__(self, terminal: IO[str]) -> None:
        self._terminal = terminal

    def write(self, text: str) -> int:
        """Write `text`, visibly."""
        return self._terminal.write(visible(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._terminal, name)
