"""Left factoring: alternatives that begin alike share their beginning.

In: alternatives, and the bodies of the rules they refer to. Out: one expression of the same
language. The engine follows alternatives that begin alike side by side, a stack for each; factored,
it follows one until they part (Aho, Sethi, Ullman, Compilers, section 4.3). References are opened
where that shows a shared beginning, within limits, so a grammar grows by no more than those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from gbnfc.ir.build import EMPTY_TEXT, choice, optional, sequence
from gbnfc.ir.nodes import Choice, Expression, Literal, Repeat, RuleRef, Sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

MAX_ROWS = 64
"""What would open into more alternatives than this stays as it is."""

MAX_OPENED = 400
"""In one call, so many references and choices are opened; what follows stays as it is."""

MAX_DEPTH = 8
"""Shared beginnings behind shared beginnings are looked for to this depth."""

_Row: TypeAlias = tuple[Expression, ...]
"""An alternative as the items of a sequence."""


def factor(
    alternatives: Iterable[Expression],
    bodies: Mapping[str, Expression],
    new_rule: Callable[[Expression], RuleRef],
) -> Expression:
    """Return `alternatives` with what they begin with written once.

    `bodies` are the rules' by name, `new_rule` makes one of what would have to stand twice.
    """
    return _Factoring(bodies, new_rule).factored([_items(item) for item in alternatives], 0)


def _items(expression: Expression) -> _Row:
    return expression.items if isinstance(expression, Sequence) else (expression,)


class _Factoring:
    def __init__(
        self, bodies: Mapping[str, Expression], new_rule: Callable[[Expression], RuleRef]
    ) -> None:
        self._bodies = bodies
        self._new_rule = new_rule
        self._left = MAX_OPENED

    def factored(self, rows: list[_Row], depth: int) -> Expression:
        rows = list(dict.fromkeys(rows))
        if len(rows) == 1 or depth > MAX_DEPTH:
            return choice(map(sequence, rows))
        ends = _shared_end(rows)
        if ends:
            rows = [row[: len(row) - len(ends)] for row in rows]
        groups: dict[str | Expression | None, list[_Row]] = {}
        for row in self._opened(self._joined(rows, depth)):
            groups.setdefault(_start(row), []).append(row)
        may_be_empty = groups.pop(None, None) is not None
        parts = [self._part(group, depth) for group in groups.values()]
        found = optional(choice(parts)) if may_be_empty else choice(parts)
        return sequence([found, *ends])

    def _joined(self, rows: list[_Row], depth: int) -> list[_Row]:
        """Return `rows`, those that begin with the same reference as one."""
        groups: dict[Expression | int, list[_Row]] = {}
        for number, row in enumerate(rows):
            is_alone = not row or isinstance(row[0], Literal)
            groups.setdefault(number if is_alone else row[0], []).append(row)
        return [
            group[0] if len(group) == 1 else _items(self._part(group, depth))
            for group in groups.values()
        ]

    def _part(self, rows: list[_Row], depth: int) -> Expression:
        """Return `rows`, which start alike, as one expression."""
        if len(rows) == 1:
            return sequence(rows[0])
        first = rows[0][0]
        if not isinstance(first, Literal):
            return sequence([first, self.factored([row[1:] for row in rows], depth + 1)])
        texts = [row[0].text for row in rows if isinstance(row[0], Literal)]
        shared = _shared_start(texts)
        rests = [
            (Literal(text[len(shared) :]), *row[1:]) if len(text) > len(shared) else row[1:]
            for text, row in zip(texts, rows, strict=True)
        ]
        return sequence([Literal(shared), self.factored(rests, depth + 1)])

    def _opened(self, rows: list[_Row]) -> list[_Row]:
        """Return `rows`, those opened that start as another does."""
        opened = [self._open(row, ()) for row in rows]
        owners: dict[str | Expression | None, set[int]] = {}
        for number, group in enumerate(opened):
            for row in group:
                owners.setdefault(_start(row), set()).add(number)
        shared = {n for numbers in owners.values() if len(numbers) > 1 for n in numbers}
        found: list[_Row] = []
        for number, (row, group) in enumerate(zip(rows, opened, strict=True)):
            found += group if number in shared else [row]
        return list(dict.fromkeys(found))

    def _open(self, row: _Row, inside: tuple[str, ...]) -> list[_Row]:
        """Return alternatives that together are `row`, told apart by what they begin with.

        `inside` are the rules opened on the way.
        """
        if not row or not self._left:
            return [row]
        self._left -= 1
        first, rest = row[0], row[1:]
        match first:
            case Sequence(items=items):
                return self._open((*items, *rest), inside)
            case RuleRef(name=name) if name not in inside and name in self._bodies:
                return self._open((*_items(self._bodies[name]), *rest), (*inside, name))
            case Choice(alternatives=parts):
                return self._open_each(parts, row, inside)
            case Repeat(body=body, minimum=0, maximum=1) if rest:
                return self._open_each((body, EMPTY_TEXT), row, inside)
            case _:
                return [row]

    def _open_each(
        self, parts: tuple[Expression, ...], row: _Row, inside: tuple[str, ...]
    ) -> list[_Row]:
        rest = row[1:]
        if len(parts) > 1 and not all(isinstance(item, RuleRef | Literal) for item in rest):
            rest = (self._new_rule(sequence(rest)),)
        found: list[_Row] = []
        for part in parts:
            found += self._open((*_items(part), *rest), inside)
            # Nothing is won by opening what does not begin with certain characters.
            is_vague = any(start and not isinstance(start, str) for start in map(_start, found))
            if is_vague or len(found) > MAX_ROWS:
                return [row]
        return found


def _start(row: _Row) -> str | Expression | None:
    """Return what tells where `row` belongs: its first character if it is certain, else its item.

    `None`: it is empty.
    """
    if not row:
        return None
    first = row[0]
    return first.text[0] if isinstance(first, Literal) and first.text else first


def _shared_start(texts: list[str]) -> str:
    first, last = min(texts), max(texts)
    size = next((at for at, char in enumerate(first) if char != last[at]), len(first))
    return first[:size]


def _shared_end(rows: list[_Row]) -> _Row:
    size = 0
    for column in zip(*(row[::-1] for row in rows), strict=False):
        if any(item != column[0] for item in column):
            break
        size += 1
    return rows[0][len(rows[0]) - size :]
