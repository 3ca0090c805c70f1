"""
### What it does
Finds numbers of a JSON-shaped grammar with any number of digits.

### Why is this bad
Models sometimes write digits without end, and readers lose those beyond 17 or so.

### Example
```gbnf
root ::= "{\\"n\\": " [1-9] [0-9]* "}"
```

### Use instead
```gbnf
root ::= "{\\"n\\": " [1-9] [0-9]{0,14} "}"
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.ir.nodes import Repeat, RuleRef
from gbnfc.ir.walk import walk
from gbnfc.lint.analysis.characters import characters_of
from gbnfc.lint.analysis.json_regions import DIGITS
from gbnfc.lint.diagnostic import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "RUN004"
NAME = "unbounded-digits"
SEVERITY = Severity.INFO


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each unbounded repetition of digits in a number, or in a rule that numbers use."""
    if grammar.json_regions is None:
        return
    todo = [piece.expression for piece in grammar.json_regions.numbers]
    seen: set[str] = set()
    while todo:
        for part in walk(todo.pop(0)):
            budget.spend()
            if isinstance(part, RuleRef) and part.name not in seen:
                seen.add(part.name)
                if part.name in grammar.definitions:
                    todo.append(grammar.definitions[part.name].body)
            elif isinstance(part, Repeat) and part.maximum is None:
                chars = characters_of(grammar, part.body)
                if chars and not chars - DIGITS:
                    yield Finding(
                        "the number may have any number of digits",
                        part.span,
                        help="bound them: {0,14} keeps whole numbers exact everywhere",
                    )
