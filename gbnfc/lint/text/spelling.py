"""Where an expression is written: spans made whole, texts made safe to put a count behind."""

from __future__ import annotations

from gbnfc.lint.text.lexemes import Kind, cut_lexemes
from gbnfc.source import Span


def full_span(text: str, span: Span) -> Span:
    """Return `span` widened over the other halves of the parentheses that it opens or closes.

    A group of one item leaves no node: the span of `("a")*` starts at the `"a"`, and that from
    the first to the last item of `("a"?) ("b"?)` is `"a"?) ("b"?`.
    """
    missing = lowest = 0
    for piece in cut_lexemes(text[span.start : span.end]):
        if piece.kind is Kind.OPERATOR and piece.text in "()":
            missing += 1 if piece.text == "(" else -1
            lowest = min(lowest, missing)
    start, end = span.start, span.end
    for _ in range(-lowest):
        before = text.rfind("(", 0, start)
        if before < 0 or text[before + 1 : start].strip():
            break
        start = before
    for _ in range(missing - lowest):
        behind = text.find(")", end)
        if behind < 0 or text[end:behind].strip():
            break
        end = behind + 1
    return Span(start, end)
