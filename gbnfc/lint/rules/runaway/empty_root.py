"""
### What it does
Finds grammars that accept the empty text.

### Why is this bad
A model may answer with nothing at all, and that counts as a complete answer.

### Example
```gbnf
root ::= [a-z]{0,9}
```

### Use instead
```gbnf
root ::= [a-z]{1,9}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.lint.diagnostic import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "RUN006"
NAME = "empty-root"
SEVERITY = Severity.WARNING


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield one finding when the root accepts the empty text."""
    root = grammar.grammar.root
    if root in grammar.nullable:
        yield Finding(
            "the grammar accepts the empty text: the model may answer with nothing",
            grammar.definitions[root].name_span,
            help="ask for at least one character",
        )
