"""
### What it does
Finds names that do not look like names: only digits, or with a dash at an end.

### Why is this bad
`3` reads like a count and `-x` like an operator; so does `root ::= a -b`, which is two references.

### Example
```gbnf
root ::= -3
-3 ::= "x"
```

### Use instead
```gbnf
root ::= minus-three
minus-three ::= "x"
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.lint.diagnostic import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "NAM001"
NAME = "odd-name"
SEVERITY = Severity.INFO


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each odd name where it is defined."""
    for rule in grammar.grammar.rules:
        bare = rule.name.strip("-")
        if bare != rule.name or bare.isdigit():
            yield Finding(
                f"{rule.name} does not look like a name",
                rule.name_span,
                help="start and end with a letter or digit, and use a letter",
            )
