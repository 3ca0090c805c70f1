"""Comments that silence findings: `# gbnfc: ignore[CODE, …] reason`.

Behind code it speaks for its line; on a line of its own for the next line, and when a rule starts
there for that whole rule; `# gbnfc: ignore-file[CODE] reason` speaks for the file. A code may be a
family (`COST`) or a rule's name. Suppressions that silence nothing are findings themselves.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gbnfc.lint.text.lexemes import Kind, Lexeme

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gbnfc.lint.diagnostic import Diagnostic
    from gbnfc.source import Source, Span

_COMMENT = re.compile(r"#\s*gbnfc:\s*ignore(?P<file>-file)?\s*(?:\[(?P<codes>[^\]]*)\])?")


@dataclass(frozen=True, slots=True)
class Suppression:
    """One code of one comment. `lines` are 1-based; `None` means the whole file."""

    selector: str
    span: Span
    lines: range | None


class Suppressions:
    """The suppressions of one text, found by line."""

    def __init__(self, suppressions: Iterable[Suppression]) -> None:
        self._by_line: dict[int | None, list[Suppression]] = {}
        for suppression in suppressions:
            for line in suppression.lines or (None,):
                self._by_line.setdefault(line, []).append(suppression)

    def covering(self, diagnostic: Diagnostic) -> list[Suppression]:
        """Return those that silence `diagnostic`."""
        position = diagnostic.position
        near = [] if position is None else self._by_line.get(position.line, [])
        return [
            suppression
            for suppression in (*near, *self._by_line.get(None, ()))
            if matches(suppression.selector, diagnostic.code, diagnostic.name)
        ]


def matches(selector: str, code: str, name: str) -> bool:
    """Return whether `selector` (`ALL`, a code, a family, a name) means the rule `code` `name`."""
    return selector == "ALL" or selector == name or code.startswith(selector.upper())


def find_suppressions(source: Source, lexemes: tuple[Lexeme, ...]) -> tuple[Suppression, ...]:
    """Return the suppressions in the comments of a grammar text, in source order.

    A comment without a code list silences everything it speaks for (selector `ALL`).
    """
    found: list[Suppression] = []
    positions = [at for at, piece in enumerate(lexemes) if piece.kind not in _BLANK]
    for index, lexeme in enumerate(lexemes):
        match = _COMMENT.match(lexeme.text) if lexeme.kind is Kind.COMMENT else None
        if match is None:
            continue
        lines = None if match["file"] else _lines_of(source, lexemes, index, positions)
        codes = "ALL" if match["codes"] is None else match["codes"]
        for code in filter(None, (part.strip() for part in codes.split(","))):
            found.append(Suppression(code, lexeme.span, lines))
    return tuple(found)


def _lines_of(source: Source, lexemes: tuple[Lexeme, ...], index: int, code: list[int]) -> range:
    """Return the lines that the comment at `index` speaks for; `code` are the other lexemes."""
    line = source.position(lexemes[index].span.start).line
    at = bisect_right(code, index)
    if not _stands_alone(lexemes, index) or at == len(code):
        return range(line, line + 1)
    first = source.position(lexemes[code[at]].span.start).line
    if at + 1 < len(code) and lexemes[code[at + 1]].kind is Kind.DEFINE:
        return range(first, source.position(_rule_end(lexemes, code, at)).line + 1)
    return range(first, first + 1)


_BLANK = (Kind.SPACE, Kind.NEWLINE, Kind.COMMENT)


def _stands_alone(lexemes: tuple[Lexeme, ...], index: int) -> bool:
    at = index - 1
    while at >= 0 and lexemes[at].kind is Kind.SPACE:
        at -= 1
    return at < 0 or lexemes[at].kind is Kind.NEWLINE


def _rule_end(lexemes: tuple[Lexeme, ...], code: list[int], start: int) -> int:
    """Return the offset behind the rule at `code[start]`: before the next `name ::=`."""
    for at in range(start + 2, len(code) - 1):
        if lexemes[code[at + 1]].kind is Kind.DEFINE and lexemes[code[at]].kind is Kind.NAME:
            return lexemes[code[at - 1]].span.end
    return lexemes[code[-1]].span.end
