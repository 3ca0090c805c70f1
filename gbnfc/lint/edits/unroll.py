"""Direct left recursion as a repetition: `sum ::= sum "+" term | term` → `term ("+" term)*`.

In: a grammar and the name of a rule. Out: a fix of the same language, or none. That it is the same
is D. Arden's rule ("Delayed-logic and finite-state machines", 1961): the least X with
X = X r | b is b r*, where r is not empty; r and b may use X themselves, but not first. With a
further alternative X X the least X is (b r*)+.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.ir.nodes import Choice, Expression, RuleRef, Sequence
from gbnfc.lint.diagnostic import Edit, Fix
from gbnfc.source import Span

if TYPE_CHECKING:
    from gbnfc.lint.subject import LintedGrammar


def unroll_fix(grammar: LintedGrammar, name: str) -> Fix | None:
    """Return how to write the directly left-recursive rule `name` as a repetition."""
    body = grammar.definitions[name].body
    if not isinstance(body, Choice) or body.span is None or "#" in grammar.text_of(body.span):
        return None
    bases = [part for part in body.alternatives if not _starts_with(part, name)]
    tails = [_tail(part) for part in body.alternatives if _starts_with(part, name)]
    again = [tail for tail in tails if tail == (RuleRef(name),)]
    rests = [tail for tail in tails if tail and tail != (RuleRef(name),)]
    if not bases or any(not tail for tail in tails) or not _may_be_unrolled(grammar, bases, rests):
        return None
    text = _group([grammar.text_of(_span(grammar, (base,))) for base in bases])
    if rests:
        texts = [grammar.text_of(_span(grammar, rest)) for rest in rests]
        text += f" ({' | '.join(texts)})*"
    if again:
        text = f"({text})+"
    span = _span(grammar, body.alternatives)
    return Fix(f"Write {text}", (Edit(span, text),), safe=False)


def _may_be_unrolled(
    grammar: LintedGrammar, bases: list[Expression], rests: list[tuple[Expression, ...]]
) -> bool:
    """Return whether nothing is empty that is repeated, or that stands before a recursion."""
    parts: list[Expression] = [*bases, *map(Sequence, rests)]
    return not any(grammar.may_be_empty(part) for part in parts)


def _starts_with(part: Expression, name: str) -> bool:
    first = part.items[0] if isinstance(part, Sequence) and part.items else part
    return first == RuleRef(name)


def _tail(part: Expression) -> tuple[Expression, ...]:
    return part.items[1:] if isinstance(part, Sequence) else ()


def _span(grammar: LintedGrammar, parts: tuple[Expression, ...]) -> Span:
    return grammar.whole_span(parts[0], parts[-1]) or Span(0, 0)


def _group(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else f"({' | '.join(texts)})"
