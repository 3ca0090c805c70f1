"""
### What it does
Finds fields for reasoning that come after the fields they should lead to.

### Why is this bad
A model writes in order: reasoning behind the answer only justifies what is already written. The
property order of the schema is the order of the answer.

### Example
```json
{
  "type": "object",
  "properties": {
    "verdict": {"enum": ["yes", "no", "unknown"], "description": "The answer"},
    "reasoning": {"type": "string", "maxLength": 300, "description": "Why"}
  },
  "required": ["verdict", "reasoning"]
}
```

### Use instead
```json
{
  "type": "object",
  "properties": {
    "reasoning": {"type": "string", "maxLength": 300, "description": "Why"},
    "verdict": {"enum": ["yes", "no", "unknown"], "description": "The answer"}
  },
  "required": ["reasoning", "verdict"]
}
```
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gbnfc.documents.json_positions import escape_pointer
from gbnfc.lint.diagnostic import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.schema_subject import LintedSchema

CODE = "SCH007"
NAME = "reasoning-after-answer"
SEVERITY = Severity.WARNING

_REASONING = re.compile(
    r"(?:.*[_-])?(?:reason(?:ing|s)?|rationale|explanations?|thoughts?|thinking|justifications?"
    r"|chain[_-]?of[_-]?thought|scratchpad|step[_-]?by[_-]?step)\Z",
    re.IGNORECASE,
)


def check(schema: LintedSchema, budget: Budget) -> Iterator[Finding]:
    """Yield each field for reasoning that another kind of field precedes."""
    for part in schema.subschemas:
        properties = part.value.get("properties")
        if not isinstance(properties, dict):
            continue
        answered: str | None = None
        for name, field in properties.items():
            is_text = isinstance(field, dict) and field.get("type") in ("string", "array")
            if not _REASONING.match(name):
                answered = answered or name
            elif answered is not None and is_text:
                yield Finding(
                    f"{name} comes after {answered}: the model reasons when it has answered",
                    schema.key_span(f"{part.pointer}/properties/{escape_pointer(name)}"),
                    help=f"move {name} to the front",
                )
