"""Which parts of a JSON-shaped grammar stand inside a JSON string, and which outside.

In: a grammar. Out: for an expression and the state before it the states that may follow. Quotes in
literals open and close strings, a backslash inside escapes the next character; rules may be entered
in one state and left in another, so the answer for rules is the least fixpoint over all of them.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from gbnfc.charset import CharSet
from gbnfc.ir.nodes import CharClass, Choice, Expression, Literal, Repeat, RuleRef, Sequence

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gbnfc.ir.nodes import Rule


class State(Enum):
    """Where a text stands."""

    OUTSIDE = "outside"
    INSIDE = "inside"
    ESCAPED = "escaped"
    """Inside a string, right behind a backslash."""


_QUOTE = CharSet.from_chars('"')
_BACKSLASH = CharSet.from_chars("\\")
_ROUNDS = 50

States = frozenset[State]


def after_text(text: str, state: State) -> State:
    """Return the state behind `text`."""
    for char in text:
        if state is State.ESCAPED:
            state = State.INSIDE
        elif char == '"':
            state = State.OUTSIDE if state is State.INSIDE else State.INSIDE
        elif char == "\\" and state is State.INSIDE:
            state = State.ESCAPED
    return state


class QuoteFlow:
    """Answers for the expressions of one grammar."""

    def __init__(self, rules: Mapping[str, Rule]) -> None:
        self._rules = rules
        self._known: dict[tuple[str, State], States] = {}
        self._settled = False

    def after(self, expression: Expression, state: State) -> States:
        """Return the states that may follow `expression` entered in `state`; empty: never ends."""
        found = self._after(expression, state)
        while not self._settled:
            self._settle()
            found = self._after(expression, state)
        return found

    def _settle(self) -> None:
        """Follow the rules asked about so far until nothing new is found."""
        self._settled = True
        for _ in range(_ROUNDS):
            changed = False
            for name, state in list(self._known):
                found = self._after(self._rules[name].body, state)
                if found != self._known[name, state]:
                    self._known[name, state] = found
                    changed = True
            if not changed:
                return

    def _after(self, expression: Expression, state: State) -> States:
        match expression:
            case Literal(text):
                return frozenset((after_text(text, state),))
            case CharClass():
                return _after_class(expression.chars, state)
            case RuleRef(name) if name in self._rules:
                if (name, state) not in self._known:
                    self._known[name, state] = frozenset()
                    self._settled = False
                return self._known[name, state]
            case Sequence(items):
                return self._after_all(items, state)
            case Choice(alternatives):
                return frozenset(s for part in alternatives for s in self._after(part, state))
            case Repeat(body, minimum):
                return self._after_repeat(body, minimum, state)
            case _:
                return frozenset((State.INSIDE if state is State.ESCAPED else state,))

    def _after_all(self, items: tuple[Expression, ...], state: State) -> States:
        states: States = frozenset((state,))
        for item in items:
            states = frozenset(after for s in states for after in self._after(item, s))
        return states

    def _after_repeat(self, body: Expression, minimum: int, state: State) -> States:
        states: States = frozenset((state,)) if minimum == 0 else self._after(body, state)
        for _ in State:
            states |= frozenset(after for s in states for after in self._after(body, s))
        return states


def _after_class(chars: CharSet, state: State) -> States:
    if state is State.ESCAPED:
        return frozenset((State.INSIDE,))
    if chars == _QUOTE:
        return frozenset((after_text('"', state),))
    if chars == _BACKSLASH:
        return frozenset((after_text("\\", state),))
    # A quote among other characters is taken for content: whether it may stand there is what the
    # rules about strings find out.
    return frozenset((state,))
