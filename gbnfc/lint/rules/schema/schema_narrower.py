"""
### What it does
Reports keywords for which the compiled grammar accepts less than the schema.

### Why is this bad
Some valid answers cannot be written.

### Example
```json
{"type": "string", "format": "date-time"}
```

### Use instead
```json
{"type": "string", "format": "date"}
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

CODE = "SCH003"
NAME = "schema-narrower"
SEVERITY = Severity.INFO


def check(schema: LintedSchema, budget: Budget) -> Iterator[Finding]:
    """Yield each `narrower` entry of the compiler's report."""
    yield from report_findings(schema, "narrower")
