"""Schemas in files: positions, YAML, tool lists, and what counts as a schema."""

from __future__ import annotations

import json

import pytest

from gbnfc.cli.app import run
from gbnfc.documents.json_positions import read_json, read_yaml
from gbnfc.errors import JsonSyntaxError
from gbnfc.lint.check_schema import lint_schema_text
from gbnfc.lint.rules.schema.pattern_not_portable import why_dropped
from gbnfc.schema.source.schema_files import find_schemas
from gbnfc.source import Source

TEXT = '{\n  "a/b": [1, {"x~": "q\\"}"}],\n  "": null, "é": {"k": [[], {}]}\n}'


@pytest.mark.parametrize(
    ("pointer", "text"),
    [
        ("/a~1b", '[1, {"x~": "q\\"}"}]'),
        ("/a~1b/0", "1"),
        ("/a~1b/1/x~0", '"q\\"}"'),
        ("/", "null"),
        ("/é/k/0", "[]"),
        ("/é/k/1", "{}"),
        ("/é/k/1/missing", "{}"),
    ],
)
def test_value_positions(pointer: str, text: str) -> None:
    span = read_json(Source(TEXT)).span_of(pointer)
    assert TEXT[slice(*span)] == text


def test_key_positions() -> None:
    document = read_json(Source(TEXT))
    assert TEXT[slice(*document.key_span("/a~1b/1/x~0"))] == '"x~"'
    assert document.value == json.loads(TEXT)


def test_wrong_json_has_a_place() -> None:
    with pytest.raises(JsonSyntaxError) as caught:
        read_json(Source('{\n  "a": }', "s.json"))
    assert str(caught.value).startswith("s.json:2:8: ")


def test_yaml_positions() -> None:
    pytest.importorskip("yaml")
    text = "type: object\nproperties:\n  a:\n    type: string\n"
    document = read_yaml(Source(text, "s.yaml"))
    assert text[slice(*document.span_of("/properties/a/type"))] == "string"
    assert text[slice(*document.key_span("/properties/a"))] == "a"
    codes = [d.code for d in lint_schema_text(Source(text, "s.yaml"))]
    assert codes == ["SCH005", "SCH011", "SCH008"]


PARAMETERS = {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    ("value", "named", "pointers"),
    [
        (PARAMETERS, False, ("",)),
        ({"$schema": "https://json-schema.org/draft/2020-12/schema"}, False, ("",)),
        ({"type": "module", "name": "x"}, False, ()),
        ({"kind": "data"}, False, ()),
        ({"kind": "data"}, True, ("",)),
        ([1, 2], True, ()),
        (
            [{"type": "function", "function": {"name": "f", "parameters": PARAMETERS}}],
            False,
            ("/0/function/parameters",),
        ),
        (
            {"tools": [{"name": "f", "inputSchema": PARAMETERS}, {"name": "g"}]},
            False,
            ("/tools/0/inputSchema",),
        ),
        (
            {"type": "json_schema", "json_schema": {"name": "n", "schema": PARAMETERS}},
            False,
            ("/json_schema/schema",),
        ),
    ],
)
def test_finding_schemas(value, named: bool, pointers: tuple[str, ...]) -> None:
    assert find_schemas(value, named=named) == pointers


def test_a_finding_in_a_tool_list_points_into_it() -> None:
    text = json.dumps(
        [{"type": "function", "function": {"name": "f", "parameters": {"type": "integr"}}}]
    )
    (found,) = lint_schema_text(Source(text, "tools.json"))
    assert (found.code, text[slice(*found.span)]) == ("SCH001", '"integr"')


SEVERAL_FAULTS = {
    "type": "object",
    "required": ["n"],
    "properties": {
        "n": {"type": "integr", "description": "How many.", "maximun": 3},
        "p": {"type": "string", "pattern": "(", "description": "A code."},
        "q": {"$ref": "#/$defs/missing"},
        "r": {"type": "string", "minLength": 4, "maxLength": 2, "description": "Nothing."},
        "s": {"minimum": "x", "description": "Any."},
        "t": {"type": "array", "uniqueItems": True, "maxItems": 9, "description": "Any."},
    },
    "patternProperties": {"[": {"description": "Any."}},
}


def test_one_fault_does_not_hide_the_others() -> None:
    text = json.dumps(SEVERAL_FAULTS)
    found = lint_schema_text(Source(text, "s.json"))
    faults = [text[slice(*d.span)] for d in found if d.code == "SCH001"]
    assert faults == ['"integr"', '"("', '"#/$defs/missing"', '"x"', '{"description": "Any."}']
    rest = {d.code for d in found}
    assert {"SCH002", "SCH004", "SCH012", "SCH013"} <= rest


def test_data_in_enum_and_const_is_no_schema() -> None:
    text = '{"enum": [{"uniqueItms": true, "type": "string"}, {"maxLenght": 2}, null]}'
    assert lint_schema_text(Source(text, "s.json")) == ()


@pytest.mark.parametrize(
    ("pattern", "dropped"),
    [
        ("^[a-z]{1,9}$", False),
        ("^(?:ab|c)\\.[0-9]+$", False),
        ("[a-z]", True),
        ("^a$|^b$", True),
        ("^\\d+$", True),
        ("^(?=a)b$", True),
        ("^[\\w]+$", True),
    ],
)
def test_patterns_that_llama_cpp_drops(pattern: str, dropped: bool) -> None:
    assert (why_dropped(pattern) is not None) is dropped


@pytest.mark.parametrize(
    ("keyword", "typo"),
    [
        ("maxLenght", True),
        ("readonly", True),
        ("_maxLength", False),
        ("$default", False),
        ("x-maxLength", False),
        ("markdownDescription", False),
    ],
)
def test_what_is_taken_for_a_slip(keyword: str, typo: bool) -> None:
    found = lint_schema_text(Source(f'{{"type": "string", "{keyword}": 1}}', "a.json"))
    assert any(diagnostic.code == "SCH012" for diagnostic in found) == typo


REGISTRY = {
    "common/name.json": '{"enum": ["a"]}',
    "twin.json": '{"$id": "https://example.org/n", "enum": ["a"]}',
    "twin2.json": '{"$id": "https://example.org/n", "enum": ["b"]}',
}
REFERRING = '{"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "%s"}'


@pytest.mark.parametrize("reference", ["common/name.json", "https://example.org/n"])
@pytest.mark.parametrize("where", ["option", "configuration"])
def test_registry(tmp_path, monkeypatch, capsys, reference: str, where: str) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in REGISTRY.items():
        path = tmp_path / "reg" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (tmp_path / "a.json").write_text(REFERRING % reference, encoding="utf-8")
    assert run(["lint", "a.json"]) == 1
    assert "SCH001" in capsys.readouterr().out
    if where == "configuration":
        (tmp_path / "gbnfc.toml").write_text('[lint]\nregistry = "reg"\n', encoding="utf-8")
    assert run(["lint", "a.json", *(["--registry", "reg"] if where == "option" else [])]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "twin2.json have the same $id" in captured.err
