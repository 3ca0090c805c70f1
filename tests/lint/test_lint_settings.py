"""Settings, suppressions, and the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from gbnfc.cli.app import run
from gbnfc.errors import UsageError
from gbnfc.lint import Severity, lint_text
from gbnfc.lint.check_schema import lint_schema_text
from gbnfc.lint.registry import rule_names
from gbnfc.lint.run import settle
from gbnfc.lint.settings import read_settings
from gbnfc.source import Source

CHAIN = 'root ::= "#" [a-f]? [a-f]?{comment}\nlost ::= "x"\n'


def codes(text: str) -> list[str]:
    return [d.code for d in lint_text(Source(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (CHAIN.format(comment=""), ["COST001", "STR004"]),
        (CHAIN.format(comment=" # gbnfc: ignore[COST001] fast enough"), ["STR004"]),
        (CHAIN.format(comment=" # gbnfc: ignore[chained-optionals]"), ["STR004"]),
        (CHAIN.format(comment=" # gbnfc: ignore[COST, STR004]"), ["LNT001", "STR004"]),
        (CHAIN.format(comment=" # gbnfc: ignore"), ["STR004"]),
        ("# gbnfc: ignore-file[STR004]\n" + CHAIN.format(comment=""), ["COST001"]),
        ("# gbnfc: ignore[COST001]\n" + CHAIN.format(comment=""), ["STR004"]),
        ('# gbnfc: ignore[COST001]\nroot ::= "#" (\n  [a-f]? [a-f]?)\n', []),
        ('root ::= "a"\n# gbnfc: ignore[STR004]\n\nlost ::= "b"\n', []),
        ('root ::= "a" # gbnfc: ignore[STR004]\n', ["LNT001"]),
        ("root ::= a_b # gbnfc: ignore[SYN002]\n", []),
    ],
)
def test_suppression(text: str, expected: list[str]) -> None:
    assert codes(text) == expected


@pytest.mark.parametrize(
    ("ignored", "expected"),
    [
        (None, ["SCH008", "SCH011"]),
        ('"SCH011"', ["SCH008"]),
        ('["SCH011", "unbounded-string-field"]', []),
        ("true", []),
        ('"SCH001"', ["LNT001", "SCH008", "SCH011"]),
    ],
)
def test_schema_suppression(ignored: str | None, expected: list[str]) -> None:
    keyword = "" if ignored is None else f', "x-gbnfc-ignore": {ignored}'
    field = f'{{"a": {{"type": "string"{keyword}}}}}'
    text = f'{{"type": "object", "required": ["a"], "properties": {field}}}'
    assert sorted(d.code for d in lint_schema_text(Source(text, "s.json"))) == expected


@pytest.mark.parametrize(
    ("toml", "expected"),
    [
        ("", {"COST001": "warning", "STR004": "warning"}),
        ('select = ["COST"]', {"COST001": "warning"}),
        ('ignore = ["unreachable-rule"]', {"COST001": "warning"}),
        ('ignore = ["ALL"]\nextend-select = ["STR004"]', {"STR004": "warning"}),
        ('[severity]\nSTR = "error"\nCOST001 = "off"', {"STR004": "error"}),
        ('[per-file-ignores]\n"vendor/*" = ["ALL"]', {}),
        ('[per-file-ignores]\n"other/*" = ["ALL"]', {"COST001": "warning", "STR004": "warning"}),
    ],
)
def test_settings(toml: str, expected: dict[str, str]) -> None:
    settings = read_settings(tomllib.loads(toml), rule_names(), "gbnfc.toml")
    found = lint_text(Source(CHAIN.format(comment=""), "vendor/x.gbnf"))
    assert {d.code: d.severity.value for d in settle(found, settings)} == expected


@pytest.mark.parametrize(
    ("toml", "message", "hint"),
    [
        ('selct = ["COST"]', "key 'selct' is unknown", "did you mean select?"),
        ('select = ["COTS001"]', "rule 'COTS001' is unknown", "did you mean COST001?"),
        (
            'select = ["chained-optional"]',
            "rule 'chained-optional' is unknown",
            "chained-optionals",
        ),
        ('[severity]\nCOST001 = "eror"', "severity 'eror' is unknown", "did you mean error?"),
        ('fail-on = "warnings"', "fail-on 'warnings' is unknown", "did you mean warning?"),
        ("ignore = 3", "ignore must be a string or a list of strings", ""),
    ],
)
def test_wrong_settings(toml: str, message: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_settings(tomllib.loads(toml), rule_names(), "gbnfc.toml")
    assert message in str(caught.value)
    assert hint in str(caught.value)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    (tmp_path / "bad.gbnf").write_text(CHAIN.format(comment=""), encoding="utf-8")
    (tmp_path / "good.gbnf").write_text('root ::= "a"\n', encoding="utf-8")
    (tmp_path / "schema.json").write_text('{"type": "strin"}', encoding="utf-8")
    (tmp_path / "data.json").write_text('{"kind": "no schema"}', encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "code", "shown"),
    [
        (["good.gbnf"], 0, []),
        (["bad.gbnf"], 1, ["COST001", "STR004"]),
        (["bad.gbnf", "--exit-zero"], 0, ["COST001", "STR004"]),
        (["bad.gbnf", "--fail-on", "error"], 0, ["COST001", "STR004"]),
        (["bad.gbnf", "--fail-on", "never"], 0, ["COST001", "STR004"]),
        (
            ["bad.gbnf", "--severity", "STR004=error", "--fail-on", "error"],
            1,
            ["COST001", "STR004"],
        ),
        (["bad.gbnf", "--ignore", "COST,STR"], 0, []),
        (["bad.gbnf", "--select", "COST001"], 1, ["COST001"]),
        (["bad.gbnf", "--per-file-ignores", "bad.*:COST001"], 1, ["STR004"]),
        (["."], 1, ["COST001", "STR004"]),
        (["schema.json"], 1, ["SCH001"]),
        (["data.json", "--select", "SCH001"], 0, []),
    ],
)
def test_lint_command(folder, capsys, arguments: list[str], code: int, shown: list[str]) -> None:
    assert run(["lint", *arguments, "--output-format", "json"]) == code
    found = [record["code"] for record in json.loads(capsys.readouterr().out)]
    assert [c for c in found if c != "SCH001" or "schema.json" in arguments] == shown


BAD_FILES = [
    ("latin.gbnf", b'root ::= "caf\xe9"\n'),
    ("utf16.json", '{"type": "string"}'.encode("utf-16")),
    ("bell.yaml", b"a: \x07"),
]


@pytest.mark.parametrize(("name", "data"), BAD_FILES)
def test_one_bad_file_hides_nothing_of_the_others(folder, capsys, name: str, data: bytes) -> None:
    (folder / "aa").mkdir()
    (folder / "aa" / name).write_bytes(data)
    formats = ["--output-format", "json", "--output-format", "sarif:out.sarif"]
    for options in ([], ["--fix"]):
        assert run(["lint", ".", "--select", "COST001", *options, *formats]) == 1
        out, err = capsys.readouterr()
        found = {record["code"] for record in json.loads(out)}
        assert found == {"LNT003"} | ({"COST001"} if not options else set())
        assert json.loads((folder / "out.sarif").read_text("utf-8"))["version"] == "2.1.0"
    assert "1 finding fixed\n" in err
    assert run(["lint", "aa", "--ignore", "LNT003"]) == 0


def test_diff_and_cost_go_on_past_a_bad_file(folder, capsys) -> None:
    (folder / "aa.gbnf").write_bytes(b"\xff")
    # To `lint` such a file is a finding, so to --diff too; a table of costs has none.
    for option, shown, code in (("--diff", "+root", 1), ("--cost", "bad.gbnf", 3)):
        capsys.readouterr()
        assert run(["lint", ".", option]) == code
        out, err = capsys.readouterr()
        assert shown in out
        assert "aa.gbnf: not UTF-8" in err


WRONG_USE = [
    (["", "bad.gbnf"], 2, "a path is empty"),
    (["-", "bad.gbnf"], 2, "together with files"),
    (["bad.gbnf", "--severity", "COST001"], 2, "not of the form CODE=LEVEL"),
    (["bad.gbnf", "--per-file-ignores", "x"], 2, "not of the form GLOB:CODE"),
    (["bad.gbnf", "--output-format", "json,sarif"], 2, "json cannot share stdout"),
    (["bad.gbnf", "--output-format", "full,junit", "-o", "x"], 2, "junit cannot share x"),
    (["bad.gbnf", "--baseline", "none.json"], 3, "none.json: no such file"),
    (["bad.gbnf", "--baseline", "latin.gbnf"], 3, "latin.gbnf: not UTF-8"),
    (["bad.gbnf", "--baseline", "."], 3, "is a directory"),
    (["bad.gbnf", "--config", "latin.gbnf"], 2, "latin.gbnf: not UTF-8"),
    (["bad.gbnf", "--config", "schema.json"], 2, "schema.json: not TOML"),
    (["bad.gbnf", "-o", "no/such/file"], 3, "no/such/file"),
    (["bad.gbnf", "--isolated", "--config", "gbnfc.toml"], 2, "--isolated reads no configuration"),
]


@pytest.mark.parametrize(("arguments", "code", "message"), WRONG_USE)
def test_wrong_use(folder, capsys, arguments: list[str], code: int, message: str) -> None:
    (folder / "latin.gbnf").write_bytes(b"\xe9")
    assert run(["lint", *arguments]) == code
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("mode", ["--cost", "--diff"])
@pytest.mark.parametrize("more", [["--output-format", "json"], ["-o", "x.txt"]])
def test_what_has_one_form_takes_no_other(folder, capsys, mode, more) -> None:
    assert run(["lint", mode, str(folder), *more]) == 2
    assert "in no other format" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("table", "arguments", "found"),
    [
        ("", ["bad.gbnf"], True),
        ("", ["bad.gbnf", "--exclude", "bad.*"], True),
        ("", [".", "--exclude", "bad.*"], False),
        ("", ["bad.gbnf", "--exclude", "bad.*", "--force-exclude"], False),
        ("", ["good.gbnf", "--exclude", "bad.*", "--force-exclude"], False),
        ('exclude = ["bad.gbnf"]', ["bad.gbnf"], True),
        ('exclude = ["bad.gbnf"]', ["bad.gbnf", "--force-exclude"], False),
        ('exclude = ["bad.gbnf"]\nforce-exclude = true', ["bad.gbnf"], False),
        ('exclude = ["bad.gbnf"]\nforce-exclude = true', ["sub/../bad.gbnf"], False),
        ('exclude = ["bad.gbnf"]\nforce-exclude = true', ["bad.gbnf", "--no-force-exclude"], True),
        ('exclude = ["bad.gbnf"]\nforce-exclude = true', ["bad.gbnf", "--isolated"], True),
        ('ignore = ["ALL"]', ["bad.gbnf"], False),
        ('ignore = ["ALL"]', ["bad.gbnf", "--isolated"], True),
        ("no = 1", ["bad.gbnf", "--isolated"], True),
    ],
)
def test_what_is_excluded_and_by_whom(folder, capsys, table: str, arguments, found: bool) -> None:
    (folder / "sub").mkdir()
    (folder / "gbnfc.toml").write_text(f"[lint]\n{table}\n", encoding="utf-8")
    formats = ["--select", "COST001", "--output-format", "json"] if "ALL" not in table else []
    assert run(["lint", *arguments, *formats]) == int(found)
    assert ("COST001" in capsys.readouterr().out) == found


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("data.json", '{"kind": "no schema"}', 0),
        ("list.json", "[1, 2]", 0),
        ("broken.json", "{", 0),
        ("broken.schema.json", "{", 1),
        ("wrong.json", '{"type": "object", "properties": 3}', 1),
        ("data.yaml", "kind: no schema", 0),
        ("wrong.yml", "type: object\nproperties: 3", 1),
        ("bad.gbnf", "root ::= a", 1),
    ],
)
def test_hooks_pass_over_what_is_no_schema(folder, name: str, text: str, code: int) -> None:
    pytest.importorskip("yaml")
    (folder / name).write_text(text, encoding="utf-8")
    assert run(["lint", name, "--pass-over"]) == code
    assert run(["lint", name]) == (1 if name in ("list.json", "broken.json") else code)


@pytest.mark.parametrize("options", [[], ["--diff"], ["--fix"]])
def test_yaml_without_a_reader_is_passed_over_with_one_warning(
    tmp_path, monkeypatch, capsys, options: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "yaml", None)
    for name in ("ci.yml", "data.yaml", "values.yaml"):
        (tmp_path / name).write_text("kind: no schema\n", encoding="utf-8")
    (tmp_path / "good.gbnf").write_text('root ::= "a"\n', encoding="utf-8")
    assert run(["lint", ".", *options]) == 0
    assert run(["lint", "data.yaml", "--pass-over", *options]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("warning: ") == 2
    assert "3 YAML files passed over: reading YAML needs pyyaml" in err
    assert 'pip install "gbnfc[yaml]"' in err
    # What is named, or plainly a schema, must not pass for a good one.
    (tmp_path / "s.schema.yaml").write_text("type: object\n", encoding="utf-8")
    for argument in ("s.schema.yaml", ".", "data.yaml"):
        assert run(["lint", argument, *options]) == 1
        assert "reading YAML needs pyyaml" in "".join(capsys.readouterr())


LEFT = [
    (CHAIN, "--fix", "1 finding fixed, 1 left: 1 fixable with --unsafe-fixes"),
    (CHAIN, "--unsafe-fixes", "2 findings fixed"),
    (CHAIN, "--diff", "1 finding would be fixed, 1 left: 1 fixable with --unsafe-fixes"),
    ('root ::= "a"\n', "--fix", "0 findings fixed"),
    ('root ::= "a" | item\n', "--fix", "0 findings fixed, 1 left: 1 without a fix"),
    ('root ::= "a" | ""*\n', "--fix", "0 findings fixed, 1 left: 1 without a fix"),
]


@pytest.mark.parametrize(("text", "option", "said"), LEFT)
def test_fixing_says_what_is_left_and_why(folder, capsys, text, option, said) -> None:
    (folder / "bad.gbnf").write_text(text.format(comment=""), encoding="utf-8")
    run(["lint", "bad.gbnf", option])
    assert f"{said}\n" in capsys.readouterr().err


def test_what_cannot_be_proved_is_left_and_said(folder, capsys, monkeypatch) -> None:
    monkeypatch.setattr("gbnfc.lint.edits.fix.prove_same_language", lambda *_: None)
    assert run(["lint", "bad.gbnf", "--fix"]) == 1
    err = capsys.readouterr().err
    assert "COST001" in err
    assert "not fixed, the language could not be proved the same" in err
    reasons = "1 fixable with --unsafe-fixes, 1 not proved to keep the language"
    assert f"0 findings fixed, 2 left: {reasons}\n" in err


def test_unsafe_fixes_are_marked_and_named(folder, capsys) -> None:
    assert run(["lint", "bad.gbnf"]) == 1
    out, err = capsys.readouterr()
    marks = {
        line.split()[2]: line.partition("] ")[2].partition("[*")[2]
        for line in out.split("\n")
        if ": warning " in line
    }
    assert marks == {"COST001": "]", "STR004": " unsafe]"}
    assert err == "2 findings ([*] 1 fixable with --fix, 1 more with --unsafe-fixes)\n"
    assert run(["lint", "bad.gbnf", "--select", "STR004"]) == 1
    assert capsys.readouterr().err == "1 finding (1 fixable with --unsafe-fixes)\n"
    assert run(["lint", "bad.gbnf", "--output-format", "json"]) == 1
    records = json.loads(capsys.readouterr().out)
    assert {r["code"]: r["fix"] for r in records} == {"COST001": "safe", "STR004": "unsafe"}


def test_nothing_to_check_is_said(folder, capsys) -> None:
    (folder / "empty").mkdir()
    assert run(["lint", "empty"]) == 0
    assert "warning: no grammars or schemas found in empty" in capsys.readouterr().err


def test_several_formats_at_once(folder, capsys) -> None:
    arguments = ["--output-format", "concise", "--output-format", "sarif:out.sarif"]
    assert run(["lint", "bad.gbnf", *arguments]) == 1
    assert "bad.gbnf:1:14: warning COST001" in capsys.readouterr().out
    assert json.loads((folder / "out.sarif").read_text("utf-8"))["version"] == "2.1.0"


def test_github_by_itself_under_actions(folder, capsys, monkeypatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    run(["lint", "bad.gbnf"])
    assert capsys.readouterr().out.startswith("::warning title=COST001")


def test_fix_and_diff(folder, capsys) -> None:
    assert run(["lint", "bad.gbnf", "--diff"]) == 1
    out, err = capsys.readouterr()
    assert '+root ::= "#" [a-f]{0,2}' in out
    assert err == "1 finding would be fixed, 1 left: 1 fixable with --unsafe-fixes\n"
    assert run(["lint", "bad.gbnf", "--diff", "--exit-zero"]) == 0
    assert run(["lint", "good.gbnf", "--diff"]) == 0
    assert (folder / "bad.gbnf").read_text("utf-8") == CHAIN.format(comment="")
    assert run(["lint", "bad.gbnf", "--fix", "--ignore", "STR004"]) == 0
    assert (folder / "bad.gbnf").read_text("utf-8").startswith('root ::= "#" [a-f]{0,2}\n')


def test_baseline(folder, capsys) -> None:
    options = ["bad.gbnf", "--baseline", "known.json"]
    assert run(["lint", *options, "--write-baseline"]) == 0
    assert run(["lint", *options]) == 0


def test_configuration_file(folder, capsys) -> None:
    (folder / "pyproject.toml").write_text('[tool.gbnfc.lint]\nignore = ["COST"]\n', "utf-8")
    run(["lint", "bad.gbnf", "--output-format", "json"])
    assert [r["code"] for r in json.loads(capsys.readouterr().out)] == ["STR004"]
    (folder / "gbnfc.toml").write_text("[lint]\nignor = []\n", "utf-8")
    assert run(["lint", "bad.gbnf"]) == 2
    assert "did you mean ignore?" in capsys.readouterr().err


@pytest.mark.parametrize("named", ["g.gbnf", "."])
@pytest.mark.parametrize("setting", ['per-file-ignores = {"gs/*" = ["ALL"]}', 'exclude = ["gs/*"]'])
def test_patterns_of_a_configuration_file_begin_where_it_is(tmp_path, monkeypatch, named, setting):
    (tmp_path / "gs").mkdir()
    (tmp_path / "gs" / "g.gbnf").write_text('root ::= "a"\nlost ::= "b"\n')
    (tmp_path / "gbnfc.toml").write_text(f"[lint]\n{setting}\n")
    monkeypatch.chdir(tmp_path / "gs")
    is_excluded = "exclude" in setting and named == "."
    assert run(["lint", named]) == (0 if is_excluded or "ignores" in setting else 1)
    monkeypatch.chdir(tmp_path)
    assert run(["lint", "gs"]) == 0


def test_a_baseline_fits_wherever_it_is_used_from(tmp_path, monkeypatch):
    (tmp_path / "gs").mkdir()
    (tmp_path / "gs" / "g.gbnf").write_text('root ::= "a"\nlost ::= "b"\n')
    (tmp_path / "gbnfc.toml").write_text('[lint]\nbaseline = "known.json"\n')
    for written, used in (("gs", "."), (".", "gs")):
        monkeypatch.chdir(tmp_path / written)
        assert run(["lint", "--write-baseline"]) == 0
        monkeypatch.chdir(tmp_path / used)
        assert run(["lint"]) == 0


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("gbnfc.toml", "lint = 3"),
        ("pyproject.toml", "[tool]\ngbnfc = 3"),
        ("pyproject.toml", "tool = 3"),
        ("pyproject.toml", "[tool.gbnfc]\nlint = []"),
    ],
)
def test_a_table_that_is_none(tmp_path, capsys, name, text):
    (tmp_path / name).write_text(text)
    assert run(["lint", str(tmp_path), "--config", str(tmp_path / name)]) == 2
    assert "is not a table" in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes")
def test_a_pipe_in_a_folder_is_passed_over(tmp_path):
    os.mkfifo(tmp_path / "p.gbnf")
    (tmp_path / "g.gbnf").write_text('root ::= "a"\n')
    assert run(["lint", str(tmp_path)]) == run(["fmt", "--check", str(tmp_path)]) == 0


@pytest.mark.parametrize(
    "more",
    [
        "g.gbnf -o g.gbnf",
        ". -o sub/../g.gbnf",
        "s.json --output-format json:s.json",
        "g.gbnf --write-baseline --baseline g.gbnf",
        ". --write-baseline --baseline s.json",
        "s.json g.gbnf --write-baseline --baseline s.json -o x.txt",
        ". --write-baseline --config wrong.toml",
    ],
)
def test_findings_are_not_written_over_what_is_linted(tmp_path, monkeypatch, capsys, more):
    (tmp_path / "sub").mkdir()
    texts = {"g.gbnf": 'root ::= "a"\nlost ::= "b"\n', "s.json": '{"type": "string"}\n'}
    texts["wrong.toml"] = '[lint]\nbaseline = "s.json"\n'
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    assert run(["lint", *more.split()]) in (2, 3)
    said = capsys.readouterr().err
    assert "the output is also an input" in said or "not a baseline" in said
    assert {name: (tmp_path / name).read_text() for name in texts} == texts


def test_findings_of_an_earlier_run_are_written_anew(tmp_path, monkeypatch):
    (tmp_path / "g.gbnf").write_text('root ::= "a"\nlost ::= "b"\n')
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        assert run(["lint", ".", "--output-format", "json:found.json"]) == 1
        assert run(["lint", ".", "--write-baseline", "--baseline", "known.json"]) == 0
        assert run(["lint", ".", "--baseline", "known.json"]) == 0
    assert json.loads((tmp_path / "found.json").read_text())


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("person.schema.json", '{"type": "object",}', 1),
        ("p.json", '{"$schema": "https://json-schema.org/draft/2020-12/schema",}', 1),
        ("x.schema.yaml", "a: [1", 1),
        ("settings.json", '{"type": "object",}  // a comment', 0),
        ("b.gbnf", '\ufeffroot ::= "a"\n', 1),
    ],
)
def test_what_is_broken_in_a_folder(tmp_path, capsys, name, text, code):
    (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "good.gbnf").write_text('root ::= "a"\n')
    assert run(["lint", str(tmp_path)]) == code
    assert (name in capsys.readouterr().out) == bool(code)


def test_a_key_given_twice_is_a_finding(folder, capsys) -> None:
    (folder / "schemas").mkdir()
    (folder / "schemas" / "twice.json").write_text('{"type": "null", "type": "null"}', "utf-8")
    (folder / "schemas" / "data.json").write_text('{"a": 1, "a": 2}', "utf-8")
    assert run(["lint", "schemas", "--output-format", "concise"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("schemas/twice.json:1:18: error SCH001")
    assert len(out.splitlines()) == 1


def test_rule_command(capsys) -> None:
    assert run(["rule", "chained-optionals"]) == 0
    assert "### Use instead" in capsys.readouterr().out
    assert run(["rule"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(rule_names())
    assert run(["rule", "COST01"]) == 2
    assert "did you mean COST0" in capsys.readouterr().err


def test_linting_a_grammar_imports_nothing_heavy(folder) -> None:
    program = (
        "import sys; from gbnfc.cli.app import run; run(['lint', 'good.gbnf']);"
        "heavy = {'numpy', 'llama_cpp', 'jsonschema', 'jsonschema_rs', 'pydantic', 'rich'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert result.stdout.decode().strip() == "[]"


def test_severities_are_ordered() -> None:
    assert [severity.rank for severity in Severity] == [0, 1, 2]


@pytest.mark.skipif(os.name == "nt", reason="/dev/null")
def test_an_empty_device_is_a_configuration(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("gbnfc.toml").write_text('[lint]\nignore = ["ALL"]\n')
    Path("a.gbnf").write_text("root ::= my_item\n")
    assert run(["lint", "a.gbnf"]) == 0
    assert run(["lint", "a.gbnf", "--config", os.devnull]) == 1
    assert "SYN002" in capsys.readouterr().out
    for missing in ("gone.toml", "."):
        assert run(["lint", "a.gbnf", "--config", missing]) == 2
        assert f"{missing}: no such file" in capsys.readouterr().err
