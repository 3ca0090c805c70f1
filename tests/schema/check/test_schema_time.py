"""Schemas that once took for ever: compiled exactly and fast, or wider at the place, and said so.

Whoever runs out of time keeps the promise: valid values are accepted, and what is not enforced is
reported.
"""

from __future__ import annotations

import json
import time

import jsonschema
import pytest
from schema_tables import BAR, FAMILIES, REGISTRY

import gbnfc
from gbnfc.match import Verdict, compile_matcher, match_text
from gbnfc.schema import time_limit
from gbnfc.schema.read.canonical import MAX_LISTED
from gbnfc.schema.source.pattern_budget import check_cases
from gbnfc.schema.source.source_map import SourceMap

STRING = {"type": "string"}
INT = {"type": "integer"}


def resources(count, *, is_typed):
    """Definitions that refer to each other and to all of them, as FHIR's do."""
    text = {"type": "string", "pattern": "^[ \\r\\n\\t\\S]+$"}
    shared = {
        "id": {"type": "string", "pattern": "^[A-Za-z0-9\\-\\.]{1,64}$"},
        "Element": {"properties": {"extension": {"items": {"$ref": "#/definitions/Extension"}}}},
        "Extension": {
            "properties": {
                "url": text,
                "valueReference": {"$ref": "#/definitions/Reference"},
                "_url": {"$ref": "#/definitions/Element"},
            },
            "additionalProperties": False,
        },
        "Reference": {"properties": {"identifier": {"$ref": "#/definitions/Element"}}},
        "Any": {"oneOf": [{"$ref": f"#/definitions/R{n}"} for n in range(count)]},
    }
    kinds = {
        f"R{n}": {
            "properties": {
                "resourceType": {"const": f"R{n}"},
                "id": {"$ref": "#/definitions/id"},
                "contained": {"type": "array", "items": {"$ref": "#/definitions/Any"}},
                "subject": {"$ref": "#/definitions/Reference"},
                f"own{n}": {"type": "array", "items": {"$ref": "#/definitions/Extension"}},
            },
            "required": ["resourceType"],
            "additionalProperties": False,
            **({"type": "object"} if is_typed else {}),
        }
        for n in range(count)
    }
    draft = "http://json-schema.org/draft-06/schema#"
    return {"$schema": draft, "$ref": "#/definitions/Any", "definitions": shared | kinds}


@pytest.mark.parametrize("is_typed", [True, False])
def test_resources_that_hold_each_other(is_typed, judge):
    compiled = gbnfc.compile_schema(resources(40, is_typed=is_typed))
    assert compiled.exact
    inner = {"resourceType": "R7", "own7": [{"url": "x"}]}
    good = [
        {"resourceType": "R3", "id": "a", "contained": [inner, {"resourceType": "R39"}]},
        {"resourceType": "R0", "subject": {"identifier": {"extension": [{"url": "u"}]}}},
    ]
    bad = [
        {"resourceType": "R40"},
        {"resourceType": "R3", "own4": []},
        {"resourceType": "R3", "contained": [{"resourceType": "R7", "own8": []}]},
        {"resourceType": "R3", "id": "a b"},
        "a text, which all forty would allow if they say no type",
        {},
    ]
    assert_judged(compiled, good, bad, judge)


def test_the_number_of_resources_is_no_power(monkeypatch):
    # A pair is told apart at a glance: no call of the library, which is slow and grows with depth.
    calls = []
    monkeypatch.setattr("gbnfc.schema.read.lower._are_disjoint", lambda *pair: calls.append(pair))
    assert gbnfc.compile_schema(resources(30, is_typed=False)).exact
    assert not calls


def assert_judged(compiled, good, bad, judge):
    program = compile_matcher(compiled.grammar)
    with judge.loaded(compiled.text) as sampler:
        for values, wanted in ((good, True), (bad, False)):
            for value in values:
                text = json.dumps(value)
                assert (match_text(program, text).verdict is Verdict.ACCEPTED) == wanted, text
                assert judge.accepts(sampler, text) == wanted, text


PROBES = (
    *(None, True, 0, 1, 1.5, "", "a", [], [1], {}, {"k": "a"}, {"k": "b"}, {"k": "c"}),
    *({"k": "a", "x": 1}, {"k": "b", "x": 1}, {"x": 1}, {"x": "t"}, {"y": 1}, {"x": 1, "y": 1}),
)


