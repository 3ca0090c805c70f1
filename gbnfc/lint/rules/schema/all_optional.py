"""
### What it does
Finds objects whose properties are all optional.

### Why is this bad
`{}` is a legal answer, and a small model will give it.

### Example
```json
{
  "type": "object",
  "properties": {"city": {"type": "string", "maxLength": 40, "description": "Where"}}
}
```

### Use instead
```json
{
  "type": "object",
  "properties": {"city": {"type": ["string", "null"], "maxLength": 40, "description": "Where"}},
  "required": ["city"]
}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.lint.diagnostic import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.schema_subject import LintedSchema

CODE = "SCH005"
NAME = "all-optional"
SEVERITY = Severity.WARNING


def check(schema: LintedSchema, budget: Budget) -> Iterator[Finding]:
    """Yield each object schema with properties of which none must be there."""
    for part in schema.subschemas:
        properties = part.value.get("properties")
        is_object = part.value.get("type") == "object" and isinstance(properties, dict)
        if not is_object or not properties or part.value.get("required"):
            continue
        if part.value.get("minProperties") or any(k in part.value for k in _OTHER_DEMANDS):
            continue
        yield Finding(
            "every property is optional: {} is a legal answer",
            schema.key_span(f"{part.pointer}/properties"),
            help='list what must be there in "required"; let what may be missing be null',
        )


_OTHER_DEMANDS = ("allOf", "anyOf", "oneOf", "$ref", "if", "not", "dependentRequired")
