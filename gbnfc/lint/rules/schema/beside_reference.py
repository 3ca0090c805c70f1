"""
### What it does
Finds keywords beside `$ref` in drafts 4, 6 and 7 that would constrain values.

### Why is this bad
In those drafts `$ref` silences everything beside it: the bound or list that was meant does not
hold. From draft 2019-09 on both hold.

### Example
```json
{
  "$schema": "http://json-schema.org/draft-07/schema#",
  "$ref": "#/definitions/code",
  "maxLength": 5,
  "definitions": {"code": {"type": "string", "maxLength": 20}}
}
```

### Use instead
```json
{
  "$schema": "http://json-schema.org/draft-07/schema#",
  "allOf": [{"$ref": "#/definitions/code"}, {"maxLength": 5}],
  "definitions": {"code": {"type": "string", "maxLength": 20}}
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

CODE = "SCH014"
NAME = "beside-reference"
SEVERITY = Severity.WARNING


def check(schema: LintedSchema, budget: Budget) -> Iterator[Finding]:
    """Yield each keyword that a `$ref` silences."""
    from gbnfc.schema.oversights import Oversight

    yield from slip_findings(schema, Oversight.BESIDE_REFERENCE)
