"""Spellings of a schema that the canonical form can model when it cannot model the original.

First equivalent ones (nothing is lost), then weaker ones; each keyword given up is a `Loss`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

from gbnfc.documents.pointer import join_pointer, split_pointer
from gbnfc.errors import SchemaError

_DATA_KEYWORDS = frozenset({"enum", "const", "default", "example", "examples"})
_NAME_MAPS = frozenset(
    [
        *("properties", "patternProperties", "$defs", "definitions"),
        *("dependentSchemas", "dependencies"),
    ]
)
_REFERENCES = frozenset({"$ref", "$dynamicRef", "$recursiveRef"})
_IN_PLACE = frozenset({"not", "if", "then", "else"})
_IN_PLACE_LISTS = frozenset({"allOf", "anyOf", "oneOf"})
_IN_PLACE_NAMED = frozenset({"dependentSchemas", "dependencies"})


@dataclass(frozen=True, slots=True)
class Loss:
    """A keyword at a JSON Pointer that was dropped, with a sentence that says so."""

    pointer: str
    keyword: str
    message: str


_MAX_DEPTH = 255
"""Nesting beyond this is refused by `jsonschema_rs` too."""

_GIVEN_UP = (
    ("unevaluatedItems", "unevaluatedProperties"),
    ("not",),
    ("oneOf",),
    ("if", "then", "else"),
    ("dependencies", "dependentSchemas", "dependentRequired"),
    ("anyOf",),
    ("patternProperties", "additionalProperties"),
)
"""Keywords in the order in which they are given up. What is unevaluated depends on all others."""

Edit: TypeAlias = Callable[[str, Mapping[str, Any]], dict[str, Any]]
"""Maps the pointer of a subschema and its (already edited) keywords to new keywords."""


def rewrites(
    schema: Any, array_keyword: str, *, equivalent: bool
) -> Iterator[tuple[Any, tuple[Loss, ...]]]:
    """Yield ever more altered spellings of `schema`, with what each has lost.

    `array_keyword` holds a list of item schemas in this draft: `items`, or `prefixItems`. The
    spellings that lose nothing come first, unless `equivalent` says that none of them can help.
    """
    source = schema
    looks_back = "unevaluated" in str(schema)
    spelled_out = partial(_spelled_out_values, array_keyword, looks_back)
    without_dialect = partial(_without_nested_dialect, _dialect_of(schema))
    for edit in (without_dialect, spelled_out):
        schema = edit_schema(schema, edit)
        if equivalent:
            yield schema, ()
    losses: list[Loss] = []
    for keywords in _GIVEN_UP:
        weakening = _Weakening(frozenset(keywords), source)
        schema = weakening.weaken(schema, "")
        if weakening.losses:
            losses += weakening.losses
            yield schema, tuple(losses)


def weaker_within(schema: Any, scope: Scope, source: Any) -> Iterator[tuple[Any, tuple[Loss, ...]]]:
    """Yield ever weaker spellings of `schema` that are so in `scope` only, with what each has lost.

    `source` is the schema as its author wrote it, which the losses speak of.
    """
    losses: list[Loss] = []
    for keywords in _GIVEN_UP:
        weakening = _Weakening(frozenset(keywords), source, scope)
        schema = weakening.weaken(schema, "")
        if weakening.losses:
            losses += weakening.losses
            yield schema, tuple(losses)


def without_unevaluated(schema: Any) -> tuple[Any, tuple[Loss, ...]]:
    """Return `schema` without `unevaluated…`, and what is lost by that."""
    weakening = _Weakening(frozenset(_GIVEN_UP[0]), schema)
    return weakening.weaken(schema, ""), tuple(weakening.losses)


def edit_schema(schema: Any, edit: Edit, pointer: str = "", depth: int = 0) -> Any:
    """Return `schema` with `edit` applied to each subschema, innermost first.

    One frame for each level, so that what the library can read never exhausts the stack.
    """
    if depth > _MAX_DEPTH:
        raise SchemaError(f"the schema cannot be read: nested deeper than {_MAX_DEPTH} levels")
    if isinstance(schema, list):
        items = []
        for index, item in enumerate(schema):
            items.append(edit_schema(item, edit, join_pointer(pointer, index), depth + 1))
        return items
    if not isinstance(schema, dict):
        return schema
    keywords: dict[str, Any] = {}
    for keyword, value in schema.items():
        below = join_pointer(pointer, keyword)
        if keyword in _DATA_KEYWORDS:
            keywords[keyword] = value
        elif keyword in _NAME_MAPS and isinstance(value, dict):
            keywords[keyword] = {}
            for name, inner in value.items():
                place = join_pointer(below, name)
                keywords[keyword][name] = edit_schema(inner, edit, place, depth + 2)
        else:
            keywords[keyword] = edit_schema(value, edit, below, depth + 1)
    return edit(pointer, keywords)


def _dialect_of(schema: Any) -> str:
    """Return the dialect that `schema` names, hyper-schemas taken for their plain ones."""
    dialect = schema.get("$schema") if isinstance(schema, dict) else None
    return str(dialect).rstrip("#").replace("hyper-schema", "schema")


def _without_nested_dialect(
    dialect: str, pointer: str, keywords: Mapping[str, Any]
) -> dict[str, Any]:
    # `$schema` counts at the root of a resource only (2020-12 core, section 8.1.1), and says
    # nothing new where it repeats the dialect around it.
    is_new = {"$id", "id"} & keywords.keys() and _dialect_of(keywords) != dialect
    drops = pointer and not is_new
    return {k: v for k, v in keywords.items() if not (drops and k == "$schema")}


def _spelled_out_values(
    array_keyword: str, looks_back: bool, pointer: str, keywords: Mapping[str, Any]
) -> dict[str, Any]:
    """Write `const`/`enum` of arrays and objects as schemas that can be negated.

    Where some keyword `looks_back` at what others evaluated (`unevaluatedProperties`), two
    negations hide that the new schemas evaluate members, which the values did not.
    """
    rest = dict(keywords)
    listed = {"const": [keywords.get("const")], "enum": keywords.get("enum")}
    for keyword, values in listed.items():
        if isinstance(values, list) and any(isinstance(v, list | dict) for v in values):
            del rest[keyword]
            spelled = {"anyOf": [_value_schema(value, array_keyword) for value in values]}
            hidden = {"not": {"not": spelled}} if looks_back else spelled
            rest["allOf"] = [*rest.get("allOf", []), hidden]
    return rest


def _value_schema(value: Any, array_keyword: str) -> dict[str, Any]:
    if isinstance(value, dict):
        each_member = {k: _value_schema(inner, array_keyword) for k, inner in value.items()}
        schema = {"type": "object", "properties": each_member, "additionalProperties": False}
        # Draft 4 wants at least one required name where there are any.
        return {**schema, "required": list(value)} if value else schema
    if isinstance(value, list):
        each = [_value_schema(inner, array_keyword) for inner in value]
        size = {"type": "array", "minItems": len(value), "maxItems": len(value)}
        return {**size, array_keyword: each} if each else size
    return {"enum": [value]}


@dataclass(frozen=True, slots=True)
class Scope:
    """The part of a schema that is given up: the subschema at `pointer`.

    With `is_deep` all that is below it too, else only what applies to the same values. `leading`
    are the references in the whole schema that may lead to it, or to what refers to it.
    """

    pointer: str
    leading: frozenset[str]
    is_deep: bool

    def covers(self, pointer: str) -> bool:
        """Return whether the subschema at `pointer` is in this part."""
        if not _is_within(pointer, self.pointer):
            return False
        segments = split_pointer(pointer[len(self.pointer) :])
        return self.is_deep or is_in_place(segments)

    def touches(self, pointer: str) -> bool:
        """Return whether the subschema at `pointer` holds this part or lies within it."""
        return _is_within(self.pointer, pointer) or _is_within(pointer, self.pointer)


def is_in_place(segments: tuple[str, ...]) -> bool:
    """Return whether what these segments of a pointer lead to applies to the same value."""
    rest = [*segments]
    while rest:
        keyword = rest.pop(0)
        if keyword in _IN_PLACE_LISTS or keyword in _IN_PLACE_NAMED:
            if not rest:
                return False
            rest.pop(0)
        elif keyword not in _IN_PLACE:
            return False
    return True


def _is_within(pointer: str, outer: str) -> bool:
    return f"{pointer}/".startswith(f"{outer}/")


@dataclass(frozen=True, slots=True)
class _Weakening:
    """Gives up `keywords` so that the schema becomes wider, never narrower.

    Below `not`, `if`, the branches of `oneOf` and what `maxContains` counts, a wider schema makes
    the whole narrower. Where such a place holds one of the keywords, or a reference, which may lead
    to one, what is around it is given up instead. `source` is the schema as its author wrote it.
    With a `scope` they are given up there only.
    """

    keywords: frozenset[str]
    source: Any
    scope: Scope | None = None
    losses: list[Loss] = field(default_factory=list)

    def weaken(self, schema: Any, pointer: str) -> Any:
        """Return the subschema at `pointer`, or a list of them, without the keywords.

        It is in no such place itself. As in `edit_schema` there is one frame for each level.
        """
        if isinstance(schema, list):
            parts = []
            for index, part in enumerate(schema):
                parts.append(self.weaken(part, join_pointer(pointer, index)))
            return parts
        if not isinstance(schema, dict):
            return schema
        given_up = self._given_up(schema, pointer)
        left: dict[str, Any] = {}
        branches: list[Any] = []
        for keyword, value in schema.items():
            below = join_pointer(pointer, keyword)
            if keyword in given_up:
                self.losses.append(_loss(self.source, pointer, keyword))
                if keyword == "oneOf":
                    branches = self.weaken(value, below)
            elif keyword in _DATA_KEYWORDS:
                left[keyword] = value
            elif keyword in _NAME_MAPS and isinstance(value, dict):
                left[keyword] = {}
                for name, part in value.items():
                    left[keyword][name] = self.weaken(part, join_pointer(below, name))
            else:
                left[keyword] = self.weaken(value, below)
        if branches:  # any of them is wider than exactly one of them
            left["allOf"] = [*left.get("allOf", []), {"anyOf": branches}]
        return left

    def _given_up(self, schema: Mapping[str, Any], pointer: str) -> set[str]:
        given_up = set(self.keywords & schema.keys())
        if self.scope is not None and not self.scope.covers(pointer):
            given_up = set()
        if self._is_touched(schema, pointer, "not"):
            given_up |= {"not"}
        if self._is_touched(schema, pointer, "if"):
            given_up |= {"if", "then", "else"}
        if self._is_touched(schema, pointer, "oneOf"):
            given_up |= {"oneOf"}
        if "maxContains" in schema and self._is_touched(schema, pointer, "contains"):
            given_up |= {"maxContains"}
        return given_up

    def _is_touched(self, schema: Mapping[str, Any], pointer: str, keyword: str) -> bool:
        """Return whether something may be given up below `keyword`."""
        if keyword not in schema:
            return False
        inner = schema[keyword]
        if self.scope is None:
            return _holds(inner, self.keywords | _REFERENCES)
        below = join_pointer(pointer, keyword)
        if self.scope.touches(below):
            return _holds(inner, self.keywords | _REFERENCES)
        return not self.scope.leading.isdisjoint(references_in(inner))


def _holds(schema: Any, keywords: frozenset[str]) -> bool:
    """Return whether one of `keywords` stands in `schema`, a subschema or a list of them."""
    return any(not keywords.isdisjoint(part) for part in _subschemas(schema))


def references_in(schema: Any) -> set[str]:
    """Return the references in a subschema or a list of them, as they are written."""
    found: set[str] = set()
    for part in _subschemas(schema):
        found.update(str(part[keyword]) for keyword in _REFERENCES & part.keys())
    return found


def _subschemas(schema: Any) -> Iterator[Mapping[str, Any]]:
    pending = [schema]
    while pending:
        current = pending.pop()
        if isinstance(current, list):
            pending += current
        elif isinstance(current, dict):
            yield current
            for keyword, value in current.items():
                if keyword in _NAME_MAPS and isinstance(value, dict):
                    pending += value.values()
                elif keyword not in _DATA_KEYWORDS:
                    pending.append(value)


def _loss(source: Any, pointer: str, keyword: str) -> Loss:
    """Return the loss of `keyword` at `pointer`, or of the one that was written anew as it."""
    place, found = source, ""
    schema, said = source, ""
    for segment in split_pointer(pointer):
        if isinstance(place, list):
            is_there = segment.isdecimal() and int(segment) < len(place)
            place = place[int(segment)] if is_there else None
        else:
            place = place.get(segment)
        if not isinstance(place, dict | list):
            break
        found = join_pointer(found, segment)
        if isinstance(place, dict):
            schema, said = place, found
    if said != pointer or keyword not in schema:
        keyword = next((k for k in ("enum", "const", "oneOf", "allOf") if k in schema), keyword)
    return Loss(said, keyword, "the schema is too entangled; not held")
