"""Syntax tree → nondeterministic automaton with guards.

Thompson's construction (1968), built from the end to the front: `build(node, following)` returns
where to enter so that `node` is read before `following`. Anchors and look-arounds become guards:
edges that read nothing and pass only under a condition, which `determinise` decides.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias, assert_never

from gbnfc.charset import SCALARS, CharSet, partition
from gbnfc.errors import LimitExceeded
from gbnfc.regex.classes import WORD
from gbnfc.regex.syntax import (
    Alternation,
    Anchor,
    Chars,
    Concat,
    Look,
    Node,
    Quantified,
)

MAX_NODES = 100_000
"""Bound on the nodes of a pattern after its counted repetitions are written out."""

MAX_CLASSES = 500
"""Bound on the different character classes of a pattern (single characters do not count)."""


@dataclass(frozen=True, slots=True)
class Read:
    """Read one character of any of the symbol classes `symbols`, then go to `following`."""

    symbols: tuple[int, ...]
    following: int


@dataclass(slots=True)
class Fork:
    """Go to any of `targets` without reading. (Mutable so that a loop can be closed.)"""

    targets: list[int]


@dataclass(frozen=True, slots=True)
class Guard:
    """Go to `following` without reading, provided that `condition` holds here."""

    condition: Anchor | Look
    following: int


@dataclass(frozen=True, slots=True)
class Final:
    """The pattern is matched."""


NfaNode: TypeAlias = Read | Fork | Guard | Final


@dataclass(frozen=True)
class Alphabet:
    """The symbol classes of one pattern: a partition of all scalar values."""

    classes: tuple[CharSet, ...]

    @classmethod
    def of(cls, tree: Node) -> Alphabet:
        """Return the coarsest partition in which every set of `tree` is a union of classes.

        Raises:
            LimitExceeded: `tree` holds more than `MAX_CLASSES` different character classes.
        """
        sets = list(dict.fromkeys(_character_sets(tree)))
        if sum(len(members) > 1 for members in sets) > MAX_CLASSES:
            raise LimitExceeded(f"the pattern has more than {MAX_CLASSES} character classes")
        return cls(partition([SCALARS, *sets]))

    def symbols(self, members: CharSet) -> tuple[int, ...]:
        """Return the classes that make up `members`, sorted."""
        starts, owners = self._starts
        found: set[int] = set()
        for first, last in members.ranges:
            found.update(owners[bisect_left(starts, first) : bisect_right(starts, last)])
        return tuple(sorted(found))

    @cached_property
    def _starts(self) -> tuple[list[int], list[int]]:
        """Where the ranges of all classes begin, sorted, and the class of each."""
        ranges = sorted(
            (first, index) for index, piece in enumerate(self.classes) for first, _ in piece.ranges
        )
        return [first for first, _ in ranges], [index for _, index in ranges]


def _character_sets(tree: Node) -> list[CharSet]:
    found: list[CharSet] = []
    pending: list[Node] = [tree]
    while pending:
        node = pending.pop()
        match node:
            case Chars(members):
                found.append(members)
            case Concat(items):
                pending += items
            case Alternation(options):
                pending += options
            case Quantified(body):
                pending.append(body)
            case Look(_, body):
                pending.append(body)
            case Anchor.WORD_BOUNDARY | Anchor.NO_WORD_BOUNDARY:
                found.append(WORD)
    return found


@dataclass
class Builder:
    """Collects the nodes of one pattern, its look-around bodies included."""

    alphabet: Alphabet
    nodes: list[NfaNode] = field(default_factory=list)
    _symbols: dict[CharSet, tuple[int, ...]] = field(default_factory=dict)

    def add(self, node: NfaNode) -> int:
        """Append a node and return its number. Raises `LimitExceeded` past `MAX_NODES`."""
        if len(self.nodes) >= MAX_NODES:
            raise LimitExceeded(
                f"the pattern has more than {MAX_NODES} places once its counts are written out",
                hint="narrow the counted repetitions, above all nested ones",
            )
        self.nodes.append(node)
        return len(self.nodes) - 1

    def build(self, node: Node, following: int) -> int:
        """Add `node` in front of the node numbered `following`; return where to enter."""
        match node:
            case Chars(members):
                return self.add(Read(self.symbols(members), following))
            case Concat(items):
                for item in reversed(items):
                    following = self.build(item, following)
                return following
            case Alternation(options):
                return self.add(Fork([self.build(option, following) for option in options]))
            case Quantified():
                return self.repeat(node, following)
            case Anchor() | Look():
                return self.add(Guard(node, following))
            case _:
                assert_never(node)

    def repeat(self, node: Quantified, following: int) -> int:
        """Write out a counted repetition: the required copies, then nested optional ones."""
        body, minimum, maximum = node.body, node.minimum, node.maximum
        if is_empty_text(body):
            return following
        if maximum is None:
            loop = Fork([])
            entry = self.add(loop)
            loop.targets += [self.build(body, entry), following]
        else:
            entry = following
            for _ in range(maximum - minimum):
                entry = self.add(Fork([self.build(body, entry), following]))
        for _ in range(minimum):
            entry = self.build(body, entry)
        return entry

    def symbols(self, members: CharSet) -> tuple[int, ...]:
        """Return the classes of `members`, kept for the next time."""
        found = self._symbols.get(members)
        if found is None:
            found = self._symbols[members] = self.alphabet.symbols(members)
        return found


def is_empty_text(node: Node) -> bool:
    """Return whether `node` is the empty text and nothing else, so that repeating it is idle."""
    match node:
        case Concat(items):
            return all(is_empty_text(item) for item in items)
        case Quantified(body, _, maximum):
            return maximum == 0 or is_empty_text(body)
        case _:
            return False
