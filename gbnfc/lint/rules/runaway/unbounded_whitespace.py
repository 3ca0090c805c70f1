"""
### What it does
Finds blanks and line breaks that may repeat without bound.

### Why is this bad
A model that has nothing to say writes blanks until its token limit; the answer is cut off. It is
the most frequent way in which constrained generation never ends.

### Example
```gbnf
root ::= "[" ws "]"
ws ::= [ \\t\\n]*
```

### Use instead
```gbnf
root ::= "[" ws "]"
ws ::= [ \\t\\n]{0,8}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.ir.nodes import Choice, Expression, Repeat, RuleRef, Sequence
from gbnfc.lint.analysis.characters import is_blank
from gbnfc.lint.diagnostic import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "RUN001"
NAME = "unbounded-whitespace"
SEVERITY = Severity.WARNING


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each unbounded repetition of blanks, written with `*`, `+` or as recursion."""
    quoted = set() if grammar.json_regions is None else grammar.json_regions.quoted
    for place in grammar.used_places:
        part = place.expression
        if place.rule.name in quoted:
            # Inside a JSON string it is text like any other: RUN002's.
            continue
        if isinstance(part, Repeat) and part.maximum is None and is_blank(grammar, part.body):
            yield _finding(part, part.minimum)
        elif part is place.rule.body and _recursive_blanks(grammar, place.rule.name, part):
            yield _finding(part, 0)


def _finding(part: Expression, minimum: int) -> Finding:
    return Finding(
        "blanks may repeat without end: the model can go on for ever",
        part.span,
        help=f"bound them: {{{minimum},8}}",
    )


def _recursive_blanks(grammar: LintedGrammar, name: str, body: Expression) -> bool:
    """Return whether `body` is `ws ::= ([ \\n] ws)?` or `ws ::= "" | [ \\n] ws`."""
    inner = body.body if isinstance(body, Repeat) else body
    members = inner.alternatives if isinstance(inner, Choice) else (inner,)
    return any(
        isinstance(member, Sequence)
        and len(member.items) == 2
        and member.items[1] == RuleRef(name)
        and is_blank(grammar, member.items[0])
        for member in members
    )
