"""Schemas inside documents: a JSON Schema itself, OpenAI tools and response formats, MCP tools.

In: the value of a JSON document. Out: JSON Pointers to the schemas in it.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.source import Source

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

_SCHEMA_KEYS: tuple[str, ...] = ("inputSchema", "input_schema", "parameters", "schema")
"""Where a tool, by its name, has its schema: MCP, Anthropic, OpenAI."""


def find_schemas(value: Any, *, named: bool) -> tuple[str, ...]:
    """Return the JSON Pointers of the schemas in `value`.

    `named` tells that the user named the file: then any object is taken to be a schema, while in a
    directory it must look like one.
    """
    enveloped = tuple(f"{at}/{rest}" for at, _, rest in _envelopes(value, "") if rest)
    if enveloped:
        return enveloped
    return ("",) if looks_like_schema(value) or (named and isinstance(value, dict | bool)) else ()


def tools_without_schema(value: Any) -> tuple[str, ...]:
    """Return the names of the tools in `value` that take nothing: they say no schema."""
    return tuple(name for _, name, rest in _envelopes(value, "") if name and not rest)


def seems_to_be_schema(source: Source) -> bool:
    """Return whether a text of a directory that cannot be parsed was meant to be a JSON Schema."""
    is_named_so = ".schema" in [suffix.lower() for suffix in PurePath(source.name).suffixes]
    return is_named_so or "json-schema.org/" in source.text


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


def _envelopes(value: Any, at: str) -> Iterator[tuple[str, str, str]]:
    """Yield of each envelope where it is, its name, and where in it the schema is (or nothing)."""
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


def _envelope(value: Any, at: str) -> Iterator[tuple[str, str, str]]:
    """Yield one envelope, if it is: OpenAI function, response format, MCP tool."""
    if not isinstance(value, dict):
        return
    kind, inner, keys = value.get("type"), "", _SCHEMA_KEYS
    if kind == "function" and isinstance(value.get("function"), dict):
        inner, keys = "function", ("parameters",)
    elif kind == "json_schema" and isinstance(value.get("json_schema"), dict):
        inner, keys = "json_schema", ("schema",)
    elif kind in ("json_schema", "json_object"):
        keys = ("schema",)
    elif not isinstance(value.get("name"), str):
        return
    holder = value[inner] if inner else value
    name = holder.get("name")
    found = next((key for key in keys if isinstance(holder.get(key), dict)), None)
    rest = "/".join(filter(None, (inner, found))) if found else ""
    yield at, name if isinstance(name, str) else "", rest
