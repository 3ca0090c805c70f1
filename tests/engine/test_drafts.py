"""What a copy of the document would go on with."""

from __future__ import annotations

import pytest

from gbnfc.engine.drafts import guess_ahead, propose
from gbnfc.gbnf.parse import parse_gbnf
from gbnfc.match import Matcher, compile_matcher

TEXT = "Dear Sirs, Yuki Diallo, aged 48, lives in Nara and sells office chairs."


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('{"name": "Yuk', "i Diallo"),
        ('{"name": "Yuki Dial', "lo"),
        ('{"city": "Nar', "a"),
        ('{"name": "Yu', None),  # too short to tell
        ('{"name": "', None),
        ('{"name": "Zoe', None),
        ('{"name": "Mr Yuki', " Diallo"),  # the end counts, not the beginning
        ('{"city": "Nara', ""),  # a name is whole where a small letter follows
        ('{"sells": "off', "ice chairs"),
        ('{"age": 4', "8"),
        ('{"age": 48', ""),
        ('{"age": 8', None),  # not where a number begins
        ('{"age": ', None),
        ("", None),
    ],
)
def test_propose(written, expected):
    assert propose(written, TEXT, 40) == expected


def test_no_more_than_asked_for():
    assert propose('"Dea', TEXT, 3) == "r S"


GRAMMAR = r"""
root ::= "{\"name\": " string ", \"age\": " [1-9] [0-9]? ", \"tags\": [" string ("," string)* "]}"
string ::= "\"" [^"]{0,12} "\""
"""

AHEAD = [
    ('{"name": "Yuk', 'i Diallo", "age": '),
    ('{"name": "Yuki Diallo', '", "age": '),
    ('{"name": "Zoe', ""),
    ('{"name": "sells offic', "e"),  # the grammar allows twelve characters
    ('{"name": "X", "age": 4', '8, "tags": ["'),
    ('{"name": "X", "age": 48', ', "tags": ["'),
    ('{"name": "X", "age": 48, "tags": ["Nar', 'a"'),
]


@pytest.mark.parametrize(("written", "ahead"), AHEAD)
def test_guesses_go_on_behind_the_value(written, ahead):
    matcher = Matcher(compile_matcher(parse_gbnf(GRAMMAR)))
    assert matcher.advance(written)
    found = guess_ahead(written, TEXT, matcher, 40)
    assert found == ahead
    assert matcher.copy().advance(found)
