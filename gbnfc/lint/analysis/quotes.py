"""Which parts of a JSON-shaped grammar stand inside a JSON string, and which outside.

In: a grammar. Out: for an expression and the state before it the states that may follow. Quotes in
literals open and close strings, a backslash inside escapes the next character; rules may be entered
in one state and left in another, so the answer for rules is the least fixpoint over all of them,
found for one strongly connected component after the other, used rules first.

States are bits, so that a set of states is a number.
"""

from __future__ import annotations

from functools import lru_cache
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

STILL_INSIDE: Final = 8
"""Inside the same string as at the start: what stays there is content of that string."""
_STILL_ESCAPED: Final = 16

Transfer: TypeAlias = tuple[int, ...]
"""The states that may follow, by the state before, as `STATES` orders them; 0: it never ends."""

STATES = (OUTSIDE, INSIDE, ESCAPED, STILL_INSIDE, _STILL_ESCAPED)
_KEEP: Transfer = (OUTSIDE, INSIDE, INSIDE, STILL_INSIDE, STILL_INSIDE)
_NOTHING: Transfer = STATES
_NEVER: Transfer = (0, 0, 0, 0, 0)
_AT_QUOTE = {OUTSIDE: INSIDE, INSIDE: OUTSIDE, STILL_INSIDE: OUTSIDE}
_AT_BACKSLASH = {INSIDE: ESCAPED, STILL_INSIDE: _STILL_ESCAPED}
_UNESCAPED = {ESCAPED: INSIDE, _STILL_ESCAPED: STILL_INSIDE}
_QUOTE = CharSet.from_chars('"')
_BACKSLASH = CharSet.from_chars("\\")


def after_text(text: str, state: int) -> int:
    """Return the state behind `text`."""
    for char in text:
        if state in _UNESCAPED:
            state = _UNESCAPED[state]
        elif char == '"':
            state = _AT_QUOTE[state]
        elif char == "\\":
            state = _AT_BACKSLASH.get(state, state)
    return state


class QuoteFlow:
    """Answers for the expressions of one grammar."""

    def __init__(self, rules: Mapping[str, Rule]) -> None:
        self._rules: dict[str, Transfer] = dict.fromkeys(rules, _NEVER)
        self._known: dict[int, Transfer] = {}
        graph = {name: references(rule.body) for name, rule in rules.items()}
        for component in components(graph):
            if len(component) == 1 and component[0] not in graph[component[0]]:
                self._rules[component[0]] = fold(rules[component[0]].body, self._combine)
                continue
            changed = True
            while changed:
                changed = False
                for name in component:
                    found = fold(rules[name].body, self._combine)
                    if found != self._rules[name]:
                        self._rules[name] = found
                        changed = True

    def transfer(self, expression: Expression) -> Transfer:
        """Return what may follow a part of the rules, by the state before it."""
        return self._known[id(expression)]

    def _combine(self, node: Expression, parts: tuple[Transfer, ...]) -> Transfer:
        # The last time that a part is looked at, the rules that it refers to are settled.
        found = self._known[id(node)] = self._transfer(node, parts)
        return found

    def _transfer(self, node: Expression, parts: tuple[Transfer, ...]) -> Transfer:
        match node:
            case Literal(text):
                return _after_literal(text)
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
                return _either(frozenset(parts))
            case Repeat(_, minimum, maximum):
                return _NOTHING if maximum == 0 else _repeated(parts[0], minimum)
            case _:
                return _KEEP


def _union(masks: Iterable[int]) -> int:
    joined = 0
    for mask in masks:
        joined |= mask
    return joined


def _after_literal(text: str) -> Transfer:
    if '"' in text or "\\" in text:
        return tuple(after_text(text, state) for state in STATES)
    return _KEEP if text else _NOTHING


# Few different transfers exist, and they meet again and again.


@lru_cache(maxsize=4_096)
def _either(transfers: frozenset[Transfer]) -> Transfer:
    return tuple(_union(part[i] for part in transfers) for i in range(len(STATES)))


def _through(states: int, transfer: Transfer) -> int:
    return _union(after for state, after in zip(STATES, transfer, strict=True) if states & state)


@lru_cache(maxsize=4_096)
def _then(first: Transfer, second: Transfer) -> Transfer:
    return tuple(_through(states, second) for states in first)


def _repeated(body: Transfer, minimum: int) -> Transfer:
    found = _NOTHING if minimum == 0 else body
    for _ in STATES:
        more = _then(found, body)
        found = tuple(a | b for a, b in zip(found, more, strict=True))
    return found


def _after_class(chars: CharSet) -> Transfer:
    if chars in (_QUOTE, _BACKSLASH):
        text = chr(chars.lowest)
        return tuple(after_text(text, state) for state in STATES)
    # A quote among other characters is taken for content: whether it may stand there is what the
    # rules about strings find out.
    return _KEEP
