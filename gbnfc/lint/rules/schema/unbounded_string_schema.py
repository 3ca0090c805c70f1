"""
### What it does
Finds strings without `maxLength` or anything else that bounds them.

### Why is this bad
A model that repeats itself inside the string is never made to stop; the answer is cut off.

### Example
```json
{"type": "string"}
```

### Use instead
```json
{"type": "string", "maxLength": 200}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.lint.diagnostic import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.schema_subject import LintedSchema

CODE = "SCH008"
NAME = "unbounded-string-field"
SEVERITY = Severity.INFO

_BOUNDS = ("maxLength", "enum", "const", "pattern", "format", "$ref")


def check(schema: LintedSchema, budget: Budget) -> Iterator[Finding]:
    """Yield each string schema without a bound."""
    for part in schema.subschemas:
        kind = part.value.get("type")
        is_string = kind == "string" or (isinstance(kind, list) and "string" in kind)
        if is_string and not any(keyword in part.value for keyword in _BOUNDS):
            yield Finding(
                "the string has no greatest length",
                schema.key_span(f"{part.pointer}/type"),
                help='add "maxLength"',
            )
