"""
### What it does
Finds grammars whose check for left recursion takes llama.cpp seconds to hours: it follows every way
down through the rules that may come first, and the ways multiply.

### Why is this bad
The program hangs while loading the grammar.

### Example
```gbnf
root ::= r1 "a" | r1 "b" | r1 "c" | r1 "d" | r1 "e" | r1 "f" | r1 "g" | r1 "h" | r1 "i" | r1 "j"
r1 ::= r2 "a" | r2 "b" | r2 "c" | r2 "d" | r2 "e" | r2 "f" | r2 "g" | r2 "h" | r2 "i" | r2 "j"
r2 ::= r3 "a" | r3 "b" | r3 "c" | r3 "d" | r3 "e" | r3 "f" | r3 "g" | r3 "h" | r3 "i" | r3 "j"
r3 ::= r4 "a" | r4 "b" | r4 "c" | r4 "d" | r4 "e" | r4 "f" | r4 "g" | r4 "h" | r4 "i" | r4 "j"
r4 ::= r5 "a" | r5 "b" | r5 "c" | r5 "d" | r5 "e" | r5 "f" | r5 "g" | r5 "h" | r5 "i" | r5 "j"
r5 ::= r6 "a" | r6 "b" | r6 "c" | r6 "d" | r6 "e" | r6 "f" | r6 "g" | r6 "h" | r6 "i" | r6 "j"
r6 ::= r7 "a" | r7 "b" | r7 "c" | r7 "d" | r7 "e" | r7 "f" | r7 "g" | r7 "h" | r7 "i" | r7 "j"
r7 ::= r8 "a" | r8 "b" | r8 "c" | r8 "d" | r8 "e" | r8 "f" | r8 "g" | r8 "h" | r8 "i" | r8 "j"
r8 ::= r9 "a" | r9 "b" | r9 "c" | r9 "d" | r9 "e" | r9 "f" | r9 "g" | r9 "h" | r9 "i" | r9 "j"
r9 ::= "x"
```

### Use instead
```gbnf
root ::= r1 [a-j]
r1 ::= r2 [a-j]
r2 ::= "x" [a-j]{7}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.ir.loading import RefusalKind
from gbnfc.lint.diagnostic import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "COST011"
NAME = "slow-load"
SEVERITY = Severity.ERROR


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield the rule at which the engine's check explodes."""
    if not grammar.sound:
        return
    for refusal in grammar.refusals:
        if refusal.kind is RefusalKind.ENDLESS and refusal.repeat is None and not refusal.cycle:
            rule = grammar.definitions.get(refusal.rule or "")
            yield Finding(
                refusal.message,
                rule.name_span if rule else None,
                help="write what the alternatives start with once, in front of them",
            )
