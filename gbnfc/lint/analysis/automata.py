"""Questions about what expressions accept: the same, something in common, what one has alone.

In: expressions, and the rules their references mean. Out: yes, no, or a shortest witness. The body
of a rule is a regular expression over characters and rule names, so everything here is a walk over
pairs of state sets of two automata (Hopcroft and Karp's comparison without determinising first).

A reference is either inlined, when the rule is not recursive, or stands for itself as one opaque
letter, a code point above `MAX_CODE_POINT`. Equal with opaque letters implies equal languages; a
witness may hold `‹name›` for any text of that rule.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from typing import TypeAlias

from gbnfc.charset import ANY, MAX_CODE_POINT, CharSet, partition
from gbnfc.errors import LimitExceeded
from gbnfc.ir.nodes import (
    AnyChar,
    CharClass,
    Choice,
    Expression,
    Literal,
    Repeat,
    Rule,
    RuleRef,
    Sequence,
    TokenTerminal,
)
from gbnfc.lint.analysis.cost import readable_member

MAX_STATES = 60_000
MAX_PAIRS = 40_000
_MAX_STEPS = 10_000
MAX_DEPTH = 100

StateSet: TypeAlias = frozenset[int]
_Pair: TypeAlias = tuple[StateSet, StateSet, int]


@dataclass(slots=True)
class Letters:
    """The opaque letters shared by automata that are compared: one per name or token terminal."""

    codes: dict[str, int] = field(default_factory=dict)

    def code_of(self, label: str) -> int:
        """Return the code point that stands for `label`."""
        return self.codes.setdefault(label, MAX_CODE_POINT + 1 + len(self.codes))

    def show(self, codes: tuple[int, ...]) -> str:
        """Return a text as a person reads it: opaque letters as `‹name›`."""
        labels = {code: label for label, code in self.codes.items()}
        return "".join(chr(c) if c <= MAX_CODE_POINT else f"‹{labels[c]}›" for c in codes)


@dataclass(slots=True)
class Automaton:
    """A nondeterministic automaton: `transitions` read a letter, `epsilon_moves` nothing."""

    max_states: int = MAX_STATES
    epsilon_moves: list[list[int]] = field(default_factory=list)
    transitions: list[list[tuple[CharSet, int]]] = field(default_factory=list)
    start: int = 0
    end: int = 0
    _steps: dict[tuple[StateSet, int], StateSet] = field(default_factory=dict, repr=False)
    """What `step` has found: the same two automata are walked for several questions."""

    def new_state(self) -> int:
        """Add a state. Raises: `LimitExceeded` beyond `max_states`."""
        if len(self.epsilon_moves) >= self.max_states:
            raise LimitExceeded(f"more than {self.max_states:,} states")
        self.epsilon_moves.append([])
        self.transitions.append([])
        return len(self.epsilon_moves) - 1

    def closure(self, states: Set[int]) -> StateSet:
        """Return `states` and what can be reached without reading."""
        epsilon_moves = self.epsilon_moves
        found = set(states)
        todo = list(states)
        while todo:
            new = epsilon_moves[todo.pop()]
            if new:
                todo += [after for after in new if after not in found]
                found.update(new)
        return frozenset(found)

    @property
    def initial(self) -> StateSet:
        """The states before the first letter."""
        return self.closure(frozenset((self.start,)))

    def step(self, states: StateSet, letter: int) -> StateSet:
        """Return the states after `letter`."""
        known = self._steps.get((states, letter))
        if known is None:
            transitions = self.transitions
            known = self.closure(
                {to for state in states for chars, to in transitions[state] if letter in chars}
            )
            if len(self._steps) > _MAX_STEPS:
                self._steps.clear()
            self._steps[states, letter] = known
        return known

    def sets_at(self, states: StateSet) -> list[CharSet]:
        """Return the sets of letters that can be read at `states`."""
        return [chars for state in sorted(states) for chars, _ in self.transitions[state]]


def build_automaton(
    expression: Expression,
    letters: Letters,
    rules: Mapping[str, Rule] | None = None,
    max_states: int = MAX_STATES,
) -> Automaton:
    """Return the automaton of `expression`.

    References to non-recursive `rules` are inlined, the others become opaque letters.
    Raises: `LimitExceeded` when it grows beyond `max_states` or nests beyond `MAX_DEPTH`.
    """
    automaton = Automaton(max_states)
    automaton.start = automaton.new_state()
    automaton.end = _Builder(automaton, letters, rules or {}).add(expression, automaton.start, ())
    return automaton


@dataclass(slots=True)
class _Builder:
    automaton: Automaton
    letters: Letters
    rules: Mapping[str, Rule]

    def add(self, expression: Expression, at: int, inside: tuple[str, ...], depth: int = 0) -> int:
        """Add `expression` behind the state `at`; return the state behind it."""
        if depth > MAX_DEPTH:
            raise LimitExceeded(f"nested deeper than {MAX_DEPTH}")
        match expression:
            case Literal(text):
                for char in text:
                    at = self._read(CharSet.single(ord(char)), at)
                return at
            case CharClass(ranges):
                return self._read(expression.chars, at) if ranges else at
            case AnyChar():
                return self._read(ANY, at)
            case TokenTerminal(token, negated):
                return self._opaque(f"{'!' if negated else ''}<{token}>", at)
            case RuleRef(name):
                if name in self.rules and name not in inside:
                    return self.add(self.rules[name].body, at, (*inside, name), depth + 1)
                if name in inside:
                    raise _Recursive(name)
                return self._opaque(name, at)
            case Sequence(items):
                for item in items:
                    at = self.add(item, at, inside, depth + 1)
                return at
            case Choice(alternatives):
                end = self.automaton.new_state()
                for alternative in alternatives:
                    before = self._jump(at)
                    after = self.add(alternative, before, inside, depth + 1)
                    self.automaton.epsilon_moves[after].append(end)
                return end
            case Repeat():
                return self._repeat(expression, at, inside, depth + 1)

    def _read(self, chars: CharSet, at: int) -> int:
        after = self.automaton.new_state()
        self.automaton.transitions[at].append((chars, after))
        return after

    def _jump(self, at: int) -> int:
        after = self.automaton.new_state()
        self.automaton.epsilon_moves[at].append(after)
        return after

    def _opaque(self, label: str, at: int) -> int:
        return self._read(CharSet.single(self.letters.code_of(label)), at)

    def _repeat(self, repeat: Repeat, at: int, inside: tuple[str, ...], depth: int) -> int:
        for _ in range(repeat.minimum):
            at = self.add(repeat.body, at, inside, depth)
        if repeat.maximum is None:
            loop = self._jump(at)
            after = self.add(repeat.body, loop, inside, depth)
            self.automaton.epsilon_moves[after].append(loop)
            return self._jump(loop)
        end = self.automaton.new_state()
        for _ in range(repeat.maximum - repeat.minimum):
            self.automaton.epsilon_moves[at].append(end)
            at = self.add(repeat.body, self._jump(at), inside, depth)
        self.automaton.epsilon_moves[at].append(end)
        return end


class _Recursive(LimitExceeded):
    """A rule that uses itself cannot be inlined."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the rule {name} is recursive")


