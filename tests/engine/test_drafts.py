"""What a copy of the document would go on with."""

from __future__ import annotations

import pytest

from gbnfc.engine.drafts import propose

TEXT = "Dear Sirs, Yuki Diallo, aged 48, lives in Nara."


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('{"name": "Yuk', "i Diallo"),
        ('{"name": "Yuki Dial', "lo"),
        ('{"city": "Nar', "a"),
        ('{"name": "Yu', ""),  # too short to tell
        ('{"name": "', ""),
        ('{"name": "Zoe', ""),
        ('{"name": "Mr Yuki', " Diallo"),  # the end counts, not the beginning
        ("", ""),
    ],
)
def test_propose(written, expected):
    assert propose(written, TEXT, 40) == expected


def test_no_more_than_asked_for():
    assert propose('"Dea', TEXT, 3) == "r S"
