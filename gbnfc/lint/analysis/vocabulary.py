"""A small stand-in for a model's vocabulary: what the mask cost is estimated with.

`REFERENCE_TOKENS` are texts with the number of tokens that each stands for, drawn evenly from the
49,152 tokens of SmolLM2 (Apache-2.0) by kind of first character. Most tokens of any vocabulary are
words with a space in front; the marks decide what happens inside structured text.
"""

from __future__ import annotations

from typing import Final

_SPACED_WORDS: Final = (
    " This Christ rout son Mich trends Rob channels imagination reflecting spons bearing upload"
    " uter Om rendered compromised competent bishop lbs characterize spy weighed undersc"
    " illumination squared foxes unfolding Giov Exercises INTER marveled vapour Laf recounts"
    " detach Transit homeopathic OA muzzle separator Weed idiom doubtless Raz a in 1 x ( -"
)
_WORDS: Final = (
    "getName toString iOS isOK e.g don't item_id v2 em erg ote mb rate ula count New appy soft "
    "PE Out chron zeros bro Size uese acke leys degree dump aan oren OLD similar itance chant "
    "bore Wed SB Microsoft fmt dan Arm hundred glut ASC shop Birds tcp baby e t null true"
)
_MARKS: Final = (
    "'", "@", "\x07", "##", ".,", ',"', "])", "\n\t", "([", ".;", "]]", "\n\n ", "({", "]),", ".*",
    "\t\t\t\t", '","', ":-", "\"'", "]+", '":', ')"', "><", '":"', '"', "{", "}", "[", "]", ":",
    ",", "-", "\n", "  ", "        ", "\\", '\\"', "/", '{"', '"}', "}\n", ".", "+", "=", ";", "<",
)  # fmt: skip
_DIGITS: Final = tuple("0123456789")
_OTHERS: Final = ("ä", "ы", "：", "ör", "成", "νω", "ق", "ри")


def _weigh(texts: tuple[str, ...], tokens: int) -> tuple[tuple[str, int], ...]:
    return tuple((text, tokens // len(texts)) for text in texts)


REFERENCE_TOKENS: Final[tuple[tuple[str, int], ...]] = (
    _weigh(tuple(" " + word for word in _SPACED_WORDS.split()), 31_900)
    + _weigh(tuple(_WORDS.split()), 15_500)
    + _weigh(_MARKS, 930)
    + _weigh(_DIGITS, 10)
    + _weigh(_OTHERS, 448)
)
"""Pairs of a token's text and the number of tokens of a 49k vocabulary that it stands for."""
