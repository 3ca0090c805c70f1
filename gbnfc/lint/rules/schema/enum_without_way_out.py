"""
### What it does
Finds lists of allowed words without one for "none of these".

### Why is this bad
Where none fits, the model must pick a wrong one.

### Example
```json
{"enum": ["invoice", "receipt", "contract"]}
```

### Use instead
```json
{"enum": ["invoice", "receipt", "contract", "other"]}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.lint.analysis.allows_absent import has_way_out
from gbnfc.lint.diagnostic import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.schema_subject import LintedSchema

CODE = "SCH010"
NAME = "enum-without-way-out"
SEVERITY = Severity.INFO


def check(schema: LintedSchema, budget: Budget) -> Iterator[Finding]:
    """Yield each list of three words or more without a way out."""
    for part in schema.subschemas:
        values = part.value.get("enum")
        words = isinstance(values, list) and all(isinstance(value, str) for value in values)
        if isinstance(values, list) and words and len(values) > 2 and not has_way_out(part.value):
            yield Finding(
                f'none of the {len(values)} values says "none of these"',
                schema.key_span(f"{part.pointer}/enum"),
                help='add "other", "unknown" or null',
            )
