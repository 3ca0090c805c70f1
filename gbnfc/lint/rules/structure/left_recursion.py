"""
### What it does
Finds rules that come back to themselves before a character is read, also through other rules and
behind parts that may be empty. The message walks the cycle step by step. Repetitions without bound
of what llama.cpp sees to be empty, `("a" | "")*`, are found too. For direct recursion an
unsafe fix writes the repetition.

### Why is this bad
llama.cpp refuses the grammar; where its check misses the cycle (hidden behind a rule that is only
indirectly nullable) it loops until the memory is used up. It repeats by recursion, so what may be
empty and is repeated comes first in itself.

### Example
```gbnf
root ::= sum
sum ::= num | diff
diff ::= sum "-" num
num ::= [0-9]
```

### Use instead
```gbnf
root ::= num ("-" num){0,9}
num ::= [0-9]
```
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from gbnfc.ir.loading import RefusalKind
from gbnfc.ir.nodes import RuleRef
from gbnfc.ir.walk import walk
from gbnfc.lint.diagnostic import Finding, Related, Severity
from gbnfc.lint.edits.unroll import unroll_fix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar
    from gbnfc.source import Span

CODE = "STR005"
NAME = "left-recursion"
SEVERITY = Severity.ERROR


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each cycle once, at the rule where it starts."""
    found: set[str] = set()
    for cycle in grammar.left_recursive_cycles:
        found.update(cycle)
        names = [*cycle, cycle[0]]
        start = grammar.definitions[cycle[0]]
        yield Finding(
            f"left recursion: {' -> '.join(names)}",
            start.name_span,
            help="write the repetition: item (separator item)*",
            fix=unroll_fix(grammar, cycle[0]) if len(cycle) == 1 else None,
            related=tuple(
                Related(f"{name} starts with {after}", span)
                for name, after in pairwise(names)
                if (span := _reference_span(grammar, name, after))
            ),
        )
    yield from _of_the_engine(grammar, found)


def _of_the_engine(grammar: LintedGrammar, found: set[str]) -> Iterator[Finding]:
    """Yield what llama.cpp refuses as left recursion beyond that: in the rules that it makes."""
    for refusal in grammar.refusals:
        is_left = refusal.kind is RefusalKind.LEFT_RECURSION
        if not is_left and not (refusal.kind is RefusalKind.ENDLESS and refusal.cycle):
            continue
        if refusal.repeat is not None:
            hint = 'repeat what is inside and is not empty: (a | b)* for (a | b | "")*'
            yield Finding(refusal.message, refusal.repeat.span, help=hint)
        elif found.isdisjoint(refusal.cycle):
            rule = grammar.definitions.get(refusal.rule or "")
            yield Finding(refusal.message, rule.name_span if rule else None)


def _reference_span(grammar: LintedGrammar, name: str, after: str) -> Span | None:
    for part in walk(grammar.definitions[name].body):
        if isinstance(part, RuleRef) and part.name == after:
            return part.span
    return None
