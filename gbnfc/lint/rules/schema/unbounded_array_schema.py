"""
### What it does
Finds arrays without `maxItems`.

### Why is this bad
A model that repeats an item is never made to stop; the answer is cut off.

### Example
```json
{"type": "array", "items": {"type": "boolean"}}
```

### Use instead
```json
{"type": "array", "items": {"type": "boolean"}, "maxItems": 20}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.lint.diagnostic import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.schema_subject import LintedSchema

CODE = "SCH009"
NAME = "unbounded-array-field"
SEVERITY = Severity.INFO


def check(schema: LintedSchema, budget: Budget) -> Iterator[Finding]:
    """Yield each array schema without a bound."""
    for part in schema.subschemas:
        kind = part.value.get("type")
        is_array = kind == "array" or (isinstance(kind, list) and "array" in kind)
        closed = part.value.get("items") is False or part.value.get("additionalItems") is False
        if is_array and not closed and "maxItems" not in part.value and "const" not in part.value:
            yield Finding(
                "the array has no greatest length",
                schema.key_span(f"{part.pointer}/type"),
                help='add "maxItems"',
            )
