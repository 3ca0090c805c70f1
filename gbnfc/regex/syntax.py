"""The syntax tree of a regular expression: what `parse` makes and everything after it reads.

Groups leave no trace (captures mean nothing to a language) and lazy quantifiers equal greedy ones.
Character sets hold Unicode scalar values only: a lone surrogate is the empty set.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from gbnfc.charset import CharSet


@dataclass(frozen=True, slots=True)
class Chars:
    """Any one character of `members`; no members means that nothing matches."""

    members: CharSet


@dataclass(frozen=True, slots=True)
class Concat:
    """`items` one after the other; no items is the empty text."""

    items: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Alternation:
    """Any one of `options`."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Quantified:
    """`body` between `minimum` and `maximum` times (`None`: no upper bound)."""

    body: Node
    minimum: int
    maximum: int | None


class Anchor(Enum):
    """A condition on a place that needs no pattern of its own."""

    START = "^"
    END = "$"
    WORD_BOUNDARY = r"\b"
    NO_WORD_BOUNDARY = r"\B"


class LookKind(Enum):
    """A look-around by how it is written."""

    AHEAD = "(?="
    NOT_AHEAD = "(?!"
    BEHIND = "(?<="
    NOT_BEHIND = "(?<!"

    @property
    def negated(self) -> bool:
        """Whether the body must *not* match."""
        return self in (LookKind.NOT_AHEAD, LookKind.NOT_BEHIND)

    @property
    def is_ahead(self) -> bool:
        """Whether the body is about the text that follows."""
        return self in (LookKind.AHEAD, LookKind.NOT_AHEAD)


@dataclass(frozen=True, slots=True)
class Look:
    """A look-around: `body` does (or does not) match the text before or after this place."""

    kind: LookKind
    body: Node


Node: TypeAlias = Chars | Concat | Alternation | Quantified | Anchor | Look


def concat(items: list[Node]) -> Node:
    """Return `items` in sequence; a single one is just itself."""
    return items[0] if len(items) == 1 else Concat(tuple(items))


def alternation(options: list[Node]) -> Node:
    """Return the alternation of `options`; a single one is just itself."""
    return options[0] if len(options) == 1 else Alternation(tuple(options))
