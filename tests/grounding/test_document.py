"""Where values begin and end in a text, and where they stood before the white space was folded."""

from __future__ import annotations

import re
import time
import unicodedata

import pytest
from hypothesis import given
from texts import texts

from gbnfc.grounding.document import Document

FOLDED = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")


def fold(text):
    return FOLDED.sub(" ", text).strip(" ")


def values(text, max_chars=None):
    document = Document(text)
    return {document.text_of(start, end) for start, end in document.spans(max_chars)}


# text, values that are candidates, texts that are none.
BOUNDARIES = [
    ("I live in Bonn, Germany.", ["Bonn", "Bonn, Germany", "Germany"], ["Bonn,", "Germany."]),
    ("name:Bob,age=3", ["name", "Bob", "age", "3", "Bob,age=3"], [":Bob", "Bob,", "ob"]),
    ("SALES :CS0013", ["SALES", "CS0013"], [":CS0013", "SALES :"]),
    ("REF: # 12 #34 @6", ["12", "34", "#34", "6"], ["#", "# 12", "REF:"]),
    ("(81109-A) x", ["(81109-A)", "81109-A", "(81109-A) x"], ["81109-A)", "(81109-A", "81109"]),
    ("a (b c) d", ["a (b c) d", "b", "b c", "(b c)"], ["a (b", "c) d", "b c) d"]),
    ("1) one 2) two", ["1", "one", "two", "1) one"], [") one"]),
    ("TOTAL RM51.30", ["RM51.30", "51.30"], ["51", "M51.30"]),
    ("GK101,GND FLR", ["GK101", "GND", "GK101,GND FLR"], ["101", "K101"]),
    ("1,234.50 14:31 2016/05/01", ["1,234.50", "14:31", "2016/05/01"], ["1", "14", "2016", "01"]),
    ("10:00-15:30", ["10:00", "15:30"], ["10", "00-15"]),
    ("12-02-2018 03-7710 0302", ["12-02-2018", "03", "7710 0302"], ["02-2018", "12"]),
    ("2019\u20132021", ["2019", "2021"], ["\u20132021"]),
    ("O'Brien's well-known 'quote'", ["O'Brien", "well-known", "quote"], ["O", "well", "'quote'"]),
    ("Maria\u2019s phone", ["Maria", "phone"], ["\u2019s phone", "s"]),
    ('{"a":"Bob","b":3}', ["Bob", "3", "a"], ['"Bob"', 'Bob"']),
    ("**Bob** _Ann_", ["Bob", "Ann"], ["*Bob", "Bob*", "Ann_"]),
    ("<b>Bob</b>", ["Bob"], [">Bob", "Bob<"]),
    ("Acme Inc., St. Ives, U.S. soil", ["Acme Inc.", "Acme Inc", "St. Ives", "U.S."], ["Inc.,"]),
    ("Call J. Smith", ["J. Smith", "J.", "Smith"], ["Call J. Smith."]),
    ("6% of C++ and C#", ["6%", "C++", "C#", "C"], ["%", "+"]),
    ("paid -3 or +4 at $5, \u20ac6", ["-3", "3", "+4", "$5", "5", "\u20ac6"], ["-", "$"]),
    ("see https://a.org/x/ now", ["https://a.org/x/", "a.org"], ["//a.org", "/a.org"]),
    ("-- \u2026 ***", [], ["--", "\u2026", "***"]),
    ("e\u0301cole \u05d3\u05d5\u05d3", ["e\u0301cole", "\u05d3\u05d5\u05d3"], ["e", "\u0301cole"]),
    ("👨\u200d👩\u200d👧 👍🏽", ["👨\u200d👩\u200d👧", "👍🏽"], ["👨", "👧", "👍", "🏽"]),
    ("東京都、レストラン", ["東京", "東京都", "京都", "レストラン"], ["レスト", "都、"]),
    ("\u200fדוד\u200e מלך \u0645\u06cc\u200c\u062e", ["דוד", "דוד\u200e מלך"], ["\u200fדוד"]),
    ("a\r\nb\tc\u00a0d", ["a b", "b c d"], ["a\r\nb"]),
    ("", [], [""]),
    (" \r\n ", [], ["", " "]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "inside", "outside"), BOUNDARIES)
def test_values_stand_at_sensible_boundaries(text, inside, outside):
    found = values(text)
    assert [value for value in inside if value not in found] == []
    assert [value for value in outside if value in found] == []


@given(texts)
def test_each_span_cuts_its_value_out_of_the_original(text):
    document = Document(text)
    assert document.text == fold(text)
    for start, end in document.spans(max_chars=40):
        first, last = document.original(start, end)
        assert fold(text[first:last]) == document.text_of(start, end)
        assert text[first:last] == text[first:last].strip()


@given(texts)
def test_no_boundary_parts_what_belongs_together(text):
    document = Document(text)
    for offset in {*document.starts, *document.ends}:
        before, after = document.text[:offset][-1:], document.text[offset:][:1]
        assert before != "\u200d" or after in ("", " ")
        assert not after or unicodedata.category(after)[0] != "M"
        assert not ("\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff")
        assert not (before > "\U0001f000" and "\U0001f3fb" <= after <= "\U0001f3ff")


@given(texts)
def test_boundaries_rise_and_values_hold_a_word(text):
    document = Document(text)
    assert list(document.starts) == sorted(set(document.starts))
    assert list(document.ends) == sorted(set(document.ends))
    for start, end in document.spans(max_chars=40):
        value = document.text_of(start, end)
        assert value == value.strip()
        assert any(unicodedata.category(char)[0] not in "PZ" for char in value)


@given(texts)
def test_a_bound_on_the_length_only_leaves_longer_values_out(text):
    document = Document(text)
    for start in document.starts:
        every = list(document.ends_from(start))
        assert list(document.ends_from(start, 7)) == [end for end in every if end - start <= 7]


def test_line_ends_are_told():
    document = Document("a b\r\nc \u2028 d\te")
    assert [document.text[at - 1 : at + 2] for at in document.line_ends] == ["b c", "c d"]


def test_original_refuses_what_is_no_span():
    for start, end in ((1, 1), (2, 1), (0, 9), (-1, 1)):
        with pytest.raises(ValueError, match="no span"):
            Document("ab cd").original(start, end)


@pytest.mark.parametrize("piece", ["word ", "(", "-", "1-", "🇩🇪", "\u0301", "東京", "a.", "'"])
def test_time_is_linear_in_the_text(piece):
    took = []
    for count in (5_000, 40_000):
        began = time.process_time()
        Document(piece * count)
        took.append(time.process_time() - began)
    assert took[1] < 24 * took[0] + 0.1  # quadratic: 64 times
