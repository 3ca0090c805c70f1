"""Our answer to the question the judge is asked: would llama.cpp load this text?"""

from __future__ import annotations

from gbnfc.errors import GbnfSyntaxError
from gbnfc.gbnf.parse import parse_concrete
from gbnfc.ir.analysis import engine_refusal, is_nullable, nullable
from gbnfc.ir.nodes import Expression, Repeat, TokenTerminal
from gbnfc.ir.walk import walk


def loads_here(text: str) -> tuple[bool | None, str]:
    """Return whether we say that `text` loads, and why; None where llama.cpp cannot be asked.

    That is where it hangs, crashes or takes minutes, and where `<text>` depends on the vocabulary.
    """
    try:
        grammar = parse_concrete(text)
    except GbnfSyntaxError as error:
        return False, str(error)
    nodes = (node for rule in grammar.rules for node in walk(rule.body))
    if any(isinstance(node, TokenTerminal) and isinstance(node.token, str) for node in nodes):
        return None, "depends on the vocabulary"
    if any(_is_slow(rule.body, nullable(grammar)) for rule in grammar.rules):
        return None, "llama.cpp takes minutes"
    refusal = engine_refusal(grammar, as_spelled=True)
    if refusal is None:
        return True, "loads"
    return (False if refusal.kind.is_answered else None), str(refusal)


def _is_slow(body: Expression, nullable_rules: frozenset[str]) -> bool:
    """Return whether some hundreds of copies of a part that may be empty are asked for.

    llama.cpp then makes hundreds of stacks, hundreds of places deep, and compares each to each.
    """
    return any(
        isinstance(node, Repeat)
        and max(node.minimum, node.maximum or 0) > 200
        and is_nullable(node.body, nullable_rules)
        for node in walk(body)
    )
