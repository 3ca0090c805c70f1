"""
### What it does
Finds rules that the root never uses, directly or through others.

### Why is this bad
They are dead text, and often the sign of a misspelt reference.

### Example
```gbnf
root ::= "yes"
no ::= "no"
```

### Use instead
```gbnf
root ::= "yes" | no
no ::= "no"
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.ir.analysis import undefined
from gbnfc.lint.diagnostic import Edit, Finding, Fix, Severity
from gbnfc.source import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.ir.nodes import Rule
    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "STR004"
NAME = "unreachable-rule"
SEVERITY = Severity.WARNING


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each unused rule; nothing when there is no root to start from."""
    if grammar.grammar.root not in grammar.definitions:
        return
    # A rule that a misspelt reference may mean is not deleted.
    deletable = not undefined(grammar.grammar)
    for rule in grammar.grammar.rules:
        if rule.name not in grammar.reachable:
            yield Finding(
                f"the root never uses the rule {rule.name}",
                rule.name_span,
                help="delete it, or use it",
                fix=_deletion(grammar, rule) if deletable else None,
            )


def _deletion(grammar: LintedGrammar, rule: Rule) -> Fix | None:
    # A rule with comments keeps them.
    if rule.span is None or grammar.source is None or "#" in grammar.text_of(rule.span):
        return None
    end = rule.span.end
    for line_end in ("\r\n", "\n"):
        if grammar.source.text.startswith(line_end, end):
            end += len(line_end)
            break
    return Fix("Delete the rule", (Edit(Span(rule.span.start, end), ""),), safe=False)
