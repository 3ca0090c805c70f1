"""What JSON allows (RFC 8259) as automata: the content of a string, a number, and usual mistakes.

Rules intersect these with what a grammar writes and show the shortest text that comes out.
"""

from __future__ import annotations

from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, TypeAlias

from gbnfc.errors import LimitExceeded
from gbnfc.gbnf.parse import parse_gbnf
from gbnfc.ir.walk import references
from gbnfc.lint.analysis.automata import (
    Automaton,
    Letters,
    build_automaton,
    shortest_common,
    shortest_difference,
)
from gbnfc.lint.rule import RULE_STEPS, Budget

if TYPE_CHECKING:
    from collections.abc import Callable

    from gbnfc.ir.nodes import Expression, Rule
    from gbnfc.lint.analysis.automata import Spend
    from gbnfc.lint.subject import LintedGrammar

    _Search: TypeAlias = Callable[[Automaton, Automaton, Spend], tuple[int, ...] | None]

_MAX_STATES = 1_000

STRING_CONTENT = r"""
root ::= ([^"\\\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4}))*
"""
NUMBER = r"""
root ::= "-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)? ([eE] [+-]? [0-9]+)?
"""
WITH_CONTROL = r"""
root ::= .* [\x00-\x1F] .*
"""
WITHOUT_CONTROL = r"""
root ::= [^\x00-\x1F]*
"""
LEADING_ZERO = r"""
root ::= "-"? "0" [0-9]+ ([.eE] .*)?
"""
NEGATIVE_ZERO = r"""
root ::= "-0"
"""
BARE_POINT = r"""
root ::= "-"? (int? "." ([eE] .*)? | "." .*)
int ::= "0" | [1-9] [0-9]*
"""
EXPONENT_ELEVEN = r"""
root ::= [0-9.+-]* [eE] [+-]? "11"
"""
EXPONENT_TEN = r"""
root ::= [0-9.+-]* [eE] [+-]? "10"
"""


@cache
def language_of(text: str) -> Automaton:
    """Return the automaton of one of the grammars above."""
    grammar = parse_gbnf(text)
    rules = {rule.name: rule for rule in grammar.rules}
    return build_automaton(rules["root"].body, Letters(), rules)


class Written:
    """What an expression of a grammar writes, to be compared with what JSON allows."""

    def __init__(self, grammar: LintedGrammar, expression: Expression, budget: Budget) -> None:
        self._grammar = grammar
        self._expression = expression
        self._budget = budget

    def in_common(self, other: str) -> str | None:
        """Return a shortest written text that `other` accepts; `None` when there is none."""
        return self._find(shortest_common, other)

    def outside(self, other: str) -> str | None:
        """Return a shortest written text that `other` lacks; `None` when there is none."""
        return self._find(shortest_difference, other)

    def _find(self, search: _Search, other: str) -> str | None:
        # A grammar writes the same strings and numbers in many places: each is answered once.
        question = (self._expression, search, other)
        known = self._grammar.written
        if question not in known:
            known[question], steps = _answer(self._expression, self._rules, search, other)
            self._budget.spend(steps)
        return known[question]

    @cached_property
    def _rules(self) -> tuple[Rule, ...]:
        """The rules that the expression needs, as far as they can be inlined."""
        inlined = self._grammar.simple_rules
        found: dict[str, Rule] = {}
        todo = list(references(self._expression))
        while todo:
            name = todo.pop()
            if name in inlined and name not in found:
                found[name] = inlined[name]
                todo.extend(sorted(self._grammar.references_of(inlined[name])))
        return tuple(found.values())


@lru_cache(maxsize=1_024)
def _answer(
    expression: Expression, rules: tuple[Rule, ...], search: _Search, other: str
) -> tuple[str | None, int]:
    """Return what `search` finds, and the steps that it takes: the same for every grammar.

    Nothing is found where nothing can be shown for certain: a recursive rule inside, or too large.
    """
    budget = Budget(RULE_STEPS)
    letters = Letters()
    try:
        inlined = {rule.name: rule for rule in rules}
        automaton = build_automaton(expression, letters, inlined, _MAX_STATES)
    except LimitExceeded:
        return None, _MAX_STATES
    budget.spend(len(automaton.epsilon_moves))
    if letters.codes:
        return None, len(automaton.epsilon_moves)
    found = search(automaton, language_of(other), budget.spend)
    return None if found is None else letters.show(found), budget.total - budget.left
