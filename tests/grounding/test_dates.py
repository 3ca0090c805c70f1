"""Dates and times of a text, in every order that it can mean."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from texts import texts

from gbnfc.errors import UsageError
from gbnfc.grounding.candidates import date_candidates
from gbnfc.grounding.dates import read_dates
from gbnfc.grounding.document import Document
from gbnfc.grounding.fields import FieldKind
from gbnfc.match import Matcher, compile_matcher
from gbnfc.schema import compile_schema
from gbnfc.schema.formats import format_automaton

DATE, TIME, DATE_TIME = FieldKind.DATE, FieldKind.TIME, FieldKind.DATE_TIME

READINGS = [
    (DATE, "due 03/04/2018.", [("2018-03-04", "03/04/2018"), ("2018-04-03", "03/04/2018")]),
    (DATE, "13/02/2018", [("2018-02-13", "13/02/2018")]),
    (DATE, "2016/05/01", [("2016-05-01", "2016/05/01")]),
    (DATE, "on 2016-05-01T10:00Z", [("2016-05-01", "2016-05-01")]),
    (DATE, "21-11-16", [("2016-11-21", "21-11-16"), ("2021-11-16", "21-11-16")]),
    (DATE, "31.12.99", [("1999-12-31", "31.12.99")]),
    (DATE, "20161121", [("2016-11-21", "20161121")]),
    (DATE, "the 5th of May 2019", [("2019-05-05", "5th of May 2019")]),
    (DATE, "May 5, 2020", [("2020-05-05", "May 5, 2020")]),
    (DATE, "5-Mar-21", [("2021-03-05", "5-Mar-21")]),
    (DATE, "am 3. M\u00e4rz 2021", [("2021-03-03", "3. M\u00e4rz 2021")]),
    (DATE, "3 de mayo de 2021", [("2021-05-03", "3 de mayo de 2021")]),
    (DATE, "31/06/2018 1.2.3.4 10:30 12345678", []),
    (TIME, "TIME: 14:31:00", [("14:31:00Z", "14:31:00"), ("14:31:00", "14:31:00")]),
    (TIME, "07:54PM", [("19:54:00Z", "07:54PM"), ("19:54:00", "07:54PM")]),
    (TIME, "3 p.m.", [("15:00:00Z", "3 p.m."), ("15:00:00", "3 p.m.")]),
    (TIME, "14h30", [("14:30:00Z", "14h30"), ("14:30:00", "14h30")]),
    (TIME, "10:00:05.25+0200", [("10:00:05.25+02:00", "10:00:05.25+0200")]),
    (TIME, "25:00 1:234", []),
    (DATE_TIME, "2016/05/01 14:11:20 UTC", [("2016-05-01T14:11:20Z", "2016/05/01 14:11:20 UTC")]),
    (DATE_TIME, "at 3:00Z on 5 May 2019", [("2019-05-05T03:00:00Z", "3:00Z on 5 May 2019")]),
    (DATE_TIME, "2019/5/1", [(f"2019-05-01T00:00:00{zone}", "2019/5/1") for zone in ("Z", "")]),
    (DATE_TIME, "14:00", []),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "text", "expected"), READINGS)
def test_dates_are_read(kind, text, expected):
    document = Document(text)
    found = [(r.text, document.text_of(r.start, r.end)) for r in read_dates(document, kind)]
    assert found == expected


@given(st.dates(), st.sampled_from(["%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d %B %Y", "%B %d, %Y"]))
def test_what_was_formatted_is_among_the_readings(day, form):
    if day.year < 1000:
        return
    readings = read_dates(Document(f"on {day.strftime(form)}, he said"), DATE)
    assert day.isoformat() in [reading.text for reading in readings]


@given(texts)
def test_each_reading_is_of_its_format_or_lacks_the_offset(text):
    document = Document(text)
    for kind in (DATE, TIME, DATE_TIME):
        language = format_automaton(kind.value, "2020-12").dfa
        for found in read_dates(document, kind):
            assert any(char.isdigit() for char in document.text_of(found.start, found.end))
            assert language.accepts(found.text) or language.accepts(f"{found.text}Z")


def test_the_grammar_of_the_field_chooses():
    schema = {"type": "string", "format": "time"}
    place = Matcher(compile_matcher(compile_schema(schema).grammar))
    found = date_candidates(read_dates(Document("14:31"), TIME), place)
    assert [each.value for each in found] == ['"14:31:00Z"']


def test_without_the_library_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "dateutil.parser", None)
    with pytest.raises(UsageError, match=r"gbnfc\[dates\]"):
        read_dates(Document("x"), DATE)