@pytest.mark.parametrize(
    "branches",
    [
        # No types: what is no object is in both, or all three, and so in none.
        [{"properties": {"k": {"const": c}}, "required": ["k"]} for c in "abc"],
        [{"properties": {"k": {"enum": c}}, "required": ["k"]} for c in (["a", "b"], ["b", "c"])],
        [{"required": ["x"]}, {"required": ["y"]}, {"type": "integer"}],
        [{"properties": {"x": {"type": t}}} for t in ("integer", "string", "boolean")],
        # All of a type in one branch, some of it in another.
        [{"type": ["string", "integer"]}, {"const": "a"}, {"type": "number", "minimum": 1}],
        [{"type": ["object", "string"]}, {"properties": {"k": {"const": "a"}}, "required": ["k"]}],
        [{}, {"type": "object", "required": ["k"]}, {"type": ["array", "null"]}],
        # The key that differs must be there in one of them.
        [{"type": "object", "properties": {"k": {"const": c}}} for c in "ab"],
        [
            {"type": "object", "properties": {"k": {"const": "a"}}, "required": ["k"]},
            {"type": "object", "properties": {"k": {"const": "b"}}},
        ],
        [{"enum": [{"k": "a"}, 1]}, {"properties": {"k": {"const": "a"}}}],
        [{"const": {"k": "a"}}, {"type": "object", "required": ["k"]}],
    ],
)
def test_one_of_branches_told_apart_at_a_glance(branches, judge):
    schema = {"oneOf": branches}
    compiled = gbnfc.compile_schema(schema)
    assert compiled.exact
    validator = jsonschema.Draft202012Validator(schema)
    good = [value for value in PROBES if validator.is_valid(value)]
    bad = [value for value in PROBES if not validator.is_valid(value)]
    assert good
    assert bad
    assert_judged(compiled, good, bad, judge)


def test_overlapping_keys_are_held_to_one_of_their_patterns(judge):
    names = ("field.field", "field.storage", "views", "block", "role", "core.entity", "user")
    keys = {f"{name}.*.*": {"const": number} for number, name in enumerate(names)}
    schema = {
        "type": "object",
        "properties": {
            "keys": {"patternProperties": keys, "additionalProperties": {"const": "other"}},
            "n": {"type": "integer"},
        },
        "patternProperties": {"^x": {"type": "null"}},
        "additionalProperties": False,
    }
    schema["properties"]["keys"]["type"] = "object"
    compiled = gbnfc.compile_schema(schema)
    wider = {(e.pointer, e.keyword) for e in compiled.report if e.effect.value == "wider"}
    assert wider == {("/properties/keys", "patternProperties")}
    good = [{"keys": {"field.field.a": 0, "block": 3, "user.": 6, "o": "other"}}, {"n": 1}]
    bad = [{"keys": {"field.field.a": 1}}, {"keys": {"o": 1}}, {"n": "1"}, {"y": 1}, {"xa": 1}]
    assert_judged(compiled, good, bad, judge)
    both = "views.block."  # nothing is both 2 and 3
    assert_judged(compiled, [{"keys": {both: 3}}], [{"keys": {both: 2}}], judge)


CASES = [case for cases in FAMILIES.values() for case in cases]


@pytest.mark.parametrize("clock", ["SHORT_AFTER_SECONDS", "OVER_AFTER_SECONDS"])
def test_without_any_time_what_is_valid_is_accepted(clock, monkeypatch):
    monkeypatch.setattr(time_limit, "SHORT_AFTER_SECONDS", -1)
    monkeypatch.setattr(time_limit, clock, -1)
    changed = 0
    for schema, accepted, refused, *draft in CASES:
        compiled = gbnfc.compile_schema(
            schema, draft=draft[0] if draft else None, registry=REGISTRY
        )
        program = compile_matcher(compiled.grammar)
        for text in accepted.split(BAR):
            assert match_text(program, text).verdict is Verdict.ACCEPTED, (schema, text)
        too_wide = [
            text
            for text in refused.split(BAR)
            if match_text(program, text).verdict is Verdict.ACCEPTED
        ]
        changed += bool(too_wide)
        assert not (too_wide and compiled.exact), (schema, too_wide)
    assert changed > 10  # else the clock is not asked


@pytest.mark.parametrize("clock", ["SHORT_AFTER_SECONDS", "OVER_AFTER_SECONDS"])
def test_without_any_time_the_place_is_said(clock, monkeypatch):
    schema = {
        "type": "object",
        "properties": {
            "plain": {"type": "integer"},
            "one": {"oneOf": [{"$ref": f"#/$defs/{key}"} for key in "ab"]},
        },
        "$defs": {
            key: {"type": "object", "properties": {"c": {"$ref": "#"}}, "required": [key]}
            for key in "ab"
        },
    }
    assert gbnfc.compile_schema(schema).exact
    monkeypatch.setattr(time_limit, "SHORT_AFTER_SECONDS", -1)
    monkeypatch.setattr(time_limit, clock, -1)
    report = gbnfc.compile_schema(schema).report
    wider = [(e.pointer, e.keyword, e.message) for e in report if e.effect.value == "wider"]
    place = ("", "properties") if clock == "OVER_AFTER_SECONDS" else ("/properties/one", "oneOf")
    assert (*place, time_limit.TOO_LONG) in wider


def test_keys_whose_patterns_take_too_long_are_not_waited_for(monkeypatch):
    monkeypatch.setattr(time_limit, "SHORT_AFTER_SECONDS", 0.5)
    # Each takes about a second to be found too large.
    costly = {f"^((ab){{1,30}}c?){{1,{n}}}$": {"const": n} for n in range(60, 72)}
    schema = {
        "type": "object",
        "properties": {name: {"type": "integer"} for name in "abcdefgh"},
        "patternProperties": costly,
        "additionalProperties": False,
    }
    began = time.thread_time()
    compiled = gbnfc.compile_schema(schema)
    assert time.thread_time() - began < 6  # 1.2 s on a machine of its own; all take 12 s
    wider = {(e.keyword, e.message) for e in compiled.report if e.effect.value == "wider"}
    assert ("patternProperties", time_limit.TOO_LONG) in wider
    program = compile_matcher(compiled.grammar)
    assert match_text(program, '{"a": 1, "abc": 60}').verdict is Verdict.ACCEPTED


