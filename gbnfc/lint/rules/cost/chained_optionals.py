"""
### What it does
Finds optional or unbounded parts of the same kind one after the other: `x? x? x?`, `x? x*`,
`(a|"") (a|"")`, `x* x*`, `x+ x+`, also when the parts are rules of their own.

### Why is this bad
For each character llama.cpp must keep one stack for each way to share it out. `x? x? x?` holds as
many stacks as there are parts, and the time to mask the vocabulary grows with them; `x{0,3}`
accepts the same texts and holds two.

### Example
```gbnf
root ::= "#" [a-f]? [a-f]? [a-f]?
```

### Use instead
```gbnf
root ::= "#" [a-f]{0,3}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.ir.nodes import MAX_REPETITION, RuleRef, Sequence
from gbnfc.lint.analysis.chains import CountedPart, flatten, joined_count, unfold
from gbnfc.lint.diagnostic import Edit, Finding, Fix, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Sequence as Seq

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar
    from gbnfc.source import Span

CODE = "COST001"
NAME = "chained-optionals"
SEVERITY = Severity.WARNING


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each run of neighbouring parts that can share out the same text in several ways."""
    for place in grammar.used_places:
        if isinstance(place.expression, Sequence):
            parts = flatten(grammar, place.expression, budget)
            for run in _runs(parts):
                # A run that lies in one rule that this sequence only uses is reported there.
                if len({part.item for part in run}) > 1:
                    yield _finding(grammar, place.expression, run)


def _runs(parts: Seq[CountedPart]) -> Iterator[list[CountedPart]]:
    """Yield the maximal runs of one body in which at least two parts have a choice of length."""
    run: list[CountedPart] = []
    for part in [*parts, None]:
        if part is not None and run and part.body == run[0].body:
            run.append(part)
            continue
        if sum(member.elastic for member in run) > 1:
            yield run
        run = [] if part is None else [part]


def _finding(grammar: LintedGrammar, sequence: Sequence, run: list[CountedPart]) -> Finding:
    minimum, maximum = joined_count(run)
    items = [sequence.items[index] for index in sorted({part.item for part in run})]
    span = grammar.whole_span(items[0], items[-1])
    count = sum(part.elastic for part in run)
    return Finding(
        f"{count} neighbouring parts can each take the same text: up to {count + 1} stacks at once",
        span,
        help=f"write one repetition: {{{minimum},{'' if maximum is None else maximum}}}",
        fix=_fix(grammar, sequence, run, span),
    )


def _fix(
    grammar: LintedGrammar, sequence: Sequence, run: list[CountedPart], span: Span | None
) -> Fix | None:
    minimum, maximum = joined_count(run)
    whole = all(unfold(grammar, sequence.items[part.item]) == part.as_repeat for part in run)
    if span is None or not whole or max(minimum, maximum or 0) > MAX_REPETITION:
        return None
    body = run[0].body_text(grammar)
    if body is None or "#" in grammar.text_of(span) or "\n" in body:
        return None
    short = {0: "*", 1: "+"}.get(minimum) if maximum is None else None
    text = body + (short or f"{{{minimum},{'' if maximum is None else maximum}}}")
    first = sequence.items[run[0].item]
    if isinstance(first, RuleRef) and (minimum, maximum) == (run[0].minimum, run[0].maximum):
        # `ws ws` → `ws`: one of the rules takes all that both can.
        text = first.name
    return Fix(f"Write {text}", (Edit(span, text),))
