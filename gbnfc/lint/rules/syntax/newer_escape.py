"""
### What it does
Finds the escape `\\-` in character classes.

### Why is this bad
llama.cpp reads it only since 2025; older builds refuse the grammar. A dash before the closing
bracket needs no escape anywhere.

### Example
```gbnf
root ::= [a-z\\-]+
```

### Use instead
```gbnf
root ::= [a-z-]+
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.ir.nodes import CharClass
from gbnfc.lint.diagnostic import Edit, Finding, Fix, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "SYN006"
NAME = "newer-escape"
SEVERITY = Severity.INFO


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each class with an escaped dash."""
    if grammar.source is None or "\\-" not in grammar.source.text:
        return
    for place in grammar.places:
        part = place.expression
        if not isinstance(part, CharClass) or part.span is None:
            continue
        text = grammar.text_of(part.span)
        if "\\-" in text.replace("\\\\", "  "):
            portable = _portable(text)
            yield Finding(
                "older builds of llama.cpp refuse the escape \\-",
                part.span,
                help=f"write {portable}" if portable else "put the dash last, unescaped",
                fix=Fix(f"Write {portable}", (Edit(part.span, portable),)) if portable else None,
            )


def _portable(text: str) -> str | None:
    """Move a lone escaped dash to the end: `[\\-a-z]` → `[a-z-]`; ranges from or to it stay."""
    at = text.replace("\\\\", "  ").index("\\-")
    behind = text[at + 2 :]
    content = text[1:at] + behind[:-1]
    ends_range = text[at - 1] == "-" and at > 2
    if ends_range or behind.startswith("-") or "\\-" in content or content in ("", "^"):
        return None
    return f"[{content}-]"
