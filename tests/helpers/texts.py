"""Texts of all kinds for hypothesis: what documents hold that careless code cuts or shifts."""

from __future__ import annotations

from hypothesis import strategies as st

WORDS = (
    "Anna",
    "O'Brien",
    "Anna's",
    "well-known",
    "Inc.,",
    "U.S.",
    "(81109-A)",
    "(left",
    "right)",
    "name:Bob,age=3",
    '"quoted"',
    "back\\slash",
    "RM51.30",
    "$1,234.50",
    "1.234,50",
    "(12)",
    "-3",
    "12%",
    "12/02/2018",
    "14:31:00",
    "2016-05-01T14:11:20Z",
    "e\u0301cole",
    "\u05d3\u05d5\u05d3",  # right to left
    "\u0645\u0631\u062d\u0628\u0627",
    "\u0661\u0662\u0663",
    "👨\u200d👩\u200d👧",
    "👍🏽",
    "🇩🇪🇫🇷",
    "東京都レストラン、",
    "ภาษาไทย",
    "\u1112\u1161\u11ab",  # a Hangul syllable in its letters
    "--",
    "…",
    "\u0301",
    "[",
)
GAPS = (" ", "  ", "\n", "\r\n", "\t", "\u00a0", " \r\n\t ", "\u2028", "\x0b", "\x85", "\0")

words = st.sampled_from(WORDS) | st.text(max_size=6)
texts = st.lists(st.tuples(words, st.sampled_from(GAPS)), max_size=12).map(
    lambda parts: "".join(word + gap for word, gap in parts)
)
"""Words with gaps of every kind of white space between them."""
