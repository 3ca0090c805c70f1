"""What a copy of the document would go on with."""

from __future__ import annotations

import pytest

from gbnfc.engine.drafts import Copy, guess_ahead, propose
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
        ('{"city": "Nara and sel', "ls office chairs"),  # not a name
        ('{"sells": "off', "ice chairs"),
        ('{"age": 4', "8"),
        ('{"age": 48', ""),
        ('{"age": 8', None),  # not where a number begins
        ('{"age": ', None),
        ("", None),
        ('["red ochre", "red', " ochre"),  # lists repeat what they held
        ('["sea office", "sea of', "fice"),  # the longest match counts
        ("[77, 7", "7"),
    ],
)
def test_propose(written, expected):
    found = propose(written, TEXT, 40)
    assert (found and found.text) == expected
    assert found is None or found.is_whole


@pytest.mark.parametrize(("written", "expected"), [('"Dea', "r S"), ('["to to to t', "o ")])
def test_phrases_that_do_not_end(written, expected):
    # Cut off at the length asked for, or at the end of what was written.
    assert propose(written, TEXT, 3) == Copy(expected, is_whole=False)


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
