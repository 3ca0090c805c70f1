"""Comments that silence findings: `# gbnfc: ignore[CODE, …] reason`.

Behind code it speaks for its line; on a line of its own for the next line, and when a rule starts
there for that whole rule; `# gbnfc: ignore-file[CODE] reason` speaks for the file. A code may be a
family (`COST`) or a rule's name. Suppressions that silence nothing are findings themselves.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gbnfc.lint.lexemes import Kind, Lexeme

if TYPE_CHECKING:
    from gbnfc.lint.diagnostic import Diagnostic
    from gbnfc.source import Source, Span

_COMMENT = re.compile(r"#\s*gbnfc:\s*ignore(?P<file>-file)?\s*(?:\[(?P<codes>[^\]]*)\])?")


@dataclass(frozen=True, slots=True)
class Suppression:
    """One code of one comment. `lines` are 1-based; `None` means the whole file."""

    selector: str
    span: Span
    lines: range | None

    def covers(self, diagnostic: Diagnostic) -> bool:
        """Return whether `diagnostic` is silenced."""
        if not matches(self.selector, diagnostic.code, diagnostic.name):
            return False
        position = diagnostic.position
        return self.lines is None or (position is not None and position.line in self.lines)


def matches(selector: str, code: str, name: str) -> bool:
    """Return whether `selector` (`ALL`, a code, a family, a name) means the rule `code` `name`."""
    return selector == "ALL" or selector == name or code.startswith(selector.upper())


def find_suppressions(source: Source, lexemes: tuple[Lexeme, ...]) -> tuple[Suppression, ...]:
    """Return the suppressions in the comments of a grammar text, in source order.

    A comment without a code list silences everything it speaks for (selector `ALL`).
    """
    found: list[Suppression] = []
    for index, lexeme in enumerate(lexemes):
        match = _COMMENT.match(lexeme.text) if lexeme.kind is Kind.COMMENT else None
        if match is None:
            continue
        lines = None if match["file"] else _lines_of(source, lexemes, index)
        codes = "ALL" if match["codes"] is None else match["codes"]
        for code in filter(None, (part.strip() for part in codes.split(","))):
            found.append(Suppression(code, lexeme.span, lines))
    return tuple(found)


def _lines_of(source: Source, lexemes: tuple[Lexeme, ...], index: int) -> range:
    line = source.position(lexemes[index].span.start).line
    if not _stands_alone(lexemes, index):
        return range(line, line + 1)
    code = [piece for piece in lexemes[index:] if piece.kind not in _BLANK]
    if not code:
        return range(line, line + 1)
    first = source.position(code[0].span.start).line
    if len(code) > 1 and code[1].kind is Kind.DEFINE:
        return range(first, source.position(_rule_end(code)).line + 1)
    return range(first, first + 1)


_BLANK = (Kind.SPACE, Kind.NEWLINE, Kind.COMMENT)


def _stands_alone(lexemes: tuple[Lexeme, ...], index: int) -> bool:
    for piece in reversed(lexemes[:index]):
        if piece.kind is not Kind.SPACE:
            return piece.kind is Kind.NEWLINE
    return True


def _rule_end(code: list[Lexeme]) -> int:
    """Return the offset behind the rule that `code` starts with: before the next `name ::=`."""
    for at in range(2, len(code) - 1):
        if code[at].kind is Kind.NAME and code[at + 1].kind is Kind.DEFINE:
            return code[at - 1].span.end
    return code[-1].span.end