Spend: TypeAlias = Callable[[int], None]
"""Called with the number of states that are about to be looked at; may raise `LimitExceeded`."""


def _spend_freely(steps: int) -> None:
    """Count nothing."""


def shortest_difference(
    first: Automaton, second: Automaton, spend: Spend = _spend_freely
) -> tuple[int, ...] | None:
    """Return a shortest text of `first` that `second` lacks; `None` when there is none."""
    return _search(first, second, lambda mine, theirs: mine and not theirs, spend)


def shortest_common(
    first: Automaton, second: Automaton, spend: Spend = _spend_freely, *, at_least: int = 0
) -> tuple[int, ...] | None:
    """Return a shortest text of `at_least` letters that both accept; `None` when there is none."""
    return _search(
        first, second, lambda mine, theirs: mine and theirs, spend, both=True, at_least=at_least
    )


def equal(first: Automaton, second: Automaton, spend: Spend = _spend_freely) -> bool:
    """Return whether both accept the same texts."""
    return _search(first, second, lambda mine, theirs: mine != theirs, spend) is None


def _search(
    first: Automaton,
    second: Automaton,
    goal: Callable[[bool, bool], bool],
    spend: Spend,
    *,
    both: bool = False,
    at_least: int = 0,
) -> tuple[int, ...] | None:
    """Walk pairs of state sets breadth first. Raises: `LimitExceeded` beyond `MAX_PAIRS`.

    `both` follows only letters that keep both automata alive. Lengths are told apart up to
    `at_least`.
    """
    start = (first.initial, second.initial, 0)
    came_from: dict[_Pair, tuple[_Pair, int] | None] = {start: None}
    queue = deque([start])
    while queue:
        at = queue.popleft()
        mine, theirs, length = at
        states = len(mine) + len(theirs)
        spend(states)
        if length >= at_least and goal(first.end in mine, second.end in theirs):
            return _trace(came_from, at)
        for piece in partition(first.sets_at(mine) + second.sets_at(theirs)):
            spend(states)
            letter = readable_member(piece)
            pair = (
                first.step(mine, letter),
                second.step(theirs, letter),
                min(length + 1, at_least),
            )
            if pair in came_from or (both and not (pair[0] and pair[1])):
                continue
            if len(came_from) > MAX_PAIRS:
                raise LimitExceeded(f"more than {MAX_PAIRS:,} pairs of states")
            came_from[pair] = (at, letter)
            queue.append(pair)
    return None


def _trace(came_from: Mapping[_Pair, tuple[_Pair, int] | None], at: _Pair) -> tuple[int, ...]:
    text: list[int] = []
    while (step := came_from[at]) is not None:
        at, letter = step
        text.append(letter)
    return tuple(reversed(text))
