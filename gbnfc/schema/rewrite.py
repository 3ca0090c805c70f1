"""Spellings of a schema that the canonical form can model when it cannot model the original.

First equivalent ones (nothing is lost), then weaker ones; each keyword given up is a `Loss`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from gbnfc.schema.pointer import join_pointer

_DATA_KEYWORDS = frozenset({"enum", "const", "default", "example", "examples"})
_NAME_MAPS = frozenset(
    {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
)


@dataclass(frozen=True, slots=True)
class Loss:
    """A keyword at a JSON Pointer that was dropped, with a sentence that says so."""

    pointer: str
    keyword: str
    message: str


_GIVEN_UP = (
    ("unevaluatedItems", "unevaluatedProperties"),
    ("not",),
    ("oneOf",),
    ("if", "then", "else"),
    ("dependencies", "dependentSchemas", "dependentRequired"),
    ("anyOf",),
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
    for edit in (_without_nested_dialect, partial(_spelled_out_values, array_keyword)):
        schema = _edit(schema, edit)
        if equivalent:
            yield schema, ()
    losses: list[Loss] = []
    for keywords in _GIVEN_UP:
        known = len(losses)
        schema = _edit(schema, _dropping(keywords, losses))
        if len(losses) > known:
            yield schema, tuple(losses)


def _edit(schema: Any, edit: Edit, pointer: str = "") -> Any:
    if isinstance(schema, list):
        return [_edit(item, edit, join_pointer(pointer, i)) for i, item in enumerate(schema)]
    if not isinstance(schema, dict):
        return schema
    keywords: dict[str, Any] = {}
    for keyword, value in schema.items():
        below = join_pointer(pointer, keyword)
        if keyword in _DATA_KEYWORDS:
            keywords[keyword] = value
        elif keyword in _NAME_MAPS and isinstance(value, dict):
            keywords[keyword] = {
                name: _edit(inner, edit, join_pointer(below, name)) for name, inner in value.items()
            }
        else:
            keywords[keyword] = _edit(value, edit, below)
    return edit(pointer, keywords)


def _without_nested_dialect(pointer: str, keywords: Mapping[str, Any]) -> dict[str, Any]:
    # `$schema` counts at the root of a resource only (2020-12 core, section 8.1.1).
    nested = pointer and not {"$id", "id"} & keywords.keys()
    return {k: v for k, v in keywords.items() if not (nested and k == "$schema")}


def _spelled_out_values(
    array_keyword: str, pointer: str, keywords: Mapping[str, Any]
) -> dict[str, Any]:
    """Write `const`/`enum` of arrays and objects as schemas that can be negated."""
    values = [keywords["const"]] if "const" in keywords else keywords.get("enum")
    if not isinstance(values, list) or not any(isinstance(v, list | dict) for v in values):
        return dict(keywords)
    rest = {k: v for k, v in keywords.items() if k not in ("const", "enum")}
    spelled = {"anyOf": [_value_schema(value, array_keyword) for value in values]}
    return {**rest, "allOf": [*rest.get("allOf", []), spelled]}


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


def _dropping(keywords: tuple[str, ...], losses: list[Loss]) -> Edit:
    def edit(pointer: str, found: Mapping[str, Any]) -> dict[str, Any]:
        present = [k for k in keywords if k in found]
        if not present:
            return dict(found)
        rest = {k: v for k, v in found.items() if k not in keywords}
        for keyword in present:
            losses.append(Loss(pointer, keyword, "the schema is too entangled; not held"))
        if "oneOf" in present:
            # Any of the branches is wider than exactly one of them.
            rest["allOf"] = [*rest.get("allOf", []), {"anyOf": found["oneOf"]}]
        return rest

    return edit
