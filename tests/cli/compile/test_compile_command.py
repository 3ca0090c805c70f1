"""`gbnfc compile` at the command line: what goes in, the exit code, and what each stream holds."""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING

import pytest

from gbnfc.cli.app import run
from gbnfc.cli.inputs.schema_argument import read_schema

if TYPE_CHECKING:
    from pathlib import Path

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 9}, "age": {"type": "integer"}},
    "required": ["name"],
    "additionalProperties": False,
}
WIDE = {
    "type": "object",
    "properties": {
        "tags": {"type": "array", "items": {"type": "number"}, "uniqueItems": True},
        "when": {"type": "string", "format": "date-time", "title": "Time"},
        "deep": {
            "properties": {
                "a": {"items": {"type": "array", "items": {"type": "number"}, "uniqueItems": True}}
            }
        },
    },
    "$defs": {"unused": {"type": "array", "uniqueItems": True, "items": {"type": "number"}}},
    "required": ["tags"],
    "additionalProperties": False,
}
API = """\
openapi: 3.1.0
info: {released: 2024-05-01, flags: [yes, no]}
components:
  schemas:
    Pet:
      type: object
      properties:
        name: {type: string}
        born: {const: 2020-01-01}
        owner: {$ref: '#/components/schemas/Owner'}
      required: [name, owner]
      additionalProperties: false
    Owner:
      type: array
      items: {type: number}
      uniqueItems: true
    Flag: {enum: [yes, no, on, 12:30]}
    a/b c: {$ref: '#/components/schemas/Flag'}
    Bad:
      type: 7
      allOf: [{$ref: '#/components/schemas/Pet'}]
"""
SEARCH = {
    "type": "object",
    "properties": {"q": {"$ref": "#/$defs/text"}},
    "required": ["q"],
    "additionalProperties": False,
    "$defs": {"text": {"type": "string"}},
}
OTHER = {"type": "array", "items": {"type": "number"}, "uniqueItems": True}
FILES = {
    "person.json": json.dumps(PERSON),
    "wide.json": json.dumps(WIDE, indent=1),
    "api.yaml": API,
    "yaml bad.yaml": "a: [1,\nb: 2\n",
    "bomb.yaml": "a: &a [1, 1]\n"
    + "".join(f"b{i}: &{chr(98 + i)} [*{chr(97 + i)}, *{chr(97 + i)}]\n" for i in range(24)),
    "integr.json": '{"type": "object",\n "properties": {"n": {"type": "integr"}}}',
    "seven.json": '{"type": 7}',
    "broken.json": '{"type": \n "object"',
    "five.json": "5",
    "twice.json": '{"a": {"type": 1},\n "properties": {"b": {}, "c": {"type": "object",\n'
    ' "x": {"y": 1}, "type": "string"}}}',
    "twice.yaml": "type: object\nproperties:\n  a: {enum: [1]}\n  a: {enum: [2]}\n",
    "merged.yaml": "a: &a {enum: [1]}\nb: &b {type: integer}\nproperties:\n  c: {<<: *a, <<: *b}\n",
    "mcp.json": json.dumps({"tools": [{"name": "search", "inputSchema": SEARCH}]}),
    "tools.json": json.dumps(
        [
            {"type": "function", "function": {"name": "search", "parameters": SEARCH}},
            {"type": "function", "function": {"name": "get item", "parameters": OTHER}},
        ]
    ),
    "annotated.json": json.dumps(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "string",
            "format": "date",
        }
    ),
    "bare.json": json.dumps(
        {"tools": [{"name": "now"}, {"name": "search", "inputSchema": SEARCH}, {"name": "ping"}]}
    ),
    "twins.json": json.dumps(
        [{"name": "a b", "inputSchema": SEARCH}, {"name": "a-b", "inputSchema": OTHER}]
    ),
    "format.json": json.dumps(
        {"type": "json_schema", "json_schema": {"name": "hit", "strict": True, "schema": SEARCH}}
    ),
    "responses.json": json.dumps(
        {"text": {"format": {"type": "json_schema", "name": "hit", "schema": SEARCH}}}
    ),
    "models.py": "import pydantic\n\n\nclass Person(pydantic.BaseModel):\n    name: str\n\n\n"
    "Many = list[int]\nNUMBER = 5\n\n\ndef handler(n: int) -> None: ...\n",
    "leaves.py": "print('hi')\nraise SystemExit(7)\n",
    "dies.py": "class Odd(BaseException): ...\n\n\nraise Odd\n",
    "talks.py": "print('hello')\nOrder = list[int]\n",
    "g.gbnf": 'root ::= "a"\n',
    "refers.json": '{"$ref": "https://example.org/name"}',
    "by-path.json": '{"$ref": "common/name.json"}',
    "reg/name.json": '{"$id": "https://example.org/name", "enum": ["a", "b"]}',
    "reg/common/name.json": '{"enum": ["c"]}',
    "reg/y.yaml": "$id: https://example.org/y\nenum: [z]\n",
    "reg/readme.txt": "not a schema",
    "broken-reg/x.json": "{",
    "twin-reg/x.json": '{"$id": "https://example.org/name", "enum": ["a"]}',
    "twin-reg/y.json": '{"$id": "https://example.org/name", "enum": ["b"]}',
    "twin-reg/z.json": '{"$id": "https://example.org/other", "enum": ["c"]}',
    "slips.json": json.dumps(
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "properties": {
                "a": {"$ref": "#/definitions/s", "maxLength": 1},
                "b": {"$ref": "#/definitions/s", "maxLength": 2},
                "c": {"type": "string", "nullable": True},
                "when": {"type": "string", "contentEncoding": "base64"},
            },
            "due": {"type": "string", "format": "date"},
            "required": ["whne"],
            "definitions": {"s": {"type": "string"}},
        }
    ),
    "enveloped.json": '{"type": "object", "schema": {"type": "object", "properties": {}}}',
    "config.json": '{"name": "x", "version": "1", "private": true}',
    "two-answers.json": json.dumps({"format": PERSON, "guided_json": WIDE}),
    "same-tools.json": json.dumps([{"name": "a", "inputSchema": PERSON}] * 2),
    "bad-tools.json": json.dumps(
        [{"name": "a", "inputSchema": PERSON}, {"name": "b", "inputSchema": {"type": "integr"}}]
    ),
    "same-reg/x.json": '{"$id": "https://example.org/name", "enum": ["a"]}',
    "same-reg/y.json": '{"$id": "https://example.org/name", "enum": ["a"]}',
    "draft4.json": '{"type": "integer", "minimum": 3, "maximum": 5, "exclusiveMaximum": true}',
    "never.json": '{"type": "object", "properties": {"a": false}, "required": ["a"]}',
}

