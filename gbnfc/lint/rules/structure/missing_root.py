"""
### What it does
Finds grammars without a rule named `root`.

### Why is this bad
llama.cpp starts at `root` and refuses a grammar that has none.

### Example
```gbnf
answer ::= "yes" | "no"
```

### Use instead
```gbnf
root ::= answer
answer ::= "yes" | "no"
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.ir.walk import references
from gbnfc.lint.diagnostic import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "STR002"
NAME = "missing-root"
SEVERITY = Severity.ERROR


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield one finding when the root rule is not defined; `root` used anywhere is STR001's."""
    root = grammar.grammar.root
    if root in grammar.definitions:
        return
    used = {name for rule in grammar.grammar.rules for name in references(rule.body)}
    names = list(grammar.definitions)
    first = next((name for name in names if name not in used), names[0] if names else None)
    defined = f"defined: {', '.join(names[:5])}{', …' if len(names) > 5 else ''}"
    yield Finding(
        f"no rule named {root}; {defined if names else 'the grammar is empty'}",
        grammar.grammar.rules[0].name_span if names else None,
        help=f"add: {root} ::= {first}" if first else f"add: {root} ::= …",
    )
