"""Where a value may begin and end in a text.

In: a text whose white space is folded, and where its chunks (what stands between blanks) begin.
Out: ascending offsets. A value begins at a chunk or, inside one, behind a symbol that separates
(`key:value`, `#12`, `(left`), and ends before a blank or such a symbol, without the punctuation
that trails (`Bonn,`). Symbols that belong to numbers, dates and names separate nothing: `1,234`,
`14:31`, `2016/05/01`, `O'Brien`, `well-known`. Nothing is cut that Unicode keeps together.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gbnfc.grounding.characters import (
    UNSEEN,
    is_currency,
    is_joined,
    is_word,
    parts_words,
)
from gbnfc.grounding.currencies import CURRENCY_CODES

if TYPE_CHECKING:
    from collections.abc import Sequence

_HARD = frozenset('=#@([{<>|;")]}')
"""ASCII symbols that separate wherever they stand."""

_UNLESS_IN_NUMERALS = frozenset(":,/\\")
_APOSTROPHES = frozenset("'’‘ʼ`´")
_HYPHENS = frozenset("-‐‑−")
_OUTER_ONLY = _APOSTROPHES | _HYPHENS | UNSEEN | frozenset("*_~^.+!?&%$…·")
"""Symbols that separate only at the edge of a word: `'quoted'`, `_marked_`."""

_MAY_LEAD = frozenset("([{¿¡§#@")
_MAY_LEAD_A_WORD = frozenset("/\\.~+±-−_")
_MAY_TRAIL = frozenset("%+#")
_BRACKETS_CLOSING = frozenset(")]}")

_CURRENCY_CODE = re.compile(r"([A-Za-z]{1,3})(?=[0-9])")

_ABBREVIATION_LIST = (
    "al approx apt ave bldg blvd bros ca cf co corp ct dept dr ed eds est etc ext fig fl ft gen "
    "gmbh gov hon hr inc jr ltd max messrs min mr mrs ms mt no nos nr op pl pp prof rd ref rev sq "
    "sr st str tel vol vs z"
)
_ABBREVIATIONS = frozenset(_ABBREVIATION_LIST.split())


def find_boundaries(text: str, chunks: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return where values may begin, and where (exclusive) they may end, both ascending.

    `chunks` are the offsets at which the pieces between blanks begin.
    """
    starts: list[int] = []
    ends: list[int] = []
    for index, first in enumerate(chunks):
        last = chunks[index + 1] - 1 if index + 1 < len(chunks) else len(text)
        chunk = text[first:last]
        if chunk.isascii() and chunk.isalnum() and not _holds_digit_behind_letter(chunk):
            starts.append(first)
            ends.append(last)
            continue
        if not any(map(is_word, chunk)):
            continue
        found = _Chunk(text, first, last)
        starts += found.starts()
        ends += found.ends()
    return tuple(starts), tuple(ends)


def _holds_digit_behind_letter(chunk: str) -> bool:
    return chunk[0].isalpha() and not chunk.isalpha()


class _Chunk:
    """What stands between two blanks: `text[first:last]`, which holds a word character."""

    __slots__ = ("first", "is_range", "last", "text")

    def __init__(self, text: str, first: int, last: int) -> None:
        self.text = text
        self.first = first
        self.last = last
        # A lone hyphen between digits parts a range (`2019-2021`); several make a date or a number.
        hyphens = [at for at in range(first, last) if text[at] in _HYPHENS]
        self.is_range = len(hyphens) == 1 and self._is_between_digits(hyphens[0])

    def starts(self) -> list[int]:
        found = [self.first] if self._may_lead(self.first) else []
        amount = _CURRENCY_CODE.match(self.text, self.first, self.last)
        behind_code = amount.end() if amount and amount[1].upper() in CURRENCY_CODES else None
        for at in range(self.first + 1, self.last):
            if (
                (at == behind_code or self._separates_behind(at))
                and self._may_lead(at)
                and not is_joined(self.text, at)
            ):
                found.append(at)
        return found

    def ends(self) -> list[int]:
        return [
            at
            for at in range(self.first + 1, self.last + 1)
            if (at == self.last or self._separates_before(at))
            and self._may_trail(at)
            and not is_joined(self.text, at)
        ]

    def _char(self, at: int) -> str:
        return self.text[at] if self.first <= at < self.last else " "

    def _is_word(self, at: int) -> bool:
        return self.first <= at < self.last and is_word(self.text[at])

    def _is_between_digits(self, at: int) -> bool:
        return self._char(at - 1).isdigit() and self._char(at + 1).isdigit()

    def _separates(self, at: int) -> bool:
        """Return whether the symbol at `at` separates what stands on its sides."""
        symbol = self.text[at]
        if symbol in _HARD:
            return True
        if symbol in _UNLESS_IN_NUMERALS:
            return not self._is_between_digits(at)
        if symbol in _HYPHENS:
            return self.is_range
        return symbol > "\x7f" and symbol not in _OUTER_ONLY

    def _separates_behind(self, at: int) -> bool:
        before = self.text[at - 1]
        if is_word(before):
            return self._is_word(at) and parts_words(before, self.text[at])
        if is_currency(before):
            return self.text[at].isdigit()
        return self._separates(at - 1) or not self._is_word(at - 2)

    def _separates_before(self, at: int) -> bool:
        symbol = self.text[at]
        if is_word(symbol):
            return self._is_word(at - 1) and parts_words(self.text[at - 1], symbol)
        if self._separates(at) or not self._is_word(at + 1):
            return True
        # Anna's: the possessive is no part of the name.
        return symbol in _APOSTROPHES and self._char(at + 1) in "sS" and not self._is_word(at + 2)

    def _may_lead(self, at: int) -> bool:
        char = self.text[at]
        if is_word(char):
            return not is_joined(f" {char}", 1)
        following = self._char(at + 1)
        if char in _MAY_LEAD or is_currency(char):
            return not following.isspace() and following not in _BRACKETS_CLOSING
        if char in _HYPHENS:
            return following.isdigit() or is_currency(following)
        is_alone = self._char(at - 1) != char  # no second slash of `//`
        return is_alone and char in _MAY_LEAD_A_WORD and following.isalnum()

    def _may_trail(self, at: int) -> bool:
        char = self.text[at - 1]
        if is_word(char):
            return True
        before = self._char(at - 2)
        if char in _BRACKETS_CLOSING:
            return not before.isspace()
        if char in _MAY_TRAIL or is_currency(char):
            return is_word(before) or before == char
        if char == "/":
            return "://" in self.text[self.first : at - 1]
        return char == "." and self._is_abbreviated(at - 1)

    def _is_abbreviated(self, dot: int) -> bool:
        """Return whether the full stop at `dot` belongs to the word before it."""
        start = dot
        while start > self.first and self.text[start - 1].isalpha():
            start -= 1
        word = self.text[start:dot]
        if not word:
            return False
        if len(word) == 1 or word.lower() in _ABBREVIATIONS:
            return True
        following = self._char(dot + 1)
        if following == " " and dot + 2 < len(self.text) and dot + 1 == self.last:
            return self.text[dot + 2].islower()
        return following in ",;:" and dot + 1 < self.last
