"""Edits and places of the alternatives of a choice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.lint.diagnostic import Edit, Fix, Related
from gbnfc.lint.text.lexemes import Kind, cut_lexemes
from gbnfc.source import Span

if TYPE_CHECKING:
    from gbnfc.ir.nodes import Choice
    from gbnfc.lint.subject import LintedGrammar


def related_alternative(choice: Choice, index: int, message: str) -> tuple[Related, ...]:
    """Return the place of alternative `index`, when it is known."""
    span = choice.alternatives[index].span
    return (Related(message, span),) if span else ()


def delete_alternative(grammar: LintedGrammar, choice: Choice, index: int) -> Fix | None:
    """Return the fix that deletes alternative `index` with its bar.

    `None` where the text is not known or a comment would go with it.
    """
    spans = [alternative.span for alternative in choice.alternatives]
    span = spans[index]
    before, after = spans[index - 1] if index else None, spans[1] if not index else None
    if grammar.source is None or span is None:
        return None
    if before is not None:
        cut = Span(before.end, span.end)
    elif after is not None:
        cut = Span(span.start, after.start)
    else:
        return None
    pieces = cut_lexemes(grammar.text_of(cut))
    if any(piece.kind is Kind.COMMENT for piece in pieces):
        return None
    return Fix("Delete the alternative", (Edit(cut, ""),))
