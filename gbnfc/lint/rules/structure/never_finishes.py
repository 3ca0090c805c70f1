"""
### What it does
Finds rules from which no finite text can be made: each alternative needs the rule itself again.

### Why is this bad
Once the model is inside such a rule it can never end; it writes until its token limit.

### Example
```gbnf
root ::= "[" list "]" | "[]"
list ::= "a," list
```

### Use instead
```gbnf
root ::= "[" list "]" | "[]"
list ::= "a," list | "a"
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.lint.diagnostic import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "STR006"
NAME = "never-finishes"
SEVERITY = Severity.ERROR


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each used rule that cannot end although everything it refers to is defined."""
    endless = {name for name in grammar.reachable if name not in grammar.productive}
    for rule in grammar.grammar.rules:
        if grammar.definitions[rule.name] is not rule or rule.name not in endless:
            continue
        names = grammar.references_of(rule)
        # Only the rules of the cycle itself: what merely uses it is not where the fault is.
        if rule.name in _reached_endless(grammar, names, endless, budget):
            yield Finding(
                f"{rule.name} can never end: every alternative comes back to it",
                rule.name_span,
                help="add an alternative that ends",
            )


def _reached_endless(
    grammar: LintedGrammar, names: frozenset[str], endless: set[str], budget: Budget
) -> set[str]:
    seen: set[str] = set()
    todo = [name for name in names if name in endless]
    while todo:
        name = todo.pop()
        budget.spend()
        if name in seen or name not in grammar.definitions:
            continue
        seen.add(name)
        todo.extend(n for n in grammar.references_of(grammar.definitions[name]) if n in endless)
    return seen
