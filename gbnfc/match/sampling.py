"""Random texts of a grammar.

In: a grammar and a source of randomness. Out: texts of its language, each of which ends. A text is
written by walking the network with a stack of return positions; once it is deep or long enough,
every choice is the one that ends soonest (`costs`), so the walk always comes to an end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from gbnfc.charset import CharSet
from gbnfc.errors import GbnfcError, LimitExceeded
from gbnfc.match.costs import edge_cost
from gbnfc.match.matcher import compile_matcher, representative
from gbnfc.match.network import END, Call, Count, Edge, Skip, Step, Text, Token
from gbnfc.match.states import Program

if TYPE_CHECKING:
    from random import Random

    from gbnfc.ir.nodes import Grammar

DEFAULT_MAX_DEPTH = 12
MAX_SHORTEST = 1_000_000
_MAX_CHARS = 2_000
_MAX_COUNT_GROWTH = 0.7
_ASCII = CharSet.of([(0x20, 0x7E)])
_LIKELY = CharSet.of(
    [(9, 10), (13, 13), (0x20, 0x7E), (0xA1, 0xD7FF), (0xF900, 0xFFFD), (0x10000, 0x3FFFF)]
)
"""What texts are made of: many vocabularies cannot even spell the planes above the third."""

_ASCII_SHARE = 0.8


def sample(
    grammar: Grammar | Program,
    rng: Random,
    *,
    max_depth: int = DEFAULT_MAX_DEPTH,
    shortest: bool = False,
) -> str:
    """Return a random text of `grammar`.

    Below `max_depth` nested rules, or once 2,000 characters are written, or from the beginning when
    `shortest`, the text ends as soon as the grammar allows. The same `rng` gives the same text.

    Raises:
        GbnfcError: no text of finite length belongs to the grammar, or an undefined rule is used.
        LimitExceeded: the shortest text has more than a million characters.
    """
    program = grammar if isinstance(grammar, Program) else compile_matcher(grammar)
    least = program.start.cost()
    if least is None:
        raise GbnfcError(
            "no text belongs to this grammar",
            hint="gbnfc lint shows which rules never finish or need token terminals",
        )
    if least > MAX_SHORTEST:
        raise LimitExceeded(f"each text has at least {least} characters, more than {MAX_SHORTEST}")
    return _Walk(program, rng, max_depth=-1 if shortest else max_depth).text()


class _Walk:
    """One walk through a network."""

    def __init__(self, program: Program, rng: Random, *, max_depth: int) -> None:
        self._network = program.closures.network
        self._costs = program.closures.costs
        self._rng = rng
        self._max_depth = max_depth
        self._pieces: list[str] = []
        self._length = 0
        self._returns: list[int] = []

    def text(self) -> str:
        position = self._network.entries[0]
        while position != END or self._returns:
            if position == END:
                position = self._returns.pop()
            else:
                position = self._follow(self._choose(position))
        return "".join(self._pieces)

    def _hurries(self) -> bool:
        return len(self._returns) >= self._max_depth or self._length >= _MAX_CHARS

    def _choose(self, position: int) -> Edge:
        edges = self._network.edges[position]
        best = self._costs.best_edge[position]
        if best is None:
            raise GbnfcError("no text belongs to this grammar")
        if self._hurries():
            return edges[best]
        return self._rng.choice([edge for edge in edges if self._is_open(edge)])

    def _is_open(self, edge: Edge) -> bool:
        """Return whether some text that is not too long leads through `edge`.

        A frame has ways that cost far more than its cheapest: `"a" | "b"{99999999999}`.
        """
        if not self._can_finish(edge):
            return False
        cost = edge_cost(edge, self._costs.of_position, self._network)
        return cost is not None and cost <= MAX_SHORTEST

    def _can_finish(self, edge: Edge) -> bool:
        cost = self._costs.of_position
        if cost[edge.target] is None:
            return False
        match edge:
            case Skip():
                return True
            case Step(chars=chars):
                return bool(chars)
            case Text() | Token():
                # Whether a literal can be text at all is known from its own cost.
                return isinstance(edge, Text) and self._is_text(edge)
            case Call(frame=frame):
                return cost[self._network.entries[frame]] is not None
            case Count():
                return edge.minimum == 0 or self._can_repeat(edge)
            case _:
                assert_never(edge)

    def _is_text(self, edge: Text) -> bool:
        return "\0" not in edge.text and not any("\ud800" <= c <= "\udfff" for c in edge.text)

    def _can_repeat(self, edge: Count) -> bool:
        if isinstance(edge.body, int):
            return self._costs.of_position[self._network.entries[edge.body]] is not None
        return bool(edge.body)

    def _follow(self, edge: Edge) -> int:
        match edge:
            case Step(chars=chars):
                self._write(self._character(chars))
            case Text(text=text):
                self._write(text)
            case Call(frame=frame, target=target):
                self._returns.append(target)
                return self._network.entries[frame]
            case Count():
                return self._repeat(edge)
            case Skip() | Token():
                pass
            case _:
                assert_never(edge)
        return edge.target

    def _repeat(self, edge: Count) -> int:
        times = edge.minimum
        if (
            isinstance(edge.body, int)
            and not self._costs.of_position[self._network.entries[edge.body]]
        ):
            times = (
                0  # a nullable body (or one that cannot finish) need not be walked to be repeated
            )
        if not self._hurries() and self._can_repeat(edge) and self._body_cost(edge) <= MAX_SHORTEST:
            while times != edge.maximum and self._rng.random() < _MAX_COUNT_GROWTH:
                times += 1
        if isinstance(edge.body, int):
            entry = self._network.entries[edge.body]
            self._returns.extend([edge.target] + [entry] * times)
            return END
        self._write("".join(self._character(edge.body) for _ in range(times)))
        return edge.target

    def _body_cost(self, edge: Count) -> int:
        if isinstance(edge.body, int):
            return self._costs.of_position[self._network.entries[edge.body]] or 0
        return 1

    def _write(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)

    def _character(self, chars: CharSet) -> str:
        if self._max_depth < 0:
            return representative(chars)
        for usual, share in ((_ASCII, _ASCII_SHARE), (_LIKELY, 1)):
            common = chars & usual
            if common and self._rng.random() < share:
                chars = common
                break
        first, last = self._rng.choice(chars.ranges)
        return chr(self._rng.randint(first, last))
