"""
### What it does
Finds arrays and lists of members of a JSON-shaped grammar without a greatest length.

### Why is this bad
A model that repeats one item is never made to stop.

### Example
```gbnf
root ::= "[" item ("," item)* "]"
item ::= "true" | "false"
```

### Use instead
```gbnf
root ::= "[" item ("," item){0,19} "]"
item ::= "true" | "false"
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.charset import CharSet
from gbnfc.ir.nodes import Repeat
from gbnfc.lint.diagnostic import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "RUN003"
NAME = "unbounded-array"
SEVERITY = Severity.INFO

_COMMA = CharSet.from_chars(",")


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each unbounded repetition that starts with a comma."""
    if grammar.json_regions is None:
        return
    for place in grammar.used_places:
        part = place.expression
        if (
            isinstance(part, Repeat)
            and part.maximum is None
            and place.rule.name not in grammar.json_regions.quoted
            and grammar.first_of(part.body) == _COMMA
        ):
            yield Finding("the list has no greatest length", part.span, help="bound it: {0,n}")
