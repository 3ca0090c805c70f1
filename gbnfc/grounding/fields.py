"""Which values of a schema are grounded in the document, and how.

In: a JSON Schema and what `--ground` says. Out: a `GroundingPlan`: fields by the pointer of their
values in the answer, an array's elements as `*` (`/items/*/name`). Texts, numbers, dates and times
can be grounded; choices, constants and booleans are the schema's own.

The nearest word counts: `x-gbnfc-source` at the field, else at an object or array around it, else
what `auto` finds in names and descriptions (`evidence`). `none` and pointers overrule all.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from typing import TYPE_CHECKING, Any

from gbnfc.documents.pointer import follow_pointer, fragment_pointer, join_pointer, split_pointer
from gbnfc.errors import GbnfcError, SchemaError, UsageError
from gbnfc.grounding.evidence import written_by_model
from gbnfc.grounding.markers import SOURCE_KEYWORD, Free, FromDocument

if TYPE_CHECKING:
    from collections.abc import Iterator

ANY_ELEMENT = "*"
"""The segment of a pointer that stands for every element, or every undeclared key."""

_COMBINERS = ("allOf", "anyOf", "oneOf")
_MAX_DEPTH = 32
_MAX_FIELDS = 10_000


class FieldKind(Enum):
    """What a grounded value is read as."""

    TEXT = "text"
    NUMBER = "number"
    INTEGER = "integer"
    DATE = "date"
    DATE_TIME = "date-time"
    TIME = "time"


_DATED = {kind.value: kind for kind in (FieldKind.DATE, FieldKind.DATE_TIME, FieldKind.TIME)}


@dataclass(frozen=True, slots=True)
class Field:
    """A value of the answer that could be grounded.

    `pointer` is its place in the answer, with `*`. `reason` says in a few words why it is grounded
    or not. `is_nullable` tells that it may be null.
    """

    pointer: str
    kind: FieldKind
    is_grounded: bool
    reason: str
    is_nullable: bool = False


@dataclass(frozen=True, slots=True)
class GroundingPlan:
    """The fields of a schema, in its order. A schema that holds itself is listed once."""

    fields: tuple[Field, ...]

    def field_at(self, pointer: str) -> Field | None:
        """Return the field of the value at `pointer` in an answer (`/items/3/name`), if any."""
        segments = split_pointer(pointer)
        for field in self.fields:
            if _matches(split_pointer(field.pointer), segments):
                return field
        return None


def plan_grounding(schema: Any, ground: str = "auto") -> GroundingPlan:
    """Return which values of `schema` are grounded.

    `ground` is `auto`, `all`, `none`, or pointers with commas between them (`/name,/items/*/sku`);
    a pointer to an object or array means all below it.

    >>> [f.pointer for f in plan_grounding({"properties": {"a": {"type": "string"}}}).fields]
    ['/a']

    Raises:
        UsageError: a pointer of `ground` names no text, number, date or time.
        SchemaError: a value of `x-gbnfc-source` is neither "document" nor "free".
    """
    found = tuple(_fields(schema))
    if ground == "auto":
        return GroundingPlan(found)
    if ground in ("all", "none"):
        return GroundingPlan(tuple(_overruled(field, ground) for field in found))
    wanted = [pointer.strip() for pointer in ground.split(",")]
    chosen = set()
    for pointer in wanted:
        below = {each.pointer for each in found if _is_at_or_below(each.pointer, pointer)}
        if not below or (pointer and not pointer.startswith("/")):
            raise _unknown(pointer, found)
        chosen |= below
    return GroundingPlan(
        tuple(
            Field(f.pointer, f.kind, f.pointer in chosen, "as --ground says", f.is_nullable)
            for f in found
        )
    )


def _overruled(field: Field, ground: str) -> Field:
    keeps_mark = field.reason.startswith(SOURCE_KEYWORD)
    if ground == "all" and keeps_mark:
        return field
    is_grounded = ground == "all"
    reason = f"--ground {ground}"
    return Field(field.pointer, field.kind, is_grounded, reason, field.is_nullable)


def _unknown(pointer: str, found: tuple[Field, ...]) -> UsageError:
    known = [field.pointer for field in found]
    near = get_close_matches(pointer, known, n=1)
    if near:
        hint = f"did you mean {near[0]}?"
    elif known:
        hint = f"there are: {', '.join(known[:8])}" + (", …" if len(known) > 8 else "")
    else:
        hint = "the schema has no text, number, date or time"
    problem = "names no text, number, date or time of the schema"
    if pointer and not pointer.startswith("/"):
        problem = "is neither auto, all, none nor a JSON Pointer"
    return UsageError(f"--ground: {pointer!r} {problem}", hint=hint)


def _is_at_or_below(pattern: str, pointer: str) -> bool:
    segments = split_pointer(pointer)
    return _matches(split_pointer(pattern)[: len(segments)], segments)


def _matches(pattern: tuple[str, ...], segments: tuple[str, ...]) -> bool:
    return len(pattern) == len(segments) and all(
        want in (ANY_ELEMENT, have) for want, have in zip(pattern, segments, strict=True)
    )


@dataclass(frozen=True, slots=True)
class _Place:
    pointer: str
    name: str
    schemas: tuple[Any, ...]
    source: str | None
    around: frozenset[int]


def _fields(root: Any) -> Iterator[Field]:
    pending = [_Place("", "", (root,), None, frozenset())]
    count = 0
    while pending and count < _MAX_FIELDS:
        place = pending.pop()
        parts = _applied(root, place.schemas)
        source = _source(parts, place) or place.source
        field = _field(place, parts, source)
        if field is not None:
            count += 1
            yield field
            continue
        around = place.around | {id(part) for part in parts}
        below = [
            _Place(join_pointer(place.pointer, key), name or place.name, schemas, source, around)
            for key, name, schemas in _children(parts)
        ]
        is_new = [not _is_within_itself(_applied(root, b.schemas), around) for b in below]
        if len(split_pointer(place.pointer)) < _MAX_DEPTH:
            pending += reversed([b for b, new in zip(below, is_new, strict=True) if new])


def _is_within_itself(parts: list[dict[str, Any]], around: frozenset[int]) -> bool:
    containers = {id(part) for part in parts if "properties" in part or "items" in part}
    return bool(containers) and containers <= around


def _applied(root: Any, schemas: tuple[Any, ...]) -> list[dict[str, Any]]:
    """Return the object schemas that apply to one value: behind references and alternatives."""
    found: dict[int, dict[str, Any]] = {}
    pending = list(reversed(schemas))
    while pending:
        schema = pending.pop()
        if not isinstance(schema, dict) or id(schema) in found:
            continue
        found[id(schema)] = schema
        inner = [part for key in _COMBINERS for part in _list(schema.get(key))]
        reference = schema.get("$ref")
        if isinstance(reference, str) and reference.startswith("#"):
            with suppress(GbnfcError):  # an anchor, or nothing: the compiler says so
                inner.insert(0, follow_pointer(root, fragment_pointer(reference[1:])))
        pending += reversed(inner)
    return list(found.values())


def _children(
    parts: list[dict[str, Any]],
) -> Iterator[tuple[str | int, str | None, tuple[Any, ...]]]:
    """Yield segment, name and schemas of what is below: `*` for elements and undeclared keys."""
    named: dict[str, list[Any]] = {}
    elements: list[Any] = []
    for part in parts:
        properties = part.get("properties")
        if isinstance(properties, dict):
            for key, schema in properties.items():
                named.setdefault(key, []).append(schema)
        patterns = part.get("patternProperties")
        elements += patterns.values() if isinstance(patterns, dict) else ()
        elements += [part[key] for key in ("items", "additionalProperties") if key in part]
        elements += _list(part.get("prefixItems"))
    for key, schemas in named.items():
        yield key, key, tuple(schemas)
    flat = [
        e for element in elements for e in (element if isinstance(element, list) else [element])
    ]
    if any(isinstance(element, dict) for element in flat):
        yield ANY_ELEMENT, None, tuple(flat)


def _field(place: _Place, parts: list[dict[str, Any]], source: str | None) -> Field | None:
    if any("enum" in part or "const" in part for part in parts):
        return None
    types = {
        kind for part in parts for kind in (_list(part.get("type")) or [part.get("type")]) if kind
    }
    kind = _kind(types - {"null"}, parts)
    if kind is None:
        return None
    is_nullable = "null" in types
    if source is not None:
        is_grounded = source == FromDocument.source
        reason = f"{SOURCE_KEYWORD} is {source}"
    else:
        is_number = kind in (FieldKind.NUMBER, FieldKind.INTEGER)
        written = written_by_model(place.name, parts, is_number=is_number)
        is_grounded, reason = written is None, written or "nothing marks it as the model's own"
    return Field(place.pointer, kind, is_grounded, reason, is_nullable)


def _kind(types: set[Any], parts: list[dict[str, Any]]) -> FieldKind | None:
    if types == {"string"}:
        if any("contentEncoding" in part for part in parts):
            return None
        formats = [str(part["format"]) for part in parts if "format" in part]
        return _DATED.get(formats[0], FieldKind.TEXT) if len(formats) == 1 else FieldKind.TEXT
    if types == {"integer"}:
        return FieldKind.INTEGER
    return FieldKind.NUMBER if types and types <= {"integer", "number"} else None


def _source(parts: list[dict[str, Any]], place: _Place) -> str | None:
    for part in parts:
        if SOURCE_KEYWORD in part:
            source = part[SOURCE_KEYWORD]
            if source not in (FromDocument.source, Free.source):
                raise SchemaError(
                    f"{SOURCE_KEYWORD} of {place.pointer or 'the answer'} is {source!r}",
                    hint='write "document" or "free"',
                )
            return str(source)
    return None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
