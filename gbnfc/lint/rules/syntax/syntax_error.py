"""
### What it does
Reports what llama.cpp would refuse to read, with what could have stood there and the usual cause.

### Why is this bad
A grammar that cannot be read is not enforced; some programs go on without it and say nothing.

### Example
```gbnf
root ::= [\\d]+
```

### Use instead
```gbnf
root ::= [0-9]+
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.gbnf.mistakes import find_mistake
from gbnfc.lint.diagnostic import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedText

CODE = "SYN001"
NAME = "syntax-error"
SEVERITY = Severity.ERROR

_OTHER_RULES = ("underscore", "other-define", "single-quotes", "semicolon")


def check(text: LintedText, budget: Budget) -> Iterator[Finding]:
    """Yield each syntax error that has no rule of its own."""
    for error in text.errors:
        if error.span is None:
            yield Finding(error.message, help=error.hint)
            continue
        mistake = find_mistake(text.source.text, error.span.start)
        if mistake is None or mistake.name not in _OTHER_RULES:
            yield Finding(error.message, error.span, help=error.hint)
