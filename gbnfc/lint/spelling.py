"""Where an expression is written: spans made whole, texts made safe to put a count behind."""

from __future__ import annotations

from gbnfc.lint.lexemes import Kind, cut_lexemes
from gbnfc.source import Span


def full_span(text: str, span: Span) -> Span:
    """Return `span` widened to the left over the parentheses that it closes but does not open.

    A group of one item leaves no node: the span of `("a")*` starts at the `"a"`.
    """
    missing = lowest = 0
    for piece in cut_lexemes(text[span.start : span.end]):
        if piece.kind is Kind.OPERATOR and piece.text in "()":
            missing += 1 if piece.text == "(" else -1
            lowest = min(lowest, missing)
    start = span.start
    while lowest < 0:
        before = text.rfind("(", 0, start)
        if before < 0 or text[before + 1 : start].strip():
            break
        start, lowest = before, lowest + 1
    return Span(start, span.end)
