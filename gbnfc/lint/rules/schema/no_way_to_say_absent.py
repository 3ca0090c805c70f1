"""
### What it does
Finds required fields that cannot say "not in the text": no `null`, no empty string, no such value
in the list.

### Why is this bad
Where the text has no answer the model must invent one.

### Example
```json
{
  "type": "object",
  "properties": {"age": {"type": "integer", "description": "In years"}},
  "required": ["age"]
}
```

### Use instead
```json
{
  "type": "object",
  "properties": {"age": {"type": ["integer", "null"], "description": "In years, or null"}},
  "required": ["age"]
}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gbnfc.documents.json_positions import escape_pointer
from gbnfc.lint.analysis.allows_absent import has_way_out
from gbnfc.lint.diagnostic import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.schema_subject import LintedSchema

CODE = "SCH006"
NAME = "no-way-to-say-absent"
SEVERITY = Severity.INFO


def check(schema: LintedSchema, budget: Budget) -> Iterator[Finding]:
    """Yield each required scalar field without a way out."""
    for part in schema.subschemas:
        properties, required = part.value.get("properties"), part.value.get("required")
        if not isinstance(properties, dict) or not isinstance(required, list):
            continue
        for name in required:
            field = properties.get(name) if isinstance(name, str) else None
            if isinstance(field, dict) and _is_closed_scalar(field):
                yield Finding(
                    f'the field {name} is required and cannot say "not in the text"',
                    schema.key_span(f"{part.pointer}/properties/{escape_pointer(name)}"),
                    help='allow null: "type": [..., "null"]',
                )


def _is_closed_scalar(field: Mapping[str, Any]) -> bool:
    if field.get("type") == "string" and "enum" not in field and "const" not in field:
        return bool(field.get("minLength") or field.get("pattern") or field.get("format"))
    return field.get("type") in ("integer", "number") and not has_way_out(field)
