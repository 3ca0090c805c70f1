"""How patterns are written for other engines; test_patterns.py holds that they mean the same."""

from __future__ import annotations

import pytest

from gbnfc.errors import PatternError
from gbnfc.regex import Reader, respell


@pytest.mark.parametrize(
    ("pattern", "ecma", "python"),
    [
        ("^[^]$", r"^[\s\S]$", r"\A[\s\S]\Z"),
        ("[]", r"[^\s\S]", r"[^\s\S]"),
        (r"\0[\b]", r"\u{0}\u{8}", r"\U00000000\U00000008"),
        (r"\ud83d\ude00", r"\u{1f600}", r"\U0001f600"),
        ("(?:ab|c)+d{2,}", "(?:ab|c)+d{2,}", "(?:ab|c)+d{2,}"),
        ("a(b|c)d|e", "a(?:b|c)d|e", "a(?:b|c)d|e"),
        ("{a]", r"\u{7b}a\u{5d}", r"\U0000007ba\U0000005d"),
    ],
)
def test_spellings(pattern, ecma, python):
    assert respell(pattern, Reader.ECMA) == ecma
    assert respell(pattern, Reader.PYTHON) == python


def test_what_is_no_pattern_is_refused():
    with pytest.raises(PatternError):
        respell("(", Reader.PYTHON)
