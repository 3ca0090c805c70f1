"""
### What it does
Finds roots that end in an unbounded repetition behind other content.

### Why is this bad
The answer is complete, yet nothing makes the model end: it may go on until its token limit. A root
that *is* one repetition is taken to be meant as a list and left alone.

### Example
```gbnf
root ::= "answer: " [a-z]{1,9} ("," [a-z]{1,9})*
```

### Use instead
```gbnf
root ::= "answer: " [a-z]{1,9} ("," [a-z]{1,9}){0,9} "\\n"
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.ir.nodes import Expression, Repeat, RuleRef, Sequence
from gbnfc.lint.analysis.characters import is_blank
from gbnfc.lint.diagnostic import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "RUN005"
NAME = "open-end"
SEVERITY = Severity.INFO


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield the repetition with which a root ends."""
    root = grammar.definitions.get(grammar.grammar.root)
    if root is None:
        return
    part: Expression = root.body
    behind_content = False
    seen: set[str] = set()
    while True:
        match part:
            case Sequence(items) if items:
                behind_content = behind_content or len(items) > 1
                part = items[-1]
            case RuleRef(name) if name in grammar.definitions and name not in seen:
                seen.add(name)
                part = grammar.definitions[name].body
            case _:
                break
    if not isinstance(part, Repeat) or part.maximum is not None:
        return
    # Blanks without end are RUN001's.
    if behind_content and not is_blank(grammar, part.body):
        yield Finding(
            "nothing forces an end: the last part may repeat for ever",
            part.span,
            help="bound it, or close with a text that only comes at the end",
        )
