"""
### What it does
Finds names that differ only in case, in dashes, or in `0`/`O` and `1`/`l`.

### Why is this bad
Names are case-sensitive to llama.cpp; a reader, and whoever writes the next rule, will take one for
the other. `Root` is not `root`.

### Example
```gbnf
root ::= item Item
item ::= "a"
Item ::= "b"
```

### Use instead
```gbnf
root ::= first second
first ::= "a"
second ::= "b"
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.lint.diagnostic import Finding, Related, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "NAM002"
NAME = "confusable-names"
SEVERITY = Severity.WARNING

_LOOKALIKES = str.maketrans("OlI", "011")


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each definition whose name looks like that of an earlier one."""
    first: dict[str, str] = {}
    for name, rule in grammar.definitions.items():
        looks = (name.lower(), name.replace("-", ""), name.translate(_LOOKALIKES))
        earlier = next((first[look] for look in looks if look in first), None)
        first.update({look: name for look in looks if look not in first})
        if earlier is not None:
            span = grammar.definitions[earlier].name_span
            yield Finding(
                f"{name} is easily taken for {earlier}",
                rule.name_span,
                help="rename one of them",
                related=(Related(f"{earlier} is defined here", span),) if span else (),
            )
