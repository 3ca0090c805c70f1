"""
### What it does
Finds rules written with another sign than `::=`: `=`, `:=`, `:`, `->`.

### Why is this bad
Other notations use them; llama.cpp refuses the grammar.

### Example
```gbnf
root = "yes" | "no"
```

### Use instead
```gbnf
root ::= "yes" | "no"
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

CODE = "SYN003"
NAME = "wrong-define"
SEVERITY = Severity.ERROR

_SIGN = re.compile(r":=|=|:|->|→|<-")


def check(text: LintedText, budget: Budget) -> Iterator[Finding]:
    """Yield each error at a definition sign of another notation."""
    for error in text.errors:
        if error.span is None:
            continue
        mistake = find_mistake(text.source.text, error.span.start)
        sign = _SIGN.match(text.source.text, error.span.start)
        if mistake is not None and mistake.name == "other-define" and sign:
            span = Span(*sign.span())
            yield Finding(
                f"a rule is defined with ::=, not {sign[0]}",
                span,
                help=mistake.hint,
                fix=Fix("Write ::=", (Edit(span, "::="),), safe=False),
            )
