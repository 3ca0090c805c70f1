"""Schemas inside documents: a JSON Schema itself, OpenAI tools and response formats, MCP tools.

In: the value of a JSON document. Out: JSON Pointers to the schemas in it.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from gbnfc.schema.source.envelopes import Envelope, find_envelopes

if TYPE_CHECKING:
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


def find_schemas(value: Any, *, named: bool) -> tuple[str, ...]:
    """Return the JSON Pointers of the schemas in `value`.

    `named` tells that the user named the file: then any object is taken to be a schema, while in a
    directory it must look like one.
    """
    return tuple(envelope.pointer for envelope in find_enveloped(value, named=named))


def find_enveloped(value: Any, *, named: bool) -> tuple[Envelope, ...]:
    """Return the same with the envelopes that the schemas come in."""
    enveloped = tuple(e for e in find_envelopes(value) if e.inner or (e.at and not e.is_tool))
    if enveloped:
        return enveloped
    is_schema = looks_like_schema(value) or (named and isinstance(value, dict | bool))
    return (Envelope("", "", ""),) if is_schema else ()


def tools_without_schema(value: Any) -> tuple[str, ...]:
    """Return the names of the tools in `value` that take nothing: they say no schema."""
    return tuple(e.name for e in find_envelopes(value) if e.is_tool and e.name and not e.inner)


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
