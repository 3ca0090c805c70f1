"""Counted repetition within the engine's limit, exact for any bound.

llama.cpp refuses a repetition that generates more than 2,000 rules and silently reads a larger upper
bound as "no bound" (`MAX_REPETITION_THRESHOLD`, src/llama-grammar.cpp as vendored by llama-cpp-python
0.3.36). A reference to a named rule counts as one, so larger bounds go through named blocks.
"""

from __future__ import annotations

from gbnfc.ir.build import repeat, sequence
from gbnfc.ir.names import NameAllocator
from gbnfc.ir.nodes import AnyChar, CharClass, Expression, Rule, RuleRef

ENGINE_LIMIT = 2_000
"""The largest bound that the engine takes as written."""

_BLOCK = 500
_LARGEST = _BLOCK * ENGINE_LIMIT


def counted(
    body: Expression, minimum: int, maximum: int | None, names: NameAllocator, hint: str
) -> tuple[Expression, tuple[Rule, ...]]:
    """Return `body` repeated `minimum` to `maximum` times (`None`: no bound), and the rules it needs.

    >>> expression, rules = counted(RuleRef("char"), 0, 4999, NameAllocator(), "char-block")
    >>> # root ::= char-block{0,9} char{0,499}   char-block ::= char{500}

    Raises:
        ValueError: a bound above a million, which no caller should ask for.
    """
    largest = minimum if maximum is None else maximum
    if largest <= ENGINE_LIMIT and _is_one_symbol(body):
        return repeat(body, minimum, maximum), ()
    if largest > _LARGEST:
        raise ValueError(f"a repetition of {largest} is beyond {_LARGEST}")
    rules: list[Rule] = []
    if not _is_one_symbol(body):
        name = names.allocate(f"{hint}-item")
        rules.append(Rule(name, body))
        body = RuleRef(name)
        if largest <= ENGINE_LIMIT:
            return repeat(body, minimum, maximum), tuple(rules)
    block = RuleRef(names.allocate(f"{hint}-block"))
    rules.append(Rule(block.name, repeat(body, _BLOCK, _BLOCK)))
    blocks, rest = divmod(minimum, _BLOCK)
    parts = [repeat(block, blocks, blocks), repeat(body, rest, rest)]
    if maximum is None:
        parts.append(repeat(body, 0, None))
    else:
        parts += _up_to(maximum - minimum, body, block)
    return sequence(parts), tuple(rules)


def _up_to(count: int, body: Expression, block: RuleRef) -> list[Expression]:
    """Return 0 to `count` bodies: full blocks, then a tail that closes every gap between them."""
    blocks = max(0, (count + 1) // _BLOCK - 1)
    return [repeat(block, 0, blocks), repeat(body, 0, count - blocks * _BLOCK)]


def _is_one_symbol(body: Expression) -> bool:
    return isinstance(body, RuleRef | CharClass | AnyChar)
