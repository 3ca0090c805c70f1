"""
### What it does
Finds `{m,n}` whose minimum is above its maximum.

### Why is this bad
llama.cpp counts from the one to the other and does not come back: loading hangs until the memory
is used up.

### Example
```gbnf
root ::= [a-z]{3,2}
```

### Use instead
```gbnf
root ::= [a-z]{2,3}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.ir.nodes import Repeat
from gbnfc.lint.diagnostic import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "STR009"
NAME = "reversed-count"
SEVERITY = Severity.ERROR


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each repetition that asks for more than it allows."""
    for place in grammar.places:
        part = place.expression
        if isinstance(part, Repeat) and part.maximum is not None and part.minimum > part.maximum:
            yield Finding(
                f"{{{part.minimum},{part.maximum}}} asks for more than it allows",
                part.span,
                help=f"write {{{part.maximum},{part.minimum}}}",
            )
