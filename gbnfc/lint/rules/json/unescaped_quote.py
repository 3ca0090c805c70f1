"""
### What it does
Finds JSON strings that may hold a bare quote or a backslash that escapes nothing, and shows one.

### Why is this bad
The string ends early, or has an escape that JSON does not know: the output parses nowhere.

### Example
```gbnf
root ::= "\\"" [^"\\x00-\\x1F]{0,40} "\\""
```

### Use instead
```gbnf
root ::= "\\"" ([^"\\\\\\x00-\\x1F] | "\\\\" ["\\\\/bfnrt]){0,40} "\\""
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.lint.analysis.json_language import STRING_CONTENT, WITH_CONTROL, Written
from gbnfc.lint.diagnostic import Finding, Severity
from gbnfc.lint.text.show import show_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "JSON002"
NAME = "unescaped-quote"
SEVERITY = Severity.WARNING


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each string content that JSON refuses for another reason than control characters."""
    if grammar.json_regions is None:
        return
    for piece in grammar.json_regions.strings:
        witness = Written(grammar, piece.expression, budget).outside(
            f"{WITH_CONTROL.strip()} | content\n{STRING_CONTENT.strip().replace('root', 'content')}"
        )
        if witness is not None:
            yield Finding(
                f"JSON refuses this string content: {show_text(witness)}",
                piece.span,
                help=r'leave " and \ out of the class, and add "\\" ["\\/bfnrt]',
            )
