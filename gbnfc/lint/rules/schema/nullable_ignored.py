"""
### What it does
Finds `"nullable": true` where `null` is not valid all the same.

### Why is this bad
`nullable` is a keyword of OpenAPI 3.0. JSON Schema ignores it: the model is never allowed to write
`null`, and has to make something up.

### Example
```json
{
  "type": "object",
  "properties": {"paid": {"type": "integer", "nullable": true, "description": "Days, if it was"}},
  "required": ["paid"]
}
```

### Use instead
```json
{
  "type": "object",
  "properties": {"paid": {"type": ["integer", "null"], "description": "Days, if it was"}},
  "required": ["paid"]
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

CODE = "SCH015"
NAME = "nullable-ignored"
SEVERITY = Severity.WARNING


def check(schema: LintedSchema, budget: Budget) -> Iterator[Finding]:
    """Yield each `nullable` that changes nothing."""
    from gbnfc.schema.oversights import Oversight

    yield from slip_findings(schema, Oversight.NULLABLE)
