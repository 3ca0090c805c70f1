"""
### What it does
Finds literals in single quotes.

### Why is this bad
llama.cpp knows double quotes only and refuses the grammar.

### Example
```gbnf
root ::= 'yes'
```

### Use instead
```gbnf
root ::= "yes"
```
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gbnfc.gbnf.mistakes import find_mistake
from gbnfc.lint.diagnostic import Edit, Finding, Fix, Severity
from gbnfc.source import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedText

CODE = "SYN004"
NAME = "single-quotes"
SEVERITY = Severity.ERROR

_LITERAL = re.compile(r"'((?:\\[^\r\n]|[^'\\\r\n])*)'")


def check(text: LintedText, budget: Budget) -> Iterator[Finding]:
    """Yield each error at a single quote."""
    for error in text.errors:
        if error.span is None:
            continue
        mistake = find_mistake(text.source.text, error.span.start)
        if mistake is None or mistake.name != "single-quotes":
            continue
        literal = _LITERAL.match(text.source.text, error.span.start)
        span = Span(*literal.span()) if literal else error.span
        yield Finding(
            "literals are written in double quotes",
            span,
            help=mistake.hint,
            fix=_fix(span, literal[1]) if literal else None,
        )


def _fix(span: Span, content: str) -> Fix:
    quoted = '"' + content.replace("\\'", "'").replace('"', '\\"') + '"'
    return Fix(f"Write {quoted}", (Edit(span, quoted),), safe=False)
