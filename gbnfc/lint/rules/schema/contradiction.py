"""
### What it does
Finds schemas that no value satisfies, in the whole or in a part.

### Why is this bad
The part can never be written; where it is required the whole answer is impossible.

### Example
```json
{"type": "string", "minLength": 5, "maxLength": 2}
```

### Use instead
```json
{"type": "string", "minLength": 2, "maxLength": 5}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.errors import GbnfcError, Unsatisfiable
from gbnfc.lint.diagnostic import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.schema_subject import LintedSchema

CODE = "SCH004"
NAME = "contradiction"
SEVERITY = Severity.ERROR


def check(schema: LintedSchema, budget: Budget) -> Iterator[Finding]:
    """Yield each subschema that allows nothing, but for a literal `false`."""
    outermost = ""
    found = False
    for pointer, reason in _contradictions(schema):
        inside = found and pointer.startswith(f"{outermost}/") and outermost != ""
        if pointer in schema.by_pointer and not inside:
            outermost, found = pointer, True
            yield Finding(
                f"no value satisfies this: {reason}",
                schema.span_of(pointer),
                help="loosen one of the keywords",
            )
    if not found and isinstance(schema.compiled, Unsatisfiable):
        yield Finding(schema.compiled.message, schema.span_of(schema.compiled.pointer))


def _contradictions(schema: LintedSchema) -> tuple[tuple[str, str], ...]:
    from gbnfc.schema.read.canonical import canonicalize, find_contradictions

    try:
        sound, registry = schema.sound_part.schema, schema.registry
        return find_contradictions(canonicalize(sound, None, registry), registry)
    except GbnfcError:
        return ()
