"""
### What it does
Reports files named as schemas that are no JSON (or YAML), hold no schema, or a schema that its own
meta-schema refuses. Each fault is reported, and what the other rules find in the rest.

### Why is this bad
Nothing can be compiled from them.

### Example
```json
{"type": "integr", "minimum": 0}
```

### Use instead
```json
{"type": "string", "maxLength": 20}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.lint.diagnostic import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.schema_subject import LintedSchema

CODE = "SCH001"
NAME = "unreadable-schema"
SEVERITY = Severity.ERROR


def check(schema: LintedSchema, budget: Budget) -> Iterator[Finding]:
    """Yield each reason why the compiler refuses the schema; contradictions are SCH004's."""
    for error in schema.sound_part.faults:
        yield Finding(error.message, schema.span_of(error.pointer), help=error.hint)
