"""
### What it does
Finds chains of more than 1,000 rules that each start with the next.

### Why is this bad
llama.cpp's check for left recursion calls itself once per rule of such a chain, and can overflow
the stack of the process: a crash, not an error. Chains are shown from their first rule.

### Example
A chain `r0 ::= r1`, `r1 ::= r2`, … of 1,001 rules.

### Use instead
Name what a reader needs a name for, and write the rest in place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.ir.graph import components
from gbnfc.lint.diagnostic import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "COST007"
NAME = "deep-chain"
SEVERITY = Severity.WARNING

_MAX_DEPTH = 1_000


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield one finding for the longest chain of leading rules, when it is too long."""
    if len(grammar.definitions) <= _MAX_DEPTH:
        return
    graph = grammar.facts.left_references
    depths: dict[str, int] = {}
    for component in components(graph):
        below = [depths.get(after, 0) for name in component for after in graph[name]]
        depths.update(dict.fromkeys(component, len(component) + max(below, default=0)))
    deepest = max(depths, key=lambda name: depths[name])
    if depths[deepest] > _MAX_DEPTH:
        yield Finding(
            f"a chain of {depths[deepest]:,} rules starts here, each beginning with the next",
            grammar.definitions[deepest].name_span,
            help="shorten the chain: write some of the rules in place",
        )
