"""
### What it does
Finds fields without `description` or `title`.

### Why is this bad
The model sees the schema in its prompt: a sentence about a field is the cheapest way to better
answers.

### Example
```json
{
  "type": "object",
  "properties": {"total": {"type": ["number", "null"]}},
  "required": ["total"]
}
```

### Use instead
```json
{
  "type": "object",
  "properties": {"total": {"type": ["number", "null"], "description": "Sum to pay, with tax"}},
  "required": ["total"]
}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.lint.diagnostic import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.schema_subject import LintedSchema

CODE = "SCH011"
NAME = "missing-description"
SEVERITY = Severity.INFO

_SAYS_ENOUGH = ("description", "title", "const", "$ref", "$comment")


def check(schema: LintedSchema, budget: Budget) -> Iterator[Finding]:
    """Yield each declared property that says nothing about itself."""
    for part in schema.fields:
        if not any(keyword in part.value for keyword in _SAYS_ENOUGH):
            yield Finding(
                "the field has no description",
                schema.key_span(part.pointer),
                help="say in a sentence what belongs there",
            )
