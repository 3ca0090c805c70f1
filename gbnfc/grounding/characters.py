"""What a character is to the boundaries of values: word or symbol, and never to be parted.

In: characters. Out: classes of them. Where two characters must stay together follows the extended
grapheme clusters of Unicode (UAX #29, rules GB3 to GB13) as far as `unicodedata` tells them; what
an editor would delete at once is never cut.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

ZERO_WIDTH_JOINER = "\u200d"
_NON_JOINER = "\u200c"
_TAGS = ("\U000e0020", "\U000e007f")
_SKIN_TONES = ("\U0001f3fb", "\U0001f3ff")
_REGIONAL = ("\U0001f1e6", "\U0001f1ff")
_LOW_SURROGATES = ("\udc00", "\udfff")
_JAMO_VOWELS_AND_FINALS = (("\u1160", "\u11ff"), ("\ud7b0", "\ud7fb"))
_NEVER_FIRST_IN_JAPANESE = frozenset("ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶー々ゝゞ")

UNSEEN = frozenset(
    "\u00ad\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
)
"""Characters that show nothing: direction marks, byte order marks, places for a line break."""

_SYMBOL_CATEGORIES = frozenset({"Sm", "Sc", "Sk"})

_UNSPACED = (
    ("\u0e01", "\u0eff"),  # Thai, Lao
    ("\u1000", "\u109f"),  # Myanmar
    ("\u1780", "\u17ff"),  # Khmer
    ("\u3041", "\u309f"),  # Hiragana
    ("\u3400", "\u4dbf"),
    ("\u4e00", "\u9fff"),
    ("\uf900", "\ufaff"),
    ("\U00020000", "\U0003ffff"),
)
_KATAKANA = ("\u30a0", "\u30ff")


@lru_cache(maxsize=4_096)
def is_word(char: str) -> bool:
    """Return whether `char` is part of words: no punctuation, and no symbol but pictures."""
    if char.isalnum() or _extends(char):
        return True
    category = unicodedata.category(char)
    return category[0] not in "PZC" and category not in _SYMBOL_CATEGORIES


@lru_cache(maxsize=4_096)
def is_currency(char: str) -> bool:
    """Return whether `char` is a currency symbol (category Sc)."""
    return unicodedata.category(char) == "Sc"


@lru_cache(maxsize=4_096)
def is_unspaced(char: str) -> bool:
    """Return whether `char` is of a script that writes no blanks between words."""
    return any(first <= char <= last for first, last in _UNSPACED)


def parts_words(before: str, after: str) -> bool:
    """Return whether a word may end between two word characters: where no blanks are written."""
    if is_unspaced(before) or is_unspaced(after):
        return True
    inside = [_KATAKANA[0] <= char <= _KATAKANA[1] for char in (before, after)]
    return inside[0] != inside[1]


def is_joined(text: str, offset: int) -> bool:
    """Return whether the characters before and behind `offset` must stay together."""
    if not 0 < offset < len(text):
        return False
    char, before = text[offset], text[offset - 1]
    if char < "\u0300":
        return before == ZERO_WIDTH_JOINER
    if _extends(char) or char in _NEVER_FIRST_IN_JAPANESE or before == ZERO_WIDTH_JOINER:
        return True
    if _REGIONAL[0] <= char <= _REGIONAL[1]:
        return _flags_before(text, offset) % 2 == 1
    return any(first <= char <= last for first, last in _JAMO_VOWELS_AND_FINALS)


@lru_cache(maxsize=4_096)
def _extends(char: str) -> bool:
    return (
        unicodedata.category(char)[0] == "M"
        or char in (ZERO_WIDTH_JOINER, _NON_JOINER)
        or _TAGS[0] <= char <= _TAGS[1]
        or _SKIN_TONES[0] <= char <= _SKIN_TONES[1]
        or _LOW_SURROGATES[0] <= char <= _LOW_SURROGATES[1]
    )


_MAX_FLAGS = 64
"""Flags side by side that are counted: enough for a text, and bounded for a hostile one."""


def _flags_before(text: str, offset: int) -> int:
    count = 0
    while offset > 0 and count < _MAX_FLAGS and _REGIONAL[0] <= text[offset - 1] <= _REGIONAL[1]:
        offset -= 1
        count += 1
    return count
