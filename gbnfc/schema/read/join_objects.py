"""Objects that differ in which keys they must have, and in simple values, become one shape.

Many schemas write `anyOf` or `oneOf` over `required`, or over what the value of a key is. As
alternatives beside each other the engine follows all of them through every key, with a stack for
each; as one shape with cases it follows one, and the grammar remembers which cases are left
(`unordered`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from gbnfc.schema.read.schemas import (
    NumberSchema,
    ObjectSchema,
    StringSchema,
    TypeSchema,
    ValueSchema,
    Variant,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gbnfc.schema.read.canonical import Node
    from gbnfc.schema.read.lower import Resolver
    from gbnfc.schema.read.schemas import Schema

MAX_CASE_KEYS = 6
"""Shapes that need or tell apart more keys stay as they are: the states are 2 to this power."""

MAX_KINDS = 3
"""A key may have so many different value schemas: what they share and do not is told apart."""

MAX_ALTERNATIVES = 32
"""Unions of more objects stay as they are: each is held against each."""

_Meaning: TypeAlias = "Node | str | None"
"""What a shape says of a key: its values; `_ABSENT`; `None`, that it is one of the others."""

_ABSENT = "absent"


def join_alternatives(
    shapes: Iterable[ObjectSchema], resolver: Resolver, is_fixed: Callable[[ObjectSchema], bool]
) -> list[ObjectSchema]:
    """Return shapes of the same objects, as few as are found.

    Those that `is_fixed` tells are left alone: their keys stand in the author's order.
    """
    shapes = list(shapes)
    groups: list[list[ObjectSchema]] = []
    alone: list[ObjectSchema] = []
    for shape in shapes:
        if len(shapes) > MAX_ALTERNATIVES or _is_counted(shape) or is_fixed(shape):
            alone.append(shape)
            continue
        for group in groups:
            if _rest(group[0]) == _rest(shape) and _can_join([*group, shape], resolver):
                group.append(shape)
                break
        else:
            groups.append([shape])
    return [shape for group in groups for shape in _joined(group, resolver)] + alone


def _is_counted(shape: ObjectSchema) -> bool:
    return bool(shape.minimum or shape.maximum is not None or shape.violations)


def _rest(shape: ObjectSchema) -> ObjectSchema:
    """Return what is the same of alternatives that can be joined."""
    return replace(shape, properties=(), required=())


def _meanings(shapes: list[ObjectSchema], resolver: Resolver) -> dict[str, list[_Meaning]]:
    """Return, for each declared key, what each of `shapes` says of it."""
    declared = [dict(shape.properties) for shape in shapes]
    names = dict.fromkeys(name for properties in declared for name in properties)
    return {
        name: [
            _ABSENT
            if (node := properties.get(name)) is not None and resolver.is_never(node)
            else node
            for properties in declared
        ]
        for name in names
    }


def _can_join(shapes: list[ObjectSchema], resolver: Resolver) -> bool:
    told_apart = {name for shape in shapes for name in shape.required}
    for name, meanings in _meanings(shapes, resolver).items():
        kinds = {meaning for meaning in meanings if meaning != _ABSENT}
        if len(set(meanings)) > 1:
            told_apart.add(name)
        if len(kinds) > 1 and (
            None in kinds or len(kinds) > MAX_KINDS or not _are_simple(kinds, resolver)
        ):
            return False
    return len(told_apart) <= MAX_CASE_KEYS


def _joined(shapes: list[ObjectSchema], resolver: Resolver) -> list[ObjectSchema]:
    if len(shapes) == 1:
        return shapes
    properties: list[tuple[str, Node]] = []
    variants: list[Variant] = []
    for name, meanings in _meanings(shapes, resolver).items():
        if len(set(meanings)) == 1:
            properties += [pair for pair in shapes[0].properties if pair[0] == name]
            continue
        parts = _partition(meanings, resolver)
        if parts is None:
            return shapes
        variants += [Variant(name, node, cases) for node, cases in parts]
    joined = replace(
        shapes[0],
        properties=tuple(properties),
        required=tuple(n for n in shapes[0].required if all(n in s.required for s in shapes)),
        cases=tuple(frozenset(shape.required) for shape in shapes),
        variants=tuple(variants),
    )
    return [joined]


def _partition(
    meanings: list[_Meaning], resolver: Resolver
) -> list[tuple[Node | None, frozenset[int]]] | None:
    """Return value schemas that no value satisfies two of, with the cases that allow each.

    `None` where what they share cannot be said in a simple way.
    """
    cases: dict[Node | None, set[int]] = {}
    for number, meaning in enumerate(meanings):
        if not isinstance(meaning, str):
            cases.setdefault(meaning, set()).add(number)
    if len(cases) == 1:
        return [(node, frozenset(numbers)) for node, numbers in cases.items()]
    parts: list[tuple[Node, frozenset[int]]] = []
    for node, numbers in cases.items():
        assert node is not None
        cut: list[tuple[Node, frozenset[int]]] = []
        left = node
        for part, owners in parts:
            outside = resolver.negate(node), resolver.negate(part)
            if outside[0] is None or outside[1] is None:
                return None
            shared, shared_is_exact = resolver.intersect([part, node])
            rest, rest_is_exact = resolver.intersect([part, outside[0]])
            left, left_is_exact = resolver.intersect([left, outside[1]])
            if not (shared_is_exact and rest_is_exact and left_is_exact):
                return None
            cut += [(shared, owners | numbers), (rest, owners)]
        cut.append((left, frozenset(numbers)))
        if not _are_simple([node for node, _ in cut], resolver):
            return None
        parts = [(node, owners) for node, owners in cut if not resolver.is_never(node)]
    return list(parts)


def _are_simple(nodes: Iterable[_Meaning], resolver: Resolver) -> bool:
    """Return whether what is and is not of `nodes` is sure to be held: plain scalars."""
    for node in nodes:
        if node is None or isinstance(node, str):
            return False
        union = resolver.union(node)
        if union.losses or not all(map(_is_simple, union.atoms)):
            return False
    return True


def _is_simple(atom: Schema) -> bool:
    match atom:
        case TypeSchema(name=name):
            return name not in ("array", "object")
        case ValueSchema(value=value):
            return not isinstance(value, list | dict)
        case NumberSchema():
            return not (atom.multiple_of or atom.not_multiple_of)
        case StringSchema():
            has_patterns = atom.patterns or atom.excluded_patterns
            return not (has_patterns or atom.formats or atom.excluded_formats)
        case _:
            return False
