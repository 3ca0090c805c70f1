"""Our answer to the question the judge is asked: would llama.cpp load this text?"""

from __future__ import annotations

from gbnfc.errors import GbnfSyntaxError
from gbnfc.gbnf.parse import parse_spelling
from gbnfc.ir.analysis import engine_refusal
from gbnfc.ir.nodes import TokenTerminal
from gbnfc.ir.walk import walk


def loads_here(text: str) -> tuple[bool | None, str]:
    """Return whether we say that `text` loads, and why; None where llama.cpp cannot be asked.

    That is where it hangs or crashes, and where `<text>` depends on the vocabulary.
    """
    try:
        grammar = parse_spelling(text)
    except GbnfSyntaxError as error:
        return False, str(error)
    nodes = (node for rule in grammar.rules for node in walk(rule.body))
    if any(isinstance(node, TokenTerminal) and isinstance(node.token, str) for node in nodes):
        return None, "depends on the vocabulary"
    refusal = engine_refusal(grammar, as_spelled=True)
    if refusal is None:
        return True, "loads"
    return (False if refusal.kind.is_answered else None), str(refusal)
