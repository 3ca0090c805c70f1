"""Canonical nodes → atoms: references followed, conjunctions intersected, `oneOf` made disjoint.

In: a node of a canonical document. Out: the union of single-kind `Schema`s that it means, and what
had to be given up to get there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import jsonschema_rs
from jsonschema_rs.canonical import (
    AllOfView,
    AnyOfView,
    ArrayView,
    CanonicalizationError,
    NotView,
    ObjectView,
    OneOfView,
    RawView,
    ReferenceView,
    Satisfiability,
    TypedGroupView,
)

from gbnfc.errors import LimitExceeded, SchemaError, UnresolvableRef
from gbnfc.frozen import frozen
from gbnfc.schema.read.apart import BranchPart, Outlook, in_several, outlook
from gbnfc.schema.read.from_library import Losses, read_atoms
from gbnfc.schema.read.schemas import (
    TYPES,
    ArraySchema,
    NumberSchema,
    ObjectSchema,
    Schema,
    TypeSchema,
    ValueSchema,
    type_of,
)
from gbnfc.schema.time_limit import TOO_LONG, TimeLimit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gbnfc.schema.read.canonical import Node

_MAX_WORK = 1_500
_MAX_WORK_IN_ALL = 12_000
"""Branches of a `oneOf` are told apart while the product of their sizes (properties and branches)
stays below the first for each pair, and below the second in sum; beyond, that takes seconds, so
branches are kept whole, which is reported."""

_LEAST_WORK = 60
"""What a pair counts at least: its properties may be deep."""

_MAX_CASES = 200
"""An `allOf` of alternatives is multiplied out to at most this many cases."""

_MAX_CONTAINERS = 2_000
"""A union of more kinds of objects and arrays would keep the engine busy for seconds per token."""

_MAX_NEGATED = 8
"""The complement of a union is intersected from those of its branches, while they are this few."""


@frozen
class Union:
    """The atoms of a node, and as (keyword, sentence) what they do not hold of it.

    `name` is the last segment of the reference that the node is, if it is one.
    """

    atoms: tuple[Schema, ...]
    losses: tuple[tuple[str, str], ...] = ()
    name: str | None = None


@dataclass(slots=True)
class _Spent:
    """The work that telling the branches of one `oneOf` apart took so far."""

    work: int = 0


class TooManyKinds(LimitExceeded):
    """A subschema comes to more kinds of objects and arrays than a grammar can hold."""


class Resolver:
    """Takes nodes of one document apart, following its references."""

    def __init__(
        self, root: Node, *, asserts_formats: bool = True, limit: TimeLimit | None = None
    ) -> None:
        self._root = root
        self.limit = limit or TimeLimit()
        """To be asked wherever a schema may take long."""
        self._unions: dict[Node, Union] = {}
        self._complements: dict[Node, Node | None] = {}
        self._open: set[Node] = set()
        self._sizes: dict[Node, int] = {}
        self._asserts_formats = asserts_formats
        self.everything = _everything(root.draft, asserts_formats=asserts_formats)

    def union(self, node: Node) -> Union:
        """Return the union of atoms that `node` means.

        A reference cycle without content adds nothing, which is the least solution: texts are
        finite, so only what is reached in finitely many steps counts.
        """
        known = self._unions.get(node)
        if known is None:
            known = self._unions[node] = self._take_apart(node)
        return known

    def is_never(self, node: Node) -> bool:
        """Return whether no value satisfies `node`."""
        return not self.union(node).atoms

    def intersect(self, nodes: Iterable[Node]) -> tuple[Node, bool]:
        """Return the conjunction of `nodes`, and whether it is exact; it is wider where not."""
        result: Node | None = None
        exact = True
        for node in nodes:
            try:
                result = node if result is None else result.intersect(node)
            except CanonicalizationError:
                exact = False
        return (self.everything if result is None else result), exact

    def negate(self, node: Node) -> Node | None:
        """Return the complement of `node`, or `None` where the library has none."""
        if node not in self._complements:
            self._complements[node] = self._complement(self._dereference(node))
        return self._complements[node]

    def _complement(self, node: Node) -> Node | None:
        try:
            negated = node.negate()
        except CanonicalizationError:
            return None
        if not isinstance(negated.view(), NotView):
            return negated
        # The library leaves the complement of a long union unsaid; branch by branch it says it.
        view = node.view()
        if not isinstance(view, AnyOfView) or len(view.branches) > _MAX_NEGATED:
            return None
        branches = [part for b in view.branches if (part := self.negate(b)) is not None]
        result, is_exact = self.intersect(branches)
        is_said = is_exact and not isinstance(result.view(), NotView | AllOfView)
        return result if is_said and len(branches) == len(view.branches) else None

    def _take_apart(self, node: Node) -> Union:
        found: dict[Schema, None] = {}
        losses: Losses = {}
        seen: set[tuple[Node, str | None]] = set()
        stack: list[tuple[Node, str | None]] = [(node, None)]
        name_of_node: str | None = None
        while stack:
            current, only = entry = stack.pop()
            if entry in seen:
                continue
            seen.add(entry)
            match current.view():
                case AnyOfView(branches=branches):
                    stack.extend((branch, only) for branch in reversed(branches))
                case ReferenceView(uri=uri):
                    if current is node:
                        name_of_node = _last_segment(uri)
                    stack.append((self._definition(uri), only))
                case AllOfView(branches=branches):
                    found_nodes = self._conjunction(branches, losses)
                    stack.extend((part, only) for part in reversed(found_nodes))
                case NotView(schema=inner):
                    stack.append((self._negation(inner, losses), only))
                case OneOfView(branches=branches):
                    pieces = self._exclusive(branches, losses)
                    stack.extend((piece, only) for piece in reversed(pieces))
                case TypedGroupView(type_name=name, body=body):
                    stack.append((body, name))
                case view:
                    for atom in read_atoms(view, losses):
                        if only is None or _is_of_type(atom, only):
                            found.setdefault(atom)
        if len(found) > _MAX_CONTAINERS:
            _check_containers(found)
        return Union(tuple(found), tuple(losses), name_of_node)

    def _definition(self, uri: str) -> Node:
        target = self._root.definition(uri)
        if target is None:
            raise UnresolvableRef(f"the reference {uri!r} cannot be resolved", ref=uri)
        return target

    def _dereference(self, node: Node) -> Node:
        seen: set[Node] = set()
        while isinstance(view := node.view(), ReferenceView) and node not in seen:
            seen.add(node)
            node = self._definition(view.uri)
        return node

    def _size(self, node: Node) -> int:
        """Return how much work it takes to subtract `node`: its properties and branches.

        Arrays of unions count with what their items are: those may double at each level.
        """
        known = self._sizes.get(node)
        if known is not None:
            return known
        self._sizes[node] = 1  # what leads back to itself adds nothing
        match self._dereference(node).view():
            case AnyOfView(branches=branches) | OneOfView(branches=branches):
                size = sum(map(self._size, branches))
            case ArrayView(items=items) if items is not None:
                size = self._size(items) if _is_union(self._dereference(items)) else 1
            case ObjectView(properties=properties):
                size = 1 + len(properties)
            case _:
                size = 1
        self._sizes[node] = size
        return size

    def _conjunction(self, branches: list[Node], losses: Losses) -> list[Node]:
        """Return nodes whose union is the intersection of `branches`."""
        found: list[Node] = [self.everything]
        for branch in branches:
            alternatives = self._plain(branch, losses)
            if len(found) * len(alternatives) > _MAX_CASES:
                alternatives = self._united(alternatives, losses)
            found = [
                node
                for left in found
                for right in alternatives
                if (node := self._met(left, right, losses)) is not None
            ]
        return found

    def _met(self, left: Node, right: Node, losses: Losses) -> Node | None:
        """Return the intersection of two nodes; `None` when it is empty."""
        if left == self.everything:
            return right
        if self.limit.is_short:
            losses.setdefault(("allOf", TOO_LONG))
            return left
        result, is_exact = self.intersect([left, right])
        view = result.view()
        if isinstance(view, AllOfView) and set(view.branches) == {left, right}:
            is_exact = False
            result = right if isinstance(left.view(), RawView) else left
        if not is_exact:
            losses.setdefault(("allOf", "its branches cannot be intersected; some are not held"))
        return None if result.satisfiability() == Satisfiability.NO else result

    def _plain(self, node: Node, losses: Losses) -> list[Node]:
        """Return nodes free of references, negations and `oneOf` at their top, `node` in union."""
        node = self._dereference(node)
        if node in self._open:
            raise SchemaError("a oneOf, allOf or not leads back to itself without any content")
        self._open.add(node)
        try:
            return self._without_logic(node, losses)
        finally:
            self._open.discard(node)

    def _without_logic(self, node: Node, losses: Losses) -> list[Node]:
        match node.view():
            case NotView(schema=inner):
                return [self._negation(inner, losses)]
            case OneOfView(branches=branches):
                return self._exclusive(branches, losses)
            case AllOfView(branches=branches):
                return self._conjunction(branches, losses)
            case AnyOfView(branches=branches) if any(map(_is_reference, branches)):
                # The library intersects what references lead to, not a union of them. One that
                # leads back to the union adds nothing to it.
                new = [b for b in branches if self._dereference(b) not in self._open]
                return [part for branch in new for part in self._plain(branch, losses)]
            case _:
                return [node]

    def _united(self, nodes: list[Node], losses: Losses) -> list[Node]:
        """Return `nodes` as one, or anything at all where that cannot be expressed."""
        result = nodes[0]
        for node in nodes[1:]:
            try:
                result = result.union(node)
            except CanonicalizationError:
                losses.setdefault(("oneOf", "its branches cannot be united; none of it is held"))
                return [self.everything]
        return [result]

    def _negation(self, node: Node, losses: Losses) -> Node:
        negated = self.negate(node)
        if negated is None:
            losses.setdefault(("not", "its complement cannot be expressed; it is not held"))
            return self.everything
        return negated

    def _exclusive(self, branches: list[Node], losses: Losses) -> list[Node]:
        """Return nodes whose union is "exactly one of `branches`"."""
        lost: Losses = {}
        plain = [self._united(found, lost)[0] for b in branches if (found := self._plain(b, lost))]
        if lost:  # to take a branch that is too wide from the others would refuse valid texts
            losses |= lost
            losses.setdefault(("oneOf", "that only one branch matches is not held"))
            return plain
        return self._told_apart(plain, losses)

    def _told_apart(self, branches: list[Node], losses: Losses) -> list[Node]:
        """Return nodes whose union is "exactly one of `branches`", which are exact themselves."""
        outlooks = [outlook(branch, self._dereference) for branch in branches]
        several = in_several(outlooks)
        left = [seen and seen.without(several) for seen in outlooks]
        if None in left:  # what is not seen at a glance is not left out at a glance
            several, left = frozenset(), outlooks
        pieces: list[Node] = []
        spent = _Spent()
        for number, branch in enumerate(branches):
            seen = left[number]
            whole = [(branch, seen)]
            if seen is not None and several:
                whole = [(self._part(part), Outlook((part,))) for part in seen.parts]
            for piece, look in whole:
                rivals = [
                    other
                    for index, other in enumerate(branches)
                    if index != number and not _seem_apart(look, left[index])
                ]
                pieces.append(self._without(piece, rivals, spent, losses))
        return pieces

    def _part(self, part: BranchPart) -> Node:
        """Return the node of `part`, of which types may have been left out."""
        if not part.whole:
            return part.node
        names = tuple(name for name in TYPES if name in part.whole)
        return _of_types(self._root.draft, names, asserts_formats=self._asserts_formats)

    def _without(self, piece: Node, others: list[Node], spent: _Spent, losses: Losses) -> Node:
        """Return `piece` without the values of `others`, as far as that is affordable."""
        branch = piece
        for other in others:
            if spent.work > _MAX_WORK_IN_ALL:
                break
            if self.limit.is_short:
                losses.setdefault(("oneOf", TOO_LONG))
                break
            if _are_disjoint(branch, other):
                continue
            cost = self._size(piece) * self._size(other)
            spent.work += max(cost, _LEAST_WORK)
            is_affordable = cost <= _MAX_WORK and spent.work <= _MAX_WORK_IN_ALL
            smaller = _subtract(piece, other) if is_affordable else None
            if smaller is None:
                losses.setdefault(("oneOf", "that only one branch matches is not held"))
                if is_affordable:  # failing takes longest, and the others would fail likewise
                    spent.work = _MAX_WORK_IN_ALL + 1
            else:
                piece = smaller
        return piece


def _check_containers(atoms: Iterable[Schema]) -> None:
    containers = sum(isinstance(atom, ArraySchema | ObjectSchema) for atom in atoms)
    if containers > _MAX_CONTAINERS:
        raise TooManyKinds(
            f"a subschema comes to {containers} kinds of objects and arrays",
            hint="combine fewer anyOf and oneOf in one allOf",
        )


def _last_segment(uri: str) -> str:
    return uri.replace("%2F", "/").rstrip("/").rpartition("/")[2].rpartition("%23")[2]


@cache
def _everything(draft: int, *, asserts_formats: bool) -> Node:
    """Return the node of all values; nodes combine only when they were read alike."""
    return jsonschema_rs.canonicalize(True, draft=draft, validate_formats=asserts_formats)


@cache
def _of_types(draft: int, names: tuple[str, ...], *, asserts_formats: bool) -> Node:
    """Return the node of all values of some types."""
    return jsonschema_rs.canonicalize(
        {"type": list(names)}, draft=draft, validate_formats=asserts_formats
    )


def _seem_apart(one: Outlook | None, other: Outlook | None) -> bool:
    return one is not None and other is not None and one.is_apart_from(other)


def _is_reference(node: Node) -> bool:
    return isinstance(node.view(), ReferenceView)


def _is_union(node: Node) -> bool:
    return isinstance(node.view(), AnyOfView | OneOfView)


def _are_disjoint(left: Node, right: Node) -> bool:
    try:
        return left.intersect(right).satisfiability() == Satisfiability.NO
    except CanonicalizationError:
        return False


def _subtract(left: Node, right: Node) -> Node | None:
    try:
        return left.subtract(right)
    except CanonicalizationError:
        return None


def _is_of_type(atom: Schema, name: str) -> bool:
    if name == "integer":
        match atom:
            case TypeSchema(name="integer") | NumberSchema(is_integer=True):
                return True
            case ValueSchema(value=value):
                return isinstance(value, int) and not isinstance(value, bool)
            case _:
                return False
    return type_of(atom) == name
