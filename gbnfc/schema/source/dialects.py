"""Relatives of JSON Schema, read as JSON Schema: OpenAPI 3.0, Kubernetes CRDs, Gemini's Schema.

In: a document, then a schema of it. Out: the dialect that the document is written in, and the
schema in draft 7, which like OpenAPI 3.0 lets `$ref` silence what stands beside it. Sources:
OpenAPI 3.0.3, Schema Object; Kubernetes apiextensions/v1, structural schemas; Gemini API, Schema.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

from gbnfc.schema.source.rewrite import edit_schema
from gbnfc.schema.vocabulary import ASSERTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_DRAFT_7 = "http://json-schema.org/draft-07/schema#"
_COUNTS = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")
_LIMITS = (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum"))
_IDENTIFIERS = frozenset({"$id", "id"})
_NULLABLE = ("nullable", "x-nullable")
_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
CEL_RULES = "x-kubernetes-validations"
"""Rules in Google's Common Expression Language, which no grammar holds."""


class Dialect(Enum):
    """How a document writes its schemas."""

    JSON_SCHEMA = "JSON Schema"
    OPENAPI_30 = "OpenAPI 3.0"
    KUBERNETES = "Kubernetes"
    GEMINI = "Gemini"


def dialect_of_document(document: Any) -> Dialect:
    """Return the dialect that a whole document says it is written in."""
    if not isinstance(document, dict):
        return Dialect.JSON_SCHEMA
    version = document.get("openapi", document.get("swagger"))
    if isinstance(version, str | float) and str(version).startswith(("3.0", "2.")):
        return Dialect.OPENAPI_30
    if document.get("kind") == "CustomResourceDefinition" and "spec" in document:
        return Dialect.KUBERNETES
    return Dialect.JSON_SCHEMA


def as_json_schema(schema: Any, dialect: Dialect) -> Any:
    """Return `schema`, or a whole document of schemas, in draft 7; JSON Schema as it is.

    Raises:
        SchemaError: nested too deeply.
    """
    edits: dict[Dialect, Callable[[str, Mapping[str, Any]], dict[str, Any]]] = {
        Dialect.OPENAPI_30: _openapi,
        Dialect.KUBERNETES: _kubernetes,
        Dialect.GEMINI: _gemini,
    }
    if dialect not in edits or not isinstance(schema, dict):
        return schema
    return {"$schema": _DRAFT_7, **edit_schema(schema, edits[dialect])}


def _openapi(_: str, keywords: Mapping[str, Any]) -> dict[str, Any]:
    return _discriminated(_nullable(_bounded(keywords)))


def _kubernetes(_: str, keywords: Mapping[str, Any]) -> dict[str, Any]:
    found = _bounded(keywords)
    if found.get("x-kubernetes-int-or-string") is True:
        found = {"type": ["integer", "string"], **found}
    if found.get("x-kubernetes-preserve-unknown-fields") is True and "properties" in found:
        found = {"additionalProperties": True, **found}
    if found.get("x-kubernetes-list-type") == "set":
        found = {"uniqueItems": True, **found}
    if found.get("x-kubernetes-embedded-resource") is True:
        named = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}}
        declared = {**named, "metadata": {"type": "object"}, **found.get("properties", {})}
        required = dict.fromkeys(["apiVersion", "kind", "metadata", *found.get("required", [])])
        found |= {"properties": declared, "required": [*required]}
    return _nullable(found)


