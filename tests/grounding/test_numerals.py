"""The numbers that a text holds, however they are written."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from texts import texts

from gbnfc.grounding.document import Document
from gbnfc.grounding.numerals import numerals

# text, its readings as (number, piece of the text)
NUMERALS = [
    ("RM1,234.50", [("1234.50", "1,234.50")]),
    ("1.234,50", [("1234.50", "1.234,50")]),
    ("1 234,50", [("1234.50", "1 234,50"), ("1", "1"), ("234.50", "234,50")]),
    ("1'234", [("1234", "1'234")]),
    ("12,34,567", [("1234567", "12,34,567")]),
    ("1,234", [("1234", "1,234"), ("1.234", "1,234")]),
    ("1.234", [("1.234", "1.234"), ("1234", "1.234")]),
    ("0.123", [("0.123", "0.123")]),
    ("10,000,000", [("10000000", "10,000,000")]),
    ("$ 12", [("12", "12")]),
    ("-$12", [("-12", "-$12")]),
    ("-3 \u22124", [("-3", "-3"), ("-4", "\u22124")]),
    ("(12)", [("-12", "(12)"), ("12", "12")]),
    ("(RM2.90)", [("-2.90", "(RM2.90)"), ("2.90", "2.90")]),
    ("12%", [("12", "12"), ("0.12", "12%")]),
    ("1e5", [("100000", "1e5")]),
    (".5", [("0.5", ".5")]),
    ("007", [("7", "007")]),
    ("12/02/2018", [("12", "12"), ("2", "02"), ("2018", "2018")]),
    ("12.02.2018", [("12", "12"), ("2", "02"), ("2018", "2018")]),
    ("2016-05-01", [("2016", "2016"), ("5", "05"), ("1", "01")]),
    ("14:31", [("14", "14"), ("31", "31")]),
    ("3.5,4.5", [("3.5", "3.5"), ("4.5", "4.5")]),
    ("5kg 1st", [("5", "5"), ("1", "1")]),
    ("ABCDE12", []),
    ("\u0661\u0662\u0663\u066b\u0665", [("123.5", "\u0661\u0662\u0663\u066b\u0665")]),
    ("1\u00a0234,5", [("1234.5", "1 234,5"), ("1", "1"), ("234.5", "234,5")]),
    ("none", []),
    ("", []),
]


@pytest.mark.parametrize(("text", "expected"), NUMERALS)
def test_numerals_are_read(text, expected):
    document = Document(text)
    found = [(each.number, document.text_of(each.start, each.end)) for each in numerals(document)]
    assert sorted(found) == sorted(expected)


@given(texts)
def test_each_numeral_stands_where_it_says(text):
    document = Document(text)
    for found in numerals(document):
        piece = document.text_of(found.start, found.end)
        assert any(char.isdigit() for char in piece)
        assert found.number == format(Decimal(found.number), "f")
        assert found in numerals(document)


@given(
    st.decimals(
        allow_nan=False, allow_infinity=False, places=2, min_value=-(10**12), max_value=10**12
    )
)
def test_what_was_formatted_is_read_back(number):
    number = abs(number)
    for text in (f"{number:,.2f}", f"{number:.2f}", f"${number:,.2f}"):
        readings = [Decimal(found.number) for found in numerals(Document(text))]
        assert number in readings


@pytest.mark.parametrize(("text", "expected"), [("12.00", "12"), ("12.5", None), ("7", "7")])
def test_integers(text, expected):
    assert [found.as_integer for found in numerals(Document(text))] == [expected]


def test_digits_are_never_rounded():
    digits = "1234567890" * 10
    assert [found.number for found in numerals(Document(f"-{digits}"))] == [f"-{digits}"]


@pytest.mark.parametrize("separator", [",", ";", ".", " "])
def test_a_long_list_is_read_part_by_part(separator):
    values = [str(number) for number in range(1, 400)]
    assert {found.number for found in numerals(Document(separator.join(values)))} >= set(values)
