"""
### What it does
Finds rule names with underscores. The fix writes dashes, in all places at once.

### Why is this bad
llama.cpp's names are letters, digits and dashes. Guides and other dialects use underscores; the
engine refuses the grammar.

### Example
```gbnf
root ::= first_name
first_name ::= [A-Z] [a-z]*
```

### Use instead
```gbnf
root ::= first-name
first-name ::= [A-Z] [a-z]{0,20}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.lint.diagnostic import Edit, Finding, Fix, Severity
from gbnfc.lint.text.lexemes import Kind, Lexeme

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedText

CODE = "SYN002"
NAME = "underscore-in-name"
SEVERITY = Severity.ERROR


def check(text: LintedText, budget: Budget) -> Iterator[Finding]:
    """Yield each name with underscores once, where it first stands."""
    named: dict[str, list[Lexeme]] = {}
    for piece in text.lexemes:
        if piece.kind is Kind.NAME:
            named.setdefault(piece.text, []).append(piece)
    taken = set(named)
    for name, pieces in named.items():
        if "_" not in name:
            continue
        dashed = _free_name(name.replace("_", "-"), taken)
        taken.add(dashed)
        yield Finding(
            f"`_` in the rule name {name}",
            pieces[0].span,
            help=f"names are letters, digits and dashes: {dashed}",
            fix=Fix(f"Rename to {dashed}", tuple(Edit(piece.span, dashed) for piece in pieces)),
        )


def _free_name(name: str, taken: set[str]) -> str:
    name = name.strip("-") or "rule"
    number = 2
    free = name
    while free in taken:
        free = f"{name}-{number}"
        number += 1
    return free
