"""
### What it does
Finds `[]` and `[^]`.

### Why is this bad
They look like "no character" and "any character"; llama.cpp reads both as the empty text.

### Example
```gbnf
root ::= "a" [^]
```

### Use instead
```gbnf
root ::= "a" .
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.ir.nodes import CharClass
from gbnfc.lint.diagnostic import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "STR007"
NAME = "empty-class"
SEVERITY = Severity.ERROR


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each class that names no character."""
    for place in grammar.places:
        part = place.expression
        if isinstance(part, CharClass) and not part.ranges:
            wanted = ". for any character" if part.negated else '"" for the empty text'
            yield Finding(
                f"{'[^]' if part.negated else '[]'} is read as the empty text",
                part.span,
                help=f"write {wanted}",
            )
