"""The keywords of JSON Schema by what they are for."""

from __future__ import annotations

from typing import Any

TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
"""The values of `type`."""

ASSERTIONS = frozenset(
    [
        "type",
        "enum",
        "const",
        "properties",
        "required",
        "additionalProperties",
        "patternProperties",
        "propertyNames",
        "minProperties",
        "maxProperties",
        "items",
        "prefixItems",
        "additionalItems",
        "contains",
        "minContains",
        "maxContains",
        "minItems",
        "maxItems",
        "uniqueItems",
        "unevaluatedItems",
        "unevaluatedProperties",
        "pattern",
        "format",
        "minLength",
        "maxLength",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "allOf",
        "anyOf",
        "oneOf",
        "not",
        "if",
        "then",
        "else",
        "dependencies",
        "dependentRequired",
        "dependentSchemas",
        "$ref",
        "$dynamicRef",
        "$recursiveRef",
    ]
)
"""Keywords that say which values are valid."""

IDENTIFIERS = frozenset(
    [
        "$schema",
        "$id",
        "id",
        "$anchor",
        "$dynamicAnchor",
        "$recursiveAnchor",
        "$defs",
        "definitions",
        "$vocabulary",
    ]
)
"""Keywords that name things."""

ANNOTATIONS = frozenset(
    [
        "title",
        "description",
        "default",
        "examples",
        "example",
        "$comment",
        "deprecated",
        "readOnly",
        "writeOnly",
        "contentMediaType",
        "contentEncoding",
        "contentSchema",
    ]
)
"""Keywords that describe values without constraining them."""

VENDOR_KEYWORDS = frozenset(
    [
        *("discriminator", "xml", "externalDocs", "nullable", "strict", "name", "version"),
        *("markdownDescription", "enumDescriptions", "errorMessage", "defaultSnippets"),
    ]
)
"""Keywords of OpenAPI and of editors, which JSON Schema leaves alone."""

STANDARD = ASSERTIONS | ANNOTATIONS | IDENTIFIERS
"""All keywords of JSON Schema, of any draft."""


def looks_like_subschema(value: Any) -> bool:
    """Return whether `value` is an object that says of which values it is, mostly in keywords."""
    if not isinstance(value, dict) or 2 * len(STANDARD & value.keys()) <= len(value):
        return False
    kinds = value.get("type")
    listed = kinds if isinstance(kinds, list) else [kinds]
    if kinds and all(isinstance(kind, str) and kind in TYPES for kind in listed):
        return True
    if isinstance(value.get("$ref"), str) or isinstance(value.get("enum"), list):
        return True
    properties = value.get("properties")
    if isinstance(properties, dict) and all(
        isinstance(p, dict | bool) for p in properties.values()
    ):
        return True
    return any(
        isinstance(parts := value.get(keyword), list) and any(isinstance(p, dict) for p in parts)
        for keyword in ("allOf", "anyOf", "oneOf")
    )
