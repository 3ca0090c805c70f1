"""
### What it does
Finds alternatives whose every text another alternative accepts too.

### Why is this bad
They change nothing, and while such a text is written the engine carries both readings.

### Example
```gbnf
root ::= [a-z]+ | "none"
```

### Use instead
```gbnf
root ::= [a-z]+
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.lint.analysis.overlap import Relation
from gbnfc.lint.diagnostic import Finding, Severity
from gbnfc.lint.edits.alternatives import delete_alternative, related_alternative
from gbnfc.lint.text.show import show_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "STR011"
NAME = "subsumed-alternative"
SEVERITY = Severity.WARNING


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each alternative that lies within another one, once."""
    for choice in grammar.used_choices:
        reported: set[int] = set()
        for overlap in grammar.overlaps(choice, budget):
            if overlap.relation is not Relation.INSIDE or overlap.first in reported:
                continue
            reported.add(overlap.first)
            yield Finding(
                f"another alternative accepts all of this one too: {show_text(overlap.witness)}",
                choice.alternatives[overlap.first].span or choice.span,
                help="delete it",
                fix=delete_alternative(grammar, choice, overlap.first),
                related=related_alternative(choice, overlap.second, "the wider one"),
            )
