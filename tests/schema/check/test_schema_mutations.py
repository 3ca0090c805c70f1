"""A small, seeded share of `schema_campaign.py`: mutated schemas, held against two validators.

By hand, with real schemas: `python tests/campaigns/schema_campaign.py DATA.jsonl.gz --count 10000`.
"""

from __future__ import annotations

import json
import os
import random
from contextlib import suppress

import pytest
import schema_campaign
from schema_campaign import Case, Contradiction, Speller, contradiction, number_texts

import gbnfc
from gbnfc.match import compile_matcher

EACH = int(os.environ.get("GBNFC_MUTATIONS", "120"))

PERSON = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "definitions": {
        "address": {
            "type": "object",
            "properties": {"street": {"type": "string"}, "zip": {"pattern": "^[0-9]{5}$"}},
            "required": ["street"],
        }
    },
    "properties": {
        "name": {"type": "string", "minLength": 1},
        "age": {"type": "integer", "minimum": 0, "maximum": 150},
        "home": {"$ref": "#/definitions/address"},
        "tags": {"type": "array", "items": {"enum": ["a", "b", "c"]}, "uniqueItems": True},
    },
    "required": ["name"],
    "additionalProperties": False,
}
SHAPES = {
    "oneOf": [
        {
            "properties": {"kind": {"const": "circle"}, "r": {"type": "number", "minimum": 0}},
            "required": ["kind", "r"],
        },
        {
            "properties": {"kind": {"const": "row"}, "cells": {"$ref": "#/$defs/row"}},
            "required": ["kind", "cells"],
            "unevaluatedProperties": False,
        },
    ],
    "$defs": {
        "row": {
            "type": "array",
            "prefixItems": [{"type": "string"}, {"type": ["number", "null"]}],
            "items": {"type": "boolean"},
            "contains": {"type": "boolean"},
            "maxContains": 2,
        }
    },
}
BUILD = {
    "type": "object",
    "patternProperties": {"^x-": {"type": "string"}},
    "properties": {
        "steps": {
            "type": "array",
            "items": {"anyOf": [{"type": "string"}, {"type": "object", "minProperties": 1}]},
        },
        "if": {"type": ["boolean", "string"]},
    },
    "if": {"required": ["steps"]},
    "then": {"properties": {"if": {"type": "boolean"}}},
    "else": {"required": ["if"]},
    "dependentRequired": {"if": ["steps"]},
}
RATES = {
    "$schema": "http://json-schema.org/draft-04/schema#",
    "type": "object",
    "properties": {
        "rate": {"type": "number", "minimum": 0, "exclusiveMinimum": True, "multipleOf": 0.01},
        "matrix": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
    },
    "dependencies": {"rate": ["matrix"]},
    "additionalProperties": {"not": {"type": "string"}},
}
SEEDS = [
    (
        PERSON,
        [
            {"name": "Ada", "age": 36, "tags": ["a"]},
            {"name": "Ada", "home": {"street": "x", "zip": "12345"}},
            {"name": ""},
        ],
    ),
    (
        SHAPES,
        [{"kind": "circle", "r": 1.5}, {"kind": "row", "cells": ["a", 2, True]}, {"kind": "row"}],
    ),
    (BUILD, [{"steps": ["a", {"b": 1}], "if": True}, {"if": "x"}, {"x-a": "b", "steps": []}]),
    (RATES, [{"rate": 0.07, "matrix": [[1, 2.5], []]}, {"rate": 1}, {"z": None}]),
]


def failing(number, case, found, values):
    schema = schema_campaign.shrunk(case, found, values)
    least = Case(schema, case.draft, case.formats, case.order)
    again = contradiction(least, values, random.Random(0)) or found
    pytest.fail(f"{case.draft} {case.formats} {case.order} {json.dumps(schema)}\n{again}")


@pytest.mark.parametrize("seeds", [[], SEEDS], ids=["random", "real"])
def test_grammar_report_and_validators_agree(seeds):
    counts = schema_campaign.run("ci", EACH, seeds, failing)
    assert counts["compiled"] > EACH / 2
    assert counts["valid"] > EACH
    assert counts["invalid"] > EACH
    assert counts["gave up"] < EACH


def test_the_search_for_a_spelling():
    schema = {
        "type": "object",
        "properties": {"b": {"type": "number"}, "a": {"type": "array", "items": {"const": 2}}},
        "required": ["b", "a"],
        "additionalProperties": False,
    }
    options = gbnfc.CompileOptions(order="schema")
    speller = Speller(compile_matcher(gbnfc.compile_schema(schema, options=options).grammar))
    for value in ({"a": [2.0, 2], "b": 0.5}, {"b": 1e3, "a": []}):
        assert speller.accepts(value, expected=True)
    for value in ({"a": [2.5], "b": 1}, {"b": 1}, {"a": [], "b": 1, "c": 1}):
        assert not speller.accepts(value, expected=False)
    assert number_texts(2.0) == ["2", "2.0"]


class Liar:
    """A compiler that is wrong about `schema`: it compiles `instead`."""

    def __init__(self, instead):
        self.instead = instead
        self.compile = gbnfc.compile_schema

    def __call__(self, schema, draft=None, registry=None, options=None):
        return self.compile(self.instead, draft, registry, options)


@pytest.mark.parametrize(
    ("instead", "kind"),
    [
        ({"type": "integer"}, "accepts invalid"),
        ({"enum": [1, 2]}, "rejects valid"),
        (False, "unsatisfiable"),
    ],
)
def test_the_campaign_finds_a_liar(monkeypatch, instead, kind):
    monkeypatch.setattr(gbnfc, "compile_schema", Liar(instead), raising=False)
    case = Case({"type": "integer", "minimum": 0}, "7", "dialect", "any")
    found = contradiction(case, [1, -1, 2, 3], random.Random(0))
    assert isinstance(found, Contradiction)
    assert found.kind == kind


@pytest.mark.parametrize("draft", schema_campaign.DRAFTS)
def test_keywords_that_a_draft_does_not_have_may_hold_anything(draft):
    schema = {"type": "object", "properties": {"a": {"type": "null"}}, "required": ["a"]}
    compiled = 0
    for keyword in schema_campaign.NEWER_KEYWORDS:
        for junk in schema_campaign.JUNK:
            with suppress(gbnfc.GbnfcError):
                gbnfc.compile_schema({**schema, keyword: junk}, draft)
                compiled += 1
    assert compiled > 100
