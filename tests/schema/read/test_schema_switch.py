"""Conditions that tell values apart: the same values as before, in linear size."""

from __future__ import annotations

import json
import random
import time

import jsonschema
import pytest

import gbnfc
from gbnfc.match import Verdict, compile_matcher, match_text
from gbnfc.schema.read.canonical import canonicalize

INT = {"type": "integer"}
KINDS = ("a", "b", "c")


def has(key, schema, **others):
    return {"properties": {key: schema}, "required": [key], **others}


CONDITIONS = (
    *(has("kind", {"const": kind}) for kind in KINDS),
    *({"properties": {"kind": {"const": kind}}} for kind in KINDS),
    has("kind", {"enum": ["a", "b"]}),
    has("kind", {"enum": ["b", "z", None]}),
    has("kind", {"not": {"const": "a"}}),
    {"not": has("kind", {"const": "c"})},
    {"required": ["kind"]},
    {"not": {"required": ["kind"]}},
    has("kind", {"minimum": 1, "type": "integer"}),
    has("in", has("kind", {"const": "a"}, type="object")),
    has("in", has("kind", {"const": "b"})),
    has("mode", {"const": 1}),
    {"properties": {"kind": {"const": "a"}, "mode": {"const": 1}}, "required": ["kind", "mode"]},
    {"$ref": "#/definitions/is-a"},
    {"type": "object", **has("kind", {"const": "b"})},
    True,
    {"type": "string"},
)
BRANCHES = (
    has("x", INT),
    {"properties": {"x": False}},
    {"properties": {"y": {"const": 1}}},
    {"required": ["y"]},
    {"not": {"required": ["x"]}},
    {"$ref": "#/definitions/y"},
    {"maxProperties": 2},
    {"minLength": 2},
    False,
    True,
)
DEFINITIONS = {"is-a": has("kind", {"const": "a"}), "y": {"properties": {"y": INT}}}
VALUES = (
    *(
        {**kind, **mode, **x, **y}
        for kind in ({}, *({"kind": k} for k in (*KINDS, "z", 1, None)))
        for mode in ({}, {"mode": 1}, {"mode": 2})
        for x in ({}, {"x": 1}, {"x": "s"})
        for y in ({}, {"y": 1}, {"y": 2}, {"y": None})
    ),
    *({"in": {"kind": k}, "x": 1} for k in KINDS),
    *({"in": inner} for inner in ({}, 1, {"kind": "a"}, {"kind": "b", "z": 1})),
    *({"kind": "a", "z": 1, "y": 1}, {"kind": "b", "x": 1, "z": 0}),
    *(None, 1, "a", "abc", [], [1]),
)


def conditional(rng):
    found = {"if": rng.choice(CONDITIONS)}
    for keyword, share in (("then", 0.8), ("else", 0.3)):
        if rng.random() < share:
            found[keyword] = rng.choice(BRANCHES)
    if "else" not in found and "then" not in found:
        return {**found, "then": rng.choice(BRANCHES)}
    if rng.random() < 0.1:
        return {"anyOf": [{"not": found["if"]}, rng.choice(BRANCHES)]}
    return found | ({"required": ["kind"]} if rng.random() < 0.1 else {})


def schema_of(rng, *, looks_back):
    schema = {"allOf": [conditional(rng) for _ in range(rng.randint(2, 5))]}
    if rng.random() < 0.7:
        schema["type"] = "object"
    if rng.random() < 0.5:
        schema["properties"] = {"kind": {"type": "string"}}
    if rng.random() < 0.3:
        schema |= conditional(rng)
    if looks_back:
        schema["unevaluatedProperties"] = rng.choice((False, INT))
    if rng.random() < 0.2:
        schema = {"not": schema}
    return schema | {"definitions": DEFINITIONS}


def spelled(schema, draft):
    """Return the schema that was brought into canonical form, if nothing was lost."""
    document = canonicalize(schema, draft, {})
    return None if document.losses else document.schema


