"""
### What it does
Simulates llama.cpp's stacks and reports a text after which it holds 32 or more of them, as a
warning where masking the vocabulary is estimated to cost eight times as much as with one stack.

### Why is this bad
To mask the vocabulary each stack is tried against every token that the others refused, and where
several stacks accept the same characters the ways multiply with each character of a token. The
message gives the text that leads there and the estimated cost;
`gbnfc lint --cost` shows both for every grammar, `gbnfc bench` measures.

### Example
```gbnf
root ::= "#" [a-m]{0,9} [b-n]{0,9} [c-o]{0,9} [d-p]{0,9} [e-q]{0,9} [f-r]{0,9}
```

### Use instead
```gbnf
root ::= "#" [a-r]{0,54}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.errors import LimitExceeded
from gbnfc.lint.diagnostic import Finding, Severity
from gbnfc.lint.text.show import show_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "COST008"
NAME = "live-stacks"
SEVERITY = Severity.WARNING

_MANY_STACKS = 32
_DEAR = 8
_FEW_STACKS = 8
_EVERY = 16
_PLAINLY_MANY = 300


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield one finding for the grammar, at its root, when some text costs many stacks."""
    if not grammar.sound or grammar.refusals:
        return
    survey = grammar.survey
    if isinstance(survey, LimitExceeded):
        raise survey
    cost = survey.cost
    if cost.stacks < _FEW_STACKS:
        return
    try:
        # Where so many stacks live the estimate would only say what is plain already.
        factor = 0.0 if cost.stacks > _PLAINLY_MANY else survey.estimate_mask(every=_EVERY).factor
    except LimitExceeded:
        factor = 0.0
    dear_enough = factor >= _DEAR or cost.stacks > _PLAINLY_MANY
    if cost.stacks >= _MANY_STACKS or dear_enough:
        behind = f"after {show_text(cost.witness)}" if cost.witness else "at the start"
        dear = f": masking can cost {factor:.0f} times as much as with one" if factor else ""
        yield Finding(
            f"{cost.stacks} live stacks {behind}{dear}",
            grammar.definitions[grammar.grammar.root].name_span,
            help="make alternatives differ in their first character, and write optional parts of "
            "one kind as one {0,n}",
            severity=None if dear_enough else Severity.INFO,
        )
