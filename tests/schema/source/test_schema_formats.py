"""A format that constrains nothing, unknown or an annotation: every string passes it, so that none
is left for its negation. What is compiled is what the schema means without the keyword.
"""

from __future__ import annotations

import copy
import json

import pytest
from schema_strategies import INSTANCES

import gbnfc
from gbnfc.match import Verdict, match_text
from gbnfc.schema.check.oracle import SchemaOracle

NAME = {"format": "colour"}
TEXT = {"type": "string", "format": "colour"}
CONTEXTS = {
    "itself": NAME,
    "typed": TEXT,
    "beside others": {**TEXT, "minLength": 2, "pattern": "^a"},
    "not": {"not": NAME},
    "not typed": {"not": TEXT},
    "not not": {"not": {"not": NAME}},
    "not beside enum": {"not": {"enum": ["a", 1], **NAME}},
    "not and a type": {"type": ["string", "integer"], "not": NAME},
    "not in anyOf": {"anyOf": [{"not": NAME}, {"type": "null"}]},
    "not in allOf": {"allOf": [{"not": TEXT}, {"type": ["string", "integer"]}]},
    "oneOf": {"oneOf": [{"type": "string"}, NAME]},
    "oneOf typed": {"oneOf": [TEXT, {"type": "string", "maxLength": 1}, {"type": "integer"}]},
    "two names": {"oneOf": [NAME, {"format": "shade"}]},
    "known and unknown": {"allOf": [{"type": "string", "format": "date"}, NAME]},
    "if": {"if": NAME, "then": {"type": "string"}, "else": {"type": "integer"}},
    "if typed": {"if": TEXT, "then": {"minLength": 2}, "else": {"type": "integer"}},
    "property": {"type": "object", "properties": {"a": {"not": NAME}}},
    "required property": {"type": "object", "properties": {"a": {"not": NAME}}, "required": ["a"]},
    "not around an object": {"not": {"properties": {"a": TEXT}, "required": ["a"]}},
    "oneOf objects": {
        "oneOf": [
            {"type": "object", "properties": {"a": TEXT}, "required": ["a"]},
            {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
        ]
    },
    "items": {"type": "array", "items": {"not": TEXT}},
    "contains": {"type": "array", "contains": TEXT},
    "contains at most": {"type": "array", "contains": TEXT, "maxContains": 1},
    "contains none": {"type": "array", "contains": {"not": TEXT}, "minContains": 0},
    "dependentSchemas": {
        "type": "object",
        "dependentSchemas": {"a": {"properties": {"b": {"not": TEXT}}}},
    },
    "additionalProperties": {"type": "object", "additionalProperties": {"not": TEXT}},
    "propertyNames": {"type": "object", "propertyNames": {"not": NAME}},
    "patternProperties": {"type": "object", "patternProperties": {"^a": {"not": TEXT}}},
    "unevaluated": {"properties": {"a": {"not": TEXT}}, "unevaluatedProperties": NAME},
    "reference": {"$ref": "#/$defs/n", "$defs": {"n": {"not": TEXT}}},
    "recursion": {"anyOf": [{"not": NAME}, {"type": "array", "items": {"$ref": "#"}}]},
    "a property of that name": {"type": "object", "properties": {"format": {"type": "null"}}},
    "data of that name": {"enum": [{"format": "colour"}, "a"]},
}
WAYS = {
    "unknown": ("colour", {}),
    "unknown, asserted": ("colour", {"formats": "assert"}),
    "annotated": ("date", {"formats": "annotate"}),
}


def renamed(schema, name):
    return json.loads(
        json.dumps(schema)
        .replace('"colour"}', f'"{name}"}}')
        .replace('"format": "colour"', f'"format": "{name}"')
    )


def verdicts(schema, **options):
    """Return the texts of instances that are accepted, and the report; `None` for no grammar."""
    try:
        compiled = gbnfc.compile_schema(schema, options=gbnfc.CompileOptions(**options))
    except gbnfc.Unsatisfiable:
        return None, ()
    texts = [json.dumps(value, ensure_ascii=False) for value in INSTANCES]
    is_accepted = [match_text(compiled.grammar, t).verdict is Verdict.ACCEPTED for t in texts]
    return is_accepted, compiled.report


def without_formats(value):
    if isinstance(value, dict):
        return {
            key: without_formats(inner)
            for key, inner in value.items()
            if not (key == "format" and isinstance(inner, str))
        }
    return [without_formats(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("context", CONTEXTS)
def test_it_means_what_is_meant_without_it(context, way):
    name, options = WAYS[way]
    if context == "known and unknown" and way == "annotated":
        pytest.skip("the other one is held then")
    schema = renamed(CONTEXTS[context], name)
    found, report = verdicts(schema, **options)
    judge = SchemaOracle(schema, "2020-12", {}, asserts_formats=way != "annotated")
    wanted = [judge.judge(value).valid for value in INSTANCES]
    assert (found or [False] * len(INSTANCES)) == wanted
    plain = copy.deepcopy(schema)
    if context not in ("data of that name", "known and unknown"):
        plain = without_formats(plain)
        assert found == verdicts(plain, **options)[0]
    effects = {(entry.keyword, entry.effect.value) for entry in report}
    assert not effects & {("format", "wider"), ("format", "narrower")}
    if found is not None and context not in ("a property of that name", "data of that name"):
        assert ("format", "ignored") in effects
    assert ("not", "ignored") not in effects


def test_documents_of_a_registry_are_read_alike():
    registry = {"urn:n": {"$defs": {"n": {"not": {"format": "colour"}}}}}
    schema = {"anyOf": [{"$ref": "urn:n#/$defs/n"}, {"type": "null"}]}
    compiled = gbnfc.compile_schema(schema, registry=registry)
    assert match_text(compiled.grammar, "null").verdict is Verdict.ACCEPTED
    assert match_text(compiled.grammar, '"a"').verdict is Verdict.REJECTED


@pytest.mark.parametrize("value", [3, None, ["date"], {"type": "string"}])
def test_what_is_no_name_is_still_no_schema(value):
    with pytest.raises(gbnfc.SchemaError):
        gbnfc.compile_schema({"not": {"format": value}})
