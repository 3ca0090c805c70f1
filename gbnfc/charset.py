"""Immutable sets of Unicode code points.

A `CharSet` is the alphabet of everything else: character classes, automaton transitions, "what may
come next". It is stored as sorted, disjoint, non-adjacent, inclusive ranges, so that equal sets are
equal values and no operation ever enumerates characters.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, TypeAlias

from gbnfc.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_CODE_POINT = 0x10FFFF

Range: TypeAlias = tuple[int, int]
"""An inclusive range of code points, `(first, last)`."""


@frozen
class CharSet:
    """A set of code points as sorted, disjoint, non-adjacent, inclusive ranges.

    Build one with `CharSet.of` (which sorts and merges); the bare constructor trusts its argument.

    >>> CharSet.of([(97, 99), (100, 100)])
    CharSet(ranges=((97, 100),))
    """

    ranges: tuple[Range, ...] = ()

    @classmethod
    def of(cls, ranges: Iterable[Range]) -> CharSet:
        """Return the union of inclusive `ranges`; reversed ranges count as empty."""
        merged: list[Range] = []
        for first, last in sorted(r for r in ranges if r[0] <= r[1]):
            if merged and first <= merged[-1][1] + 1:
                if last > merged[-1][1]:
                    merged[-1] = (merged[-1][0], last)
            else:
                merged.append((first, last))
        return cls(tuple(merged))

    @classmethod
    def from_chars(cls, chars: Iterable[str]) -> CharSet:
        """Return the set of the given one-character strings (a plain `str` works)."""
        return cls.of((ord(char), ord(char)) for char in chars)

    @classmethod
    def single(cls, code_point: int) -> CharSet:
        """Return the set of one code point."""
        return cls(((code_point, code_point),))

    def __bool__(self) -> bool:
        return bool(self.ranges)

    def __len__(self) -> int:
        """Return the number of code points in the set."""
        return sum(last - first + 1 for first, last in self.ranges)

    def __contains__(self, char: str | int) -> bool:
        code_point = char if isinstance(char, int) else ord(char)
        ranges = self.ranges
        if len(ranges) == 1:
            return ranges[0][0] <= code_point <= ranges[0][1]
        index = bisect_right(ranges, (code_point, MAX_CODE_POINT + 1)) - 1
        return index >= 0 and code_point <= ranges[index][1]

    def __iter__(self) -> Iterator[int]:
        """Yield each code point in ascending order (mind the size)."""
        for first, last in self.ranges:
            yield from range(first, last + 1)

    def __or__(self, other: CharSet) -> CharSet:
        return CharSet.of(self.ranges + other.ranges)

    def __and__(self, other: CharSet) -> CharSet:
        found: list[Range] = []
        mine, theirs = self.ranges, other.ranges
        i = j = 0
        while i < len(mine) and j < len(theirs):
            (first, last), (start, end) = mine[i], theirs[j]
            if last < end:
                i += 1
            else:
                j += 1
                last = end
            if first < start:
                first = start
            if first <= last:
                found.append((first, last))
        return CharSet(tuple(found))

    def __invert__(self) -> CharSet:
        found: list[Range] = []
        start = 0
        for first, last in self.ranges:
            if start < first:
                found.append((start, first - 1))
            start = last + 1
        if start <= MAX_CODE_POINT:
            found.append((start, MAX_CODE_POINT))
        return CharSet(tuple(found))

    def __sub__(self, other: CharSet) -> CharSet:
        return self & ~other

    def isdisjoint(self, other: CharSet) -> bool:
        """Return whether the two sets share no code point."""
        mine, theirs = self.ranges, other.ranges
        i = j = 0
        while i < len(mine) and j < len(theirs):
            if mine[i][1] < theirs[j][0]:
                i += 1
            elif theirs[j][1] < mine[i][0]:
                j += 1
            else:
                return False
        return True

    @property
    def lowest(self) -> int:
        """The smallest code point. Raises `IndexError` when the set is empty."""
        return self.ranges[0][0]


EMPTY = CharSet()
ANY = CharSet(((0, MAX_CODE_POINT),))
SURROGATES = CharSet(((0xD800, 0xDFFF),))
SCALARS = ANY - SURROGATES
"""Unicode scalar values: what a text can hold."""


def partition(sets: Iterable[CharSet]) -> tuple[CharSet, ...]:
    """Return the coarsest disjoint sets from which each of `sets` can be put together.

    Code points that lie in none of them are left out. The result is ordered by lowest member.

    >>> [p.ranges for p in partition([CharSet.of([(1, 5)]), CharSet.of([(3, 9)])])]
    [((1, 2),), ((3, 5),), ((6, 9),)]
    """
    members = tuple(dict.fromkeys(sets))
    if len(members) == 1:
        return members if members[0].ranges else ()
    # Sets are bits. Each begins and ends at places of its own, so both ends toggle its bit.
    toggled: dict[int, int] = {}
    bit = 1
    for chars in members:
        for first, last in chars.ranges:
            toggled[first] = toggled.get(first, 0) ^ bit
            toggled[last + 1] = toggled.get(last + 1, 0) ^ bit
        bit <<= 1
    inside = previous = 0
    pieces: dict[int, list[Range]] = {}
    for at in sorted(toggled):
        if inside:
            pieces.setdefault(inside, []).append((previous, at - 1))
        inside ^= toggled[at]
        previous = at
    # Neighbouring pieces can only touch when their owners differ, so no merging is needed.
    return tuple(CharSet(tuple(ranges)) for ranges in pieces.values())
