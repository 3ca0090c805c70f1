"""Pairs of brackets: which one is innermost around an offset.

In: a text and offsets. Out: for the offsets inside a pair, where that pair opens. A pair is short
and on one level of its kind; brackets without a partner (`1)`) are plain characters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_CLOSERS = {")": "(", "]": "[", "}": "{"}
_OPENERS = frozenset(_CLOSERS.values())
_MAX_PAIR = 200
"""Characters between the brackets of a pair; further apart they are taken for a slip."""


def bracket_pairs(text: str) -> tuple[tuple[int, int], ...]:
    """Return the offsets of the opening and closing bracket of each pair, by opening bracket."""
    pairs: list[tuple[int, int]] = []
    opened: list[int] = []
    for offset, char in enumerate(text):
        if char in _OPENERS:
            opened.append(offset)
        elif char in _CLOSERS:
            while opened and offset - opened[-1] > _MAX_PAIR:
                opened.pop()
            if opened and text[opened[-1]] == _CLOSERS[char]:
                pairs.append((opened.pop(), offset))
    return tuple(sorted(pairs))


def enclosing_brackets(text: str, offsets: Iterable[int]) -> dict[int, int]:
    """Return, for those of `offsets` inside a pair, where the innermost pair around them opens.

    An offset is a boundary between characters: inside from behind `(` to before `)`.
    """
    pairs = bracket_pairs(text)
    found: dict[int, int] = {}
    around: list[tuple[int, int]] = []
    upcoming = 0
    for offset in sorted(set(offsets)):
        while upcoming < len(pairs) and pairs[upcoming][0] < offset:
            around.append(pairs[upcoming])
            upcoming += 1
        while around and around[-1][1] < offset:
            around.pop()
        if around:
            found[offset] = around[-1][0]
    return found
