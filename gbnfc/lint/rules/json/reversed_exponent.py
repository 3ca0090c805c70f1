"""
### What it does
Finds exponents that can be 11 but not 10: the digits of `[1-9] [0-9]*` the wrong way round.

### Why is this bad
Numbers that need such an exponent cannot be written. llama.cpp's own `json.gbnf` has this mistake.

### Example
```gbnf
root ::= "[" [1-9] [eE] [0-9] [1-9]{0,2} "]"
```

### Use instead
```gbnf
root ::= "[" [1-9] [eE] [1-9] [0-9]{0,2} "]"
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.lint.analysis.json_language import EXPONENT_ELEVEN, EXPONENT_TEN, Written
from gbnfc.lint.diagnostic import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "JSON006"
NAME = "reversed-exponent"
SEVERITY = Severity.WARNING


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each number whose exponents leave out 10."""
    if grammar.json_regions is None:
        return
    for piece in grammar.json_regions.numbers:
        written = Written(grammar, piece.expression, budget)
        eleven = written.in_common(EXPONENT_ELEVEN)
        if eleven is not None and written.in_common(EXPONENT_TEN) is None:
            yield Finding(
                "the exponent can be 11 but not 10: its digits are the wrong way round",
                piece.span,
                help="write [eE] [+-]? [0-9]+",
            )
