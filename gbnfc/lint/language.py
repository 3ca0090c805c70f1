"""Questions about the texts that expressions accept: equal, overlapping, what one has and not the other.

In: expressions, and the rules their references mean. Out: yes, no, or a shortest witness. The body
of a rule is a regular expression over characters and rule names, so everything here is a walk over
pairs of state sets of two automata (Hopcroft and Karp's comparison without determinising first).

A reference is either inlined, when the rule is not recursive, or stands for itself as one opaque
letter, a code point above `MAX_CODE_POINT`. Equal with opaque letters implies equal languages; a
witness may hold `‹name›` for any text of that rule.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

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
from gbnfc.lint.cost import readable_member

MOST_STATES = 60_000
MOST_PAIRS = 40_000
DEEPEST = 100

StateSet = frozenset[int]


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
    """A nondeterministic automaton: `jumps` read nothing, `moves` read one letter of a set."""

    jumps: list[list[int]] = field(default_factory=list)
    moves: list[list[tuple[CharSet, int]]] = field(default_factory=list)
    start: int = 0
    end: int = 0

    def new_state(self) -> int:
        """Add a state. Raises: `LimitExceeded` beyond `MOST_STATES`."""
        if len(self.jumps) >= MOST_STATES:
            raise LimitExceeded(f"more than {MOST_STATES:,} states")
        self.jumps.append([])
        self.moves.append([])
        return len(self.jumps) - 1

    def closure(self, states: StateSet) -> StateSet:
        """Return `states` and what can be reached without reading."""
        found = set(states)
        todo = list(states)
        while todo:
            for after in self.jumps[todo.pop()]:
                if after not in found:
                    found.add(after)
                    todo.append(after)
        return frozenset(found)

    @property
    def initial(self) -> StateSet:
        """The states before the first letter."""
        return self.closure(frozenset((self.start,)))

    def step(self, states: StateSet, letter: int) -> StateSet:
        """Return the states after `letter`."""
        return self.closure(
            frozenset(to for state in states for chars, to in self.moves[state] if letter in chars)
        )

    def sets_at(self, states: StateSet) -> list[CharSet]:
        """Return the sets of letters that can be read at `states`."""
        return [chars for state in sorted(states) for chars, _ in self.moves[state]]


def build_automaton(
    expression: Expression,
    letters: Letters,
    rules: Mapping[str, Rule] | None = None,
) -> Automaton:
    """Return the automaton of `expression`.

    References to non-recursive `rules` are inlined, the others become opaque letters.
    Raises: `LimitExceeded` when it grows beyond `MOST_STATES` or nests beyond `DEEPEST`.
    """
    automaton = Automaton()
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
        if depth > DEEPEST:
            raise LimitExceeded(f"nested deeper than {DEEPEST}")
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
                    self.automaton.jumps[after].append(end)
                return end
            case Repeat():
                return self._repeat(expression, at, inside, depth + 1)

    def _read(self, chars: CharSet, at: int) -> int:
        after = self.automaton.new_state()
        self.automaton.moves[at].append((chars, after))
        return after

    def _jump(self, at: int) -> int:
        after = self.automaton.new_state()
        self.automaton.jumps[at].append(after)
        return after

    def _opaque(self, label: str, at: int) -> int:
        return self._read(CharSet.single(self.letters.code_of(label)), at)

    def _repeat(self, repeat: Repeat, at: int, inside: tuple[str, ...], depth: int) -> int:
        for _ in range(repeat.minimum):
            at = self.add(repeat.body, at, inside, depth)
        if repeat.maximum is None:
            loop = self._jump(at)
            after = self.add(repeat.body, loop, inside, depth)
            self.automaton.jumps[after].append(loop)
            return self._jump(loop)
        end = self.automaton.new_state()
        for _ in range(repeat.maximum - repeat.minimum):
            self.automaton.jumps[at].append(end)
            at = self.add(repeat.body, self._jump(at), inside, depth)
        self.automaton.jumps[at].append(end)
        return end


class _Recursive(LimitExceeded):
    """A rule that uses itself cannot be inlined."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the rule {name} is recursive")


def inlinable(rules: Mapping[str, Rule], names: Mapping[str, frozenset[str]]) -> dict[str, Rule]:
    """Return the `rules` that do not use themselves, directly or through others.

    `names` tells for each rule the names it refers to. A rule that only *uses* a recursive one is
    kept: the recursive reference inside it becomes an opaque letter.
    """
    return {name: rule for name, rule in rules.items() if not _reaches(name, name, names)}


def _reaches(start: str, goal: str, names: Mapping[str, frozenset[str]]) -> bool:
    seen: set[str] = set()
    todo = list(names.get(start, ()))
    while todo:
        name = todo.pop()
        if name == goal:
            return True
        if name not in seen:
            seen.add(name)
            todo.extend(names.get(name, ()))
    return False


def shortest_difference(first: Automaton, second: Automaton) -> tuple[int, ...] | None:
    """Return a shortest text of `first` that `second` lacks; `None` when there is none."""
    return _search(first, second, lambda mine, theirs: mine and not theirs)


def shortest_common(first: Automaton, second: Automaton) -> tuple[int, ...] | None:
    """Return a shortest text that both accept; `None` when there is none."""
    return _search(first, second, lambda mine, theirs: mine and theirs, both=True)


def equal(first: Automaton, second: Automaton) -> bool:
    """Return whether both accept the same texts."""
    return _search(first, second, lambda mine, theirs: mine != theirs) is None


def _search(
    first: Automaton, second: Automaton, goal: Callable[[bool, bool], bool], *, both: bool = False
) -> tuple[int, ...] | None:
    """Walk pairs of state sets breadth first. Raises: `LimitExceeded` beyond `MOST_PAIRS`.

    `both` follows only letters that keep both automata alive.
    """
    start = (first.initial, second.initial)
    seen = {start}
    queue: deque[tuple[StateSet, StateSet, tuple[int, ...]]] = deque([(*start, ())])
    while queue:
        mine, theirs, text = queue.popleft()
        if goal(first.end in mine, second.end in theirs):
            return text
        for piece in partition(first.sets_at(mine) + second.sets_at(theirs)):
            letter = readable_member(piece)
            pair = (first.step(mine, letter), second.step(theirs, letter))
            if pair in seen or (both and not all(pair)):
                continue
            if len(seen) > MOST_PAIRS:
                raise LimitExceeded(f"more than {MOST_PAIRS:,} pairs of states")
            seen.add(pair)
            queue.append((*pair, (*text, letter)))
    return None
