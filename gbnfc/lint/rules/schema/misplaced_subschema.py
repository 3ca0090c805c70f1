"""
### What it does
Finds schemas under names that are no keywords, in schemas of objects: beside `properties` instead
of inside, or a whole schema in an envelope.

### Why is this bad
JSON Schema ignores unknown keywords: the property is not declared and may hold anything, or, in an
envelope, any object is valid.

### Example
```json
{
  "type": "object",
  "properties": {"total": {"type": ["number", "null"], "description": "Sum"}},
  "due": {"type": "string", "format": "date"},
  "required": ["total"]
}
```

### Use instead
```json
{
  "type": "object",
  "properties": {
    "total": {"type": ["number", "null"], "description": "Sum to pay"},
    "due": {"type": "string", "format": "date", "description": "Last day to pay"}
  },
  "required": ["total"]
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

CODE = "SCH016"
NAME = "misplaced-subschema"
SEVERITY = Severity.WARNING


def check(schema: LintedSchema, budget: Budget) -> Iterator[Finding]:
    """Yield each schema under a name that is no keyword."""
    from gbnfc.schema.oversights import Oversight

    yield from slip_findings(schema, Oversight.MISPLACED)
