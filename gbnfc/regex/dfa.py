"""Deterministic automata over Unicode text: the value that every string facet becomes.

A `Dfa` is immutable, minimal and canonical: two automata are equal exactly when they accept the
same strings. Its alphabet is a partition of the characters it can read into sets, never single
characters, so `\\p{L}` costs what `a` costs. The universe is all strings of Unicode scalar values.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from gbnfc.charset import SCALARS, CharSet
from gbnfc.regex.minimise import minimise
from gbnfc.regex.tables import (
    MAX_STATES,
    Operation,
    Table,
    check_limit,
    class_finder,
    concatenation,
    merge_classes,
    product,
    word_table,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


@dataclass(frozen=True)
class Dfa:
    """A minimal automaton; state 0 is the start, and a character without a transition is a refusal.

    `alphabet` holds disjoint character sets ordered by lowest member. `rows[s]` holds the
    transitions of state `s` as `(index into alphabet, next state)`, sorted. Build one with the
    class methods, the operators or `compile_pattern`; the bare constructor trusts its arguments.
    """

    alphabet: tuple[CharSet, ...]
    rows: tuple[tuple[tuple[int, int], ...], ...]
    accepting: tuple[bool, ...]

    # Construction ------------------------------------------------------------------------------

    @classmethod
    def of_table(cls, table: Table) -> Dfa:
        """Return the minimal automaton of a table over scalar values."""
        rows, accepting = minimise(table.rows, table.accepting)
        minimal = merge_classes(Table(table.alphabet, rows, accepting))
        return cls(
            minimal.alphabet,
            tuple(tuple(sorted(row.items())) for row in minimal.rows),
            tuple(minimal.accepting),
        )

    @classmethod
    def nothing(cls) -> Dfa:
        """Return the automaton that accepts no string."""
        return cls((), ((),), (False,))

    @classmethod
    def everything(cls) -> Dfa:
        """Return the automaton that accepts every string of Unicode scalar values."""
        return cls((SCALARS,), (((0, 0),),), (True,))

    @classmethod
    def of_chars(cls, members: CharSet) -> Dfa:
        """Return the automaton of the one-character strings of `members`."""
        members = members & SCALARS
        return cls((members,), (((0, 1),), ()), (False, True)) if members else cls.nothing()

    @classmethod
    def of_length(cls, minimum: int, maximum: int | None, *, max_states: int = MAX_STATES) -> Dfa:
        """Return all strings of `minimum` to `maximum` characters (`None`: no upper bound).

        Raises:
            LimitExceeded: the bounds need more than `max_states` states.
        """
        last = minimum if maximum is None else maximum
        if last < minimum:
            return cls.nothing()
        check_limit(last + 1, max_states)
        rows: list[tuple[tuple[int, int], ...]] = [((0, state + 1),) for state in range(last)]
        rows.append(((0, last),) if maximum is None else ())
        alphabet = (SCALARS,) if last or maximum is None else ()
        return cls(alphabet, tuple(rows), tuple(state >= minimum for state in range(last + 1)))

    @classmethod
    def of_strings(cls, strings: Iterable[str]) -> Dfa:
        """Return the automaton of a finite set of strings, those with lone surrogates left out."""
        return cls.of_table(word_table(word for word in strings if not _has_surrogate(word)))

    # Set operations ----------------------------------------------------------------------------

    def __and__(self, other: Dfa) -> Dfa:
        return self.intersection(other)

    def __or__(self, other: Dfa) -> Dfa:
        return self.union(other)

    def __sub__(self, other: Dfa) -> Dfa:
        return self.difference(other)

    def __invert__(self) -> Dfa:
        return Dfa.everything().difference(self)

    def intersection(self, other: Dfa, *, max_states: int = MAX_STATES) -> Dfa:
        """Return the strings of both. Raises `LimitExceeded` past `max_states` states."""
        if self == other or other == _EVERYTHING:
            return self
        if self == _EVERYTHING:
            return other
        return self._product(other, Operation.AND, max_states)

    def union(self, other: Dfa, *, max_states: int = MAX_STATES) -> Dfa:
        """Return the strings of either. Raises `LimitExceeded` past `max_states` states."""
        if self.is_empty():
            return other
        if other.is_empty():
            return self
        return self._product(other, Operation.OR, max_states)

    def difference(self, other: Dfa, *, max_states: int = MAX_STATES) -> Dfa:
        """Return the strings of this one only. Raises `LimitExceeded` past `max_states` states."""
        return self._product(other, Operation.MINUS, max_states)

    def then(self, other: Dfa, *, max_states: int = MAX_STATES) -> Dfa:
        """Return each string of this one followed by one of `other` (concatenation).

        Raises `LimitExceeded` past `max_states` states.
        """
        return Dfa.of_table(concatenation(self._table, other._table, max_states))

    # Questions ---------------------------------------------------------------------------------

    @property
    def state_count(self) -> int:
        """The number of states, the dead one not counted."""
        return len(self.rows)

    def is_empty(self) -> bool:
        """Return whether no string is accepted."""
        return not any(self.accepting)

    def is_everything(self) -> bool:
        """Return whether every string is accepted."""
        return self == _EVERYTHING

    def is_finite(self) -> bool:
        """Return whether only finitely many strings are accepted."""
        return self._longest is not None

    def is_subset(self, other: Dfa) -> bool:
        """Return whether `other` accepts every string that this one accepts."""
        return self.difference(other).is_empty()

    def accepts(self, text: str) -> bool:
        """Return whether `text` is accepted."""
        state = 0
        for char in text:
            found = self.next_state(state, char)
            if found is None:
                return False
            state = found
        return self.accepting[state]

    def next_state(self, state: int, char: str) -> int | None:
        """Return the state after reading `char` in `state`; `None` when no member goes on so."""
        symbol = self._class_of(ord(char))
        return None if symbol is None else self._table.rows[state].get(symbol)

    def edges(self, state: int) -> tuple[tuple[CharSet, int], ...]:
        """Return the transitions of `state` joined by target, ordered by lowest character."""
        ranges: dict[int, list[tuple[int, int]]] = {}
        for symbol, target in self.rows[state]:
            ranges.setdefault(target, []).extend(self.alphabet[symbol].ranges)
        return tuple((CharSet.of(found), target) for target, found in ranges.items())

    def transitions(self, state: int) -> tuple[tuple[int, int, int], ...]:
        """Return the transitions of `state` as sorted `(first, last, target)` intervals."""
        return tuple(
            sorted(
                (first, last, target)
                for members, target in self.edges(state)
                for first, last in members.ranges
            )
        )

    def shortest(self) -> str | None:
        """Return a shortest member (`None`: there is none), of plain characters where possible."""
        came_from: dict[int, tuple[int, int]] = {}
        queue = deque([0])
        seen = {0}
        ranks = [_plainness(members) for members in self.alphabet]
        while queue:
            state = queue.popleft()
            if self.accepting[state]:
                return self._spell(state, came_from)
            for symbol, target in sorted(self.rows[state], key=lambda edge: ranks[edge[0]]):
                if target not in seen:
                    seen.add(target)
                    came_from[target] = (state, symbol)
                    queue.append(target)
        return None

    def length_bounds(self) -> tuple[int, int | None] | None:
        """Return the lengths of the shortest and longest members in characters.

        The second is `None` when there is no longest; the answer is `None` when there is no member.
        """
        shortest = self.shortest()
        if shortest is None:
            return None
        return len(shortest), self._longest

    def enumerate(self, limit: int) -> tuple[str, ...]:
        """Return the first `limit` members, by length and then by code point."""
        found: list[str] = []
        level: list[tuple[str, int]] = [("", 0)]
        remaining = self._longest
        while level and len(found) < limit:
            found += [text for text, state in level if self.accepting[state]][: limit - len(found)]
            wanted = limit - len(found)
            if remaining == 0:
                break
            remaining = None if remaining is None else remaining - 1
            # Every state is live, so `wanted` prefixes per state are enough to find `wanted` words.
            level = list(self._longer(level, wanted))
        return tuple(found)

    def count(self, limit: int) -> int:
        """Return the number of members, or `limit` when there are at least that many."""
        if self._longest is None:
            return limit
        totals = [int(accepted) for accepted in self.accepting]
        for state in reversed(self._topological):
            for symbol, target in self.rows[state]:
                totals[state] += len(self.alphabet[symbol]) * totals[target]
        return min(limit, totals[0])

    # Internals ---------------------------------------------------------------------------------

    def _product(self, other: Dfa, operation: Operation, max_states: int) -> Dfa:
        return Dfa.of_table(product(self._table, other._table, operation, max_states))

    def _longer(self, level: list[tuple[str, int]], wanted: int) -> Iterator[tuple[str, int]]:
        kept: dict[int, int] = {}
        for text, state in level:
            for first, last, target in self.transitions(state):
                room = wanted - kept.get(target, 0)
                for code_point in range(first, min(last, first + room - 1) + 1):
                    kept[target] = kept.get(target, 0) + 1
                    yield text + chr(code_point), target

    def _spell(self, state: int, came_from: dict[int, tuple[int, int]]) -> str:
        chars: list[str] = []
        while state in came_from:
            state, symbol = came_from[state]
            chars.append(plain_member(self.alphabet[symbol]))
        return "".join(reversed(chars))

    @cached_property
    def _class_of(self) -> Callable[[int], int | None]:
        return class_finder(self.alphabet)

    @cached_property
    def _table(self) -> Table:
        return Table(self.alphabet, [dict(row) for row in self.rows], self.accepting)

    @cached_property
    def _topological(self) -> list[int]:
        """States before their targets; shorter than `rows` when there is a cycle (Kahn 1962)."""
        pending = [0] * len(self.rows)
        for row in self.rows:
            for _, target in row:
                pending[target] += 1
        order = [] if pending[0] else [0]
        for state in order:
            for _, target in self.rows[state]:
                pending[target] -= 1
                if not pending[target]:
                    order.append(target)
        return order

    @cached_property
    def _longest(self) -> int | None:
        """The length of the longest member (0 when there is none); `None` when unbounded."""
        if len(self._topological) < len(self.rows):
            return None  # Every state lies on a way to acceptance, so a cycle can be pumped.
        depth = [0] * len(self.rows)
        for state in self._topological:
            for _, target in self.rows[state]:
                depth[target] = max(depth[target], depth[state] + 1)
        return max(depth)


_EVERYTHING = Dfa.everything()


def plain_member(members: CharSet) -> str:
    """Return a member of a non-empty set that reads well: a letter or digit, else a printable."""
    for first, last in ((0x61, 0x7A), (0x30, 0x39), (0x41, 0x5A), (0x21, 0x7E)):
        found = members & CharSet(((first, last),))
        if found:
            return chr(found.lowest)
    beyond = members & CharSet(((0xA1, 0x10FFFF),))
    return chr((beyond or members).lowest)


def _plainness(members: CharSet) -> tuple[int, int]:
    char = plain_member(members)
    rank = 0 if char.isalnum() and char.isascii() else 1 if char.isprintable() else 2
    return rank, ord(char)


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in text)
