"""
### What it does
Finds `<…>` terminals that are not exactly one token of the model (`--model FILE`), and ids beyond
its vocabulary.

### Why is this bad
llama.cpp refuses the grammar for that model.

### Example
With SmolLM2, whose vocabulary has no such token:
```gbnf
root ::= <no-such-token> "yes"
```

### Use instead
```gbnf
root ::= <|im_start|> "yes"
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.ir.nodes import TokenTerminal
from gbnfc.lint.diagnostic import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "TOK001"
NAME = "unknown-token"
SEVERITY = Severity.ERROR


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each token terminal that the model does not have; nothing without a model."""
    tokenizer = grammar.tokenizer
    if tokenizer is None:
        return
    for place in grammar.places:
        part = place.expression
        if not isinstance(part, TokenTerminal):
            continue
        if isinstance(part.token, int):
            if part.token >= tokenizer.size:
                yield Finding(
                    f"the model has {tokenizer.size:,} tokens: there is no <[{part.token}]>",
                    part.span,
                )
        elif len(pieces := tokenizer.tokenize(f"<{part.token}>")) != 1:
            yield Finding(
                f"<{part.token}> is {len(pieces)} tokens of the model, not one",
                part.span,
                help="name a special token of the model, or write the text in quotes",
            )
