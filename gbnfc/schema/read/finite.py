"""Which schemas allow only a few values, and which ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gbnfc.schema.read.schemas import NumberSchema, Schema, TypeSchema, ValueSchema

if TYPE_CHECKING:
    from gbnfc.schema.read.canonical import Node
    from gbnfc.schema.read.lower import Resolver


def finite_values(node: Node | None, resolver: Resolver, limit: int) -> tuple[Any, ...] | None:
    """Return all values of `node` when it has at most `limit` and they are easily listed.

    Listed are fixed values, null, booleans and short integer ranges; anything else gives `None`.
    """
    if node is None:
        return None
    values: list[Any] = []
    for atom in resolver.union(node).atoms:
        listed = _values(atom, limit)
        if listed is None or len(values) + len(listed) > limit:
            return None
        values += [value for value in listed if not _holds(values, value)]
    return tuple(values)


def _values(atom: Schema, limit: int) -> list[Any] | None:
    match atom:
        case ValueSchema(value=value):
            return [value]
        case TypeSchema(name="null"):
            return [None]
        case TypeSchema(name="boolean"):
            return [True, False]
        case NumberSchema(is_integer=True, minimum=low, maximum=high) if (
            low is not None and high is not None and high - low < 4 * limit
        ):
            numbers = range(_ceiling(low), int(high // 1) + 1)
            return [n for n in numbers if _divides(atom, n)]
        case _:
            return None


def _ceiling(number: Any) -> int:
    return -int(-number // 1)


def _divides(shape: NumberSchema, number: int) -> bool:
    return all((number / d).denominator == 1 for d in shape.multiple_of) and not any(
        (number / d).denominator == 1 for d in shape.not_multiple_of
    )


def _holds(values: list[Any], value: Any) -> bool:
    return any(known == value and type(known) is type(value) for known in values)
