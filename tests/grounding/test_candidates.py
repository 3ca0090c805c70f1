"""What a value can be: pieces of the document that the grammar takes as whole values."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from texts import texts

from gbnfc.grounding.candidates import (
    accepts_value,
    number_candidates,
    text_ends,
    text_starts,
)
from gbnfc.grounding.document import Document
from gbnfc.grounding.numerals import numerals
from gbnfc.match import Matcher, Verdict, compile_matcher, match_text
from gbnfc.schema import compile_schema


def place_of(schema):
    around = {"type": "object", "properties": {"a": schema, "b": True}, "required": ["a"]}
    matcher = Matcher(compile_matcher(compile_schema(around).grammar))
    assert matcher.advance('{"a": ')
    return matcher


def text_values(schema, text):
    document, place = Document(text), place_of(schema)
    return [
        json.loads(found.value)
        for begun in text_starts(document, place)
        for found in text_ends(document, begun)
    ]


TEXTS = [
    ({"type": "string", "maxLength": 4}, "Anna of Bonn", ["Anna", "of", "Bonn"]),
    ({"type": "string", "pattern": "^[A-Z]{2}[0-9]+$"}, "no GK101, x", ["GK101"]),
    ({"type": "string", "format": "email"}, "to a@b.org now", ["a@b.org"]),
    ({"type": "string", "minLength": 5}, "Anna Li", ["Anna Li"]),
    ({"type": "string"}, 'C\\D "a"', ["C", "C\\D", 'C\\D "a', "D", 'D "a', "a"]),
    ({"type": "integer"}, "Anna 12", []),
    ({"type": "string"}, "--", []),
]


@pytest.mark.parametrize(("schema", "text", "expected"), TEXTS)
def test_texts_obey_the_field(schema, text, expected):
    assert text_values(schema, text) == expected


NUMBERS = [
    ({"type": "integer"}, "12.00 7.5 -3", ["12", "-3"]),
    ({"type": "number"}, "12.50 (3)", ["12.50", "3", "-3"]),
    ({"type": "integer", "minimum": 100}, "12; 120; 99", ["120"]),
    ({"type": "number", "multipleOf": 1}, "RM51.00", ["51"]),
    ({"type": "number", "minimum": 0, "maximum": 1}, "12%", ["0.12"]),
    ({"type": "string"}, "12", []),
]


@pytest.mark.parametrize(("schema", "text", "expected"), NUMBERS)
def test_numbers_obey_the_field(schema, text, expected):
    is_integer = schema["type"] == "integer"
    found = number_candidates(numerals(Document(text)), place_of(schema), is_integer=is_integer)
    assert sorted(each.value for each in found) == sorted(expected)


@given(texts)
def test_each_candidate_is_a_value_of_the_grammar_that_its_place_cuts_out(text):
    document = Document(text)
    schema = {"type": "string", "maxLength": 12}
    grammar, place = compile_schema(schema).grammar, place_of(schema)
    for begun in text_starts(document, place):
        for found in text_ends(document, begun):
            assert json.loads(found.value) == document.text_of(found.start, found.end)
            assert match_text(grammar, found.value).verdict is Verdict.ACCEPTED


def test_a_number_is_whole_only_where_it_may_end():
    place = place_of({"type": "integer", "minimum": 100})
    assert not accepts_value(place, "12")
    assert accepts_value(place, "123")
