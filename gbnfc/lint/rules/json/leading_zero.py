"""
### What it does
Finds numbers of a JSON-shaped grammar that may start with a superfluous zero: `007`.

### Why is this bad
JSON refuses them: the output parses nowhere.

### Example
```gbnf
root ::= "{\\"n\\": " [0-9]{1,3} "}"
```

### Use instead
```gbnf
root ::= "{\\"n\\": " ("0" | [1-9] [0-9]{0,2}) "}"
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.lint.analysis.json_language import LEADING_ZERO, Written
from gbnfc.lint.diagnostic import Finding, Severity
from gbnfc.lint.text.show import show_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "JSON003"
NAME = "leading-zero"
SEVERITY = Severity.WARNING


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each number that may have a leading zero."""
    if grammar.json_regions is None:
        return
    for piece in grammar.json_regions.numbers:
        witness = Written(grammar, piece.expression, budget).in_common(LEADING_ZERO)
        if witness is not None:
            yield Finding(
                f"JSON refuses the number {show_text(witness)}: a leading zero",
                piece.span,
                help='write "0" | [1-9] [0-9]*',
            )
