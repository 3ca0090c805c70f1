"""
### What it does
Finds patterns that llama.cpp's built-in schema converter gives up: it then accepts any string, with
a warning in its log. gbnfc compiles them exactly.

### Why is this bad
The same schema sent to llama-server does not hold the pattern there.

### Example
```json
{"type": "string", "pattern": "^(?!tmp)[a-z]{1,9}$"}
```

### Use instead
```json
{"type": "string", "pattern": "^[a-su-z][a-z]{0,8}$"}
```
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gbnfc.lint.diagnostic import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.schema_subject import LintedSchema

CODE = "SCH013"
NAME = "pattern-not-portable"
SEVERITY = Severity.INFO

# What `_pattern_to_rule` in common/json-schema-to-grammar.cpp (llama-cpp-python 0.3.36) refuses.
_ESCAPE = r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[trn\\\"\[\]-])"
_LITERAL_ESCAPE = r"\\[\^$.\[\]()|{}*+?]"
_PIECE = re.compile(
    rf"(?P<class>\[(?:[^\]\\]|{_ESCAPE})*\])|(?P<group>\((?:\?:)?(?!\?))|(?P<escape>{_ESCAPE}"
    rf"|{_LITERAL_ESCAPE})|(?P<count>\{{\d*,?\d*\}})|(?P<plain>[^\\\[\](){{}}^$])|\)"
)


def check(schema: LintedSchema, budget: Budget) -> Iterator[Finding]:
    """Yield each pattern that the converter drops, with its reason."""
    for part in schema.subschemas:
        pattern = part.value.get("pattern")
        reason = why_dropped(pattern) if isinstance(pattern, str) else None
        lengths = [key for key in ("minLength", "maxLength", "format") if key in part.value]
        if reason is None and isinstance(pattern, str) and lengths:
            reason = f"beside a pattern it drops {' and '.join(lengths)}"
        if reason is not None:
            yield Finding(
                f"llama.cpp's own converter does not hold this: {reason}",
                schema.key_span(f"{part.pointer}/pattern"),
                help="compile the schema with gbnfc, which holds it",
            )


def why_dropped(pattern: str) -> str | None:
    """Return why llama.cpp's converter gives the pattern up; `None` when it does not."""
    if len(pattern) < 2 or not (pattern.startswith("^") and pattern.endswith("$")):
        return "the pattern is not anchored with ^ and $"
    at = 1
    while at < len(pattern) - 1:
        piece = _PIECE.match(pattern, at, len(pattern) - 1)
        if piece is None:
            rest = pattern[at:-1]
            kind = "group" if rest.startswith("(") else "anchor" if rest[0] in "^$" else "escape"
            return f"an unsupported {kind}: {rest[:12]}"
        at = piece.end()
    return None