@pytest.mark.parametrize("looks_back", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_cases_are_the_same_values(seed, looks_back):
    rng = random.Random(seed)
    schema = schema_of(rng, looks_back=looks_back)
    other = spelled(schema, "2020-12")
    if other is not None:
        judges = [jsonschema.Draft202012Validator(each) for each in (schema, other)]
        for value in VALUES:
            before, now = (judge.is_valid(value) for judge in judges)
            assert before == now, f"{json.dumps(schema)}\n{json.dumps(other)}\n{value}"


def test_most_conditions_are_rewritten():
    schemas = [schema_of(random.Random(seed), looks_back=False) for seed in range(40)]
    assert sum(spelled(schema, "2020-12") is not schema for schema in schemas) > 15


@pytest.mark.parametrize("seed", range(25))
def test_grammars_hold_conditions(seed, judge):
    rng = random.Random(1000 + seed)
    schema = schema_of(rng, looks_back=seed % 3 == 0)
    validator = jsonschema.Draft202012Validator(schema)
    values = [*rng.sample(VALUES, 60), *VALUES[-14:]]
    try:
        compiled = gbnfc.compile_schema(schema, draft="2020-12")
    except gbnfc.Unsatisfiable:
        assert not any(validator.is_valid(value) for value in VALUES)
        return
    effects = {entry.effect.value for entry in compiled.report}
    program = compile_matcher(compiled.grammar)
    with judge.loaded(compiled.text) as sampler:
        for value in values:
            text, is_valid = json.dumps(value), validator.is_valid(value)
            if ("narrower" if is_valid else "wider") not in effects:
                accepted = match_text(program, text).verdict is Verdict.ACCEPTED
                assert accepted == is_valid, (schema, text)
                assert judge.accepts(sampler, text) == accepted, (schema, text)


def switch(count, condition, *, is_object=True, beside=None):
    branches = [
        {"if": condition(f"k{number}"), "then": has(f"v{number}", INT)} for number in range(count)
    ]
    return {**({"type": "object"} if is_object else {}), **(beside or {}), "allOf": branches}


def kind_is(kind):
    return has("kind", {"const": kind})


FORMS = {
    "const": lambda n: switch(n, kind_is),
    "enum": lambda n: switch(n, lambda kind: has("kind", {"enum": [kind, f"{kind}-too"]})),
    "may be absent": lambda n: switch(n, lambda kind: {"properties": {"kind": {"const": kind}}}),
    "of any type": lambda n: switch(n, kind_is, is_object=False),
    "nested": lambda n: switch(n, lambda kind: has("meta", kind_is(kind))),
    "absent in one": lambda n: {
        "type": "object",
        "allOf": [
            {"if": {"not": {"required": ["kind"]}}, "then": has("none", INT)},
            *switch(n, kind_is)["allOf"],
        ],
    },
    "numbers": lambda n: switch(n, lambda kind: has("kind", {"const": int(kind[1:])})),
    "ranges": lambda n: switch(
        n,
        lambda kind: has(
            "kind",
            {"type": "integer", "minimum": int(kind[1:]) * 10, "maximum": int(kind[1:]) * 10 + 9},
        ),
    ),
    "implications": lambda n: {
        "type": "object",
        "allOf": [{"anyOf": [{"not": b["if"]}, b["then"]]} for b in switch(n, kind_is)["allOf"]],
    },
    "beside another": lambda n: switch(
        n, kind_is, beside={"if": kind_is("other"), "then": {"required": ["w"]}}
    ),
    "oneOf with a discriminator": lambda n: {
        "oneOf": [
            {"type": "object", "properties": {"kind": {"const": f"k{number}"}, **has_}}
            | {"required": ["kind", f"v{number}"]}
            for number in range(n)
            for has_ in [{f"v{number}": INT}]
        ],
        "discriminator": {"propertyName": "kind"},
    },
}


@pytest.mark.parametrize("form", FORMS)
def test_size_is_linear_in_the_branches(form):
    sizes = {}
    for count in (2, 4, 8, 16, 64):
        compiled = gbnfc.compile_schema(FORMS[form](count), draft="2020-12")
        assert compiled.exact
        sizes[count] = len(compiled.text)
    # Names have more digits, and more keys to tell apart.
    assert sizes[64] / 64 < 1.5 * sizes[16] / 16
    assert sizes[16] < 40_000


def test_what_a_reference_leads_to_stays_where_it_is():
    schema = switch(3, kind_is)
    schema["properties"] = {"other": {"$ref": "#/allOf/1/then"}}
    compiled = gbnfc.compile_schema(schema)
    program = compile_matcher(compiled.grammar)
    for text, wanted in (
        ('{"kind": "k0", "v0": 1}', Verdict.ACCEPTED),
        ('{"kind": "k0"}', Verdict.REJECTED),
        ('{"other": {"v1": 1}}', Verdict.ACCEPTED),
        ('{"other": {}}', Verdict.REJECTED),
    ):
        assert match_text(program, text).verdict is wanted


def test_errors_are_about_the_schema_as_it_was_written():
    schema = switch(3, kind_is)
    schema["allOf"][2]["then"] = {"properties": {"v": {"type": "integr"}}}
    with pytest.raises(gbnfc.SchemaError) as caught:
        gbnfc.compile_schema(schema)
    assert "/allOf/2/then/properties/v/type" in str(caught.value)


def test_drafts_without_if_are_not_given_it():
    schema = switch(3, kind_is) | {"properties": {"kind": {"enum": ["k0", "k1"]}}}
    for draft, wanted in (("4", True), ("6", True), ("7", False), ("2020-12", False)):
        program = compile_matcher(gbnfc.compile_schema(schema, draft=draft).grammar)
        accepted = match_text(program, '{"kind": "k0"}').verdict is Verdict.ACCEPTED
        assert accepted == wanted, draft


def test_implications_are_cases_in_every_draft():
    for draft in ("4", "6", "2019-09"):
        condition = has("kind", {"enum": ["k"]})
        schema = FORMS["implications"](12)
        for branch in schema["allOf"]:
            (kind,) = branch["anyOf"][0]["not"]["properties"]["kind"].values()
            branch["anyOf"][0] = {"not": has("kind", {"enum": [kind]})}
        schema["allOf"].append({"anyOf": [{"required": ["v"]}, {"not": condition}]})
        compiled = gbnfc.compile_schema(schema, draft=draft)
        assert compiled.exact
        assert len(compiled.text) < 20_000


def tagged(tag):
    listed = {"type": "array", "items": {"type": "string"}, "contains": {"const": tag}}
    return has("tags", listed)


TAGS = ("a", "b", "c", "d", "e")
SUBJECTS = {
    tag: {
        "type": "object",
        "properties": {tag * 2: INT, f"{tag}-id": {"$ref": "#/definitions/id"}},
        "required": [tag * 2],
    }
    for tag in TAGS
}
TAGGED = {
    "then": lambda tag: {"if": tagged(tag), "then": has("of", {"$ref": f"#/definitions/{tag}"})},
    "else": lambda tag: {
        "if": {"not": tagged(tag)},
        "else": has("of", {"$ref": f"#/definitions/{tag}"}),
    },
    "both": lambda tag: {
        "if": tagged(tag),
        "then": has("of", {"$ref": f"#/definitions/{tag}"}),
        "else": {"properties": {"of": {"properties": {tag * 2: False}}}},
    },
}


def in_any(tags, subjects, **others):
    subject = {subject * 2: 1 for subject in subjects}
    return {"tags": [*tags], "of": subject, **others}


@pytest.mark.parametrize(
    ("form", "draft"), [("then", "6"), ("then", "2020-12"), ("else", "7"), ("both", "2019-09")]
)
def test_conditions_that_hold_in_any_combination(form, draft, judge):
    if draft == "6":  # without `if`
        branches = [
            {"anyOf": [{"not": TAGGED["then"](t)["if"]}, TAGGED["then"](t)["then"]]} for t in TAGS
        ]
    else:
        branches = [TAGGED[form](tag) for tag in TAGS]
    definitions = {**SUBJECTS, "id": {"type": "string", "pattern": "^[a-f]+$"}}
    # The combinations meet others: they are intersected, once more, when the grammar is written.
    either = {"anyOf": [{"required": ["x"]}, {"required": ["y"]}]}
    dispatch = {"allOf": branches}
    schema = {
        "type": "object",
        "allOf": [either, {"$ref": "#/definitions/dispatch"}],
        "definitions": {**definitions, "dispatch": dispatch},
        "$defs": {"case-2": INT},
    }
    started = time.thread_time()
    compiled = gbnfc.compile_schema(schema, draft=draft)
    assert time.thread_time() - started < 4
    assert compiled.exact
    cls = jsonschema.Draft6Validator if draft == "6" else jsonschema.Draft7Validator
    validator = cls(schema)
    values = [
        *(
            in_any(tags, subjects, x=1)
            for tags in ("", "a", "bd", "z")
            for subjects in ("", "a", "bd", "abcde")
        ),
        *(in_any("abcde", subjects, y=1) for subjects in ("abcde", "abde", "")),
        *({"x": 1, "tags": tags} for tags in (None, [1, "a"], ["a"], [])),
        *({"tags": ["a"], "of": of, "x": 1} for of in (1, {"aa": "s"}, {"aa": 1, "a-id": "x"})),
        *(in_any("a", "a"), {}, {"y": 1}),
        {"tags": ["a"], "of": {"aa": 1, "a-id": "abc"}, "y": None},
    ]
    good = [value for value in values if validator.is_valid(value)]
    assert 4 < len(good) < len(values) - 4
    program = compile_matcher(compiled.grammar)
    with judge.loaded(compiled.text) as sampler:
        for value in values:
            text = json.dumps(value)
            accepted = match_text(program, text).verdict is Verdict.ACCEPTED
            assert accepted == (value in good), text
            assert judge.accepts(sampler, text) == accepted, text
