"""Schemas of other dialects, and what they come in: pointers into APIs, CRDs, requests of APIs."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

import gbnfc
from gbnfc.cli.app import run
from gbnfc.cli.inputs.schema_argument import read_schema
from gbnfc.lint.check_schema import lint_schema_text
from gbnfc.match import Verdict, match_text
from gbnfc.source import Source

if TYPE_CHECKING:
    from pathlib import Path

BAR = " ‖ "
AGE = {
    "type": "object",
    "properties": {"age": {"type": "integer"}},
    "required": ["age"],
    "additionalProperties": False,
}
UPPER = {
    "type": "OBJECT",
    "properties": {
        "b": {"type": "STRING", "nullable": True},
        "a": {"type": "ARRAY", "items": {"type": "INTEGER"}, "minItems": "1"},
    },
    "propertyOrdering": ["a", "b"],
    "required": ["b", "a"],
}
API = {
    "openapi": "3.0.3",
    "info": {"title": "t", "version": "1"},
    "paths": {},
    "components": {
        "schemas": {
            "Price": {"type": "number", "minimum": 0, "exclusiveMinimum": True},
            "Open": {"type": "integer", "minimum": 0, "exclusiveMinimum": False},
            "Name": {"type": "string", "nullable": True},
            "Size": {"type": "string", "enum": ["s"], "nullable": True},
            "Part": {"allOf": [{"$ref": "#/components/schemas/Price"}], "nullable": True},
            "List": {"type": "array", "items": {"$ref": "#/components/schemas/Name"}},
            "Bare": {"$ref": "#/components/schemas/Price", "nullable": True},
            "Cat": {"type": "object", "properties": {"kind": {"type": "string"}}},
            "Dog": {"type": "object", "properties": {"kind": {"type": "string"}}},
            "Pet": {
                "oneOf": [
                    {"$ref": "#/components/schemas/Cat"},
                    {"$ref": "#/components/schemas/Dog"},
                ],
                "discriminator": {
                    "propertyName": "kind",
                    "mapping": {"d": "#/components/schemas/Dog"},
                },
            },
            "nullable": {"type": "object", "properties": {"nullable": {"type": "boolean"}}},
            "Page[Price]": {"items": {"$ref": "#/components/schemas/Page[Price]"}, "type": "array"},
        }
    },
}
CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "spec": {
        "versions": [
            {
                "name": "v1",
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "port": {"x-kubernetes-int-or-string": True},
                            "free": {
                                "type": "object",
                                "x-kubernetes-preserve-unknown-fields": True,
                                "nullable": True,
                            },
                            "low": {"type": "integer", "minimum": 1, "exclusiveMinimum": True},
                            "set": {
                                "type": "array",
                                "x-kubernetes-list-type": "set",
                                "items": {"type": "string", "enum": ["a", "b"]},
                            },
                            "pod": {"type": "object", "x-kubernetes-embedded-resource": True},
                        },
                    }
                },
            }
        ]
    },
}
AT_API = "#/components/schemas/"
AT_CRD = "#/spec/versions/0/schema/openAPIV3Schema"
POD = '{"apiVersion": "v1", "kind": "Pod", "metadata": {}}'

DIALECTS = [
    # document, pointer, accepted, refused
    (API, AT_API + "Price", "1 ‖ 0.5", "0 ‖ -1 ‖ null"),
    (API, AT_API + "Open", "0 ‖ 1", "-1"),
    (API, AT_API + "Name", 'null ‖ "a"', "1"),
    (API, AT_API + "Size", 'null ‖ "s"', '"a"'),
    (API, AT_API + "Part", "null ‖ 1", '0 ‖ "a"'),
    (API, AT_API + "List", '[null, "a"] ‖ []', "[1] ‖ null"),
    (API, AT_API + "Bare", "1", "0 ‖ null"),
    (API, AT_API + "Pet", '{"kind": "Cat"} ‖ {"kind": "d", "x": 1}', '{"kind": "Dog"} ‖ {}'),
    (API, AT_API + "nullable", '{"nullable": true} ‖ {}', '{"nullable": 1} ‖ null'),
    (API, AT_API + "Page[Price]", "[[], [[]]]", "[1]"),
    (API, AT_API + "Page%5BPrice%5D", "[[], [[]]]", "[1]"),
    ({"swagger": "2.0", "definitions": {"a": {"type": "string", "x-nullable": True}}},
     "#/definitions/a", "null", "1"),
    # the same keywords where they mean nothing
    ({"openapi": "3.1.0", "components": {"schemas": {"a": {"type": "string", "nullable": True}}}},
     AT_API + "a", '"a"', "null"),
    ({"$defs": {"a": {"type": "string", "nullable": True}}}, "#/$defs/a", '"a"', "null"),
    # Kubernetes
    (CRD, AT_CRD, '{} ‖ {"port": 1} ‖ {"port": "http"} ‖ {"free": null} ‖ {"free": {"a": 1}}',
     '{"port": null} ‖ {"free": 1}'),
    (CRD, AT_CRD, '{"set": ["b", "a"]}', '{"set": ["a", "a"]} ‖ {"set": null}'),
    (CRD, AT_CRD, '{"pod": ' + POD + "}", '{"pod": {"kind": "Pod"}}'),
    (CRD, AT_CRD + "/properties/low", "2", "1 ‖ null"),
    (CRD, AT_CRD + "/properties/port", '2 ‖ "a"', "null"),
    (CRD, "", '{"low": 2}', '{"low": 1}'),
    # Gemini
    ({"generationConfig": {"responseSchema": UPPER}}, "#/generationConfig/responseSchema",
     '{"a": [1], "b": null}', '{"a": [], "b": ""}'),
    ({"generationConfig": {"responseSchema": UPPER}},
     "#/generationConfig/responseSchema/properties/a", "[1]", "[] ‖ null"),
]  # fmt: skip


def assert_means(name: str, accepted: str, refused: str) -> None:
    given = read_schema(name)
    compiled = gbnfc.compile_schema(given.schema, registry=given.registry)
    for texts, wanted in ((accepted, True), (refused, False)):
        for text in texts.split(BAR):
            verdict = match_text(compiled.grammar, text).verdict
            assert (verdict is Verdict.ACCEPTED) is wanted, text


@pytest.mark.parametrize(("document", "pointer", "accepted", "refused"), DIALECTS)
def test_dialects(
    tmp_path: Path, document: dict[str, Any], pointer: str, accepted: str, refused: str
) -> None:
    path = tmp_path / "file.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert_means(f"{path}{pointer}", accepted, refused)


BODIES = [
    {"model": "m", "messages": [], "format": AGE},
    {"model": "m", "messages": [], "format": {"$ref": "#/$defs/a", "$defs": {"a": AGE}}},
    {"model": "m", "messages": [], "guided_json": AGE},
    {"messages": [], "extra_body": {"guided_json": AGE}},
    {"messages": [], "structured_outputs": {"json": AGE}},
    {"messages": [], "extra_body": {"structured_outputs": {"json": AGE}}},
    {"prompt": "", "json_schema": AGE},
    {"messages": [], "response_format": {"type": "json_object", "schema": AGE}},
    {
        "messages": [],
        "response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": AGE}},
    },
    {"input": "", "text": {"format": {"type": "json_schema", "name": "a", "schema": AGE}}},
    {"messages": [], "output_format": {"type": "json_schema", "schema": AGE}},
    {"messages": [], "output_config": {"format": {"type": "json_schema", "schema": AGE}}},
    {"messages": [], "tools": [{"name": "a", "description": "b", "input_schema": AGE}]},
    {"contents": [], "generationConfig": {"responseJsonSchema": AGE}},
    {
        "contents": [],
        "generationConfig": {
            "responseSchema": {
                "type": "OBJECT",
                "properties": {"age": {"type": "INTEGER"}},
                "required": ["age"],
            }
        },
    },
    {
        "contents": [],
        "tools": [{"functionDeclarations": [{"name": "a", "parametersJsonSchema": AGE}]}],
    },
    {
        "contents": [],
        "tools": [
            {
                "functionDeclarations": [
                    {
                        "name": "a",
                        "parameters": {
                            "type": "OBJECT",
                            "properties": {"age": {"type": "INTEGER"}},
                            "required": ["age"],
                        },
                    }
                ]
            }
        ],
    },
    {"toolConfig": {"tools": [{"toolSpec": {"name": "a", "inputSchema": {"json": AGE}}}]}},
    {"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "a", "inputSchema": AGE}]}},
]


@pytest.mark.parametrize("body", BODIES)
def test_requests_are_unwrapped(tmp_path: Path, body: dict[str, Any]) -> None:
    path = tmp_path / "body.json"
    path.write_text(json.dumps(body), encoding="utf-8")
    assert_means(str(path), '{"age": 1}', '{"age": "1"} ‖ {} ‖ []')
    codes = {d.code for d in lint_schema_text(Source(path.read_text(encoding="utf-8"), "b.json"))}
    assert "SCH001" not in codes
    assert "SCH016" not in codes


REFUSED = [
    ({"messages": [], "guided_regex": "a+"}, ["#/guided_regex: a pattern", "--regex PATTERN"]),
    ({"structured_outputs": {"regex": "a+"}}, ["#/structured_outputs/regex: a pattern"]),
    ({"messages": [], "guided_choice": ["a"]}, ["#/guided_choice: choices", "--choice TEXT"]),
    ({"messages": [], "guided_grammar": "a"}, ["#/guided_grammar: a grammar"]),
    ({"prompt": "", "grammar": "root ::= "}, ["#/grammar: a grammar", "gbnfc lint"]),
    ({"messages": [], "guided_json": "{}"}, ["#/guided_json: a schema as text"]),
    ({"messages": [], "format": "json"}, ["#/format: a format without a schema", "grammar json"]),
    ({"messages": [], "response_format": {"type": "json_object"}}, ["#/response_format: a format"]),
    ({"model": "m", "messages": []}, ["a request without a schema"]),
    (API, ["an OpenAPI document", "12 named schemas", "#/components/schemas/Price, "]),
    ({"swagger": "2.0", "definitions": {"a": {}}}, ["#/definitions/a"]),
]


@pytest.mark.parametrize(("document", "told"), REFUSED)
def test_what_holds_no_schema_is_refused_by_name(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    document: dict[str, Any],
    told: list[str],
) -> None:
    path = tmp_path / "body.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert run(["compile", str(path)]) == 3
    told_of = capsys.readouterr().err
    assert [part for part in told if part not in told_of] == []


STILL_SCHEMAS = [
    # documents that look a little like requests
    {"type": "string", "format": "date"},
    {"type": "object", "properties": {"format": AGE, "messages": {}, "model": {}}},
    {"properties": {"openapi": {"const": "3.0.0"}}, "type": "object"},
    {"$schema": "http://json-schema.org/draft-07/schema#", "title": "a", "name": "b"},
]


@pytest.mark.parametrize("schema", STILL_SCHEMAS)
def test_schemas_stay_schemas(tmp_path: Path, schema: dict[str, Any]) -> None:
    path = tmp_path / "schema.json"
    path.write_text(json.dumps(schema), encoding="utf-8")
    assert read_schema(str(path)).schema == schema


RECURSIVE = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "$ref": "#/definitions/tree",
    "definitions": {"tree": {"type": "array", "items": {"$ref": "#/definitions/tree"}}},
}
NAMED = {"$ref": "#/$defs/a", "$defs": {"a": AGE}}
OLDEST = {
    "$schema": "http://json-schema.org/draft-04/schema#",
    "type": "object",
    "properties": {
        "n": {"type": "integer", "minimum": 0, "exclusiveMinimum": True},
        "pair": {"type": "array", "items": [{"enum": [1]}], "additionalItems": {"enum": [2]}},
        "short": {"$ref": "#/definitions/text", "maxLength": 1},
    },
    "dependencies": {"n": ["pair"], "short": {"required": ["n"]}},
    "definitions": {"text": {"type": "string"}},
    "additionalProperties": False,
}
TOOLS = [
    {"name": "oldest", "inputSchema": OLDEST},
    {"name": "age", "inputSchema": AGE},
    {"name": "named", "inputSchema": NAMED},
    {"name": "tree", "inputSchema": RECURSIVE},
    {"name": "now"},
]
CALLS = [
    ("openai", "arguments", "", ""),
    ("llama", "parameters", "", ""),
    ("hermes", "arguments", "<tool_call>\n", "\n</tool_call>"),
]


@pytest.mark.parametrize(("form", "key", "before", "behind"), CALLS)
def test_a_call_of_any_tool(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    judge: Any,
    form: str,
    key: str,
    before: str,
    behind: str,
) -> None:
    path = tmp_path / "tools.json"
    path.write_text(json.dumps({"tools": TOOLS}), encoding="utf-8")
    assert run(["compile", str(path), "--tool-format", form]) == 0
    text = capsys.readouterr().out
    grammar = gbnfc.parse_gbnf(text)
    cases = [
        ("oldest", {"n": 1, "pair": [1, 2, 2], "short": "long"}, True),
        ("oldest", {"n": 0, "pair": []}, False),
        ("oldest", {"n": 1}, False),
        ("oldest", {"pair": [2]}, False),
        ("oldest", {"pair": [1, 1]}, False),
        ("oldest", {"short": "a"}, False),
        ("age", {"age": 1}, True),
        ("named", {"age": 1}, True),
        ("tree", [[], [[]]], True),
        ("now", {}, True),
        ("age", {"age": "1"}, False),
        ("named", {}, False),
        ("tree", {"age": 1}, False),
        ("now", {"a": 1}, False),
        ("then", {}, False),
    ]
    with judge.loaded(text) as sampler:
        for name, arguments, wanted in cases:
            call = before + json.dumps({"name": name, key: arguments}) + behind
            assert (match_text(grammar, call).verdict is Verdict.ACCEPTED) is wanted, call
            assert judge.accepts(sampler, call) is wanted, call
        swapped = before + json.dumps({key: {"age": 1}, "name": "age"}) + behind
        assert not judge.accepts(sampler, swapped)  # the name comes first


def test_a_call_of_tools_of_one_older_draft(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "tools.json"
    other = {**AGE, "$schema": RECURSIVE["$schema"]}
    tools = [{"name": "tree", "inputSchema": RECURSIVE}, {"name": "age", "inputSchema": other}]
    path.write_text(json.dumps(tools), encoding="utf-8")
    assert run(["compile", str(path)]) == 0
    captured = capsys.readouterr()
    assert "wider" not in captured.err
    grammar = gbnfc.parse_gbnf(captured.out)
    for arguments, wanted in (([[], [[]]], True), ([1], False), ({"age": 1}, False)):
        call = json.dumps({"name": "tree", "arguments": arguments})
        assert (match_text(grammar, call).verdict is Verdict.ACCEPTED) is wanted, call


HALF = "a\ud800"  # half of a surrogate pair
HALVES = [
    ([{"name": HALF, "inputSchema": NAMED}, {"name": "b", "inputSchema": AGE}], "", 3),
    ({HALF: {"$ref": "#/b"}, "b": AGE}, "#/b", 0),
    ({HALF: {"$ref": "#/b"}, "b": AGE}, f"#/{HALF}", 3),
]


@pytest.mark.parametrize(("document", "pointer", "code"), HALVES)
def test_names_that_are_no_text(tmp_path, capsys, document: Any, pointer: str, code: int) -> None:
    path = tmp_path / "file.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert run(["compile", f"{path}{pointer}"]) == code
    assert "internal error" not in capsys.readouterr().err


def test_a_file_whose_name_is_no_text(tmp_path, capsys) -> None:
    name = os.fsdecode(b"\xff.json")
    try:
        (tmp_path / name).write_text('{"a": {"$ref": "#/b"}, "b": true}', encoding="utf-8")
    except (OSError, UnicodeError):
        pytest.skip("this file system knows no such names")
    assert run(["compile", f"{tmp_path / name}#/a"]) == 0
    assert "root ::= " in capsys.readouterr().out


def test_slips_in_a_part_of_a_document_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schemas = {
        "Pet": {"properties": {"owner": {"$ref": "#/components/schemas/Owner"}}},
        "Owner": {"type": "string", "nullable": True},
        "Other": {"type": "string", "nullable": True},
    }
    path = tmp_path / "api.json"
    document = {"openapi": "3.1.0", "components": {"schemas": schemas}}
    path.write_text(json.dumps(document), encoding="utf-8")
    assert run(["compile", f"{path}{AT_API}Pet"]) == 0
    told = capsys.readouterr().err
    assert "at /components/schemas/Owner: nullable: not a keyword" in told
    assert "Other" not in told
    assert "other place" not in told
