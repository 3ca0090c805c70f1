"""Slips: what looks as if it constrained values; what is meant as it stands comes first."""

from __future__ import annotations

import pytest

import gbnfc
from gbnfc.match import Verdict, match_text
from gbnfc.schema.oversights import is_slip

STR = {"type": "string"}
DRAFT_7 = "http://json-schema.org/draft-07/schema#"


def older(schema):
    return {
        "$schema": DRAFT_7,
        "definitions": {"a": STR, "b": {"$ref": "#/definitions/a"}},
    } | schema


MEANT = [
    {},
    True,
    {"type": "object", "properties": {"a": STR}, "required": ["a", "b"]},
    # beside $ref
    {"$ref": "#/$defs/a", "maxLength": 2, "$defs": {"a": STR}},
    older({"$ref": "#/definitions/a"}),
    older({"$ref": "#/definitions/a", "title": "A", "description": "b", "default": "c"}),
    older({"$ref": "#/definitions/a", "type": "string"}),
    older({"$ref": "#/definitions/b", "type": "string"}),
    # nullable
    {"type": ["string", "null"], "nullable": True},
    {"type": "string", "nullable": False},
    {"nullable": True},
    {"anyOf": [STR, {"type": "null"}], "nullable": True},
    {"properties": {"nullable": {"const": True}}},
    # subschemas that are no properties
    {"type": "object", "x-item": STR, "_item": STR, "$item": STR, "//item": STR},
    {"type": "object", "properties": {"a": {"$ref": "#/item"}}, "item": STR},
    {"type": "object", "properties": {"a": {"$ref": "#/parts/b"}}, "parts": {"b": STR}},
    {"type": "object", "discriminator": {"propertyName": "kind"}, "xml": {"name": "a"}},
    {"type": "object", "widget": {"type": "select"}, "pbj": {"type": "string", "rule": "map"}},
    {"type": "string", "item": {"type": "string"}},
    {"definitions": {"group": {"a": STR, "b": STR}}},
    {"type": "object", "default": STR, "examples": [STR], "enum": [{"a": STR, "type": "object"}]},
    # required
    {"properties": {"tag1": STR}, "required": ["tag2"]},
    {"properties": {"_id": STR}, "required": ["id"]},
    {"properties": {"when": STR, "whne": STR}, "required": ["whne"]},
    {"properties": {"when": STR}, "required": ["when", "whne"]},
    {"properties": {"name": STR}, "required": ["address"]},
    {"properties": {"a": STR}, "required": ["b"]},
]


@pytest.mark.parametrize("schema", MEANT)
def test_what_is_meant_as_it_stands(schema):
    assert [e for e in gbnfc.compile_schema(schema).report if e.is_slip] == []


SLIPS = [
    (older({"$ref": "#/definitions/a", "maxLength": 2}), "", "maxLength", "'aaa'"),
    (older({"$ref": "#/definitions/b", "type": ["string"]}), "", "type", "'a'"),
    (
        older({"properties": {"x": {"allOf": [{"$ref": "#/definitions/a", "enum": ["b"]}]}}}),
        "/properties/x/allOf/0",
        "enum",
        "{'x': 'a'}",
    ),
    ({"type": "string", "nullable": True}, "", "nullable", "'a'"),
    ({"enum": ["a"], "nullable": True}, "", "nullable", "'a'"),
    ({"$ref": "#/$defs/a", "$defs": {"a": STR}, "nullable": True}, "", "nullable", "'a'"),
    ({"anyOf": [STR, {"type": "array"}], "nullable": True}, "", "nullable", "'a'"),
    ({"allOf": [STR], "nullable": True}, "", "nullable", "'a'"),
    ({"type": "object", "schema": {"type": "object", "properties": {}}}, "", "schema", "{'a': 1}"),
    ({"type": "object", "schema": {"properties": {"a": STR}}}, "", "schema", "{'a': 1}"),
    ({"properties": {"a": STR}, "b": {"type": "integer"}}, "", "b", "{'b': 'x'}"),
    ({"name": STR, "age": {"type": ["integer", "null"]}}, "", "age", "{'age': 'x'}"),
    (
        {"items": {"type": ["object", "null"], "b": {"anyOf": [STR, {"type": "null"}]}}},
        "/items",
        "b",
        "[{'b': 1}]",
    ),
    ({"type": "object", "b": {"enum": [1, 2]}}, "", "b", "{'b': 3}"),
    ({"properties": {"when": STR}, "required": ["whne"]}, "", "required", "{'whne': 1}"),
    ({"properties": {"when": STR}, "required": ["wen"]}, "", "required", "{'wen': 1}"),
    ({"properties": {"invoiceDate": STR}, "required": ["invoice_date"]}, "", "required", None),
    ({"properties": {"titles": STR}, "required": ["title"]}, "", "required", "{'title': 1}"),
    ({"type": "string", "contentEncoding": "base64"}, "", "contentEncoding", "'-'"),
    ({"type": "string", "contentMediaType": "text/html"}, "", "contentMediaType", "'<'"),
    ({"type": "string", "contentSchema": STR}, "", "contentSchema", "'1'"),
]


@pytest.mark.parametrize(("schema", "pointer", "keyword", "accepted"), SLIPS)
def test_slips(schema, pointer, keyword, accepted):
    compiled = gbnfc.compile_schema(schema)
    found = [(e.pointer, e.keyword) for e in compiled.report if e.is_slip]
    assert (pointer, keyword) in found
    assert all(e.effect.value in ("ignored", "enforced") for e in compiled.report if e.is_slip)
    if accepted is not None:  # a value that the author did not mean, and the schema allows
        text = accepted.replace("'", '"')
        assert match_text(compiled.grammar, text).verdict is Verdict.ACCEPTED


@pytest.mark.parametrize(
    ("written", "meant", "slip"),
    [
        ("whne", "when", True),
        ("wen", "when", True),
        ("wheen", "when", True),
        ("whan", "when", True),
        ("createdAt", "created_at", True),
        ("created-at", "createdat", True),
        ("adress", "address", True),
        ("line1", "line2", False),
        ("line", "line2", False),
        ("to", "two", False),
        ("id", "_id", False),
        ("cat", "car", False),
        ("name", "same", True),
        ("whne", "where", False),
        ("", "a", False),
    ],
)
def test_slips_of_the_hand(written, meant, slip):
    assert is_slip(written, meant) is slip
    assert is_slip(meant, written) is slip
