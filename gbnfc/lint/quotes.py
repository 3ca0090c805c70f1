"""Which parts of a JSON-shaped grammar stand inside a JSON string, and which outside.

In: a grammar. Out: for an expression and the state before it the states that may follow. Quotes in
literals open and close strings, a backslash inside escapes the next character; rules may be entered
in one state and left in another, so the answer for rules is the least fixpoint over all of them,
found for one strongly connected component after the other, used rules first.

States are bits, so that a set of states is a number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from gbnfc.charset import CharSet
from gbnfc.ir.graph import components
from gbnfc.ir.nodes import CharClass, Choice, Expression, Literal, Repeat, RuleRef, Sequence
from gbnfc.ir.walk import fold, references

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gbnfc.ir.nodes import Rule

OUTSIDE: Final = 1
INSIDE: Final = 2
ESCAPED: Final = 4
"""Inside a string, right behind a backslash."""

Transfer: TypeAlias = tuple[int, int, int]
"""The sets of states that may follow when entered OUTSIDE, INSIDE, ESCAPED; 0: never ends."""

_STATES = (OUTSIDE, INSIDE, ESCAPED)
_KEEP: Transfer = (OUTSIDE, INSIDE, INSIDE)
_NOTHING: Transfer = (OUTSIDE, INSIDE, ESCAPED)
_NEVER: Transfer = (0, 0, 0)
_QUOTE = CharSet.from_chars('"')
_BACKSLASH = CharSet.from_chars("\\")


def after_text(text: str, state: int) -> int:
    """Return the state behind `text`."""
    for char in text:
        if state == ESCAPED:
            state = INSIDE
        elif char == '"':
            state = OUTSIDE if state == INSIDE else INSIDE
        elif char == "\\" and state == INSIDE:
            state = ESCAPED
    return state


class QuoteFlow:
    """Answers for the expressions of one grammar."""

    def __init__(self, rules: Mapping[str, Rule]) -> None:
        self._rules: dict[str, Transfer] = dict.fromkeys(rules, _NEVER)
        graph = {name: references(rule.body) for name, rule in rules.items()}
        for component in components(graph):
            changed = True
            while changed:
                changed = False
                for name in component:
                    found = self.transfer(rules[name].body)
                    if found != self._rules[name]:
                        self._rules[name] = found
                        changed = True

    def after(self, expression: Expression, state: int) -> int:
        """Return the set of states that may follow `expression` entered in `state`."""
        return self.transfer(expression)[_STATES.index(state)]

    def transfer(self, expression: Expression) -> Transfer:
        """Return what may follow `expression`, by the state before it."""
        return fold(expression, self._combine)

    def _combine(self, node: Expression, parts: tuple[Transfer, ...]) -> Transfer:
        match node:
            case Literal(text):
                return _of(*(after_text(text, state) for state in _STATES))
            case CharClass(ranges):
                return _after_class(node.chars) if ranges else _NOTHING
            case RuleRef(name):
                return self._rules.get(name, _NEVER)
            case Sequence():
                found = _NOTHING
                for part in parts:
                    found = _then(found, part)
                return found
            case Choice():
                return _of(*(_union(part[i] for part in parts) for i in range(3)))
            case Repeat(_, minimum, maximum):
                return _NOTHING if maximum == 0 else _repeated(parts[0], minimum)
            case _:
                return _KEEP


def _of(outside: int, inside: int, escaped: int) -> Transfer:
    return outside, inside, escaped


def _union(masks: Iterable[int]) -> int:
    joined = 0
    for mask in masks:
        joined |= mask
    return joined


def _through(states: int, transfer: Transfer) -> int:
    return _union(after for state, after in zip(_STATES, transfer, strict=True) if states & state)


def _then(first: Transfer, second: Transfer) -> Transfer:
    return _of(*(_through(states, second) for states in first))


def _repeated(body: Transfer, minimum: int) -> Transfer:
    found = _NOTHING if minimum == 0 else body
    for _ in _STATES:
        more = _then(found, body)
        found = _of(*(a | b for a, b in zip(found, more, strict=True)))
    return found


def _after_class(chars: CharSet) -> Transfer:
    if chars in (_QUOTE, _BACKSLASH):
        text = chr(chars.lowest)
        return _of(*(after_text(text, state) for state in _STATES))
    # A quote among other characters is taken for content: whether it may stand there is what the
    # rules about strings find out.
    return _KEEP
