"""Other spellings of a schema: equivalent ones mean the same, weaker ones refuse no more."""

from __future__ import annotations

import random

import jsonschema
import pytest
from schema_strategies import INSTANCES, SchemaMaker

import gbnfc
from gbnfc.schema.pointer import follow_pointer
from gbnfc.schema.rewrite import rewrites

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
