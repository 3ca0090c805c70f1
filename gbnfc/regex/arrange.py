"""Syntax tree → which parts of it to write directly, and which as automata.

A part is written directly where, read from left to right, one character always tells where to go
(one-unambiguous in the sense of Brüggemann-Klein and Wood, 1998): llama.cpp then keeps one stack,
as it does for an automaton. A part that is ambiguous itself becomes an automaton. If that is large,
and the engine never follows more than two ways at a time through the part, it is written directly
all the same: the 400 states of `(?:\\S+\\s+){0,199}\\S+` say no more than the pattern.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from gbnfc.charset import EMPTY, CharSet
from gbnfc.regex.compile import compile_tree, max_readers
from gbnfc.regex.syntax import Alternation, Anchor, Chars, Concat, Look, Node, Quantified, concat

if TYPE_CHECKING:
    from gbnfc.regex.dfa import Dfa

_FEW_STATES = 48
"""Automata up to this size are written as such even where two ways at a time would do."""

_MAX_NODES = 3_000
"""Trees larger than this are not looked into: nobody reads what would come out."""

_MAX_AUTOMATA = 12
"""How many parts of one pattern are tried as automata before the whole becomes one."""


@dataclass(frozen=True, slots=True)
class Reach:
    """What the neighbours of a part need to know of it (`first` and `onward` may say too much).

    `first`: characters that a member can begin with. `onward`: characters that can be read after a
    member, still inside the part. `shortest`, `longest` (`None`: unbounded): its lengths.
    """

    first: CharSet
    onward: CharSet
    shortest: int
    longest: int | None

    @property
    def nullable(self) -> bool:
        """Whether the empty text is a member."""
        return self.shortest == 0

    def implies(self, minimum: int, maximum: int | None) -> bool:
        """Return whether every member is within the length bounds anyway."""
        within = maximum is None or (self.longest is not None and self.longest <= maximum)
        return within and self.shortest >= minimum


_EMPTY_TEXT = Reach(EMPTY, EMPTY, 0, 0)


@dataclass(frozen=True, slots=True)
class Arranged:
    """A part of a tree as it is to be written: as `dfa` where there is one, else by its `parts`.

    `ambiguous`: one character does not always tell where to go between the parts.
    """

    node: Node
    shape: Reach
    ambiguous: bool = False
    parts: tuple[Arranged, ...] = ()
    dfa: Dfa | None = None


def arrange(tree: Node, max_states: int) -> Arranged | None:
    """Return how to write `tree`; `None` when only an automaton of the whole pattern will do.

    That is so for anchors and look-arounds inside, for characters that no text has, and for
    patterns that are very long or have very many ambiguous parts.

    Raises:
        LimitExceeded: a part needs more than `max_states` states, or too much work.
    """
    surveyed = _survey(tree) if _is_small(tree) else None
    return None if surveyed is None else _Resolver(max_states).resolve(surveyed)


def _is_small(tree: Node) -> bool:
    pending: list[Node] = [tree]
    for count, node in enumerate(pending):
        match node:
            case Concat(children) | Alternation(children):
                pending += children
            case Quantified(body):
                pending.append(body)
        if count >= _MAX_NODES:
            return False
    return True


def _survey(node: Node) -> Arranged | None:
    """Return the shapes of `node` and its parts, and which of them are ambiguous."""
    match node:
        case Chars(members):
            return Arranged(node, Reach(members, EMPTY, 1, 1)) if members else None
        case Concat(children) | Alternation(children):
            parts = _survey_all(children)
        case Quantified(body):
            parts = _survey_all((body,))
        case Anchor() | Look():
            return None
    if parts is None:
        return None
    shapes = [part.shape for part in parts]
    match node:
        case Quantified(_, minimum, maximum):
            shape, ambiguous = _repeated(shapes[0], minimum, maximum)
        case Alternation():
            shape, ambiguous = _of_choice(shapes)
        case _:
            shape, ambiguous = _in_sequence(shapes)
    return Arranged(node, shape, ambiguous, parts)


def _survey_all(nodes: tuple[Node, ...]) -> tuple[Arranged, ...] | None:
    found = [_survey(node) for node in nodes]
    known = tuple(part for part in found if part is not None)
    return known if len(known) == len(found) else None


@dataclass
class _Resolver:
    """Replaces the topmost ambiguous parts by automata, each distinct one once."""

    max_states: int
    known: dict[Node, Arranged] = field(default_factory=dict)

    def resolve(self, part: Arranged) -> Arranged | None:
        if part.ambiguous:
            return self.automaton(part)
        parts = [self.resolve(inner) for inner in part.parts]
        resolved = tuple(inner for inner in parts if inner is not None)
        return replace(part, parts=resolved) if len(resolved) == len(parts) else None

    def automaton(self, part: Arranged) -> Arranged | None:
        if part.node not in self.known:
            if len(self.known) >= _MAX_AUTOMATA:
                return None
            anchored = concat([Anchor.START, part.node, Anchor.END])
            dfa = compile_tree(anchored, max_states=self.max_states)
            two_ways = dfa.state_count > _FEW_STATES and (
                max_readers(part.node, self.max_states) <= 2
            )
            self.known[part.node] = part if two_ways else replace(part, dfa=dfa)
        return self.known[part.node]


def _in_sequence(parts: list[Reach]) -> tuple[Reach, bool]:
    whole, ambiguous = _EMPTY_TEXT, False
    for part in parts:
        ambiguous |= not whole.onward.isdisjoint(part.first)
        first = whole.first
        if whole.nullable:
            ambiguous |= not first.isdisjoint(part.first)
            first = first | part.first
        whole = Reach(
            first,
            whole.onward | part.first | part.onward if part.nullable else part.onward,
            whole.shortest + part.shortest,
            None if whole.longest is None or part.longest is None else whole.longest + part.longest,
        )
    return whole, ambiguous


def _of_choice(parts: list[Reach]) -> tuple[Reach, bool]:
    whole, ambiguous = parts[0], False
    for part in parts[1:]:
        ambiguous |= not whole.first.isdisjoint(part.first) or (whole.nullable and part.nullable)
        unbounded = whole.longest is None or part.longest is None
        whole = Reach(
            whole.first | part.first,
            whole.onward | part.onward,
            min(whole.shortest, part.shortest),
            None if unbounded else max(whole.longest or 0, part.longest or 0),
        )
    return whole, ambiguous


def _repeated(part: Reach, minimum: int, maximum: int | None) -> tuple[Reach, bool]:
    if maximum == 0 or part.longest == 0:
        return _EMPTY_TEXT, False
    ambiguous = part.nullable and minimum == 0
    if maximum != 1:
        ambiguous |= part.nullable or not part.onward.isdisjoint(part.first)
    longest = None if maximum is None or part.longest is None else maximum * part.longest
    fixed = minimum == maximum and not part.nullable
    onward = part.onward if fixed else part.onward | part.first
    return Reach(part.first, onward, minimum * part.shortest, longest), ambiguous
