"""One line per finding: `file:line:column: severity CODE [name] message`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.lint.diagnostic import fix_mark
from gbnfc.source import visible_line

if TYPE_CHECKING:
    from gbnfc.lint.diagnostic import Diagnostic


def write(diagnostics: tuple[Diagnostic, ...]) -> str:
    """Return one line per finding, with a mark behind those that can be fixed."""
    return "".join(f"{visible_line(str(d))}{fix_mark(d)}\n" for d in diagnostics)
