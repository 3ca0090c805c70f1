"""What compiled schemas accept and refuse, by both judges; what the report says; rule names."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest
from schema_tables import BAR, FAMILIES, OPTIONS, ORDERED, REGISTRY, REPORTS

import gbnfc
from gbnfc.match import Verdict, compile_matcher, match_text

CASES = [
    pytest.param(*case[:3], (case[3:] or (None,))[0], id=f"{family}-{number}")
    for family, cases in FAMILIES.items()
    for number, case in enumerate(cases)
]


def assert_held(compiled, accepted, refused, judge):
    program = compile_matcher(compiled.grammar)
    with judge.loaded(compiled.text) as sampler:
        for texts, wanted in ((accepted, True), (refused, False)):
            for text in texts.split(BAR):
                verdict = match_text(program, text).verdict
                assert (verdict is Verdict.ACCEPTED) == wanted, f"{text}: {verdict}"
                assert judge.accepts(sampler, text) == wanted, f"llama.cpp on {text}"


@pytest.mark.parametrize(("schema", "accepted", "refused", "draft"), CASES)
def test_texts(schema, accepted, refused, draft, judge):
    compiled = gbnfc.compile_schema(schema, draft=draft, registry=REGISTRY)
    assert all(e.effect.value != "wider" or e.keyword == "$schema" for e in compiled.report)
    assert_held(compiled, accepted, refused, judge)


@pytest.mark.parametrize(("schema", "accepted", "refused"), ORDERED)
def test_order_of_the_author(schema, accepted, refused, judge):
    compiled = gbnfc.compile_schema(schema, options=gbnfc.CompileOptions(order="schema"))
    assert_held(compiled, accepted, refused, judge)


@pytest.mark.parametrize(("options", "schema", "accepted", "refused"), OPTIONS)
def test_options(options, schema, accepted, refused, judge):
    compiled = gbnfc.compile_schema(schema, options=gbnfc.CompileOptions(**options))
    assert_held(compiled, accepted, refused, judge)


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({}, set()),
        ({"digits": 9}, {("/", "type", "narrower"), ("/properties/a", "type", "narrower")}),
        ({"additional": "closed"}, {("/", "additionalProperties", "narrower")}),
        (
            {"missing": "null"},
            {("/", "properties", "narrower"), ("/properties/a", "type", "wider")},
        ),
    ],
)
def test_options_that_change_the_language_are_reported(options, wanted):
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    report = gbnfc.compile_schema(schema, options=gbnfc.CompileOptions(**options)).report
    assert {(e.pointer or "/", e.keyword, e.effect.value) for e in report} == wanted


@pytest.mark.parametrize(("schema", "wanted"), REPORTS)
def test_report(schema, wanted):
    report = gbnfc.compile_schema(schema).report
    assert {(e.pointer, e.keyword, e.effect.value) for e in report} == wanted
    assert all(entry.message for entry in report)


@pytest.mark.parametrize(
    ("schema", "error", "words"),
    [
        (False, "Unsatisfiable", "false"),
        ({"type": "integer", "minimum": 2, "maximum": 1}, "Unsatisfiable", "minimum"),
        ({"type": "string", "minLength": 2, "maxLength": 1}, "Unsatisfiable", "minLength"),
        ({"required": ["a"], "properties": {"a": False}, "type": "object"}, "Unsatisfiable", ""),
        ({"properties": {"a": {"type": "integr"}}}, "SchemaError", "/properties/a/type"),
        ({"$ref": "#/$defs/nme", "$defs": {"name": {}}}, "UnresolvableRef", "#/$defs/nme"),
        (
            {"items": {"$id": "urn:x", "not": {"$ref": "#/$defs/a"}}, "$defs": {"a": True}},
            "UnresolvableRef",
            "/items has an identifier of its own",
        ),
        ({"$ref": "https://e.org/none"}, "UnresolvableRef", "https://e.org/none"),
        ({"$ref": "file:///etc/passwd"}, "UnresolvableRef", "file:///etc/passwd"),
        ({"$ref": "#"}, "SchemaError", "without any content"),
        ({"pattern": "["}, "PatternError", "["),
        ({"items": {"enum": ["\ud800"]}}, "SchemaError", "at /items/enum/0: "),
        (
            {"properties": {"a": {"properties": {"\udfff": {}}}}},
            "SchemaError",
            "/properties/a/prop",
        ),
        ({"items": {"pattern": "a("}}, "PatternError", "pattern:1:2: at /items: "),
        ({"patternProperties": {"a": {}, "(": {}}}, "PatternError", "pattern:1:1: at /: "),
        ({"properties": {"a/b": {"const": float("nan")}}}, "SchemaError", "/properties/a~1b/const"),
        ({"enum": [1, {"x": [float("inf")]}]}, "SchemaError", "/enum/1/x/0"),
    ],
)
def test_errors(schema, error, words):
    with pytest.raises(gbnfc.GbnfcError) as caught:
        gbnfc.compile_schema(schema, registry=REGISTRY)
    assert type(caught.value).__name__ == error
    assert words in str(caught.value)


def test_an_option_that_leaves_nothing_is_named():
    schema = {"type": "object", "minProperties": 3, "properties": {"a": {"type": "string"}}}
    with pytest.raises(gbnfc.LimitExceeded) as caught:  # not Unsatisfiable: there are such objects
        gbnfc.compile_schema(schema, options=gbnfc.CompileOptions(additional="closed"))
    assert "additional=closed" in caught.value.hint


_TOO_MANY_STATES = "(a|b)*a(a|b){14}c$"


@pytest.mark.parametrize(
    ("patterns", "wanted"),
    [
        ({letter: {"type": "null"} for letter in "abcdefgh"}, set()),  # one value: one language
        (
            {letter: {"minLength": size} for size, letter in enumerate("abcdefgh", 1)},
            {"patternProperties"},
        ),
        ({_TOO_MANY_STATES: {"minLength": 2}}, {"patternProperties", "additionalProperties"}),
    ],
    ids=["alike", "too-many-regions", "too-large"],
)
def test_patterns_of_keys_that_cannot_be_held_are_wider(patterns, wanted, judge):
    schema = {
        "type": "object",
        "properties": {"d": {"type": "null"}},
        "patternProperties": patterns,
        "additionalProperties": {"type": "integer"},
    }
    compiled = gbnfc.compile_schema(schema)
    wider = {entry.keyword for entry in compiled.report if entry.effect.value == "wider"}
    assert wider == wanted
    valid = ["{}", '{"zz": 1}', '{"d": null, "zz": 1}']
    valid += ['{"' + "a" * 15 + 'c": "12345678"}' if wanted else '{"a": null}']
    refused = ['{"d": 1}', *([] if wanted else ['{"a": 1}'])]
    refused += [] if "additionalProperties" in wanted else ['{"zz": "x"}']
    assert_held(compiled, BAR.join(valid), BAR.join(refused), judge)


@pytest.mark.parametrize(
    "names",
    [
        ("名", "姓"),
        ("a b", "a-b", "a_b", "a.b", "a"),
        ("root", "string", "value", "char", "object", "array", "number", "integer", "ws", "key"),
        ("", "-", "1", "é", "e", "\n", '"', "root-2", "Root"),
        ("x-rest", "x", "rest", "x-2", "x-item", "x-extra", "extra", "more"),
    ],
)
def test_names_never_clash(names, judge):
    """Each property has values of its own, which no other accepts, and so on one level deeper."""
    inner = {
        name: {
            "type": "object",
            "properties": {"k": {"enum": [f"v{n}", f"w{n}"]}},
            "required": ["k"],
        }
        for n, name in enumerate(names)
    }
    compiled = gbnfc.compile_schema(
        {
            "type": "object",
            "properties": inner,
            "required": list(names),
            "additionalProperties": False,
        }
    )
    rules = [rule.name for rule in compiled.grammar.rules]
    assert len(rules) == len(set(rules))
    assert all(re.fullmatch("[a-zA-Z0-9-]+", name) for name in rules)
    right = {name: {"k": f"v{n}"} for n, name in enumerate(names)}
    spelled = json.dumps(right, ensure_ascii=False)
    wrong = [spelled.replace(f"v{n}", f"v{(n + 1) % len(names)}", 1) for n in range(len(names))]
    assert_held(compiled, spelled, BAR.join(wrong), judge)


DETERMINISM = """
import hashlib, sys
sys.path[:0] = sys.argv[1:]
import gbnfc
from schema_tables import FAMILIES, REGISTRY
seen = hashlib.sha256()
for cases in FAMILIES.values():
    for case in cases:
        compiled = gbnfc.compile_schema(case[0], (case[3:] or (None,))[0], REGISTRY)
        seen.update(repr((compiled.text, compiled.report)).encode())
print(seen.hexdigest())
"""


def test_same_bytes_with_every_hash_seed():
    digests = set()
    for hash_seed in ("0", "1", "12345"):
        done = subprocess.run(
            [sys.executable, "-c", DETERMINISM, *filter(None, sys.path)],
            env={"PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=True,
        )
        digests.add(done.stdout)
    assert len(digests) == 1


@pytest.mark.parametrize(
    "options",
    [
        *({"whitespace": None}, {"whitespace": "pretty:100"}, {"whitespace": 2}),
        *({"digits": "x"}, {"digits": 1.5}, {"digits": 0}, {"order": 3}, {"formats": None}),
    ],
)
def test_options_that_there_are_not(options):
    with pytest.raises(gbnfc.UsageError):
        gbnfc.CompileOptions(**options)


@pytest.mark.parametrize("choices", [(), "abc", [1], ["a", None]])
def test_choices_are_a_list_of_texts(choices):
    with pytest.raises(gbnfc.SchemaError):
        gbnfc.compile_choices(choices)
