"""
### What it does
Finds repetitions of exactly 2,000.

### Why is this bad
llama.cpp builds from November 2025 to September 2026 refuse 2,000 and allow 1,999; builds since
then allow it.

### Example
```gbnf
root ::= "\\"" prose{200,2000} "\\""
prose ::= [^"\\\\\\x00-\\x1F]
```

### Use instead
```gbnf
root ::= "\\"" prose{200,1999} "\\""
prose ::= [^"\\\\\\x00-\\x1F]
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.ir.nodes import MAX_REPETITION, Repeat
from gbnfc.lint.diagnostic import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "COST010"
NAME = "older-limit"
SEVERITY = Severity.INFO


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each repetition at the limit."""
    for place in grammar.places:
        part = place.expression
        if isinstance(part, Repeat) and MAX_REPETITION in (part.minimum, part.maximum):
            yield Finding(
                "builds of llama.cpp before September 2026 refuse a repetition of 2,000",
                part.span,
                help="use a smaller bound, or a list of bounded pieces",
            )
