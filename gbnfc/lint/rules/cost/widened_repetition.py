"""
### What it does
Finds upper bounds above 2,000.

### Why is this bad
llama.cpp silently drops such a bound: `{0,5000}` means "any number". Written through a named block
the bound holds.

### Example
```gbnf
root ::= "#" [a-z]{0,5000}
```

### Use instead
```gbnf
root ::= "#" root-block{0,99} [a-z]{0,50}
root-block ::= [a-z]{50}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.ir.loading import is_widened
from gbnfc.ir.nodes import Repeat
from gbnfc.lint.diagnostic import Finding, Severity
from gbnfc.lint.edits.blocks import block_fix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "COST005"
NAME = "widened-repetition"
SEVERITY = Severity.WARNING


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each repetition whose upper bound is dropped."""
    for place in grammar.places:
        repeat = place.expression
        if not isinstance(repeat, Repeat) or not is_widened(repeat):
            continue
        yield Finding(
            f"llama.cpp silently drops the upper bound {repeat.maximum:,}: it is above 2,000",
            repeat.span,
            help="write it through a named block",
            fix=block_fix(grammar, repeat),
        )
