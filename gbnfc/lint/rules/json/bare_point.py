"""
### What it does
Finds numbers of a JSON-shaped grammar with a point that lacks a digit at a side: `1.`, `.5`.

### Why is this bad
JSON refuses them: the output parses nowhere.

### Example
```gbnf
root ::= "{\\"n\\": " [1-9] ("." [0-9]{0,2})? "}"
```

### Use instead
```gbnf
root ::= "{\\"n\\": " [1-9] ("." [0-9]{1,2})? "}"
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.lint.analysis.json_language import BARE_POINT, Written
from gbnfc.lint.diagnostic import Finding, Severity
from gbnfc.lint.text.show import show_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "JSON005"
NAME = "bare-point"
SEVERITY = Severity.WARNING


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each number with a point that lacks a digit at a side."""
    if grammar.json_regions is None:
        return
    for piece in grammar.json_regions.numbers:
        witness = Written(grammar, piece.expression, budget).in_common(BARE_POINT)
        if witness is not None:
            yield Finding(
                f"JSON refuses the number {show_text(witness)}: a point needs digits on both sides",
                piece.span,
                help='write ("." [0-9]+)?',
            )
