"""Grammar → network: the static positions that a matcher walks.

In: a `Grammar`. Out: a `Network`: a recursive transition network (Woods 1970) in which each rule,
and each counted repetition of something longer than a character, is a *frame* with an entry
position, and position `END` is where every frame returns.

Counted repetitions and literals are never unrolled: such a position has one edge and is paired
with a counter at run time (`code = position + counter * len(positions)`), so `x{0,2000}` costs one
position. As in llama.cpp (0.3.36), an upper bound above 2,000 counts as no bound at all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias, assert_never

from gbnfc.charset import ANY, CharSet
from gbnfc.errors import GbnfcError
from gbnfc.ir.nodes import (
    MAX_REPETITION,
    AnyChar,
    CharClass,
    Choice,
    Expression,
    Grammar,
    Literal,
    Repeat,
    RuleRef,
    Sequence,
    TokenTerminal,
)
from gbnfc.match.alphabet import MATCHABLE

END = 0
"""The position (and code) behind the last symbol of every frame."""


_MANY_LITERALS = 16
"""From here on the literals of a choice are put in a trie."""


@dataclass(frozen=True, slots=True)
class Skip:
    """Go to `target` without reading."""

    target: int


@dataclass(frozen=True, slots=True)
class Step:
    """Read one character of `chars`."""

    chars: CharSet
    target: int


@dataclass(frozen=True, slots=True)
class Text:
    """Read `text`; the counter is how much of it has been read. Alone at its position."""

    text: str
    target: int


@dataclass(frozen=True, slots=True)
class Token:
    """Read one token of the vocabulary, never plain text."""

    terminal: TokenTerminal
    target: int


@dataclass(frozen=True, slots=True)
class Call:
    """Read what frame number `frame` reads, then go on at `target`."""

    frame: int
    target: int


@dataclass(frozen=True, slots=True)
class Count:
    """Read `body` (characters, or a frame) between `minimum` and `maximum` times.

    The counter is how often it has been read. Alone at its position.
    """

    body: CharSet | int
    minimum: int
    maximum: int | None
    target: int


Edge: TypeAlias = Skip | Step | Text | Token | Call | Count


@dataclass(slots=True)
class Network:
    """Positions with their edges, and frames with their entries; built once, then only read.

    `edges[p]` are the ways out of position `p`, `frame_of[p]` the frame it lies in (`END` lies in
    frame 0), `entries[f]` the first position of frame `f`, `frame_names[f]` the rule it belongs to.
    """

    edges: list[list[Edge]] = field(default_factory=lambda: [[]])
    frame_of: list[int] = field(default_factory=lambda: [0])
    entries: list[int] = field(default_factory=list)
    frame_names: list[str] = field(default_factory=list)

    def add_position(self, frame: int) -> int:
        """Add a position without edges to `frame` and return its number."""
        self.edges.append([])
        self.frame_of.append(frame)
        return len(self.edges) - 1

    def add_frame(self, rule_name: str) -> int:
        """Add a frame that consists of its entry only and return its number."""
        frame = len(self.entries)
        self.frame_names.append(rule_name)
        self.entries.append(self.add_position(frame))
        return frame


def build_network(grammar: Grammar) -> Network:
    """Return the network of the rules that `grammar.root` reaches; the root is frame 0.

    Raises:
        GbnfcError: the root, or a rule that is referred to, is not defined.
    """
    return _Builder(grammar).build()


class _Builder:
    """Turns expressions into edges with an explicit list of what is left to do (no recursion).

    A piece of work is (expression, frame, start, end): connect `start` to `end`. No edge is ever
    added into a `start` or out of an `end`, so neighbours may share positions.
    """

    def __init__(self, grammar: Grammar) -> None:
        self._bodies = {rule.name: rule.body for rule in grammar.rules}  # the last one counts
        self._root = grammar.root
        self._network = Network()
        self._frames: dict[str, int] = {}
        self._todo: list[tuple[Expression, int, int, int]] = []

    def build(self) -> Network:
        self._frame(self._root)
        while self._todo:
            self._connect(*self._todo.pop())
        return self._network

    def _frame(self, name: str) -> int:
        if name not in self._frames:
            if name not in self._bodies:
                what = "has no rule" if name == self._root else "uses the undefined rule"
                raise GbnfcError(f"the grammar {what} {name!r}")
            self._frames[name] = self._network.add_frame(name)
            entry = self._network.entries[self._frames[name]]
            self._todo.append((self._bodies[name], self._frames[name], entry, END))
        return self._frames[name]

    def _connect(self, node: Expression, frame: int, start: int, end: int) -> None:
        edges = self._network.edges[start]
        match node:
            case Literal(text=text):
                self._connect_literal(text, frame, start, end)
            case CharClass(ranges=()):  # `[]` and `[^]` are the empty text to llama.cpp
                edges.append(Skip(end))
            case CharClass() | AnyChar():
                edges.append(Step(_characters(node), end))
            case TokenTerminal():
                edges.append(Token(node, end))
            case RuleRef(name=name):
                edges.append(Call(self._frame(name), end))
            case Sequence(items=items):
                self._connect_sequence(items, frame, start, end)
            case Choice(alternatives=alternatives):
                self._connect_choice(alternatives, frame, start, end)
            case Repeat():
                self._connect_repeat(node, frame, start, end)
            case _:
                assert_never(node)

    def _connect_literal(self, text: str, frame: int, start: int, end: int) -> None:
        edges = self._network.edges[start]
        if not text:
            edges.append(Skip(end))
        elif len(text) == 1:
            edges.append(Text(text, end))
        else:
            self._alone(frame, start, Text(text, end))

    def _connect_choice(
        self, alternatives: tuple[Expression, ...], frame: int, start: int, end: int
    ) -> None:
        literals = [item.text for item in alternatives if isinstance(item, Literal)]
        if len(literals) >= _MANY_LITERALS:
            self._connect_words(sorted(set(literals)), frame, start, end)
            alternatives = tuple(item for item in alternatives if not isinstance(item, Literal))
        # The list is worked off from its end; source order keeps numbers readable.
        self._todo.extend((item, frame, start, end) for item in reversed(alternatives))

    def _connect_words(self, words: list[str], frame: int, start: int, end: int) -> None:
        # "car" | "cat" | "dog" → "ca" ("r" | "t") | "dog": few places are live at once.
        todo = [(words, start)]
        while todo:
            words, place = todo.pop()
            if words[0] == "":
                self._network.edges[place].append(Skip(end))
                words = words[1:]
            for _, grouped in groupby(words, key=itemgetter(0)):
                group = list(grouped)
                # They are sorted: what the outermost share, all share.
                prefix = group[0][: common_length(group[0], group[-1])]
                if len(group) == 1:
                    self._connect_literal(prefix, frame, place, end)
                    continue
                behind = self._network.add_position(frame)
                self._connect_literal(prefix, frame, place, behind)
                todo.append(([word[len(prefix) :] for word in group], behind))

    def _connect_sequence(
        self, items: tuple[Expression, ...], frame: int, start: int, end: int
    ) -> None:
        items = _with_literals_joined(items)
        if not items:
            self._network.edges[start].append(Skip(end))
            return
        between = [self._network.add_position(frame) for _ in items[1:]]
        places = zip(items, [start, *between], [*between, end], strict=True)
        self._todo.extend((item, frame, left, right) for item, left, right in list(places)[::-1])

    def _connect_repeat(self, node: Repeat, frame: int, start: int, end: int) -> None:
        maximum = node.maximum
        if maximum is not None and maximum > MAX_REPETITION:
            maximum = None
        match node.minimum, maximum:
            case 0, 1:
                self._network.edges[start].append(Skip(end))
                self._todo.append((node.body, frame, start, end))
            case 1, 1:
                self._todo.append((node.body, frame, start, end))
            case ((0 | 1), None):
                self._connect_loop(node, frame, start, end)
            case _, 0:
                if node.minimum == 0:
                    self._network.edges[start].append(Skip(end))
            case _ if maximum is None or node.minimum <= maximum:
                body = self._count_body(node.body, frame)
                self._alone(frame, start, Count(body, node.minimum, maximum, end))
            case _:
                pass  # {3,2}: no text at all, so no edge

    def _connect_loop(self, node: Repeat, frame: int, start: int, end: int) -> None:
        # x* : start → loop ⟲ x, loop → end;   x+ : start → first, first x behind, behind → first
        network = self._network
        first = network.add_position(frame)
        network.edges[start].append(Skip(first))
        behind = first
        if node.minimum == 1:
            behind = network.add_position(frame)
            network.edges[behind].append(Skip(first))
        network.edges[behind].append(Skip(end))
        self._todo.append((node.body, frame, first, behind))

    def _alone(self, frame: int, start: int, edge: Text | Count) -> None:
        own = self._network.add_position(frame)
        self._network.edges[start].append(Skip(own))
        self._network.edges[own].append(edge)

    def _count_body(self, body: Expression, frame: int) -> CharSet | int:
        seen: set[str] = set()
        while isinstance(body, RuleRef) and body.name in self._bodies and body.name not in seen:
            seen.add(body.name)
            name, body = body.name, self._bodies[body.name]
            if not isinstance(body, RuleRef) and not _is_character(body):
                return self._frame(name)
        if isinstance(body, CharClass | AnyChar) and _is_character(body):
            return _characters(body)
        if isinstance(body, RuleRef):
            return self._frame(body.name)
        inner = self._network.add_frame(self._network.frame_names[frame])
        self._todo.append((body, inner, self._network.entries[inner], END))
        return inner


def common_length(left: str, right: str) -> int:
    """Return how many characters `left` and `right` have in common from the beginning."""
    if left == right:
        return len(left)
    low, high = 0, min(len(left), len(right))
    while low < high:  # the longest common prefix, by bisection
        middle = (low + high + 1) // 2
        if left[:middle] == right[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _with_literals_joined(items: tuple[Expression, ...]) -> tuple[Expression, ...]:
    # "ab" "cd" → "abcd": one position, and one state per text that must come
    joined: list[Expression] = []
    for item in items:
        if isinstance(item, Literal) and joined and isinstance(last := joined[-1], Literal):
            joined[-1] = Literal(last.text + item.text)
        else:
            joined.append(item)
    return tuple(joined)


def _is_character(node: Expression) -> bool:
    """Return whether `node` reads exactly one character."""
    is_class = isinstance(node, CharClass) and not node.matches_empty_text
    return is_class or isinstance(node, AnyChar)


def _characters(node: CharClass | AnyChar) -> CharSet:
    return (ANY if isinstance(node, AnyChar) else node.chars) & MATCHABLE
