"""
### What it does
Finds references to rules that are defined nowhere.

### Why is this bad
The engine refuses the whole grammar. Programs that ignore the refusal go on unconstrained.

### Example
```gbnf
root ::= "1. " mvoe "\\n" | move
move ::= [a-h] [1-8]
```

### Use instead
```gbnf
root ::= "1. " move "\\n"
move ::= [a-h] [1-8]
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.ir.nodes import RuleRef
from gbnfc.lint.diagnostic import Edit, Finding, Fix, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "STR001"
NAME = "undefined-rule"
SEVERITY = Severity.ERROR


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each reference to an undefined rule, with the nearest defined name."""
    for place in grammar.places:
        reference = place.expression
        if isinstance(reference, RuleRef) and reference.name not in grammar.definitions:
            import difflib

            budget.spend(len(grammar.definitions))
            near = difflib.get_close_matches(reference.name, grammar.definitions, n=1)
            fix = None
            if near and reference.span:
                edit = Edit(reference.span, near[0])
                fix = Fix(f"Write {near[0]}", (edit,), safe=False)
            yield Finding(
                f"the rule {reference.name} is not defined",
                reference.span,
                help=f"did you mean {near[0]}?" if near else f"add: {reference.name} ::= …",
                fix=fix,
            )
