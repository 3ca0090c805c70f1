"""Ways through an expression without recursion: what analyses and passes are written with.

In: an `Expression`. Out: its nodes, a value computed from the leaves up, or a rebuilt expression.
"""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING, TypeVar

from gbnfc.ir.nodes import (
    AnyChar,
    CharClass,
    Choice,
    Expression,
    Literal,
    Repeat,
    RuleRef,
    Sequence,
    TokenTerminal,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_T = TypeVar("_T")

# Most nodes are leaves: telling them at once halves the time of every walk.
_LEAVES = frozenset((Literal, CharClass, AnyChar, TokenTerminal, RuleRef))


def children(expression: Expression) -> tuple[Expression, ...]:
    """Return the direct parts of `expression`, in source order."""
    if type(expression) in _LEAVES:
        return ()
    if isinstance(expression, Sequence):
        return expression.items
    if isinstance(expression, Choice):
        return expression.alternatives
    return (expression.body,) if isinstance(expression, Repeat) else ()


def with_children(expression: Expression, parts: tuple[Expression, ...]) -> Expression:
    """Return `expression` with other direct parts; itself when they are the same objects."""
    old = children(expression)
    if len(old) == len(parts) and all(map(is_, old, parts)):
        return expression
    match expression:
        case Sequence(span=span):
            return Sequence(parts, span)
        case Choice(span=span):
            return Choice(parts, span)
        case Repeat(minimum=minimum, maximum=maximum, span=span):
            return Repeat(parts[0], minimum, maximum, span)
        case _:
            return expression


def walk(expression: Expression) -> Iterator[Expression]:
    """Yield `expression` and all its parts, each before its own parts, in source order."""
    pending = [expression]
    while pending:
        node = pending.pop()
        yield node
        if type(node) not in _LEAVES:
            pending.extend(children(node)[::-1])


def fold(expression: Expression, combine: Callable[[Expression, tuple[_T, ...]], _T]) -> _T:
    """Return `combine(node, values of its parts)` for the root, computed from the leaves up."""
    parts = children(expression)
    if not parts:
        return combine(expression, ())
    node, values = expression, list[_T]()
    open_nodes: list[tuple[Expression, tuple[Expression, ...], list[_T]]] = []
    while True:
        for part in parts[len(values) :]:
            if type(part) not in _LEAVES and (below := children(part)):
                open_nodes.append((node, parts, values))
                node, parts, values = part, below, []
                break
            values.append(combine(part, ()))
        else:
            value = combine(node, tuple(values))
            if not open_nodes:
                return value
            node, parts, values = open_nodes.pop()
            values.append(value)


def holds(expression: Expression, leaf_holds: Callable[[Expression], bool]) -> bool:
    """Return whether all items of a sequence hold, any alternative of a choice, what is repeated.

    `leaf_holds` tells it of the leaves; what need not stand always holds, what cannot stand
    (`x{3,2}`) never. Parts that decide nothing are not looked at.
    """
    open_nodes: list[tuple[bool, Iterator[Expression]]] = []
    node = expression
    while True:
        match node:
            case Sequence(items=parts) | Choice(alternatives=parts):
                value = isinstance(node, Sequence)
                open_nodes.append((value, iter(parts)))
            case Repeat(body=body, minimum=minimum, maximum=maximum):
                value = maximum is None or minimum <= maximum
                open_nodes.append((True, iter((body,) if minimum else ())))
            case _:
                value = leaf_holds(node)
        # An `all` goes on while its parts hold, an `any` while they do not.
        while open_nodes:
            undecided, rest = open_nodes[-1]
            if value is undecided and (part := next(rest, None)) is not None:
                node = part
                break
            open_nodes.pop()
        else:
            return value


def rebuild(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """Return `expression` with `change` applied to each node, parts first."""
    return fold(expression, lambda node, parts: change(with_children(node, parts)))


def height(expression: Expression) -> int:
    """Return the number of levels of `expression`; an expression without parts has one."""
    return fold(expression, lambda _, heights: 1 + max(heights, default=0))


def references(expression: Expression) -> tuple[str, ...]:
    """Return the names of the rules that `expression` refers to, each once, in source order."""
    return tuple(dict.fromkeys(n.name for n in walk(expression) if isinstance(n, RuleRef)))
