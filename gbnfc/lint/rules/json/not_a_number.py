"""
### What it does
Finds numbers of a JSON-shaped grammar that JSON refuses for another reason: a plus sign, two signs,
an exponent without digits.

### Why is this bad
The output parses nowhere.

### Example
```gbnf
root ::= "{\\"n\\": " [+-]? [1-9] "}"
```

### Use instead
```gbnf
root ::= "{\\"n\\": " "-"? [1-9] "}"
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.lint.analysis.json_language import BARE_POINT, LEADING_ZERO, NUMBER, Written
from gbnfc.lint.diagnostic import Finding, Severity
from gbnfc.lint.text.show import show_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "JSON007"
NAME = "not-a-json-number"
SEVERITY = Severity.WARNING


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each number that JSON refuses and no other rule explains."""
    if grammar.json_regions is None:
        return
    for piece in grammar.json_regions.numbers:
        written = Written(grammar, piece.expression, budget)
        explained = written.in_common(LEADING_ZERO) or written.in_common(BARE_POINT)
        witness = None if explained else written.outside(NUMBER)
        if witness:
            yield Finding(
                f"JSON refuses the number {show_text(witness)}",
                piece.span,
                help='JSON writes "-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)? ([eE] [+-]? [0-9]+)?',
            )
