"""How two alternatives of a choice relate: the same texts, one inside the other, some in common."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from gbnfc.charset import CharSet
from gbnfc.errors import LimitExceeded
from gbnfc.ir.nodes import CharClass, Literal, Sequence
from gbnfc.lint.analysis.automata import (
    Automaton,
    Letters,
    build_automaton,
    shortest_common,
    shortest_difference,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.ir.nodes import Choice, Expression
    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

_MAX_ALTERNATIVES = 200
_HEAVIEST = 120
"""Alternatives of more states are not compared: what they share is for the stacks to show."""


class Relation(Enum):
    """How the first alternative relates to the second."""

    SAME = "same"
    INSIDE = "inside"
    OVERLAPPING = "overlapping"


@dataclass(frozen=True, slots=True)
class Overlap:
    """`first` and `second` are indices of alternatives; `witness` is a text that both accept,
    of two letters or more where there is one.
    """

    first: int
    second: int
    relation: Relation
    witness: str


def find_overlaps(grammar: LintedGrammar, choice: Choice, budget: Budget) -> Iterator[Overlap]:
    """Yield the pairs of alternatives that share a text; of `INSIDE`, `first` is the smaller one.

    Pairs that are too large to compare are passed over.
    """
    members = choice.alternatives[:_MAX_ALTERNATIVES]
    budget.spend(len(members))
    quick = [_plain_first(member) for member in members]
    firsts = [
        grammar.first_of(member) if plain is None else plain
        for member, plain in zip(members, quick, strict=True)
    ]
    empty = [
        plain is None and grammar.may_be_empty(member)
        for member, plain in zip(members, quick, strict=True)
    ]
    automata: dict[int, Automaton | None] = {}
    letters = Letters()
    for j, second in enumerate(members):
        for i in range(j):
            if not (empty[i] and empty[j]) and firsts[i].isdisjoint(firsts[j]):
                continue
            if members[i] == second:
                yield Overlap(j, i, Relation.SAME, "")
                continue
            if any(grammar.weight_of(members[k]) > _HEAVIEST for k in (i, j)):
                continue
            pair = [
                automata.setdefault(k, _automaton(grammar, members[k], letters, budget))
                if k not in automata
                else automata[k]
                for k in (i, j)
            ]
            if pair[0] is not None and pair[1] is not None:
                yield from _compare(i, j, pair[0], pair[1], letters, budget)


def _plain_first(member: Expression) -> CharSet | None:
    """Return the first characters of what starts with a literal or a class; else `None`."""
    lead = member.items[0] if isinstance(member, Sequence) and member.items else member
    if isinstance(lead, Literal) and lead.text:
        return CharSet.single(ord(lead.text[0]))
    return lead.chars if isinstance(lead, CharClass) and lead.ranges else None


def _automaton(
    grammar: LintedGrammar, member: Expression, letters: Letters, budget: Budget
) -> Automaton | None:
    try:
        automaton = build_automaton(member, letters, grammar.simple_rules)
    except LimitExceeded:
        return None
    budget.spend(len(automaton.epsilon_moves))
    return automaton


def _compare(
    i: int, j: int, first: Automaton, second: Automaton, letters: Letters, budget: Budget
) -> Iterator[Overlap]:
    try:
        common = shortest_common(first, second, budget.spend)
        if common is None:
            return
        if len(common) < 2:
            common = shortest_common(first, second, budget.spend, at_least=2) or common
        witness = letters.show(common)
        first_inside = shortest_difference(first, second, budget.spend) is None
        second_inside = shortest_difference(second, first, budget.spend) is None
    except LimitExceeded:
        if budget.left < 0:
            raise
        return
    if second_inside:
        yield Overlap(j, i, Relation.SAME if first_inside else Relation.INSIDE, witness)
    elif first_inside:
        yield Overlap(i, j, Relation.INSIDE, witness)
    else:
        yield Overlap(i, j, Relation.OVERLAPPING, witness)
