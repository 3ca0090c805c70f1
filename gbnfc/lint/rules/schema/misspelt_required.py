"""
### What it does
Finds names in `required` that are not declared, where a declared optional one differs by one slip.

### Why is this bad
The object must have a key that is not in `properties`, with any value; what was meant to be
required may be missing.

### Example
```json
{
  "type": "object",
  "properties": {
    "when": {"type": ["string", "null"], "format": "date", "description": "Day of the order"}
  },
  "required": ["whne"]
}
```

### Use instead
```json
{
  "type": "object",
  "properties": {
    "when": {"type": ["string", "null"], "format": "date", "description": "Day of the order"}
  },
  "required": ["when"]
}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.lint.diagnostic import Finding, Severity
from gbnfc.lint.report_findings import slip_findings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.schema_subject import LintedSchema

CODE = "SCH017"
NAME = "misspelt-required"
SEVERITY = Severity.WARNING


def check(schema: LintedSchema, budget: Budget) -> Iterator[Finding]:
    """Yield each required name that is most likely misspelt."""
    from gbnfc.schema.oversights import Oversight

    yield from slip_findings(schema, Oversight.MISSPELT_NAME)
