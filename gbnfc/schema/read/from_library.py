"""Canonical views of a single kind → atoms: where the library's forms become ours.

In: a view of `jsonschema_rs.canonical`. Out: shapes, and what is not held of the view.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from jsonschema_rs.canonical import (
    ArrayView,
    ConstView,
    ContainsView,
    Distinctness,
    EnumView,
    FalseView,
    IntegerView,
    MultiTypeView,
    NameFailsView,
    NumberView,
    ObjectView,
    PatternValueFailsView,
    StringView,
    TrueView,
    UndeclaredValueFailsView,
)

from gbnfc.schema.read.schemas import (
    TYPES,
    ArraySchema,
    Contains,
    NumberSchema,
    ObjectSchema,
    Schema,
    StringSchema,
    TypeSchema,
    ValueSchema,
    Violation,
    value_key,
)

if TYPE_CHECKING:
    from decimal import Decimal

    from gbnfc.schema.read.canonical import Node

Losses: TypeAlias = dict[tuple[str, str], None]
"""Keyword and sentence of what is not held, in order of discovery."""


def only_value(node: Node) -> Any:
    """Return the value that alone satisfies `node`, or `None`."""
    view = node.view()
    return view.value if isinstance(view, ConstView) else None


def read_atoms(view: Any, losses: Losses) -> list[Schema]:
    """Return the atoms of a canonical view of a single kind."""
    match view:
        case TrueView():
            return [TypeSchema(name) for name in TYPES]
        case FalseView():
            return []
        case MultiTypeView(types=types):
            return [TypeSchema(name) for name in types]
        case ConstView(value=value):
            return [_value(value)]
        case EnumView(values=values):
            return [_value(value) for value in values]
        case StringView():
            return [_string(view)]
        case IntegerView() | NumberView():
            return [_number(view)]
        case ArrayView():
            return [_array(view)]
        case ObjectView():
            return [_object(view)]
        case _:
            losses.setdefault(("schema", "it cannot be brought into canonical form; not held"))
            return [TypeSchema(name) for name in TYPES]


def _value(value: Any) -> ValueSchema:
    return ValueSchema(value_key(value), value)


def _string(view: StringView) -> StringSchema:
    return StringSchema(
        minimum=view.min_length or 0,
        maximum=view.max_length,
        patterns=tuple(view.patterns),
        excluded_patterns=tuple(view.excluded_patterns),
        formats=tuple(view.formats),
        excluded_formats=tuple(view.excluded_formats),
        excluded=tuple(view.excluded),
    )


def _number(view: IntegerView | NumberView) -> NumberSchema:
    multiples = tuple(map(_fraction, view.multiple_of))
    others = tuple(map(_fraction, view.not_multiple_of))
    lowest = None if view.minimum is None else _fraction(view.minimum)
    highest = None if view.maximum is None else _fraction(view.maximum)
    if isinstance(view, IntegerView):
        return NumberSchema(lowest, highest, False, False, multiples, others, is_integer=True)
    if view.excludes_integers:
        others = (*others, Fraction(1))
    return NumberSchema(
        lowest, highest, view.exclusive_minimum, view.exclusive_maximum, multiples, others
    )


def _fraction(number: float | Decimal) -> Fraction:
    # A float stands for the decimal it was written as: 0.1 is one tenth.
    return Fraction(repr(number) if isinstance(number, float) else number)


def _array(view: ArrayView) -> ArraySchema:
    return ArraySchema(
        minimum=view.min_items or 0,
        maximum=view.max_items,
        prefix=tuple(view.prefix_items),
        items=view.items,
        contains=tuple(map(_contains, view.contains)),
        all_distinct=view.distinctness == Distinctness.ALL_DISTINCT,
        some_repeated=view.distinctness == Distinctness.SOME_REPEATED,
    )


def _contains(view: ContainsView) -> Contains:
    minimum = 1 if view.min_contains is None else view.min_contains
    return Contains(view.schema, minimum, view.max_contains)


def _object(view: ObjectView) -> ObjectSchema:
    return ObjectSchema(
        minimum=view.min_properties or 0,
        maximum=view.max_properties,
        required=tuple(view.required),
        names=view.property_names,
        properties=tuple(view.properties.items()),
        patterns=tuple(view.pattern_properties.items()),
        additional=view.additional_properties,
        violations=tuple(map(_violation, view.violations)),
    )


def _violation(view: Any) -> Violation:
    match view:
        case NameFailsView(schema=schema):
            return Violation(names=schema)
        case PatternValueFailsView(pattern=pattern, schema=schema):
            return Violation(schema=schema, keys=pattern)
        case UndeclaredValueFailsView(names=names, patterns=patterns, additional=additional):
            return Violation(
                schema=additional,
                undeclared=True,
                declared=tuple(names),
                patterns=tuple(patterns),
            )
        case _:
            raise TypeError(f"unknown violation {view!r}")
