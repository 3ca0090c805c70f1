"""
### What it does
Reports keywords that the compiled grammar does not hold: it accepts more than the schema.

### Why is this bad
The model can write what the schema refuses. The message says what is lost; `gbnfc extract` checks
the answer against the schema again.

### Example
```json
{
  "type": "array",
  "items": {"type": "number", "minimum": 0, "maximum": 1e9},
  "minItems": 1,
  "maxItems": 9,
  "uniqueItems": true
}
```

### Use instead
```json
{
  "type": "array",
  "items": {"type": "number", "minimum": 0, "maximum": 1e9},
  "minItems": 1,
  "maxItems": 9
}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.lint.diagnostic import Finding, Severity
from gbnfc.lint.report_findings import report_findings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.schema_subject import LintedSchema

CODE = "SCH002"
NAME = "schema-wider"
SEVERITY = Severity.WARNING


def check(schema: LintedSchema, budget: Budget) -> Iterator[Finding]:
    """Yield each `wider` entry of the compiler's report."""
    yield from report_findings(schema, "wider")
