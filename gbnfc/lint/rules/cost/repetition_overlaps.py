"""
### What it does
Finds unbounded repetitions of a character that may also start what follows.

### Why is this bad
The grammar cannot tell where the free text ends: the engine carries both readings on, and a model
may never come to the part behind it.

### Example
```gbnf
root ::= [^\\n]* "yes"
```

### Use instead
```gbnf
root ::= [^\\n]* "\\n" "yes"
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.charset import CharSet
from gbnfc.ir.nodes import CharClass, Expression, Repeat, Sequence
from gbnfc.lint.analysis.chains import unfold
from gbnfc.lint.analysis.characters import characters_of
from gbnfc.lint.analysis.cost import readable_member
from gbnfc.lint.diagnostic import Finding, Severity
from gbnfc.lint.text.show import show_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "COST009"
NAME = "repetition-overlaps-what-follows"
SEVERITY = Severity.WARNING


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each unbounded repetition of one character that what follows can start with."""
    for place in grammar.used_places:
        sequence = place.expression
        if not isinstance(sequence, Sequence):
            continue
        for index, item in enumerate(sequence.items):
            body = unfold(grammar, item)
            if not isinstance(body, Repeat) or body.maximum is not None:
                continue
            shared = characters_of(grammar, body.body) & _following(
                grammar, sequence.items[index + 1 :], body.body, budget
            )
            if shared:
                example = show_text(chr(readable_member(shared)))
                yield Finding(
                    f"the repetition and what follows can both take {example}: its end is open",
                    item.span,
                    help="leave the characters that may follow out of the repetition, or "
                    "put a separator between",
                )


def _following(
    grammar: LintedGrammar, items: tuple[Expression, ...], body: Expression, budget: Budget
) -> CharSet:
    """Return what can come right behind; parts of the same body are COST001's to report."""
    found = CharSet()
    for item in items:
        budget.spend()
        part = unfold(grammar, item)
        same = isinstance(part, Repeat) and part.body == body
        if not same and not (isinstance(part, CharClass) and part == body):
            found |= grammar.first_of(item)
        if not grammar.may_be_empty(item):
            break
    return found
