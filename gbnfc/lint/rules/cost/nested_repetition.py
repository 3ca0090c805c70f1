"""
### What it does
Finds unbounded repetitions of something that may itself repeat without bound or be empty: `(x*)*`,
`(x+)+`, `(x?)*`, `(a? b?)*`.

### Why is this bad
The same text can be cut into rounds in many ways, and the engine keeps a stack for each.

### Example
```gbnf
root ::= ([a-z]+)+ "."
```

### Use instead
```gbnf
root ::= [a-z]+ "."
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.ir.nodes import Choice, Expression, Repeat, Sequence
from gbnfc.lint.analysis.chains import optional_body, unfold
from gbnfc.lint.diagnostic import Edit, Finding, Fix, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "COST002"
NAME = "nested-repetition"
SEVERITY = Severity.WARNING


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each unbounded repetition whose body repeats without bound or may be empty."""
    for place in grammar.used_places:
        outer = place.expression
        if not isinstance(outer, Repeat) or outer.maximum is not None:
            continue
        inner = unfold(grammar, outer.body)
        repeats = isinstance(inner, Repeat) and inner.maximum is None and inner.minimum <= 1
        if not repeats and not grammar.may_be_empty(inner):
            continue
        what = "repeats without bound itself" if repeats else "may be empty"
        yield Finding(
            f"the repeated part {what}: the same text can be cut up in many ways",
            grammar.whole_span(outer),
            help="repeat what is inside, once",
            fix=_fix(grammar, outer, inner),
        )


def _fix(grammar: LintedGrammar, outer: Repeat, inner: Expression) -> Fix | None:
    """Before → after: `(x+)+` → `x+`, `(x?)*` → `x*`, `(a? b*)*` → `(a | b)*`."""
    items = inner.items if isinstance(inner, Sequence) else (inner,)
    bodies = [_optional_part(item) for item in items]
    span = grammar.whole_span(outer)
    if span is None or "#" in grammar.text_of(span):
        return None
    if len(items) == 1 and isinstance(inner, Repeat) and inner.minimum <= 1:
        suffix = "+" if inner.minimum == 1 and outer.minimum >= 1 else "*"
        bodies = [inner.body]
    else:
        suffix = "*"
    spans = [grammar.whole_span(body) if body else None for body in bodies]
    texts = [grammar.text_of(part) if part else "" for part in spans]
    if not all(texts) or any("\n" in text for text in texts):
        return None
    simple = len(texts) == 1 and not isinstance(bodies[0], Sequence | Choice | Repeat)
    wrapped = simple or (len(texts) == 1 and texts[0].startswith("(") and texts[0].endswith(")"))
    text = texts[0] if wrapped else f"({' | '.join(texts)})"
    return Fix(f"Write {text}{suffix}", (Edit(span, text + suffix),))


def _optional_part(item: Expression) -> Expression | None:
    match item:
        case Repeat(body, 0):
            return body
        case Choice():
            return optional_body(item)
        case _:
            return None
