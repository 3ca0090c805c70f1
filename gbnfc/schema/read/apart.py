"""Which branches of a `oneOf` no value can satisfy two of, as far as that is cheap to see.

To intersect two schemas takes the library as long as they are deep, and most branches are told
apart at a glance: by their types, or by a key that has another constant in each of them. So that is
looked at first.

In: canonical nodes. Out: `Outlook`s to be compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from jsonschema_rs.canonical import (
    AnyOfView,
    ArrayView,
    ConstView,
    EnumView,
    FalseView,
    IntegerView,
    MultiTypeView,
    NumberView,
    ObjectView,
    ReferenceView,
    StringView,
    TrueView,
)

from gbnfc.frozen import frozen
from gbnfc.schema.read.schemas import TYPES, type_of_value, value_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gbnfc.schema.read.canonical import Node

Follow: TypeAlias = "Callable[[Node], Node]"
"""What follows the references of a node, to one that is none."""

_MAX_PARTS = 50
"""A node of more parts than this is not looked at."""


@frozen
class _Objects:
    """Objects: the values of keys that have few, and the keys that are required."""

    constants: dict[str, frozenset[str]]
    required: frozenset[str]


@frozen
class BranchPart:
    """A node of one branch, and the types of its values: of `whole` ones it holds all values."""

    node: Node
    types: frozenset[str]
    whole: frozenset[str] = frozenset()
    objects: _Objects | None = None


@frozen
class Outlook:
    """What is seen of a node at a glance: parts whose union it is."""

    parts: tuple[BranchPart, ...]

    @property
    def whole(self) -> frozenset[str]:
        """The types of which it holds all values."""
        return frozenset().union(*(part.whole for part in self.parts))

    def without(self, types: frozenset[str]) -> Outlook | None:
        """Return what is left without the values of `types`; `None`: that is more than a glance."""
        if not types:
            return self
        left: list[BranchPart] = []
        for part in self.parts:
            if part.types.isdisjoint(types):
                left.append(part)
            elif not part.types <= types:
                if part.types != part.whole:
                    return None
                rest = part.whole - types
                left.append(BranchPart(part.node, rest, rest))
        return Outlook(tuple(left))

    def is_apart_from(self, other: Outlook) -> bool:
        """Return whether it is plain that no value is of both."""
        return all(_are_apart(one, two) for one in self.parts for two in other.parts)


def in_several(outlooks: Iterable[Outlook | None]) -> frozenset[str]:
    """Return the types of which several branches hold all values: no value of them is of one."""
    wholes = [seen.whole for seen in outlooks if seen is not None]
    return frozenset(name for name in TYPES if sum(name in whole for whole in wholes) > 1)


def outlook(node: Node, follow: Follow) -> Outlook | None:
    """Return what is seen of `node`; `None`: nothing."""
    parts: list[BranchPart] = []
    pending, seen = [node], {node}
    for current in pending:
        if len(pending) > _MAX_PARTS:
            return None
        match current.view():
            case ReferenceView():
                target = follow(current)
                if target not in seen:
                    seen.add(target)
                    pending.append(target)
            case AnyOfView(branches=branches):
                pending += branches
            case ObjectView() as view:
                parts.append(
                    BranchPart(current, frozenset({"object"}), objects=_objects(view, follow))
                )
            case TrueView():
                parts.append(BranchPart(current, frozenset(TYPES), frozenset(TYPES)))
            case MultiTypeView(types=types) if "integer" not in types:
                parts.append(BranchPart(current, frozenset(types), frozenset(types)))
            case view:
                found = _types_of(view)
                if found is None:
                    return None
                parts.append(BranchPart(current, found))
    return Outlook(tuple(parts))


def _types_of(view: Any) -> frozenset[str] | None:
    match view:
        case FalseView():
            return frozenset()
        case MultiTypeView(types=types):
            return frozenset("number" if name == "integer" else name for name in types)
        case ConstView(value=value):
            return frozenset({type_of_value(value)})
        case EnumView(values=values):
            return frozenset(map(type_of_value, values))
        case StringView():
            return frozenset({"string"})
        case IntegerView() | NumberView():
            return frozenset({"number"})
        case ArrayView():
            return frozenset({"array"})
        case _:
            return None


def _objects(view: ObjectView, follow: Follow) -> _Objects:
    constants: dict[str, frozenset[str]] = {}
    for name, node in view.properties.items():
        match follow(node).view():
            case ConstView(value=value):
                constants[name] = frozenset({value_key(value)})
            case EnumView(values=values):
                constants[name] = frozenset(map(value_key, values))
    return _Objects(constants, frozenset(view.required))


def _are_apart(one: BranchPart, two: BranchPart) -> bool:
    shared = one.types & two.types
    if not shared:
        return True
    if shared != {"object"} or one.objects is None or two.objects is None:
        return False
    return _have_other_constants(one.objects, two.objects)


def _have_other_constants(one: _Objects, two: _Objects) -> bool:
    """Return whether some key, which is required in one, can have no value of both."""
    return any(
        (name in one.required or name in two.required)
        and one.constants[name].isdisjoint(two.constants[name])
        for name in one.constants.keys() & two.constants.keys()
    )
