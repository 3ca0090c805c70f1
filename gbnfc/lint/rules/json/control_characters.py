"""
### What it does
Finds JSON strings that may hold raw control characters, and shows one.

### Why is this bad
JSON refuses characters below U+0020 inside strings: the output parses nowhere.

### Example
```gbnf
root ::= "\\"" [^"\\\\]{0,40} "\\""
```

### Use instead
```gbnf
root ::= "\\"" [^"\\\\\\x00-\\x1F]{0,40} "\\""
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.lint.analysis.json_language import WITH_CONTROL, Written
from gbnfc.lint.diagnostic import Finding, Severity
from gbnfc.lint.text.show import show_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "JSON001"
NAME = "control-characters"
SEVERITY = Severity.WARNING


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each string content with a raw control character."""
    if grammar.json_regions is None:
        return
    for piece in grammar.json_regions.strings:
        witness = Written(grammar, piece.expression, budget).in_common(WITH_CONTROL)
        if witness is not None:
            yield Finding(
                f"the string may hold a raw control character: {show_text(witness)}",
                piece.span,
                help=r"leave \x00-\x1F out of the class",
            )
