"""
### What it does
Finds keywords that JSON Schema does not know and that resemble one that it knows.

### Why is this bad
JSON Schema ignores unknown keywords: the bound or list that was meant does not hold.

### Example
```json
{"type": "string", "maxLenght": 20, "maxLength": 30}
```

### Use instead
```json
{"type": "string", "maxLength": 20}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.documents.json_positions import escape_pointer
from gbnfc.lint.diagnostic import Edit, Finding, Fix, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.schema_subject import LintedSchema

CODE = "SCH012"
NAME = "keyword-typo"
SEVERITY = Severity.WARNING

_KEYWORDS = frozenset(
    [
        "$anchor",
        "$comment",
        "$defs",
        "$dynamicAnchor",
        "$dynamicRef",
        "$id",
        "$recursiveAnchor",
        "$recursiveRef",
        "$ref",
        "$schema",
        "$vocabulary",
        "additionalItems",
        "additionalProperties",
        "allOf",
        "anyOf",
        "const",
        "contains",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "default",
        "definitions",
        "dependencies",
        "dependentRequired",
        "dependentSchemas",
        "deprecated",
        "description",
        "discriminator",
        "else",
        "enum",
        "example",
        "examples",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "externalDocs",
        "format",
        "id",
        "if",
        "items",
        "maxContains",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minContains",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "multipleOf",
        "not",
        "nullable",
        "oneOf",
        "pattern",
        "patternProperties",
        "prefixItems",
        "properties",
        "propertyNames",
        "readOnly",
        "required",
        "strict",
        "then",
        "title",
        "type",
        "unevaluatedItems",
        "unevaluatedProperties",
        "uniqueItems",
        "writeOnly",
        "xml",
        "name",
        "version",
    ]
)


def check(schema: LintedSchema, budget: Budget) -> Iterator[Finding]:
    """Yield each unknown keyword with its nearest known one."""
    for part in schema.subschemas:
        for keyword in part.value:
            if keyword in _KEYWORDS or _is_meant(keyword):
                continue
            import difflib

            budget.spend(len(_KEYWORDS))
            near = difflib.get_close_matches(keyword, sorted(_KEYWORDS), n=1, cutoff=0.8)
            near = near or [known for known in _KEYWORDS if known.lower() == keyword.lower()]
            if near:
                span = schema.key_span(f"{part.pointer}/{escape_pointer(keyword)}")
                fix = None
                if span is not None and near[0] not in part.value:
                    fix = Fix(f"Write {near[0]}", (Edit(span, f'"{near[0]}"'),), safe=False)
                yield Finding(
                    f"unknown keyword {keyword}: it has no effect",
                    span,
                    help=f"did you mean {near[0]}?",
                    fix=fix,
                )


def _is_meant(keyword: str) -> bool:
    """Return whether `keyword` is nobody's slip: an extension, or a keyword switched off."""
    return keyword.startswith(("x-", "_")) or keyword.removeprefix("$") in _KEYWORDS
