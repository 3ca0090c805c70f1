"""One line per finding: `file:line:column: severity CODE [name] message`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gbnfc.lint.diagnostic import Diagnostic


def write(diagnostics: tuple[Diagnostic, ...]) -> str:
    """Return one line per finding; `[*]` marks those that `--fix` or `--unsafe-fixes` mends."""
    return "".join(f"{d}{' [*]' if d.fixable else ''}\n" for d in diagnostics)
