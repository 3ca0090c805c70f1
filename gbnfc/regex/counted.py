"""Counted repetitions that llama.cpp accepts and keeps exact, however large.

llama.cpp (0.3.36, `handle_repetitions`) refuses a repetition that would generate more than 2,000
rules and drops an upper bound above 2,000 in silence. Larger bounds are therefore written through
named blocks, a reference to which counts as one:

    x{0,9999}  →  block{0,99} x{0,99}      with  block ::= x{100}

Every length has exactly one derivation, so the engine follows at most two of them at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from gbnfc.errors import LimitExceeded
from gbnfc.ir.build import optional, repeat, sequence
from gbnfc.ir.nodes import (
    MAX_REPETITION,
    AnyChar,
    CharClass,
    Choice,
    Expression,
    Literal,
    Repeat,
    Rule,
    RuleRef,
    Sequence,
    TokenTerminal,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gbnfc.ir.names import NameAllocator

_MAX_COUNT = MAX_REPETITION**3
_Item: TypeAlias = tuple[Expression, int, int | None]


@dataclass
class Repetitions:
    """Writes counted repetitions; `rules` are the blocks made so far, in order."""

    names: NameAllocator
    rules: list[Rule]

    def counted(self, body: Expression, minimum: int, maximum: int | None, hint: str) -> Expression:
        """Return `body` between `minimum` and `maximum` times (`None`: no upper bound).

        Raises:
            LimitExceeded: a bound above 8,000,000,000.
        """
        largest = minimum if maximum is None else maximum
        if largest > _MAX_COUNT:
            raise LimitExceeded(f"a repetition of {largest} is beyond {_MAX_COUNT}")
        if largest <= 1:
            return repeat(body, minimum, maximum)
        copies = generated_rules(body)
        if copies > 1 and largest * copies > MAX_REPETITION:
            body = self.named(body, f"{hint}-item")
        if largest <= MAX_REPETITION:
            return repeat(body, minimum, maximum)
        more = (
            repeat(body, 0, None) if maximum is None else self.up_to(body, maximum - minimum, hint)
        )
        return sequence([self.exactly(body, minimum, hint), more])

    def join(self, parts: Iterable[Expression], hint: str) -> Expression:
        """Return `parts` in sequence, neighbours that repeat the same thing joined.

        `x x{0,3}` → `x{1,4}`. Single copies of a literal stay apart: `"aa"` reads better than
        `"a"{2}`.
        """
        items: list[_Item] = []
        for part in parts:
            for item in part.items if isinstance(part, Sequence) else (part,):
                _push(items, _item(item))
        return sequence(self.counted(*item, hint) for item in items)

    def named(self, body: Expression, hint: str) -> RuleRef:
        """Return a reference to a new rule with this body."""
        rule = Rule(self.names.allocate(hint), body)
        self.rules.append(rule)
        return RuleRef(rule.name)

    def exactly(self, body: Expression, count: int, hint: str) -> Expression:
        """Return `body` exactly `count` times."""
        if count <= MAX_REPETITION:
            return repeat(body, count, count)
        size = _block_size(count)
        block = self.named(self.exactly(body, size, hint), f"{hint}-block")
        blocks, rest = divmod(count, size)
        return sequence([self.exactly(block, blocks, hint), repeat(body, rest, rest)])

    def up_to(self, body: Expression, count: int, hint: str) -> Expression:
        """Return `body` at most `count` times."""
        if count <= MAX_REPETITION:
            return repeat(body, 0, count)
        size = _block_size(count + 1)
        blocks, spare = divmod(count + 1, size)
        block = self.named(self.exactly(body, size, hint), f"{hint}-block")
        found = sequence([self.up_to(block, blocks - 1, hint), repeat(body, 0, size - 1)])
        # The sizes multiply to `count + 1 - spare`: 0 … spare - 1 first, one at a time.
        for _ in range(spare):
            found = optional(sequence([body, found]))
        return found


def _block_size(count: int) -> int:
    """Return a block size near the root of `count` that leaves the smallest remainder."""
    root = min(MAX_REPETITION, max(2, round(count**0.5)))
    sizes = range(root, max(1, root - 200), -1)
    return min(sizes, key=lambda size: (count % size, root - size))


def generated_rules(expression: Expression) -> int:
    """Return how many rules llama.cpp generates for one copy of `expression` in a repetition."""
    match expression:
        case Sequence(items) | Choice(items):
            return 1 + sum(_inner_rules(item) for item in items)
        case _:
            return 1 + _inner_rules(expression) if isinstance(expression, Repeat) else 1


def _inner_rules(expression: Expression) -> int:
    match expression:
        case Sequence(items):
            return sum(_inner_rules(item) for item in items)
        case Choice(items):
            return 1 + sum(_inner_rules(item) for item in items)
        case Repeat(body, minimum, maximum):
            own = 1 if maximum is None else maximum - minimum
            return own + _inner_rules(body) + isinstance(body, Sequence)
        case Literal() | CharClass() | AnyChar() | TokenTerminal() | RuleRef():
            return 0


def _item(part: Expression) -> _Item:
    return (part.body, part.minimum, part.maximum) if isinstance(part, Repeat) else (part, 1, 1)


def _push(items: list[_Item], item: _Item) -> None:
    """Append `item`, joined with what it repeats."""
    body, minimum, maximum = item
    while items and items[-1][0] == body and _joins(items[-1], (body, minimum, maximum)):
        _, fewest, most = items.pop()
        minimum += fewest
        maximum = None if maximum is None or most is None else maximum + most
    items.append((body, minimum, maximum))


def _joins(one: _Item, other: _Item) -> bool:
    return not isinstance(one[0], Literal) or (one[1:], other[1:]) != ((1, 1), (1, 1))
