"""
### What it does
Finds alternatives that share texts of two or more characters, when neither contains the other, and
reports the ambiguous text. It is a warning when the choice alone reaches eight live stacks.

### Why is this bad
While a shared text is written llama.cpp carries on with every alternative that it fits; inside a
repetition the stacks multiply.

### Example
```gbnf
root ::= "0x" ([a-z]+ | [a-f0-9]+)
```

### Use instead
```gbnf
root ::= "0x" [a-z0-9]{1,8}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.errors import LimitExceeded
from gbnfc.ir.nodes import Choice, Grammar, Repeat, Rule
from gbnfc.ir.walk import references
from gbnfc.lint.analysis.cost import measure_cost
from gbnfc.lint.analysis.overlap import Relation
from gbnfc.lint.diagnostic import Finding, Severity
from gbnfc.lint.edits.alternatives import related_alternative
from gbnfc.lint.text.show import show_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "COST003"
NAME = "overlapping-alternatives"
SEVERITY = Severity.INFO

_MANY_STACKS = 8
_SEARCH_STEPS = 500
_MAX_RULES = 40


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each choice with overlapping alternatives once, with a text that fits two of them."""
    for choice in grammar.used_choices:
        for overlap in grammar.overlaps(choice, budget):
            if overlap.relation is Relation.OVERLAPPING and len(overlap.witness) > 1:
                stacks = _stacks(grammar, choice, budget)
                yield Finding(
                    f"two alternatives accept {show_text(overlap.witness)}: the engine carries "
                    f"both on{f' (up to {stacks} stacks)' if stacks else ''}",
                    choice.alternatives[overlap.first].span or choice.span,
                    help="make the first characters differ, or join the alternatives",
                    related=related_alternative(choice, overlap.second, "the other alternative"),
                    severity=Severity.WARNING if stacks >= _MANY_STACKS else None,
                )
                break


def _stacks(grammar: LintedGrammar, choice: Choice, budget: Budget) -> int:
    """Return the worst number of stacks of `choice` alone, repeated; 0 when it is too large."""
    budget.spend(_SEARCH_STEPS)
    names: dict[str, None] = {}
    todo = list(references(choice))
    while todo:
        name = todo.pop()
        if name not in names and name in grammar.definitions:
            names[name] = None
            todo.extend(sorted(grammar.references_of(grammar.definitions[name])))
        if len(names) > _MAX_RULES:
            return 0
    root = "overlapping alternatives"
    rules = (*(grammar.definitions[name] for name in names), Rule(root, Repeat(choice, 0, None)))
    try:
        return measure_cost(Grammar(rules, root=root), _SEARCH_STEPS).stacks
    except LimitExceeded:
        return 0
