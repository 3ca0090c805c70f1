"""Other spellings of a schema: equivalent ones mean the same, weaker ones refuse no more."""

from __future__ import annotations

import random

import jsonschema
import pytest
from schema_strategies import INSTANCES, SchemaMaker

import gbnfc
from gbnfc.documents.pointer import follow_pointer
from gbnfc.match import Verdict, compile_matcher, match_text
from gbnfc.schema.source.entangled import leading_to, places_apart
from gbnfc.schema.source.rewrite import Scope, rewrites, weaker_within

DRAFTS = {
    "4": (jsonschema.Draft4Validator, "items"),
    "7": (jsonschema.Draft7Validator, "items"),
    "2019-09": (jsonschema.Draft201909Validator, "items"),
    "2020-12": (jsonschema.Draft202012Validator, "prefixItems"),
}
SCHEMAS = 250


def referring(schema, rng):
    """Return `schema`, or one that refers to it from where a wider one makes the whole narrower."""
    there = {"$ref": "#/definitions/a"}
    forms = [
        None,
        {"not": there},
        {"oneOf": [there, {"type": ["array", "string", "null"]}]},
        {"not": {"not": there}},
        {"anyOf": [there, {"not": {"items": there}}]},
    ]
    form = rng.choice(forms)
    return schema if form is None else {**form, "definitions": {"a": schema}}


@pytest.mark.parametrize("draft", DRAFTS)
def test_no_spelling_refuses_what_the_schema_allows(draft):
    judge, array_keyword = DRAFTS[draft]
    rng = random.Random(7)
    maker = SchemaMaker(rng, draft)
    weaker = 0
    for _ in range(SCHEMAS):
        schema = referring(maker.schema(), rng)
        validator = judge(schema)
        valid = [validator.is_valid(value) for value in INSTANCES]
        for spelled, losses in rewrites(schema, array_keyword, equivalent=True):
            other = judge(spelled)
            found = [other.is_valid(value) for value in INSTANCES]
            for value, before, now in zip(INSTANCES, valid, found, strict=True):
                is_right = now or not before if losses else now == before
                assert is_right, f"{schema}\nspelled {spelled}\ndiffer on {value}"
            for loss in losses:
                assert loss.keyword in follow_pointer(schema, loss.pointer), (schema, loss)
            weaker += bool(losses)
    assert weaker > SCHEMAS / 4


@pytest.mark.parametrize(
    ("schema", "draft", "valid"),
    [
        (
            {
                "oneOf": [
                    {"type": ["boolean"], "unevaluatedItems": {}},
                    {"contains": {"enum": [{}]}, "minContains": 2},
                    {},
                ]
            },
            "2020-12",
            ["[0, 1]", "[]", "{}"],
        ),
    ],
)
def test_entangled_schemas_are_wider(schema, draft, valid, judge):
    compiled = gbnfc.compile_schema(schema, draft=draft)
    assert {"wider"} <= {entry.effect.value for entry in compiled.report}
    with judge.loaded(compiled.text) as sampler:
        assert [judge.accepts(sampler, text) for text in valid] == [True] * len(valid)


@pytest.mark.parametrize("draft", DRAFTS)
def test_no_place_made_wider_makes_the_schema_narrower(draft):
    judge, _ = DRAFTS[draft]
    rng = random.Random(11)
    maker = SchemaMaker(rng, draft)
    weaker = 0
    for _ in range(SCHEMAS):
        schema = referring(maker.schema(3), rng)
        places = [*places_apart(schema)] or [""]
        pointer = rng.choice(places)
        scope = Scope(pointer, leading_to(schema, pointer), is_deep=rng.random() < 0.5)
        validator = judge(schema)
        valid = [value for value in INSTANCES if validator.is_valid(value)]
        for spelled, losses in weaker_within(schema, scope, schema):
            other = judge(spelled)
            refused = [value for value in valid if not other.is_valid(value)]
            assert not refused, f"{schema}\n{scope}\nspelled {spelled}"
            for loss in losses:
                assert loss.keyword in follow_pointer(schema, loss.pointer), (schema, loss)
            weaker += 1
    assert weaker > SCHEMAS / 4


PATTERNS = {
    "type": "object",
    "allOf": [
        {
            "if": {"properties": {"kind": {"pattern": f"^a{number}$"}}, "required": ["kind"]},
            "then": {"properties": {f"v{number}": {"type": "integer"}}, "required": [f"v{number}"]},
        }
        for number in range(12)
    ],
}
"""Conditions that no canonical form is found of."""

CONDITION = {"if": {"required": ["a"]}, "then": {"required": ["b"]}}


@pytest.mark.parametrize(
    ("schema", "wider_below", "refused"),
    [
        (
            {"type": "object", "properties": {"x": CONDITION, "y": {"items": PATTERNS}}},
            "/properties/y/items",
            ['{"x": {"a": 1}}', '{"y": [1]}'],
        ),
        (
            {
                "type": "object",
                "properties": {"x": {"$ref": "#/$defs/x"}, "y": {"$ref": "#/$defs/y"}},
                "$defs": {"y": PATTERNS, "x": CONDITION},
            },
            "/$defs/y",
            ['{"x": {"a": 1}}', '{"y": 1}'],
        ),
        (
            {
                "type": "object",
                "properties": {"x": CONDITION, "y": {"not": PATTERNS}, "z": {"not": CONDITION}},
            },
            "/properties/y",
            ['{"x": {"a": 1}}', '{"z": {"b": 1}}'],
        ),
    ],
)
def test_only_the_entangled_place_is_wider(schema, wider_below, refused, judge):
    compiled = gbnfc.compile_schema(schema)
    wider = {entry.pointer for entry in compiled.report if entry.effect.value == "wider"}
    assert wider
    assert all(f"{pointer}/".startswith(f"{wider_below}/") for pointer in wider)
    program = compile_matcher(compiled.grammar)
    with judge.loaded(compiled.text) as sampler:
        for text in refused:
            assert match_text(program, text).verdict is Verdict.REJECTED, text
            assert not judge.accepts(sampler, text)
        assert judge.accepts(sampler, '{"x": {"a": 1, "b": 2}}')
