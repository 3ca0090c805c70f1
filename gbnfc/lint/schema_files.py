"""Schemas inside documents: a JSON Schema itself, OpenAI tools and response formats, MCP tools.

In: the value of a JSON document. Out: JSON Pointers to the schemas in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")
_TELLING = (
    "$defs",
    "definitions",
    "properties",
    "allOf",
    "anyOf",
    "oneOf",
    "$ref",
    "enum",
    "const",
)


def find_schemas(value: Any, *, named: bool) -> tuple[str, ...]:
    """Return the JSON Pointers of the schemas in `value`.

    `named` tells that the user named the file: then any object is taken to be a schema, while in a
    directory it must look like one.
    """
    tools = tuple(_envelopes(value, ""))
    if tools:
        return tools
    return ("",) if looks_like_schema(value) or (named and isinstance(value, dict | bool)) else ()


def looks_like_schema(value: Any) -> bool:
    """Return whether an object of a directory's JSON file is a JSON Schema."""
    if not isinstance(value, dict):
        return False
    dialect = value.get("$schema")
    if isinstance(dialect, str) and "json-schema.org" in dialect:
        return True
    kind = value.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    typed = (
        bool(kinds) and all(k in _TYPES for k in kinds if isinstance(k, str)) and None not in kinds
    )
    return typed and (len(value) == 1 or any(key in value for key in (*_TELLING, "items")))


def _envelopes(value: Any, at: str) -> Iterator[str]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _envelope(item, f"{at}/{index}")
    elif isinstance(value, dict):
        yield from _envelope(value, at)
        for key in ("tools", "functions"):
            if isinstance(value.get(key), list):
                yield from _envelopes(value[key], f"{at}/{key}")
        for key in ("response_format", "format"):
            if isinstance(value.get(key), dict):
                yield from _envelope(value[key], f"{at}/{key}")
        for key in ("text", "result"):
            if not at and isinstance(value.get(key), dict):
                yield from _envelopes(value[key], f"/{key}")


def _envelope(value: Any, at: str) -> Iterator[str]:
    """Yield where one envelope holds its schema: OpenAI function, response format, MCP tool."""
    if not isinstance(value, dict):
        return
    function = value.get("function")
    json_schema = value.get("json_schema")
    if value.get("type") == "function" and isinstance(function, dict):
        if isinstance(function.get("parameters"), dict):
            yield f"{at}/function/parameters"
    elif value.get("type") == "json_schema" and isinstance(json_schema, dict):
        if isinstance(json_schema.get("schema"), dict):
            yield f"{at}/json_schema/schema"
    elif value.get("type") in ("json_schema", "json_object"):
        if isinstance(value.get("schema"), dict):
            yield f"{at}/schema"
    elif isinstance(value.get("name"), str):
        for key in ("inputSchema", "input_schema", "parameters", "schema"):
            if isinstance(value.get(key), dict):
                yield f"{at}/{key}"
                return
