"""
### What it does
Finds repetitions that llama.cpp refuses: a minimum above 2,000, or a count that, multiplied by the
rules that the repeated group expands to, passes 2,000. The message gives the product.

### Why is this bad
The whole grammar is refused.

### Example
```gbnf
root ::= ([a-z]{0,50} " "){1,100}
```

### Use instead
```gbnf
root ::= word{1,100}
word ::= [a-z]{0,50} " "
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.ir.loading import RefusalKind
from gbnfc.lint.diagnostic import Finding, Severity
from gbnfc.lint.edits.blocks import block_fix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "COST004"
NAME = "refused-repetition"
SEVERITY = Severity.ERROR


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each repetition that the engine refuses."""
    for refusal in grammar.refusals:
        if refusal.kind is RefusalKind.REPETITION and refusal.repeat is not None:
            yield Finding(
                refusal.message,
                refusal.repeat.span,
                help="give the repeated group a rule of its own: a reference counts as one rule",
                fix=block_fix(grammar, refusal.repeat),
            )
