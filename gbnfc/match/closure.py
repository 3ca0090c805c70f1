"""What a place in a network can do next: its closure over everything that reads nothing.

In: a `Network` and its `Costs`. Out: `Closure`s, made on demand and remembered. A place is a
*code*, `position + counter * len(positions)`. A closure follows skips, calls of nullable frames and
tail calls, all of which keep the return address, so that it holds for every return address.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from gbnfc.charset import EMPTY, CharSet
from gbnfc.match.alphabet import MATCHABLE, CharacterClasses, Key
from gbnfc.match.costs import Costs, least_costs
from gbnfc.match.network import END, Call, Count, Network, Skip, Step, Text, Token

if TYPE_CHECKING:
    from gbnfc.ir.nodes import TokenTerminal

_MAX_REMEMBERED = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class Closure:
    """The readable symbols and the calls that a code reaches without reading.

    `literals` and `sets` pair what is read with the code behind it; `calls` pair a frame with the
    code to return to; `ends` tells that the frame's end can be reached. `sources` are the
    (code, edge) pairs that read: what llama.cpp tells stacks apart by. `moves` is the memory of
    `Closures.moves`.
    """

    literals: dict[str, tuple[int, ...]]
    sets: tuple[tuple[CharSet, int], ...]
    tokens: tuple[tuple[TokenTerminal, int], ...]
    calls: tuple[tuple[int, int], ...]
    ends: bool
    sources: frozenset[tuple[int, int]]
    moves: dict[Key, tuple[int, ...]]

    def first(self) -> CharSet:
        """Return the characters that are read here directly."""
        chars = CharSet.from_chars(self.literals) & MATCHABLE
        for members, _ in self.sets:
            chars = chars | members
        return chars

    def single(self) -> str | None:
        """Return the one character that is read here; `None` when there are more or none."""
        if self.tokens:
            return None
        if not self.sets:
            return next(iter(self.literals)) if len(self.literals) == 1 else None
        chars = self.first() if len(self.sets) == 1 and len(self.literals) <= 1 else EMPTY
        return chr(chars.lowest) if len(chars) == 1 else None


class Closures:
    """Makes and remembers the closures of a network: `known[code]`. The memory is bounded."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.costs: Costs = least_costs(network)
        self.size = len(network.edges)
        self.alphabet = _alphabet(network)
        self.known = _Known(self)

    def is_nullable(self, frame: int) -> bool:
        """Return whether `frame` can read nothing."""
        return self.costs.of_position[self.network.entries[frame]] == 0

    def moves(self, closure: Closure, key: Key) -> tuple[int, ...]:
        """Return the codes behind each symbol of `closure` that reads a character of `key`."""
        found = closure.moves.get(key)
        if found is None:
            number = self.alphabet.class_of(key) if isinstance(key, str) else key
            literal = closure.literals.get(key, ()) if isinstance(key, str) else ()
            classes = self.alphabet.classes
            through_sets = (code for chars, code in closure.sets if number in classes(chars))
            found = closure.moves[key] = (*literal, *through_sets)
        return found

    def cost(self, code: int) -> int | None:
        """Return the least number of characters from `code` to its frame's end."""
        counter, position = divmod(code, self.size)
        at_zero = self.costs.of_position[position]
        if counter == 0 or at_zero is None:
            return at_zero
        edge = self.network.edges[position][0]
        if isinstance(edge, Text):
            return at_zero - counter
        if not isinstance(edge, Count):
            return at_zero
        each: int | None = 1
        if isinstance(edge.body, int):
            each = self.costs.of_position[self.network.entries[edge.body]]
        return at_zero - min(counter, edge.minimum) * (each or 0)


class _Known(dict[int, Closure]):
    """The closure of each code, made when it is first asked for."""

    def __init__(self, closures: Closures) -> None:
        self._closures = closures

    def __missing__(self, code: int) -> Closure:
        if len(self) >= _MAX_REMEMBERED:
            self.clear()
        collected = _Collector(self._closures)
        collected.follow(code)
        closure = self[code] = collected.closure()
        return closure


class _Collector:
    """Collects one closure."""

    def __init__(self, closures: Closures) -> None:
        self._closures = closures
        self._literals: dict[str, list[int]] = {}
        self._sets: list[tuple[CharSet, int]] = []
        self._tokens: list[tuple[TokenTerminal, int]] = []
        self._calls: dict[tuple[int, int], None] = {}
        self._sources: set[tuple[int, int]] = set()
        self._seen: set[int] = set()
        self._todo: list[int] = []

    def closure(self) -> Closure:
        return Closure(
            {char: tuple(codes) for char, codes in self._literals.items()},
            tuple(self._sets),
            tuple(self._tokens),
            tuple(self._calls),
            END in self._seen,
            frozenset(self._sources),
            {},
        )

    def follow(self, code: int) -> None:
        self._todo.append(code)
        while self._todo:
            code = self._todo.pop()
            if code not in self._seen:
                self._seen.add(code)
                self._look(code)

    def _look(self, code: int) -> None:
        counter, position = divmod(code, self._closures.size)
        for index, edge in enumerate(self._closures.network.edges[position]):
            match edge:
                case Skip(target=target):
                    self._todo.append(target)
                case Step(chars=chars, target=target):
                    self._read((code, index), chars, target)
                case Token(terminal=terminal, target=target):
                    self._sources.add((code, index))
                    self._tokens.append((terminal, target))
                case Text(text=text, target=target):
                    self._sources.add((code, index))
                    behind = target if counter + 1 == len(text) else code + self._closures.size
                    self._literals.setdefault(text[counter], []).append(behind)
                case Call(frame=frame, target=target):
                    self._call(frame, target)
                    if self._closures.is_nullable(frame):
                        self._todo.append(target)
                case Count():
                    self._count(edge, counter, position)
                case _:
                    assert_never(edge)

    def _call(self, frame: int, target: int) -> None:
        if target == END:  # a tail call returns to where this frame returns
            self._todo.append(self._closures.network.entries[frame])
        else:
            self._calls[frame, target] = None

    def _count(self, edge: Count, counter: int, position: int) -> None:
        # Repetitions of nothing need no counting: a nullable body has, in effect, no minimum.
        minimum = edge.minimum
        if isinstance(edge.body, int) and self._closures.is_nullable(edge.body):
            minimum = 0
        if counter >= minimum:
            self._todo.append(edge.target)
        behind = edge.target
        if edge.maximum is None:
            behind = position + min(counter + 1, minimum) * self._closures.size
        elif counter + 1 < edge.maximum:
            behind = position + (counter + 1) * self._closures.size
        if isinstance(edge.body, int):
            self._call(edge.body, behind)
        else:
            self._read((position + counter * self._closures.size, 0), edge.body, behind)

    def _read(self, source: tuple[int, int], chars: CharSet, behind: int) -> None:
        if chars:
            self._sources.add(source)
            self._sets.append((chars, behind))


def _alphabet(network: Network) -> CharacterClasses:
    sets: dict[CharSet, None] = {}
    literal_chars: set[str] = set()
    for edges in network.edges:
        for edge in edges:
            match edge:
                case Step(chars=chars) | Count(body=CharSet() as chars):
                    sets[chars] = None
                case Text(text=text):
                    literal_chars.update(text)
                case _:
                    pass
    return CharacterClasses(sets, literal_chars)
