"""What a hostile repository holds: names and texts that command a terminal, a runner or a reader of
reports, YAML that explodes, links that lead elsewhere.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from xml.etree import ElementTree

import pytest
import resource_limits

from gbnfc.cli.app import run
from gbnfc.cli.io import shown as cli_shown
from gbnfc.extract.validate import Validator
from gbnfc.lint import Diagnostic, Severity
from gbnfc.lint.formats import FORMATS, writer_of
from gbnfc.source import Source, Span, visible, visible_line

ESC = "\x1b]0;owned\x07\x1b[31m"
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
HOSTILE = (
    *("\x1b[2J", "\x9b31m", "\x07", "\x7f", "\r", "\x00", "\u202e", "\u2066", "\ufeff", "\ufffe"),
    *("\udcff", "\n::error::x", "\n  ::add-mask::x", "##[error]x", "]]>", "<&\"'>", "%0A", "a,b:c"),
)


# --- one mechanism -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["plain", "tab\tand\nline", "é ½ 日本 👩‍👧", "soft\xadhyphen", "::x"]
)
def test_what_is_shown_as_it_is(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31m", r"\x1b[31m"),
        ("a\rb", r"a\x0db"),
        ("\x9b31m", r"\x9b31m"),
        ("\u202egnp.exe", r"\u202egnp.exe"),
        ("\udcff.gbnf", r"\udcff.gbnf"),
        ("\ufffe", r"\ufffe"),
    ],
)
def test_what_is_shown_by_its_code(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert visible_line(f"{text}\n") == rf"{shown}\n"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a ::= b", "a ::= b"),
        ("::error::x", r"\x3a:error::x"),
        ("a\n\t ::warning::x", "a\n\t \\x3a:warning::x"),
        ("a\n\u3000::warning::x", "a\n\u3000\\x3a:warning::x"),
        ("text ##[error]x", r"text #\x23[error]x"),
        ("## [not one]", "## [not one]"),
    ],
)
def test_no_line_is_a_workflow_command(text: str, shown: str) -> None:
    assert cli_shown.shown(text) == shown


def test_a_terminal_is_shown_data_and_a_pipe_gets_it(capsys, monkeypatch) -> None:
    assert run(["sample", r'root ::= "\x1b[31m"']) == 0
    assert capsys.readouterr().out == "\x1b[31m\n"
    shown = cli_shown.VisibleStream(sys.stdout)
    assert shown.isatty() == sys.stdout.isatty()
    monkeypatch.setattr(sys, "stdout", shown)
    print("\x1b[31m")
    assert capsys.readouterr().out == "\\x1b[31m\n"


def test_every_terminal_is_written_to_that_way(monkeypatch) -> None:
    import io

    class Terminal(io.TextIOWrapper):
        def isatty(self) -> bool:
            return True

    buffer = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", Terminal(buffer))
    assert run(["sample", r'root ::= "\x1b[31m"']) == 0
    assert buffer.getvalue() == b"\\x1b[31m\n"


# --- every command -------------------------------------------------------------------------------


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    """A folder with hostile file names, keys and grammar texts."""
    monkeypatch.chdir(tmp_path)
    for name in (*os.environ,):
        if name.startswith("GITHUB"):
            monkeypatch.delenv(name)
    schema = {
        "type": "object",
        "properties": {f"k{ESC}\x9b": {"type": "array", "uniqueItems": True}},
        "required": [f"k{ESC}\x9b"],
        f"x{ESC}": 1,
    }
    (tmp_path / "s.json").write_text(json.dumps(schema, ensure_ascii=False), encoding="utf-8")
    (tmp_path / "bad.json").write_text(f'{{"type": "{ESC}"}}', encoding="utf-8")
    (tmp_path / "no.json").write_text(f'{{"{ESC}": ', encoding="utf-8")
    (tmp_path / "g.gbnf").write_text(
        f'root ::= "a" | "{ESC}" [a-z]? [a-z]? # {ESC}\n', encoding="utf-8"
    )
    (tmp_path / "broken.gbnf").write_text(f'root ::= ("a" {ESC}\nx{ESC} ::=\n', encoding="utf-8")
    (tmp_path / "text.txt").write_text(ESC, encoding="utf-8")
    return tmp_path


def named(folder, name: str) -> str:
    try:
        (folder / name).write_text('root ::= undefined "a\n', encoding="utf-8")
    except OSError:
        pytest.skip("this system has no such file names")
    return name


COMMANDS = [
    *([command, file] for file in ("g.gbnf", "broken.gbnf") for command in ("lint", "fmt")),
    *(["lint", file, "--output-format", name] for file in ("s.json", "g.gbnf") for name in FORMATS),
    *(["lint", file] for file in ("bad.json", "no.json")),
    ["lint", "g.gbnf", "--cost"],
    ["lint", "nothing" + ESC],
    ["lint", ".", "--config", "nothing" + ESC],
    ["lint", ".", "--select", ESC],
    ["lint", ".", "--exclude", "*", "--baseline", ESC],
    ["compile", "s.json", "-o", "out.gbnf"],
    ["compile", "s.json", "--check", "-o", "g.gbnf"],
    *(["compile", "s.json", "--report", name] for name in ("json", "github", "markdown", "sarif")),
    *(["compile", text] for text in ("bad.json", "no.json", ESC, f"nothing{ESC}.json", f"a {ESC}")),
    ["compile", "--regex", f"({ESC}"],
    ["compile", "s.json", "--whitespace", ESC],
    *(["match", "g.gbnf", "text.txt", *more] for more in ([], ["--json"], ["--lines"])),
    ["match", "s.json", "text.txt"],
    ["match", f'root ::= "{ESC}" "b"', "text.txt"],
    ["match", "broken.gbnf", "text.txt"],
    ["sample", "broken.gbnf"],
    ["bench", "broken.gbnf"],
    ["rule", ESC],
    [ESC],
    ["lint", f"--{ESC}"],
    ["extract", "-s", "s.json", f"nothing{ESC}"],
    ["extract", "-s", f"nothing{ESC}.json", "text.txt"],
    ["extract", "-s", "s.json", "-m", f"nothing{ESC}", "text.txt"],
    ["extract", "--lines", "--shard", ESC, "-s", "s.json", "text.txt"],
]


@pytest.mark.parametrize("arguments", COMMANDS)
def test_no_command_echoes_escape_sequences(hostile, capsys, arguments: list[str]) -> None:
    run(arguments)
    out, err = capsys.readouterr()
    assert out + err
    assert not OBEYED.search(err)
    if arguments[0] != "fmt" and "-o" not in arguments and "--report" not in arguments:
        assert not OBEYED.search(out)


@pytest.mark.parametrize(
    "name", [f"{ESC}.gbnf", "\x9b.gbnf", "a\n::error::b.gbnf", "a\u202eb.gbnf", "\udcff.gbnf"]
)
@pytest.mark.parametrize("form", FORMATS)
def test_hostile_file_names(hostile, capsys, name: str, form: str) -> None:
    file = named(hostile, name)
    assert run(["lint", file, "--output-format", form]) == 1
    out, err = capsys.readouterr()
    assert not OBEYED.search(out + err)
    assert out.encode("utf-8")
    lines = [line for line in out.splitlines() if line.lstrip().startswith("::")]
    assert bool(lines) == (form == "github")
    assert all(line.startswith(("::error title=", "::warning title=")) for line in lines)


@pytest.mark.parametrize(
    "name", ["a\n::error::b.gbnf", "a\n  ::add-mask::b.gbnf", "##[error].gbnf"]
)
@pytest.mark.parametrize("command", [["lint", "--cost"], ["fmt", "--check"], ["match", "json"]])
def test_a_file_name_is_no_workflow_command(hostile, capsys, command, name: str) -> None:
    run([*command, named(hostile, name)])
    out, err = capsys.readouterr()
    assert not re.search(r"^\s*::|##\[", out + err, re.MULTILINE)


# --- report formats ------------------------------------------------------------------------------


def findings(text: str) -> tuple[Diagnostic, ...]:
    """Return a finding that is called, says, suggests and stands in `text`."""
    source = Source(f"root {text} x", f"a{text}b.gbnf")
    plain = Diagnostic("STR001", "undefined-rule", Severity.ERROR, f"m{text}", f"a{text}b.gbnf")
    placed = Diagnostic(
        "STR001",
        f"n{text}",
        Severity.WARNING,
        f"m{text}",
        f"a{text}b.gbnf",
        Span(0, 4),
        help=f"h{text}",
        source=source,
    )
    return plain, placed


@pytest.mark.parametrize("text", HOSTILE)
def test_xml_stays_xml(text: str) -> None:
    report = writer_of("junit")(findings(text))
    root = ElementTree.fromstring(report.encode("utf-8"))
    cases = root.findall(".//testcase")
    assert len(cases) == len(root.findall(".//failure")) == 2
    # Line feeds in attributes are written as references, so they come back.
    assert [case.get("file") for case in cases] == [visible(f"a{text}b.gbnf")] * 2
    assert root.find(".//failure").get("message") == visible(f"m{text}")


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("form", ["json", "jsonl", "gitlab", "sarif"])
def test_json_reports_stay_json_and_lose_nothing(form: str, text: str) -> None:
    written = writer_of(form)(findings(text))
    assert not OBEYED.search(written)
    assert written.encode("utf-8")
    report = json.loads(written.splitlines()[0] if form == "jsonl" else written)
    first = report if form == "jsonl" else report["runs"][0] if form == "sarif" else report[0]
    if form == "sarif":
        assert first["results"][0]["message"]["text"] == f"m{text}"
        uri = first["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert re.fullmatch(r"(?:[A-Za-z0-9._~/:-]|%[0-9A-F]{2})+", uri)
    else:
        assert first["description" if form == "gitlab" else "message"] == f"m{text}"


@pytest.mark.parametrize("text", HOSTILE)
def test_github_gets_one_command_for_each_finding(text: str) -> None:
    written = writer_of("github")(findings(text))
    lines = written.splitlines()
    assert len(lines) == 2
    for line in lines:
        command = re.fullmatch(r"::(error|warning) ([^:]*)::(.*)", line)
        assert command is not None
        properties = dict(part.split("=", 1) for part in command[2].split(","))
        assert properties["file"].startswith("a")
        assert set(properties) <= {"title", "file", "line", "endLine", "col", "endColumn"}
        assert unescaped(command[3]).startswith(visible(f"m{text}"))


def unescaped(text: str) -> str:
    """Return what the runner makes of the data of a command."""
    for code, char in (("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        text = text.replace(code, char)
    return text


# --- YAML ----------------------------------------------------------------------------------------


def laughs(levels: int, each: str) -> str:
    lines = ["type: object\na0: &a0 {description: lol}"]
    lines += [f"a{n}: &a{n} {each.format(', '.join([f'*a{n - 1}'] * 9))}" for n in range(1, levels)]
    return "\n".join(lines) + "\n"


def merges(levels: int) -> str:
    lines = ["type: object\na0: &a0 {description: lol}"]
    for n in range(1, levels):
        keys = ", ".join(f"k{i}: *a{n - 1}" for i in range(9))
        lines.append(f"a{n}: &a{n} {{<<: *a{n - 1}, {keys}}}")
    return "\n".join(lines) + "\n"


BOMBS = {
    "lists": laughs(30, "[{}]"),
    "anyOf": laughs(30, "{{anyOf: [{}]}}"),
    "merges": merges(30),
    "circle": "type: object\nproperties: &p\n  a: {properties: *p}\n",
    "self": "&a [*a]\n",
    "keys": "type: object\n? *x\n: 1\n",
    "many anchors": "type: object\n" + "".join(f"k{n}: &a{n} x\n" for n in range(3_000)),
    "deep": "type: object\nx: " + "[" * 1_500 + "\n",
}


@pytest.mark.parametrize("command", ["lint", "compile", "match"])
@pytest.mark.parametrize("name", BOMBS)
def test_yaml_that_explodes(tmp_path, monkeypatch, capsys, name: str, command: str) -> None:
    pytest.importorskip("yaml")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bomb.yaml").write_text(BOMBS[name], encoding="utf-8")
    (tmp_path / "doc.txt").write_text("{}", encoding="utf-8")
    began = time.process_time()
    with resource_limits.memory(1 << 30):
        code = run([command, "bomb.yaml", *(["doc.txt"] if command == "match" else [])])
    assert time.process_time() - began < 10
    is_fine = name == "many anchors"
    assert (code in (0, 1)) if is_fine else (code == (1 if command == "lint" else 3))
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    assert is_fine or re.search(r"aliases|itself|nested|not YAML|undefined alias", out + err)


# --- links ---------------------------------------------------------------------------------------


@pytest.fixture
def linked(tmp_path, monkeypatch):
    """A tree with links to itself, to what is around it, to a file outside, and to nothing."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.gbnf").write_text('root ::= [a-z]? [a-z]? "s"\n', encoding="utf-8")
    (outside / "secret.json").write_text('{"$id": "urn:secret", "type": "string"}', "utf-8")
    tree = tmp_path / "tree"
    (tree / "sub").mkdir(parents=True)
    (tree / "own.gbnf").write_text('root ::= [a-z]? [a-z]? "o"\n', encoding="utf-8")
    (tree / "own.json").write_text('{"$id": "urn:own", "type": "string"}', encoding="utf-8")
    try:
        (tree / "sub" / "loop").symlink_to(tree, target_is_directory=True)
        (tree / "up").symlink_to(outside, target_is_directory=True)
        (tree / "file.gbnf").symlink_to(outside / "secret.gbnf")
        (tree / "file.json").symlink_to(outside / "secret.json")
        (tree / "dead.gbnf").symlink_to(outside / "nothing")
    except OSError:
        pytest.skip("this system lets nobody make links")
    monkeypatch.chdir(tree)
    return tree


