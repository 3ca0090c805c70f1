"""
### What it does
Finds rules that are defined more than once.

### Why is this bad
The engine silently keeps the last definition; the earlier ones do nothing.

### Example
```gbnf
root ::= word
word ::= [a-z]
word ::= [a-z] [a-z]
```

### Use instead
```gbnf
root ::= word
word ::= [a-z] | [a-z] [a-z]
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.lint.diagnostic import Finding, Related, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "STR003"
NAME = "duplicate-rule"
SEVERITY = Severity.ERROR


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each definition that a later one replaces."""
    for rule in grammar.grammar.rules:
        kept = grammar.definitions[rule.name]
        if kept is not rule:
            related = (
                (Related("this definition is used", kept.name_span),) if kept.name_span else ()
            )
            yield Finding(
                f"{rule.name} is defined again below; the engine uses only the last definition",
                rule.name_span,
                help="join the definitions with |, or rename one",
                related=related,
            )
