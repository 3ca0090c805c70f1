"""
### What it does
Finds semicolons at the end of rules.

### Why is this bad
In GBNF a rule ends with its line; llama.cpp refuses the semicolon.

### Example
```gbnf
root ::= "yes" | "no";
```

### Use instead
```gbnf
root ::= "yes" | "no"
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.gbnf.mistakes import find_mistake
from gbnfc.lint.diagnostic import Edit, Finding, Fix, Severity
from gbnfc.source import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedText

CODE = "SYN005"
NAME = "semicolon"
SEVERITY = Severity.ERROR


def check(text: LintedText, budget: Budget) -> Iterator[Finding]:
    """Yield each error at a semicolon."""
    for error in text.errors:
        if error.span is None:
            continue
        mistake = find_mistake(text.source.text, error.span.start)
        if mistake is not None and mistake.name == "semicolon":
            span = Span(error.span.start, error.span.start + 1)
            fix = Fix("Delete the semicolon", (Edit(span, ""),), safe=False)
            yield Finding("a rule ends with its line", span, help=mistake.hint, fix=fix)
