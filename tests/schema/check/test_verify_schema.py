"""Verification: it finds grammars that are too wide or too narrow, and only those."""

from __future__ import annotations

from decimal import Decimal
from random import Random
from typing import Any

import pytest

from gbnfc.documents.json_positions import read_yaml
from gbnfc.errors import InputError
from gbnfc.match import Verdict, compile_matcher, match_text, sample
from gbnfc.schema import Effect, compile_schema
from gbnfc.schema.check.oracle import SchemaOracle, read_value
from gbnfc.schema.check.verify import Subject, canonical_text, verify
from gbnfc.source import Source

OBJECT = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"enum": ["x", "y"]}},
    "required": ["a"],
    "additionalProperties": False,
}


def subject(schema: Any, grammar_of: Any, *, with_report: bool = False) -> Subject:
    compiled = compile_schema(grammar_of)
    program, rng = compile_matcher(compiled.grammar), Random(0)
    return Subject(
        report=compiled.report if with_report else (),
        draw=lambda: sample(program, rng),
        accepts=lambda text: match_text(program, text).verdict is Verdict.ACCEPTED,
        judge=SchemaOracle(schema, "2020-12", {}, asserts_formats=True).judge,
    )


# A schema, and one whose grammar is not its own: which side allows more.
DIFFERENT = [
    ({"type": "integer", "minimum": 3}, {"type": "integer"}, Effect.WIDER),
    ({"type": "integer"}, {"type": "integer", "minimum": 3}, Effect.NARROWER),
    (OBJECT, {**OBJECT, "required": []}, Effect.WIDER),
    (OBJECT, {**OBJECT, "required": ["a", "b"]}, Effect.NARROWER),
    ({"type": "array", "maxItems": 2}, {"type": "array", "maxItems": 4}, Effect.WIDER),
    ({"type": "string", "maxLength": 9}, {"type": "string", "maxLength": 3}, Effect.NARROWER),
    (
        {"type": "array", "items": {"type": "number"}, "uniqueItems": True},
        {"type": "array", "items": {"type": "number"}},
        Effect.WIDER,
    ),
]


@pytest.mark.parametrize(("schema", "other", "effect"), DIFFERENT)
def test_differences_are_found(schema: Any, other: Any, effect: Effect) -> None:
    result = verify(subject(schema, other), 30, Random(0))
    assert not result.holds
    assert {example.effect for example in result.counter_examples} == {effect}


SAME = [
    OBJECT,
    {"type": "number", "multipleOf": 0.01, "minimum": 0, "maximum": 2},
    {"type": "string", "pattern": "^\\p{L}+$"},
    {"type": "string", "pattern": "\\A\\p{Lu}[^]{2}\\z"},
    {"type": "string", "format": "uri", "maxLength": 40},
    {"oneOf": [OBJECT, {"properties": {"b": {}, "a": {"type": "string"}}, "required": ["b", "a"]}]},
    {"type": "integer", "not": {"multipleOf": 3}},
    True,
]


@pytest.mark.parametrize("schema", SAME)
def test_nothing_else_is_found(schema: Any) -> None:
    result = verify(subject(schema, schema), 30, Random(0))
    assert result.counter_examples == ()
    assert result.instances > 5


def test_the_report_admits() -> None:
    schema = {"type": "array", "items": {"type": "number"}, "uniqueItems": True}
    result = verify(subject(schema, schema, with_report=True), 30, Random(0))
    assert result.counter_examples
    assert result.holds


TEXTS = ["0.07", "12", "-3.50", '"a\\n\\"é"', "[]", '{"a": [1, true], "b": {}}', "1E+900", "null"]


@pytest.mark.parametrize("text", TEXTS)
def test_canonical_text_is_what_was_read(text: str) -> None:
    assert canonical_text(read_value(text)) == text
    assert canonical_text(read_value(text), compact=True) == text.replace(", ", ",").replace(
        ": ", ":"
    )


def test_numbers_are_decimal() -> None:
    assert read_value("[0.10, 1.0, 1e2]") == [Decimal("0.10"), 1, 100]


YAML_VALUES = [
    ("a: 2024-01-01", {"a": "2024-01-01"}),
    ("a: [yes, No, on, true]", {"a": ["yes", "No", "on", True]}),
    ("a: [010, 0o10, 0x10, 1e2, .5, 1_000]", {"a": [10, 8, 16, 100.0, 0.5, "1_000"]}),
    ("200: {true: 1}", {"200": {"true": 1}}),
    ("a: &x {b: 1}\nc: {<<: *x, d: 2}", {"a": {"b": 1}, "c": {"b": 1, "d": 2}}),
    ("a: ~\nb:\n", {"a": None, "b": None}),
]


@pytest.mark.parametrize(("text", "value"), YAML_VALUES)
def test_yaml_scalars_are_those_of_json(text: str, value: Any) -> None:
    assert read_yaml(Source(text, "x.yaml")).value == value


YAML_REFUSED = ["a: &x [*x]", "? [1]\n: 2", "a: !!binary aGk=", "a: {b: [", "a: 1\n---\nb: 2"]


@pytest.mark.parametrize("text", YAML_REFUSED)
def test_yaml_that_is_no_json_is_refused_at_its_place(text: str) -> None:
    from gbnfc.errors import SourceError

    with pytest.raises(SourceError, match=r"x\.yaml:\d+:\d+: "):
        read_yaml(Source(text, "x.yaml"))


def test_yaml_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(InputError, match=r'pip install "gbnfc\[yaml\]"'):
        read_yaml(Source("a: 1", "x.yaml"))
