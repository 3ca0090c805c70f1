"""What an object may hold, in the order in which it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.frozen import frozen
from gbnfc.ir.build import sequence
from gbnfc.ir.nodes import Expression, Literal
from gbnfc.regex import Dfa
from gbnfc.schema.emit.literals import scalar_text

if TYPE_CHECKING:
    from gbnfc.schema.emit.context import Context
    from gbnfc.schema.read.canonical import Node
    from gbnfc.schema.source.source_map import Places


@frozen
class Member:
    """A declared property: its name, whether it must be there, and the expression of its value.

    A name may come with several values, each in some of the object's `cases` only, by number.
    """

    name: str
    is_required: bool
    node: Node | None
    places: Places
    value: Expression
    cases: frozenset[int] | None = None

    @property
    def key(self) -> Expression:
        """The key's content and its closing quote."""
        return Literal(scalar_text(self.name)[1:])


@frozen
class Region:
    """Keys beyond the declared ones that share a value schema.

    The keys are those of `allowed` (`None`: all) without `excluded`.
    """

    allowed: Dfa | None
    excluded: tuple[str, ...]
    node: Node | None
    places: Places
    value: Expression

    @property
    def keys(self) -> Dfa:
        """The automaton of the keys."""
        allowed = Dfa.everything() if self.allowed is None else self.allowed
        return allowed - Dfa.of_strings(self.excluded) if self.excluded else allowed


@frozen
class Members:
    """The declared properties in order, then the regions of other keys.

    `cases` are what objects with cases (`alternatives`) require in each. There are `minimum` to
    `maximum` members, where the declared ones alone do not come to that.
    """

    declared: tuple[Member, ...]
    regions: tuple[Region, ...]
    cases: tuple[frozenset[str], ...] = ()
    minimum: int = 0
    maximum: int | None = None


def pair(key: Expression, value: Expression, context: Context) -> Expression:
    """Return a member behind its opening quote: the key with its closing quote, colon, value."""
    return sequence([key, context.layout.colon(), value])
