"""
### What it does
Finds alternatives that accept the same texts as an earlier one.

### Why is this bad
They add nothing but a stack for the engine to carry.

### Example
```gbnf
root ::= "yes" | "no" | "yes"
```

### Use instead
```gbnf
root ::= "yes" | "no"
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.lint.analysis.overlap import Relation
from gbnfc.lint.diagnostic import Finding, Severity
from gbnfc.lint.edits.alternatives import delete_alternative, related_alternative

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "STR010"
NAME = "duplicate-alternative"
SEVERITY = Severity.WARNING


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each alternative that an earlier one makes superfluous, once."""
    for choice in grammar.used_choices:
        reported: set[int] = set()
        for overlap in grammar.overlaps(choice, budget):
            if overlap.relation is not Relation.SAME or overlap.first in reported:
                continue
            reported.add(overlap.first)
            yield Finding(
                "an earlier alternative accepts the same texts",
                choice.alternatives[overlap.first].span or choice.span,
                help="delete one of the two",
                fix=delete_alternative(grammar, choice, overlap.first),
                related=related_alternative(choice, overlap.second, "the same"),
            )
