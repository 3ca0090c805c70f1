"""
### What it does
Finds long lists of literal alternatives that share their beginnings. The fix writes them as a tree.

### Why is this bad
At the start of the list llama.cpp holds one stack for each literal and tries every token of the
vocabulary against each. As a tree of shared beginnings it holds one per different first character.

### Example
```gbnf
root ::= (
    "alder" | "almond" | "apple" | "apricot" | "ash" | "aspen" | "avocado" | "beech" |
    "birch" | "blackthorn" | "box" | "buckeye" | "cashew" | "cedar" | "cherry" | "chestnut" |
    "citron" | "clove" | "coconut" | "cork-oak" | "cypress")
```

### Use instead
```gbnf
root ::= "a" ("lder" | "lmond" | "pple") | "b" ("eech" | "irch")
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.gbnf.spell import Precedence
from gbnfc.gbnf.write import spell
from gbnfc.ir.build import choice, sequence
from gbnfc.ir.nodes import Choice, Expression, Literal
from gbnfc.lint.diagnostic import Edit, Finding, Fix, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.rule import Budget
    from gbnfc.lint.subject import LintedGrammar

CODE = "COST006"
NAME = "literal-alternation"
SEVERITY = Severity.WARNING

_SAVED_STACKS = 16
_MAX_DEPTH = 60


def check(grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
    """Yield each choice in which a tree would save sixteen stacks or more."""
    for node in grammar.used_choices:
        texts = [part.text for part in node.alternatives if isinstance(part, Literal)]
        saved = len(texts) - len({text[0] for text in texts})
        if saved < _SAVED_STACKS or len(texts) < len(node.alternatives):
            continue
        yield Finding(
            f"{len(texts)} literals start with only {len(texts) - saved} different characters: "
            f"a tree would save {saved} stacks",
            node.span,
            help="write shared beginnings once",
            fix=_fix(grammar, node, tuple(dict.fromkeys(texts))),
        )


def _fix(grammar: LintedGrammar, node: Choice, texts: tuple[str, ...]) -> Fix | None:
    tree = _tree(texts, 0)
    if node.span is None or tree is None:
        return None
    written = grammar.text_of(node.span)
    if "#" in written:
        return None
    grouped = written.startswith("(") and written.endswith(")")
    text = spell(tree, Precedence.BODY)
    return Fix("Write it as a tree", (Edit(node.span, f"({text})" if grouped else text),))


def _tree(texts: tuple[str, ...], depth: int) -> Expression | None:
    """Return `texts` as nested choices; `None` when it nests too deep for the engine's comfort."""
    if depth > _MAX_DEPTH:
        return None
    groups: dict[str, list[str]] = {}
    for text in texts:
        groups.setdefault(text[:1], []).append(text)
    branches: list[Expression] = []
    for first, members in groups.items():
        if len(members) == 1 or not first:
            branches.append(sequence([Literal(members[0])]))
            continue
        shared = _shared_start(members)
        rest = _tree(tuple(member[len(shared) :] for member in members), depth + 1)
        if rest is None:
            return None
        branches.append(sequence([Literal(shared), rest]))
    return choice(branches)


def _shared_start(texts: list[str]) -> str:
    low, high = min(texts), max(texts)
    length = next(
        (i for i, pair in enumerate(zip(low, high, strict=False)) if len(set(pair)) > 1), len(low)
    )
    return low[:length]
