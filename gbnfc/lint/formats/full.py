"""Each finding with its line, carets, help and related places: for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.lint.diagnostic import fix_mark
from gbnfc.source import visible

if TYPE_CHECKING:
    from gbnfc.lint.diagnostic import Diagnostic


def write(diagnostics: tuple[Diagnostic, ...]) -> str:
    """Return one paragraph per finding."""
    return "".join(f"{visible(_paragraph(diagnostic))}\n" for diagnostic in diagnostics)


def _paragraph(diagnostic: Diagnostic) -> str:
    lines = [f"{diagnostic}{fix_mark(diagnostic)}"]
    source = diagnostic.source
    if source is not None and diagnostic.span is not None:
        lines += _indented(source.excerpt(diagnostic.span))
    if source is not None:
        for related in diagnostic.related:
            place = source.position(related.span.start)
            lines.append(f"  note: {related.message} ({place})")
            lines += _indented(source.excerpt(related.span))
    if diagnostic.help:
        lines.append(f"  help: {diagnostic.help}")
    return "\n".join(lines) + "\n"


def _indented(text: str) -> list[str]:
    return [f"  {line}" for line in text.split("\n")]
