"""
### What it does
Finds ranges whose first character comes after the last: `[z-a]`.

### Why is this bad
Such a range holds nothing; the characters that were meant are refused.

### Example
```gbnf
root ::= [9-0]
```

### Use instead
```gbnf
root ::= [0-9]
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.ir.nodes import CharClass
from gbnfc.lint.diagnostic import Finding, Severity
from gbnfc.lint.text.show import show_char

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "STR008"
NAME = "reversed-range"
SEVERITY = Severity.ERROR


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each reversed range."""
    for place in grammar.places:
        part = place.expression
        if isinstance(part, CharClass):
            for first, last in part.ranges:
                if first > last:
                    yield Finding(
                        f"the range {show_char(first)}-{show_char(last)} is reversed and empty",
                        part.span,
                        help=f"write {show_char(last)}-{show_char(first)}",
                    )
