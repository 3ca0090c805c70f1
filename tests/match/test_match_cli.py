"""`gbnfc match` and `gbnfc sample`: exit codes, and what is told on stdout."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from gbnfc.cli.app import run

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = '{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}'
ANNOTATED = '{"$schema": "https://json-schema.org/draft/2020-12/schema", "format": "date"}'
ORDERED = (
    '{"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a", "b"], '
    '"additionalProperties": false}'
)

MATCHES = [
    # arguments, text, exit code, part of stdout
    (["root ::= [0-9]+"], "12", 0, "text.txt: accepted"),
    (["root ::= [0-9]+"], "1x", 1, 'text.txt:1:2: rejected: found "x", expected "0" to "9"'),
    (["root ::= [0-9]+"], "", 1, 'text.txt:1:1: incomplete: the text ends, expected "0" to "9"'),
    (['root ::= "a" [bc]'], "a", 1, 'shortest completion: "b"'),
    (['root ::= "a" x "b"\nx ::= x "c"'], "a", 1, "shortest completion: there is none"),
    (["root ::= [0-9]+"], "12\n", 1, "--chomp"),
    (["root ::= [0-9]+", "--chomp"], "12\n", 0, "accepted"),
    (["root ::= [0-9]+", "--chomp"], "12\r\n", 0, "accepted"),
    (["root ::= [0-9]+", "--lines"], "1\n22\n", 0, "text.txt:2: accepted"),
    (["root ::= [0-9]+", "--lines"], "1\r\n2x\n3", 1, "text.txt:2:2: rejected"),
    (["root ::= [^\\n]"], "\n", 1, "found U+000A, expected any character but U+000A"),
    (["json"], '{"a": [1,\n 2x]}', 1, "text.txt:2:3: rejected"),
    (
        ["json"],
        '{"a": [1,\n 2x]}',
        1,
        "while parsing root > value > object > value > array > value > number",
    ),
    (["semver"], "1.0.0-rc.1", 0, "accepted"),
    ([SCHEMA], '{"a": 1}', 0, "accepted"),
    ([SCHEMA], '{"a": "1"}', 1, "text.txt:1:7: rejected"),
    (["root ::= [0-9]+", "-q"], "x", 1, ""),
    # the value itself
    ([SCHEMA], '{"a":1}', 1, "hint: the value itself is valid: only how it is written differs"),
    ([SCHEMA, "--value"], '{"a":1}', 0, "text.txt: valid"),
    ([SCHEMA, "--value"], '\n{ "b": [],\n"a": 1 }\n', 0, "text.txt: valid"),
    ([SCHEMA, "--value"], '{\n "a": "1"}', 1, "text.txt:2:7: invalid: /a: '1' is not of type"),
    ([SCHEMA, "--value"], "{}", 1, "text.txt:1:1: invalid: /: 'a' is a required property"),
    ([SCHEMA, "--value"], '{"a": }', 1, "text.txt:1:7: invalid: /: not JSON: expecting value"),
    ([SCHEMA, "--value"], "", 1, "text.txt:1:1: invalid: /: not JSON"),
    ([SCHEMA, "--value", "--lines"], '{"a":1}\n{"a": []}', 1, "text.txt:2:7: invalid: /a: []"),
    ([SCHEMA, "--value", "--lines"], '{"a":1}\n{"a":2}', 0, "text.txt:2: valid"),
    ([SCHEMA, "--value", "-q"], "{}", 1, ""),
    (['{"format": "date"}', "--value"], '"x"', 1, "'x' is not a 'date'"),
    (
        [
            '{"$schema": "https://json-schema.org/draft/2020-12/schema", "format": "date"}',
            "--value",
        ],
        '"x"',
        0,
        "valid",
    ),
    (['{"$ref": "#/$defs/A[B]", "$defs": {"A[B]": {"const": 1}}}', "--value"], " 1.0 ", 0, "valid"),
]


NOT_WRITTEN_SO = [
    # texts that the grammar refuses, and whether the hint says that the value is valid
    ('{"a":1}', True),
    ('{ "a": 1 }', True),
    ('{"a": 1.0}', True),
    ('{"a": "1"}', False),
    ("{}", False),
    ('{"a": 1', False),
    ('{"a": 1}\n', False),  # --chomp is the hint
]


@pytest.mark.parametrize(("text", "told"), NOT_WRITTEN_SO)
def test_a_valid_value_in_another_form(tmp_path, capsys, text: str, told: bool) -> None:
    path = tmp_path / "text"
    path.write_text(text, encoding="utf-8", newline="")
    assert run(["match", SCHEMA, str(path)]) == 1
    assert ("the value itself is valid" in capsys.readouterr().out) is told


def test_value_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "text"
    path.write_text('{"a":1}\n{"a": true, "b": 1}', encoding="utf-8")
    assert run(["match", SCHEMA, str(path), "--lines", "--json"]) == 1
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["value_valid"] for row in rows] == [True, False]
    assert run(["match", SCHEMA, str(path), "--lines", "--json", "--value"]) == 1
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["verdict"] for row in rows] == ["valid", "invalid"]
    (problem,) = rows[1]["problems"]
    assert (problem["pointer"], problem["line"], problem["column"]) == ("/a", 2, 7)


@pytest.mark.parametrize(("arguments", "text", "code", "shown"), MATCHES)
def test_match(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    text: str,
    code: int,
    shown: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_text(text, encoding="utf-8", newline="")
    grammar, *options = arguments
    assert run(["match", grammar, "text.txt", *options]) == code
    captured = capsys.readouterr()
    assert shown in captured.out
    assert captured.err == ""
    assert captured.out or not shown


def test_match_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "text"
    path.write_text("ok\nab\nx", encoding="utf-8")
    assert run(["match", 'root ::= "ok" | "abc"', str(path), "--lines", "--json"]) == 1
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["verdict"], row["line"], row["column"]) for row in rows] == [
        ("accepted", 1, 3),
        ("incomplete", 2, 3),
        ("rejected", 3, 1),
    ]
    assert rows[1]["completion"] == "c"
    assert rows[2]["expected"] == [["a", "a"], ["o", "o"]]


ERRORS = [
    (["match", "root ::= [0-9]", "--value"], 2, "--value judges by a schema"),
    (["match", "nowhere.gbnf"], 3, "no such file"),
    (["match", "root ::= gone"], 3, "gone"),
    (["match", "root ::= ("], 3, "error"),
    (["sample", "root ::= root"], 3, "no text"),
    (["sample", "json", "-n", "-1"], 2, "-n"),
]


@pytest.mark.parametrize(("arguments", "code", "told"), ERRORS)
def test_errors(
    capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, told: str
) -> None:
    assert run(arguments) == code
    captured = capsys.readouterr()
    assert (captured.out, told in captured.err) == ("", True)


def test_sample(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sample", "semver", "-n", "3", "--seed", "5"]) == 0
    first = capsys.readouterr().out
    assert len(first.splitlines()) == 3
    run(["sample", "semver", "-n", "3", "--seed", "5"])
    assert capsys.readouterr().out == first


def test_sample_shortest_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sample", SCHEMA, "--shortest", "--json"]) == 0
    assert json.loads(json.loads(capsys.readouterr().out)) == {"a": 0}


def test_sample_writes_each_key_once_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    keys = ["z", "y", "x", "w", "v", "u"]
    schema = {
        "type": "object",
        "properties": {key: {"type": "null"} for key in keys},
        "additionalProperties": False,
    }
    assert run(["sample", json.dumps(schema), "-n", "40", "--seed", "1"]) == 0
    for line in capsys.readouterr().out.splitlines():
        written = [key for key, _ in json.loads(line, object_pairs_hook=list)]
        assert written == [key for key in keys if key in written]
