"""What JSON allows (RFC 8259) as automata: the content of a string, a number, and usual mistakes.

Rules intersect these with what a grammar writes and show the shortest text that comes out.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, TypeAlias

from gbnfc.errors import LimitExceeded
from gbnfc.gbnf.parse import parse_gbnf
from gbnfc.lint.language import (
    Automaton,
    Letters,
    build_automaton,
    shortest_common,
    shortest_difference,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from gbnfc.ir.nodes import Expression
    from gbnfc.lint.language import Spend
    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

    _Search: TypeAlias = Callable[[Automaton, Automaton, Spend], tuple[int, ...] | None]

_MOST_STATES = 1_000

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
        self._letters = Letters()
        self._budget = budget

    @cached_property
    def automaton(self) -> Automaton | None:
        """The automaton of what is written; `None` when it is too large."""
        rules = self._grammar.simple_rules
        try:
            automaton = build_automaton(self._expression, self._letters, rules, _MOST_STATES)
        except LimitExceeded:
            self._budget.spend(_MOST_STATES)
            return None
        self._budget.spend(len(automaton.jumps))
        return automaton

    def in_common(self, other: str) -> str | None:
        """Return a shortest written text that `other` accepts; `None` when there is none."""
        return self._find(shortest_common, other)

    def outside(self, other: str) -> str | None:
        """Return a shortest written text that `other` lacks; `None` when there is none."""
        return self._find(shortest_difference, other)

    def _find(self, search: _Search, other: str) -> str | None:
        # Grammars write the same strings and numbers in many places: each is answered once.
        question = (self._expression, search, other)
        known = self._grammar.written
        if question not in known:
            known[question] = self._found(search, other)
        return known[question]

    def _found(self, search: _Search, other: str) -> str | None:
        if self.automaton is None or self._letters.codes:
            # A recursive rule inside: nothing can be shown for certain.
            return None
        found = search(self.automaton, language_of(other), self._budget.spend)
        return None if found is None else self._letters.show(found)
