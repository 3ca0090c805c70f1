"""Sequences seen as counted parts: what the rules about neighbouring repetitions compare.

`[a-z]? o ("" | [a-z])` with `o ::= [a-z]?` is three parts of the body `[a-z]`, each 0 to 1 times.
References to small non-recursive rules are looked through, so the same chain is seen when it is
spread over several rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gbnfc.ir.build import EMPTY_TEXT
from gbnfc.ir.nodes import Choice, Expression, Literal, Repeat, RuleRef, Sequence

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

_MAX_DEPTH = 4
_MAX_RULE_LENGTH = 8
_MAX_PARTS = 2_000


@dataclass(frozen=True, slots=True)
class CountedPart:
    """`body` between `minimum` and `maximum` times, from item number `item` of the sequence."""

    body: Expression
    minimum: int
    maximum: int | None
    item: int

    @property
    def elastic(self) -> bool:
        """Whether it can take more or less text."""
        return self.maximum is None or self.maximum > self.minimum

    @property
    def as_repeat(self) -> Expression:
        """The part as an expression, in the form that `unfold` gives."""
        if (self.minimum, self.maximum) == (1, 1):
            return self.body
        return Repeat(self.body, self.minimum, self.maximum)

    def body_text(self, grammar: LintedGrammar) -> str | None:
        """Return the source text of the body, in parentheses where a count needs them."""
        span = grammar.whole_span(self.body)
        if span is None:
            return None
        text = grammar.text_of(span)
        grouped = text.startswith("(") and text.endswith(")")
        needs_group = isinstance(self.body, Sequence | Choice | Repeat) and not grouped
        return f"({text})" if needs_group else text


def joined_count(parts: Iterable[CountedPart]) -> tuple[int, int | None]:
    """Return the least and the greatest number of bodies that the parts take together."""
    minimum = 0
    maximum: int | None = 0
    for part in parts:
        minimum += part.minimum
        bounded = maximum is not None and part.maximum is not None
        maximum = maximum + part.maximum if bounded else None  # type: ignore[operator]  # bounded
    return minimum, maximum


def unfold(grammar: LintedGrammar, expression: Expression) -> Expression:
    """Return `expression` with references to rules of one part, and `(x | "")`, looked through."""
    for _ in range(_MAX_DEPTH):
        match expression:
            case RuleRef(name) if name in grammar.definitions:
                body = grammar.definitions[name].body
                if not isinstance(body, Repeat | RuleRef | Choice) or (
                    isinstance(body, Choice) and optional_body(body) is None
                ):
                    return expression
                expression = body
            case Choice() if (inner := optional_body(expression)) is not None:
                return Repeat(inner, 0, 1)
            case Sequence((only,)):
                expression = only
            case _:
                return expression
    return expression


def optional_body(choice: Choice) -> Expression | None:
    """Return `x` of `x | ""`, in either order; `None` for other choices."""
    full = [part for part in choice.alternatives if not _is_empty(part)]
    empty = len(choice.alternatives) - len(full)
    return full[0] if empty and len(full) == 1 else None


def _is_empty(expression: Expression) -> bool:
    return expression == EMPTY_TEXT or (isinstance(expression, Literal) and not expression.text)


def flatten(grammar: LintedGrammar, sequence: Sequence, budget: Budget) -> list[CountedPart]:
    """Return the parts of `sequence`, those of the sequences it refers to included."""
    parts: list[CountedPart] = []
    for index, item in enumerate(sequence.items):
        _add(grammar, item, index, parts, budget, _MAX_DEPTH)
    return parts


def _add(
    grammar: LintedGrammar,
    item: Expression,
    index: int,
    parts: list[CountedPart],
    budget: Budget,
    depth: int,
) -> None:
    budget.spend()
    item = unfold(grammar, item)
    body = (
        grammar.definitions[item.name].body
        if isinstance(item, RuleRef) and item.name in grammar.definitions
        else item
    )
    short = isinstance(body, Sequence) and (body is item or len(body.items) <= _MAX_RULE_LENGTH)
    if short and isinstance(body, Sequence) and depth and len(parts) < _MAX_PARTS:
        for inner in body.items:
            _add(grammar, inner, index, parts, budget, depth - 1)
    elif isinstance(item, Repeat):
        parts.append(CountedPart(item.body, item.minimum, item.maximum, index))
    else:
        parts.append(CountedPart(item, 1, 1, index))
