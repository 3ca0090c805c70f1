"""Whether a grammar speaks of tokens (`<think>`) instead of characters. In: IR. Out: yes or no."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.ir.nodes import Choice, Repeat, Sequence, TokenTerminal

if TYPE_CHECKING:
    from gbnfc.ir.nodes import Expression, Grammar


def has_token_terminals(grammar: Grammar) -> bool:
    """Return whether any rule of `grammar` holds a token terminal."""
    stack: list[Expression] = [rule.body for rule in grammar.rules]
    while stack:
        match stack.pop():
            case TokenTerminal():
                return True
            case Sequence(items=parts) | Choice(alternatives=parts):
                stack.extend(parts)
            case Repeat(body=body):
                stack.append(body)
            case _:
                pass
    return False