def _gemini(_: str, keywords: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(keywords)
    if isinstance(kind := found.get("type"), str):
        found["type"] = kind.lower()
        if kind.lower() not in _TYPES:  # TYPE_UNSPECIFIED
            del found["type"]
    for keyword in _COUNTS:  # JSON has no 64-bit integers for Google: they are texts
        if isinstance(count := found.get(keyword), str) and count.isdecimal():
            found[keyword] = int(count)
    order, declared = found.get("propertyOrdering"), found.get("properties")
    if isinstance(order, list) and isinstance(declared, dict):
        names = dict.fromkeys([*(n for n in order if isinstance(n, str)), *declared])
        found["properties"] = {name: declared[name] for name in names if name in declared}
    return _nullable(found)


def _bounded(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Write `"minimum": 0, "exclusiveMinimum": true` as `"exclusiveMinimum": 0`."""
    found = dict(keywords)
    for bound, exclusive in _LIMITS:
        if isinstance(is_exclusive := found.get(exclusive), bool):
            del found[exclusive]
            if is_exclusive and bound in found:
                found[exclusive] = found.pop(bound)
    return found


def _nullable(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Write `nullable` as a type, as a value of `enum`, or as an alternative.

    Beside `$ref` it says nothing. By the letter, `enum` refuses `null` all the same; the authors of
    such schemas, and the converters that they use, mean it to be valid.
    """
    found = {k: v for k, v in keywords.items() if not (k in _NULLABLE and isinstance(v, bool))}
    if not any(keywords.get(keyword) is True for keyword in _NULLABLE) or "$ref" in found:
        return dict(keywords) if "$ref" in found else found
    if isinstance(values := found.get("enum"), list) and None not in values:
        found["enum"] = [*values, None]
    kind = found.get("type")
    if isinstance(kind, str | list):
        kinds = [kind] if isinstance(kind, str) else kind
        found["type"] = [*dict.fromkeys([*kinds, "null"])]
    if not {"allOf", "anyOf", "oneOf", "not"} & found.keys():
        return found
    return {"anyOf": [found, {"type": "null"}]}


def _discriminated(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Let each branch of a union have the name that its discriminator gives it, and only that."""
    found = dict(keywords)
    said = found.get("discriminator")
    name = said.get("propertyName") if isinstance(said, dict) else None
    if not isinstance(said, dict) or not isinstance(name, str):
        return found
    mapping = said.get("mapping")
    named = mapping if isinstance(mapping, dict) else {}
    for union in ("oneOf", "anyOf"):
        if isinstance(branches := found.get(union), list):
            found[union] = [_named_branch(branch, name, named) for branch in branches]
    return found


def _named_branch(branch: Any, name: str, mapping: Mapping[str, Any]) -> Any:
    reference = branch.get("$ref") if isinstance(branch, dict) else None
    if not isinstance(reference, str):
        return branch
    last = reference.rpartition("/")[2]
    values = [value for value, target in mapping.items() if target in (reference, last)] or [last]
    said = {"properties": {name: {"enum": values}}, "required": [name]}
    return {"allOf": [{"$ref": reference}, said]}


def as_newest(schema: Any) -> Any:
    """Return a schema of drafts 4 to 7, which may name its draft, in the words of 2020-12.

    Documents of different drafts cannot be read together by `jsonschema_rs` (0.61).
    """
    found = edit_schema(schema, _newest)
    return {k: v for k, v in found.items() if k != "$schema"} if isinstance(found, dict) else found


def _newest(_: str, keywords: Mapping[str, Any]) -> dict[str, Any]:
    found = _bounded(keywords)
    if "$ref" in found:  # it silences what stands beside it
        return {k: v for k, v in found.items() if k == "$ref" or k not in ASSERTIONS | _IDENTIFIERS}
    if isinstance(own := found.get("id"), str) and "$id" not in found:
        found["$id"] = own
        del found["id"]
    if isinstance(found.get("items"), list):
        found["prefixItems"] = found.pop("items")
        if "additionalItems" in found:
            found["items"] = found.pop("additionalItems")
    if isinstance(dependencies := found.pop("dependencies", None), dict):
        found["dependentRequired"] = {k: v for k, v in dependencies.items() if isinstance(v, list)}
        others = {k: v for k, v in dependencies.items() if not isinstance(v, list)}
        found["dependentSchemas"] = others
    return found