BYTES = {
    "latin.json": b'{"const": "caf\xe9"}',
    "utf16.json": '{"const": 1}'.encode("utf-16"),
    "half.txt": '{"const": 1}'.encode("utf-16")[:-1],
    "binary.json": b"{\0\xff",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for name, data in BYTES.items():
        (tmp_path / name).write_bytes(data)
    monkeypatch.chdir(tmp_path)
    for variable in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(variable, raising=False)
    return tmp_path


# arguments, exit code, parts of stdout (nothing: stdout is empty), parts of stderr
DONE = [
    (["person.json"], ["root ::= ", '"name\\": "'], []),
    ([json.dumps(PERSON), "--order", "schema"], ['"{\\"name\\": "'], []),
    (["true"], ["root ::= "], []),
    (["config.json"], ["root ::= value"], ["asks for nothing", "(not a keyword: "]),
    (["tools.json"], ['"{\\"name\\": \\""', "get item"], ["a call of one tool: search, get item"]),
    (["tools.json"], ["root"], ["wider: /1/function/parameters uniqueItems: "]),
    (["tools.json", "-q", "--tool-format", "llama"], ['\\"parameters\\": '], []),
    (["tools.json", "-q", "--tool-format", "hermes"], ['"<tool_call>\\n"', "call ::= "], []),
    (["mcp.json", "-q", "--tool-format", "openai"], ['search\\", \\"arguments\\"'], []),
    (["bare.json", "--tool-format", "openai"], ["{}}"], ["search, now, ping"]),
    (["tools.json", "--verify", "20"], ["root"], [": 0 counter-examples"]),
    (['{"tpye": "null"}'], ["root ::= value"], ["asks for nothing", "(not a keyword: tpye)"]),
    (['{"title": "t", "$defs": {"a": {"tpye": "null"}}}'], ["root ::= value"], []),
    (["models.py:Person"], ['"name\\": " string'], []),
    (["models.py:Many"], ["integer"], []),
    (["merged.yaml", "-q"], ["root ::= "], []),
    (["talks.py:Order"], ["root ::= "], ["hello\n"]),
    (["models.py:handler"], ['"{\\"n\\": " integer "}"'], []),
    (
        ["name, age int", "--order", "schema"],
        ['"{\\"name\\": " string ", \\"age\\": " integer "}"'],
        [],
    ),
    (["name,"], ['"{\\"name\\": " string "}"'], []),
    (
        ["a: with, comma\nb float: really\n\nc [bool]", "--order", "schema"],
        ['", \\"c\\": " c "}"', "boolean"],
        [],
    ),
    (["api.yaml#/components/schemas/Flag"], ["yes", "no", "on", "12:30"], []),
    (["api.yaml#/components/schemas/a~1b%20c"], ["yes"], []),
    (
        ["api.yaml#/components/schemas/Pet"],
        ['"born\\": \\"2020-01-01\\"'],
        ["wider: /components/schemas/Owner uniqueItems: ", "\n  accepted all the same: "],
    ),
    (["mcp.json"], ['"{\\"q\\": " string "}"'], []),
    (["mcp.json#/tools/0/inputSchema"], ['"{\\"q\\": " string "}"'], []),
    (["tools.json#/0/function/parameters"], ['"{\\"q\\": " string "}"'], []),
    (["format.json"], ['"{\\"q\\": " string "}"'], []),
    (["responses.json"], ['"{\\"q\\": " string "}"'], []),
    (["annotated.json"], ["string"], ["format constrains nothing in draft 2020-12", "(1 place)"]),
    (["annotated.json", "--formats", "assert"], ["[0-9]"], []),
    (["annotated.json", "--formats", "annotate"], ["string"], []),
    (["bare.json"], ['"{\\"q\\": " string "}"'], ["tools without parameters left out: now, ping"]),
    (["tools.json", "--tool", "search"], ['"{\\"q\\": " string "}"'], []),
    (["tools.json", "--tool", "get item"], ["number"], ["wider: /1/function/parameters uniqueIt"]),
    (["--regex", "^[A-Z]{2}$"], ["root ::= [A-Z]{2}"], []),
    (["--choice", "yes", "--choice", "no"], ['root ::= "yes" | "no"'], []),
    (["refers.json", "--registry", "reg"], ['"a'], []),
    (["by-path.json", "--registry", "reg"], ["c"], []),
    (["refers.json", "--registry", "twin-reg"], ['"a'], ["x.json and ", "the first is taken"]),
    (["slips.json"], ["root"], ["at /properties/a and 1 other place: maxLength: without effect"]),
    (["slips.json"], ["root"], ["at /properties/c: nullable: ", "stays invalid"]),
    (["slips.json"], ["root"], ["contentEncoding: an annotation: that the text is base64 is not"]),
    (["slips.json"], ["root"], ["at /: due: ", "at /: required: 'whne' ", "did you mean 'when'?"]),
    (["slips.json", "-q"], ["root"], []),
    (["enveloped.json"], ["root"], ["at /: schema: not a keyword", "it is FILE#/schema"]),
    (["enveloped.json#/schema"], ["root"], []),
    (["refers.json", "--registry", "same-reg"], ['"a'], []),
    (["draft4.json", "--draft", "4"], ["root ::= [3-4]"], []),
    (["person.json", "--whitespace", "compact"], ['"name\\":"'], []),
    (["person.json", "--whitespace", "pretty:2"], ['"{\\n  \\""', '"name\\": "'], []),
    (
        ["person.json", "--missing", "null", "--order", "schema"],
        ['"null"'],
        ['all the same: {"name": "", "age": null}'],
    ),
    (["{}", "--additional", "closed", "-q"], ["root ::= "], []),
    (["person.json", "--comments"], ["# /\nroot", "# /properties/name\n"], []),
    (["api.yaml#/components/schemas/Pet", "--comments", "-q"], ["# /components/schemas/Own"], []),
    (["person.json", "--stats"], ["root"], [" rules, ", " bytes"]),
    (["person.json", "--verify", "20"], ["root"], ["20 samples, 20 valid instances: 0 counter"]),
    (["wide.json", "--verify", "20", "--whitespace", "pretty:1"], ["root"], [": 0 counter"]),
    (["wide.json", "--verify", "20", "--whitespace", "bounded:2"], ["root"], [": 0 counter"]),
    (["wide.json", "-q"], ["root"], []),
    (["wide.json", "--show-ignored"], ["root"], ["ignored: /properties/when title: "]),
    (["wide.json", "--fail-on", "narrower", "--formats", "annotate"], ["root"], ["wider: "]),
    (["person.json", "--strict", "--fail-on", "any"], ["root"], []),
]


@pytest.mark.parametrize(("arguments", "shown", "told"), DONE)
def test_done(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    shown: list[str],
    told: list[str],
) -> None:
    code = run(["compile", *arguments])
    captured = capsys.readouterr()
    assert code == 0, captured.err
    assert [part for part in shown if part not in captured.out] == []
    assert [part for part in told if part not in captured.err] == []
    assert bool(told) == bool(captured.err), captured.err


REFUSED = [
    ([], 2, ["say once"]),
    ([""], 2, ["SCHEMA is empty"]),
    ([" \n"], 2, ["SCHEMA is empty"]),
    (["models.py"], 3, ["a Python file", "name a class: models.py:Person\n"]),
    (["talks.py"], 3, ["a Python file", "name a class: talks.py:Class\n"]),
    (["title"], 3, ["title: no such file", 'needs a type: "title str"']),
    (["persn"], 3, ["no such file", 'needs a type: "persn str"']),
    (["person.json", "--regex", "a"], 2, ["say once"]),
    (["--regex", "a", "--draft", "7"], 2, ["no options for schemas"]),
    (["--regex", "person.json"], 2, ["is a file", "gbnfc compile person.json"]),
    (["--regex", "("], 3, ["1:"]),
    (["person.json", "--report", "sraif"], 2, ["did you mean sarif"]),
    (["person.json", "--draft", "5"], 2, ["4, 6, 7, 2019-09, 2020-12"]),
    (["person.json", "--whitespace", "wide"], 2, ["compact, spaced"]),
    (["person.json", "--additional", "open"], 2, ["schema, closed"]),
    (["person.json", "--fail-on", "all"], 2, ["--fail-on"]),
    (["person.json", "--verify", "0"], 2, ["--verify"]),
    (["person.json", "--check"], 2, ["-o FILE"]),
    (["person.json", "-o", "person.json"], 2, ["person.json: the output is also an input"]),
    (["person.json#/$defs/x", "-o", "./person.json"], 2, ["the output is also an input"]),
    (["models.py:Person", "-o", "models.py"], 2, ["models.py: the output is also an input"]),
    (["wide.json", "-o", "g.gbnf", "--report-file", "wide.json"], 2, ["also an input"]),
    (["wide.json", "-o", "g.gbnf", "--report-file", "g.gbnf"], 2, ["two outputs in one file"]),
    (["person.json", "--tool", "x"], 2, ["no tools"]),
    (["bare.json", "--tool", "now"], 2, ["'now' takes no parameters", "arguments are {}"]),
    (["tools.json", "--tool-format", "hermes", "--verify", "2"], 2, ["--verify is of JSON"]),
    (["tools.json", "--tool-format", "hermse"], 2, ["did you mean hermes"]),
    (["person.json", "--tool-format", "openai"], 2, ["holds no tools"]),
    (["api.yaml"], 3, ["an OpenAPI document", "api.yaml#/components/schemas/Pet"]),
    (["two-answers.json"], 2, ["2 schemas: ", "FILE#/pointer", "-o DIR"]),
    (["same-tools.json"], 2, ["two tools 'a'"]),
    (["bad-tools.json"], 3, ["/1/inputSchema/type", "bad-tools.json:1:"]),
    (["tools.json", "--tool", "serch"], 2, ["did you mean search", "get item"]),
    (["twins.json", "-o", "out"], 2, ["'a b' and 'a-b'", "a-b.gbnf"]),
    (["persn.json"], 3, ["no such file", "did you mean person.json"]),
    (["my persn.json"], 3, ["no such file"]),
    (["broken.json"], 3, ["broken.json:2:10", "not JSON"]),
    (["twice.json"], 3, ["twice.json:3:17: ", "the key 'type' is given twice"]),
    (["twice.yaml"], 3, ["twice.yaml:4:3: ", "the key 'a' is given twice"]),
    (['{"type": "object", "t\\u0079pe": "string"}'], 3, ["<schema>:1:20", "given twice"]),
    (["five.json"], 3, ["a number, not a JSON Schema"]),
    (["[1, 2]"], 3, ["an array, not a JSON Schema"]),
    (["g.gbnf"], 3, ["a GBNF grammar, not a JSON Schema"]),
    (["reg"], 3, ["is a directory"]),
    (["integr.json"], 3, ["/properties/n/type", "integer", "integr.json:2:23"]),
    (["seven.json"], 3, ["/type", "seven.json:1:2"]),
    (["never.json"], 3, ["no value satisfies"]),
    (["refers.json"], 3, ["https://example.org/name", "--registry"]),
    (["refers.json", "--registry", "nowhere"], 2, ["nowhere"]),
    (["refers.json", "--registry", "broken-reg"], 3, ["broken-reg", "x.json:1:2"]),
    (["yaml bad.yaml"], 3, ["yaml bad.yaml:3:1", "not YAML"]),
    (["bomb.yaml"], 3, ["aliases"]),
    (["api.yaml#/components/schemas/Cat"], 3, ["/components/schemas/Cat", "'Pet'"]),
    (["api.yaml#/openapi"], 3, ["a string, not a JSON Schema"]),
    (["api.yaml#Pet"], 3, ["no JSON Pointer", "api.yaml#/Pet"]),
    (["api.yaml#/components/schemas/Bad"], 3, ["/components/schemas/Bad/type", "api.yaml:20:7"]),
    (["name, age itn"], 3, ["'itn' is no type", "did you mean int"]),
    (["name, name"], 3, ["given twice"]),
    (["name, [str]"], 3, ["expected a field"]),
    (["models.py:Persn"], 3, ["did you mean Person"]),
    (["models.py:NUMBER"], 3, ["no JSON Schema"]),
    (["gone.py:Person"], 3, ["no such file"]),
    (["leaves.py:Order"], 3, ["hi\n", "leaves.py: cannot be imported: leaves.py:2: SystemExit(7)"]),
    (["dies.py:Order"], 3, ["dies.py: cannot be imported: dies.py:4: Odd\n"]),
    (["wide.json", "--strict"], 1, ["wider: /properties/tags uniqueItems", "no grammar written"]),
    (["wide.json", "--fail-on", "narrower"], 1, ["narrower: /properties/when format"]),
    (["wide.json", "--fail-on", "any"], 1, ["3 keywords"]),
    (["person.json", "-o", "gone/x.gbnf"], 3, ["no folder gone"]),
    (["person.json", "-o", "reg"], 3, ["is a directory"]),
    (["person.json", "-o", "new.gbnf", "--check"], 1, ["--- /dev/null", "+root ::= "]),
    (["--choice", "b", "-o", "g.gbnf", "--check"], 1, ['-root ::= "a"', '+root ::= "b"']),
]


@pytest.mark.parametrize(("arguments", "code", "told"), REFUSED)
def test_refused(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    told: list[str],
) -> None:
    before = sorted(path.name for path in folder.rglob("*"))
    assert run(["compile", *arguments]) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert [part for part in told if part not in captured.err] == []
    assert "Traceback" not in captured.err
    after = sorted(path.name for path in folder.rglob("*") if "__pycache__" not in path.parts)
    assert [name for name in after if name not in before] == []


STRICT_TEXT = """\
wider: /properties/deep/properties/a/items uniqueItems
wider: /properties/tags uniqueItems
"""


# command, exit code, the hint (nothing: there is none)
ENCODINGS = [
    ("compile latin.json", "save it as UTF-8"),
    ("compile utf16.json", "save it as UTF-8"),
    ("compile binary.json", ""),
    ("fmt latin.json", "save it as UTF-8"),
    ("fmt binary.json", ""),
    ("match latin.json person.json", "save it as UTF-8"),
    ("match g.gbnf latin.json", "--encoding cp1252"),
    ("match g.gbnf half.txt", ""),
    ("match g.gbnf binary.json", ""),
]


@pytest.mark.parametrize(("line", "hint"), ENCODINGS)
def test_hints_name_what_the_command_has(
    folder: Path, capsys: pytest.CaptureFixture[str], line: str, hint: str
) -> None:
    assert run(line.split()) == 3
    told = capsys.readouterr().err
    assert hint in told
    assert ("hint: " in told) == bool(hint)
    assert ("--encoding" in told) == ("--encoding" in hint)


def test_strict_lists_everything_at_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compile", "wide.json", "--strict"]) == 1
    lines = capsys.readouterr().err.splitlines()
    wider = [line.rpartition(":")[0] for line in lines if line.startswith("wider: ")]
    assert [f"{line}\n" for line in wider] == STRICT_TEXT.splitlines(keepends=True)


def test_stdin(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for text, code in ((json.dumps(PERSON), 0), ("", 3), ("{", 3)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        assert run(["compile", "-"]) == code
        captured = capsys.readouterr()
        assert bool(captured.out) == (code == 0)
        assert ("<stdin>:1:" in captured.err) == (code == 3)


def test_a_part_of_a_file_is_shown_with_what_it_refers_to(folder: Path) -> None:
    given = read_schema("api.yaml#/components/schemas/Pet")
    assert given.shown["properties"]["owner"] == {"$ref": "#/$defs/Owner"}
    assert given.shown["$defs"] == {"Owner": OTHER}
    assert given.registry["urn:gbnfc:api.yaml"]["openapi"] == "3.1.0"


def test_output_and_check(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["compile", "person.json", "-o", "person.gbnf"]
    assert run(arguments) == 0
    assert run([*arguments, "--check"]) == 0
    path = folder / "person.gbnf"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert run([*arguments, "--check"]) == 0, "a checkout with CRLF is the same grammar"
    assert run([*arguments, "--check", "--whitespace", "compact"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("--- person.gbnf\n+++ person.gbnf\n@@")
    assert b"\r\n" in path.read_bytes(), "nothing was written"


def test_a_folder_of_tools(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compile", "tools.json", "-o", "out"]) == 0
    assert sorted(path.name for path in (folder / "out").iterdir()) == [
        "get-item.gbnf",
        "search.gbnf",
    ]
    assert run(["compile", "tools.json", "-o", "out", "--check"]) == 0
    (folder / "out" / "search.gbnf").write_text("root ::= [a]\n", encoding="utf-8")
    assert run(["compile", "tools.json", "-o", "out", "--check"]) == 1
    assert "--- out/search.gbnf" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["json", "sarif", "github", "markdown", "text"])
def test_reports(folder: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert run(["compile", "wide.json", "--report", name, "--report-file", "report"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert captured.out.startswith("root ::= ")
    text = (folder / "report").read_text(encoding="utf-8")
    assert run(["compile", "wide.json", "--report", name]) == 0
    assert capsys.readouterr().err == text
    match name:
        case "json":
            records = json.loads(text)
            tags = next(r for r in records if r["pointer"] == "/properties/tags")
            assert (tags["file"], tags["keyword"], tags["effect"]) == (
                "wide.json",
                "uniqueItems",
                "wider",
            )
            line = (folder / "wide.json").read_text(encoding="utf-8").splitlines()[tags["line"] - 1]
            assert line[tags["column"] - 1 :].startswith('"uniqueItems"')
            items = json.loads(tags["witness"])["tags"]
            assert len(set(items)) < len(items)
        case "sarif":
            results = json.loads(text)["runs"][0]["results"]
            assert [result["ruleId"] for result in results] == ["SCH002", "SCH002", "SCH003"]
            assert "region" in results[0]["locations"][0]["physicalLocation"]
        case "github":
            assert text.startswith("::warning title=SCH002")
        case "markdown":
            assert "| wider | `/properties/tags` | `uniqueItems` |" in text


def test_reports_of_large_grammars_tell_which_places_are_large(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [f"{number * 7919 % 100_003:x}" for number in range(12_000)]
    schema = {
        "properties": {
            "small": {"type": "string"},
            "outer": {"type": "object", "properties": {"words": {"$ref": "#/$defs/words/in~1it"}}},
        },
        "$defs": {"words": {"in/it": {"type": "object", "properties": {"w": {"enum": words}}}}},
    }
    (folder / "large.json").write_text(json.dumps(schema), encoding="utf-8")
    assert run(["compile", "large.json", "--report", "json", "--report-file", "r.json"]) == 0
    total = len(capsys.readouterr().out.encode())
    records = json.loads((folder / "r.json").read_text(encoding="utf-8"))
    (place,) = [record for record in records if record["effect"] == "size"]
    assert place["pointer"].startswith("/$defs/words/in~1it")
    assert 0.9 * total < place["bytes"] <= total
    for name in ("text", "markdown"):
        assert run(["compile", "large.json", "--report", name]) == 0
        assert f"{place['bytes']:,}" in capsys.readouterr().err
    assert run(["compile", "wide.json", "--report", "json"]) == 0
    assert not [r for r in json.loads(capsys.readouterr().err) if r["effect"] == "size"]


def test_quiet_writes_the_report_file_only(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["compile", "wide.json", "-q", "--report", "json", "--report-file", "r.json"]
    assert run(arguments) == 0
    assert capsys.readouterr().err == ""
    assert json.loads((folder / "r.json").read_text(encoding="utf-8"))


def test_control_characters_do_not_reach_the_terminal(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema = {"properties": {"\x1b[31m": WIDE["properties"]["tags"]}}  # type: ignore[index]  # a test's table
    assert run(["compile", json.dumps(schema), "--comments"]) == 0
    captured = capsys.readouterr()
    assert "\x1b" not in captured.err + captured.out
    assert "\\x1b[31m" in captured.err


def test_colour_is_asked_for(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "40")
    assert run(["compile", "wide.json"]) == 0
    shown = capsys.readouterr().err
    assert "\x1b[1;33mwider\x1b[0m" in shown
    monkeypatch.setenv("NO_COLOR", "1")
    assert run(["compile", "wide.json"]) == 0
    assert "\x1b" not in capsys.readouterr().err


def test_large_schema(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = [f"option number {i}" for i in range(12)]
    properties = {f"field{i}": {"type": "string", "enum": options} for i in range(400)}
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    (folder / "large.json").write_text(json.dumps(schema), encoding="utf-8")
    assert run(["compile", "large.json", "-o", "large.gbnf", "--stats"]) == 0
    assert " rules, " in capsys.readouterr().err


def test_the_same_bytes_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["compile", "wide.json", "--comments", "--verify", "5", "--stats"]
    run(arguments)
    first = capsys.readouterr()
    run(arguments)
    assert capsys.readouterr() == first
