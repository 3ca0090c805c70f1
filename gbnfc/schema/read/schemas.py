"""The closed set of forms that a value can have: what the canonical form is read into.

A `Schema` is a set of JSON values of one kind. A JSON Schema is a union of them; the emitters turn
each into grammar. Everything here is ours: only `lower` and `from_library` see canonical views.
"""

from __future__ import annotations

import json
from dataclasses import field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias

from gbnfc.frozen import frozen

if TYPE_CHECKING:
    from fractions import Fraction

    from gbnfc.schema.read.canonical import Node

_SORTED = json.JSONEncoder(sort_keys=True, ensure_ascii=False, default=str)

TYPES = ("null", "boolean", "number", "string", "array", "object")
"""The six JSON types; `integer` is a subset of `number`."""


@frozen
class StringSchema:
    """Strings of `minimum` to `maximum` characters that satisfy every facet and no excluded one."""

    minimum: int = 0
    maximum: int | None = None
    patterns: tuple[str, ...] = ()
    excluded_patterns: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    excluded_formats: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()


@frozen
class NumberSchema:
    """Numbers between two bounds (inclusive unless said), multiples of each `multiple_of`."""

    minimum: Fraction | None = None
    maximum: Fraction | None = None
    exclusive_minimum: bool = False
    exclusive_maximum: bool = False
    multiple_of: tuple[Fraction, ...] = ()
    not_multiple_of: tuple[Fraction, ...] = ()
    is_integer: bool = False


@frozen
class Contains:
    """At least `minimum`, at most `maximum` (`None`: any number of) items match `schema`."""

    schema: Node
    minimum: int
    maximum: int | None


@frozen
class ArraySchema:
    """An array: `prefix` by position, then `items` (`None`: anything), and bounds on it all."""

    minimum: int = 0
    maximum: int | None = None
    prefix: tuple[Node, ...] = ()
    items: Node | None = None
    contains: tuple[Contains, ...] = ()
    all_distinct: bool = False
    some_repeated: bool = False


@frozen
class Violation:
    """Some member must break a rule: its key is outside `names`, or its value outside `schema`.

    `keys` limits it to keys that match this pattern; `undeclared` to keys that are none of
    `declared` and match none of `patterns`.
    """

    names: Node | None = None
    schema: Node | None = None
    keys: str | None = None
    undeclared: bool = False
    declared: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()


@frozen
class Variant:
    """Values that the key `name` may have in some `cases` only, by number.

    `None` are those of keys beyond the declared ones. In other cases another variant is allowed, or
    the key is not.
    """

    name: str
    node: Node | None
    cases: frozenset[int]


@frozen
class ObjectSchema:
    """An object: `properties` by name and by pattern, then `additional` (`None`: anything).

    Where there are `cases`, each a set of required keys, one of them at least must hold, and no key
    may have a variant that is not allowed in it.
    """

    minimum: int = 0
    maximum: int | None = None
    required: tuple[str, ...] = ()
    names: Node | None = None
    properties: tuple[tuple[str, Node], ...] = ()
    patterns: tuple[tuple[str, Node], ...] = ()
    additional: Node | None = None
    violations: tuple[Violation, ...] = ()
    cases: tuple[frozenset[str], ...] = ()
    variants: tuple[Variant, ...] = ()


@frozen
class TypeSchema:
    """Every value of one JSON type (`integer` counts as one)."""

    name: str


@frozen
class ValueSchema:
    """One value, as Python data; `key` is its canonical text, by which values are told apart."""

    key: str
    value: Any = field(compare=False)


Schema: TypeAlias = (
    StringSchema | NumberSchema | ArraySchema | ObjectSchema | TypeSchema | ValueSchema
)


def accepts_empty(atom: Schema) -> bool:
    """Return whether `atom` is of arrays or objects without a fixed value, the empty one too."""
    match atom:
        case TypeSchema(name="array" | "object"):
            return True
        case ObjectSchema():
            return not (atom.minimum or atom.required or atom.violations or atom.cases)
        case ArraySchema():
            needs_items = any(contains.minimum for contains in atom.contains)
            return not (atom.minimum or needs_items or atom.some_repeated)
        case _:
            return False


def type_of(atom: Schema) -> str:
    """Return the JSON type of the values of `atom`; integers are numbers."""
    match atom:
        case TypeSchema(name=name):
            return "number" if name == "integer" else name
        case ValueSchema(value=value):
            return type_of_value(value)
        case _:
            return _TYPES_OF_SHAPES[type(atom)]


_TYPES_OF_SHAPES = {
    StringSchema: "string",
    NumberSchema: "number",
    ArraySchema: "array",
    ObjectSchema: "object",
}


def type_of_value(value: Any) -> str:
    """Return the JSON type of Python data."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case str():
            return "string"
        case list() | tuple():
            return "array"
        case dict():
            return "object"
        case _:
            return "number"


def value_key(value: Any) -> str:
    """Return a text that is the same for equal JSON values: sorted keys, 1.0 as 1, true not 1."""
    return _SORTED.encode(value if isinstance(value, str) else _plain_numbers(value))


def _plain_numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain_numbers(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain_numbers(inner) for inner in value]
    if isinstance(value, float | Decimal) and value == value.__trunc__():
        return int(value)
    return value