def test_patterns_that_multiply_are_given_up_where_they_do(judge):
    rows = [{"anyOf": [{"pattern": f"x{n}{c}"} for c in "abcdef"]} for n in range(8)]
    schema = {"type": "object", "properties": {"a": {"allOf": rows}, "b": {"type": "integer"}}}
    compiled = gbnfc.compile_schema(schema)
    wider = {e.pointer.split("/allOf")[0] for e in compiled.report if e.effect.value == "wider"}
    assert wider == {"/properties/a"}
    assert_judged(compiled, [{"a": "x", "b": 1}], [{"b": "x"}], judge)


def conditions(count):
    return [
        {"if": has_text(f"k{n}", f"^a{n}"), "then": {"required": [f"r{n}"]}} for n in range(count)
    ]


def has_text(key, pattern):
    return {"properties": {key: {"pattern": pattern}}, "required": [key]}


KINDS = {
    "conditions": {"properties": {"k0": STRING}, "allOf": conditions(12)},
    "implications": {
        "properties": {"k0": STRING},
        "allOf": [{"anyOf": [{"not": c["if"]}, c["then"]]} for c in conditions(12)],
    },
    "alternatives": {
        "properties": {"k0": STRING},
        "allOf": [{"anyOf": [{"required": [f"{c}{n}"]} for c in "ab"]} for n in range(12)],
    },
    "one of many": {
        "properties": {"k0": STRING},
        "anyOf": [{"required": [f"r{n}"], "minProperties": n} for n in range(2_100)],
    },
}


@pytest.mark.parametrize(
    ("form", "place"),
    [
        *((form, "") for form in KINDS),
        *(("alternatives", place) for place in ("/properties/a", "/items", "/$defs/d")),
    ],
)
def test_kinds_that_multiply_are_given_up_where_they_do(form, place, judge):
    inner = {"type": "object", **KINDS[form]}
    everything = {f"{c}{n}": "x" for c in "rab" for n in range(12)}
    good, bad = {**everything, "k0": "a0"}, {**everything, "k0": 1}
    schema, wrap = {
        "": (inner, lambda value: value),
        "/properties/a": (
            {"type": "object", "properties": {"b": INT, "a": inner}, "required": ["b"]},
            lambda value: {"b": 1, "a": value},
        ),
        "/items": ({"type": "array", "items": inner}, lambda value: [value]),
        "/$defs/d": (
            {"type": "array", "prefixItems": [INT], "items": {"$ref": "#/$defs/d"}}
            | {"$defs": {"d": inner}},
            lambda value: [7, value],
        ),
    }[place]
    compiled = gbnfc.compile_schema(schema)
    wider = {e.pointer for e in compiled.report if e.effect.value == "wider"}
    assert wider
    assert all(pointer.startswith(place) for pointer in wider)
    around = {"/properties/a": [{"a": good}, {"b": "1", "a": good}], "/$defs/d": [["7", good]]}
    assert_judged(compiled, [wrap(good)], [wrap(bad), wrap(1), *around.get(place, [])], judge)


def test_patterns_of_alternatives_are_no_product():
    kind = {f"p{n}": {"type": "string", "pattern": f"^{n}"} for n in range(20)}
    many = {"oneOf": [{"properties": kind | {"k": {"const": n}}} for n in range(300)]}
    check_cases(SourceMap(many, {}, siblings_of_ref=True))


LISTS = {
    "enum": lambda size: {"enum": [f"value {n * 7919 % 1_000_003} of many" for n in range(size)]},
    "required": lambda size: {"required": [f"key {n * 7919 % 1_000_003}" for n in range(size)]},
    "properties": lambda size: {"properties": {f"key {n}": {"minimum": n} for n in range(size)}},
    "oneOf": lambda size: {"oneOf": [{"required": [f"key {n}"]} for n in range(size)]},
}


@pytest.mark.parametrize("keyword", LISTS)
def test_megabytes_of_one_keyword_are_refused_with_their_place(keyword):
    inner = LISTS[keyword](150_000)
    schema = {"type": "object", "properties": {"a/b": {"items": inner}}}
    started = time.process_time()
    with pytest.raises(gbnfc.LimitExceeded) as caught:
        gbnfc.compile_schema(schema)
    assert time.process_time() - started < 6
    assert f"/properties/a~1b/items/{keyword}" in caught.value.message


def test_as_many_as_may_be_required_take_seconds():
    started = time.process_time()
    schema = LISTS["required"](MAX_LISTED["required"] // 4)
    assert gbnfc.compile_schema(schema).exact
    assert time.process_time() - started < 6  # one second on a quiet machine
