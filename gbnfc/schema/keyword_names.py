"""The keywords of JSON Schema by what they are for."""

from __future__ import annotations

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
