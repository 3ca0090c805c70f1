"""The example made from a schema: made where a list is, in the grammar's layout, or not at all."""

import json

import pytest

from gbnfc import CompileOptions, compile_schema
from gbnfc.engine.base import ConstraintGrammar
from gbnfc.extract.made_example import make_example

ORDER = {
    "type": "object",
    "properties": {
        "number": {"type": "string", "pattern": "^INV-[0-9]{4}$"},
        "placed_on": {"type": "string", "format": "date"},
        "lines": {"type": "array", "items": {"$ref": "#/$defs/line"}, "maxItems": 4},
        "paid": {"type": "boolean"},
        "currency": {"enum": ["EUR", "USD"]},
        "note": {"type": ["string", "null"], "maxLength": 60},
    },
    "required": ["number", "lines"],
    "additionalProperties": False,
    "$defs": {
        "line": {
            "type": "object",
            "properties": {
                "product": {"type": "string"},
                "count": {"type": "integer", "minimum": 1, "maximum": 5},
            },
            "required": ["product", "count"],
        }
    },
}


def made(schema, whitespace="spaced"):
    options = CompileOptions(order="schema", whitespace=whitespace, additional="closed", digits=15)
    compiled = compile_schema(schema, options=options)
    return make_example(schema, ConstraintGrammar(compiled.text, compiled.grammar), whitespace)


def test_a_document_and_its_answer():
    example = made(ORDER)
    assert json.loads(example.answer) == {
        "number": "INV-0000",
        "placed_on": "2031-05-17",
        "lines": [{"product": "some product", "count": 5}],
        "paid": False,
        "currency": "USD",
        "note": "some note",
    }
    assert example.document == (
        "number: INV-0000\nplaced on: 2031-05-17\nlines: product some product, count 5\n"
        "paid: no\ncurrency: USD\nnote: some note"
    )


@pytest.mark.parametrize("whitespace", ["compact", "spaced", "pretty:2", "bounded:3"])
def test_it_is_written_in_the_layout_of_the_answers(whitespace):
    assert json.loads(made(ORDER, whitespace).answer) == json.loads(made(ORDER).answer)


LIST = {"type": "array", "items": {"type": "string"}}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {"type": "string"}}},  # no list
        {"type": "string"},
        True,
        LIST | {"minItems": 2},  # more than one element is asked for
        {"type": "array"},  # of anything
        {"type": "array", "items": {"allOf": [{"type": "string"}, {"minLength": 3}]}},
        {"type": "array", "items": {"type": "string", "maxLength": 3}},  # "some value" is longer
        {"properties": {f"key{i}": LIST for i in range(100)}},  # too long
        {"$ref": "#/$defs/a", "$defs": {"a": {"type": "array", "items": {"$ref": "#/$defs/a"}}}},
    ],
)
def test_no_example(schema):
    assert made(schema) is None


def test_what_has_no_list_costs_nothing(monkeypatch):
    monkeypatch.setattr("gbnfc.extract.made_example._Maker", None)
    assert make_example({"properties": {"a": {"pattern": "x"}}}, None, "spaced") is None


def test_wide_schemas_are_given_up_early():
    wide = {"properties": {f"k{i}": {"type": "string", "pattern": "^a+$"} for i in range(5_000)}}
    wide["properties"]["list"] = LIST
    assert make_example(wide, None, "spaced") is None
