"""
### What it does
Finds numbers of a JSON-shaped grammar that may be `-0`.

### Why is this bad
JSON allows it, but readers turn it into `0`, `-0` or `-0.0`: the value does not survive a round
trip.

### Example
```gbnf
root ::= "{\\"n\\": " "-"? ("0" | [1-9] [0-9]{0,2}) "}"
```

### Use instead
```gbnf
root ::= "{\\"n\\": " ("0" | "-"? [1-9] [0-9]{0,2}) "}"
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.lint.analysis.json_language import NEGATIVE_ZERO, Written
from gbnfc.lint.diagnostic import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "JSON004"
NAME = "negative-zero"
SEVERITY = Severity.INFO


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each number that may be negative zero."""
    if grammar.json_regions is None:
        return
    for piece in grammar.json_regions.numbers:
        if Written(grammar, piece.expression, budget).in_common(NEGATIVE_ZERO) is not None:
            yield Finding(
                "the number may be -0",
                piece.span,
                help='write "0" | "-"? [1-9] [0-9]*',
            )