@pytest.mark.parametrize("is_repository", [False, True])
def test_lint_and_fmt_stay_in_the_tree(linked, capsys, is_repository: bool) -> None:
    if is_repository:
        import subprocess

        git = subprocess.run(["git", "init", "-q", "."], check=False, capture_output=True)
        if git.returncode:
            pytest.skip("there is no git")
    assert run(["lint", ".", "--output-format", "json", "--select", "COST001"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert {record["file"] for record in found} == {"own.gbnf"}
    secret = linked.parent / "outside" / "secret.gbnf"
    before = secret.read_text("utf-8")
    run(["lint", ".", "--fix", "--unsafe-fixes"])
    run(["fmt", "."])
    assert secret.read_text("utf-8") == before
    assert (linked / "own.gbnf").read_text("utf-8") != before.replace("s", "o")


def test_what_is_named_is_read_through_its_link(linked, capsys) -> None:
    for name in ("file.gbnf", "up"):
        assert run(["lint", name, "--output-format", "json", "--select", "COST001"]) == 1
        assert "COST001" in capsys.readouterr().out


def test_a_registry_stays_in_its_folder(linked, capsys) -> None:
    assert run(["compile", '{"$ref": "urn:own"}', "--registry", "."]) == 0
    assert "a symbolic link, passed over" in capsys.readouterr().err
    assert run(["compile", '{"$ref": "urn:secret"}', "--registry", "."]) == 3
    assert "'urn:secret' cannot be resolved" in capsys.readouterr().err
    (linked / "s.json").write_text('{"$ref": "urn:secret"}', encoding="utf-8")
    assert run(["lint", "s.json", "--registry", "."]) == 1
    assert "'urn:secret' cannot be resolved" in capsys.readouterr().out


def test_extract_stays_in_its_folder(linked) -> None:
    from gbnfc.extract.documents import expand_paths

    told: list[str] = []
    assert expand_paths((".",), told.append) == ("own.gbnf", "own.json")
    assert len(told) == 1
    assert "5 symbolic links are passed over" in told[0]
    assert expand_paths(("file.*",)) == ("file.gbnf", "file.json")


# --- references ----------------------------------------------------------------------------------


FETCHED = [
    *({"$ref": f"{scheme}://127.0.0.1:9/s.json"} for scheme in ("http", "https", "ftp")),
    {"$ref": "file:///etc/hostname"},
    {"$ref": "http://json-schema.org/draft-99/schema"},
    {"$schema": "http://127.0.0.1:9/meta", "$ref": "http://127.0.0.1:9/s.json"},
    {"$id": "http://127.0.0.1:9/root.json", "$ref": "other.json"},
    {"properties": {"a": {"$dynamicRef": "http://127.0.0.1:9/s.json#x"}}},
    {"$id": "file:///etc/", "$ref": "hostname"},
]


@pytest.mark.parametrize("with_registry", [False, True])
@pytest.mark.parametrize("schema", FETCHED)
def test_nothing_is_fetched(tmp_path, monkeypatch, capsys, schema, with_registry: bool) -> None:
    import socket

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a connection")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    (tmp_path / "own.json").write_text('{"$id": "urn:own", "type": "string"}', encoding="utf-8")
    (tmp_path / "s.json").write_text(json.dumps(schema), encoding="utf-8")
    more = ["--registry", str(tmp_path)] if with_registry else []
    for verb in (["compile"], ["compile", "--verify", "3"]):
        run([*verb, str(tmp_path / "s.json"), *more])
        out, err = capsys.readouterr()
        assert "cannot be resolved" in err
        assert "AssertionError" not in out + err
    assert run(["lint", str(tmp_path / "s.json"), *more]) == 1
    (problem,) = Validator(schema).check({"a": 1})
    assert "cannot be checked" in problem.message
