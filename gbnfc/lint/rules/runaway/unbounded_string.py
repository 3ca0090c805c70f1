"""
### What it does
Finds strings of a JSON-shaped grammar without a greatest length.

### Why is this bad
A model that has started to repeat itself inside such a string is never made to stop.

### Example
```gbnf
root ::= "{\\"name\\": \\"" [^"\\\\\\x00-\\x1F]* "\\"}"
```

### Use instead
```gbnf
root ::= "{\\"name\\": \\"" [^"\\\\\\x00-\\x1F]{0,200} "\\"}"
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.ir.nodes import Expression, Repeat
from gbnfc.ir.walk import walk
from gbnfc.lint.diagnostic import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "RUN002"
NAME = "unbounded-string"
SEVERITY = Severity.INFO


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each unbounded repetition inside a string."""
    if grammar.json_regions is None:
        return
    bodies: list[Expression] = [piece.expression for piece in grammar.json_regions.strings]
    bodies += [grammar.definitions[name].body for name in sorted(grammar.json_regions.quoted)]
    for body in bodies:
        for part in walk(body):
            budget.spend()
            if isinstance(part, Repeat) and part.maximum is None:
                yield Finding(
                    "the string has no greatest length",
                    part.span,
                    help="bound it: {0,n}",
                )
