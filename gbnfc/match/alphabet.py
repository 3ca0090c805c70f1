"""Character equivalence: which characters no class of a grammar tells apart.

In: the character sets and the literal characters of a grammar. Out: a key per character, so that
the matcher computes a transition once per key and not once per character. A character that occurs
in a literal is its own key; any other one is known by the number of its class.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, TypeAlias

from gbnfc.charset import SCALARS, CharSet

if TYPE_CHECKING:
    from collections.abc import Iterable

MATCHABLE = SCALARS - CharSet.single(0)
"""What llama.cpp can accept as text: scalar values without NUL (it ends a C string there)."""

OUTSIDE = -1
"""The class of the characters that no set of the grammar holds."""

Key: TypeAlias = str | int


class CharacterClasses:
    """The equivalence classes of a grammar's characters, numbered from 0.

    `spells_all_literals` tells that no literal holds a NUL or a surrogate, which no text has.
    """

    def __init__(self, sets: Iterable[CharSet], literal_chars: Iterable[str]) -> None:
        self._literal_chars = frozenset(literal_chars)
        self.spells_all_literals = all(char in MATCHABLE for char in self._literal_chars)
        self._starts: list[int] = []
        self._class_at: list[int] = []
        self._members: dict[CharSet, frozenset[int]] = {}
        self._number_classes(tuple(dict.fromkeys(sets)))

    def _number_classes(self, sets: tuple[CharSet, ...]) -> None:
        # A sweep over the range ends: between two ends the owners, and so the class, are the same.
        events: dict[int, list[int]] = {}
        for index, chars in enumerate(sets):
            for first, last in chars.ranges:
                events.setdefault(first, []).append(index)
                events.setdefault(last + 1, []).append(~index)
        owners: set[int] = set()
        numbers: dict[frozenset[int], int] = {frozenset(): OUTSIDE}
        classes_of: list[list[int]] = [[] for _ in sets]
        for at in sorted(events):
            for index in events[at]:
                if index >= 0:
                    owners.add(index)
                else:
                    owners.discard(~index)
            owned_by = frozenset(owners)
            if owned_by not in numbers:
                numbers[owned_by] = len(numbers) - 1
                for index in owned_by:
                    classes_of[index].append(numbers[owned_by])
            self._starts.append(at)
            self._class_at.append(numbers[owned_by])
        self._members = {
            chars: frozenset(classes) for chars, classes in zip(sets, classes_of, strict=True)
        }

    def classes(self, chars: CharSet) -> frozenset[int]:
        """Return the classes that make up `chars`, one of the sets given at construction."""
        return self._members[chars]

    def class_of(self, char: str) -> int:
        """Return the class of `char`, or `OUTSIDE`."""
        index = bisect_right(self._starts, ord(char)) - 1
        return self._class_at[index] if index >= 0 else OUTSIDE

    def key(self, char: str) -> Key:
        """Return what the grammar can tell about `char`: itself, or its class."""
        return char if char in self._literal_chars else self.class_of(char)
