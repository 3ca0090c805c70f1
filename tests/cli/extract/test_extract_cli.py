"""`gbnfc extract` from the outside, over a scripted engine: streams, exit codes, faults."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import journal_campaign
import pytest

from gbnfc import CompileOptions, compile_schema
from gbnfc.cli.app import run
from gbnfc.cli.extract.engine import shown_examples
from gbnfc.cli.extract.options import AnswerSpec, PromptSpec
from gbnfc.cli.extract.target import Target, read_target
from gbnfc.cli.io.texts import stream_stdin
from gbnfc.cli.io.voice import Voice
from gbnfc.engine.base import ConstraintGrammar
from gbnfc.extract.output import Format, RecordOptions, written_records
from gbnfc.extract.record import Record
from gbnfc.extract.template import ChatTemplate
from gbnfc.extract.validate import Validator
from gbnfc.match import Verdict, match_text

PROGRAM = [sys.executable, str(Path(__file__).parents[2] / "helpers" / "scripted_cli.py")]
SCHEMA = '{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}'


def gbnfc(*arguments, stdin="", cwd=None, **environment):
    return subprocess.run(
        [*PROGRAM, *arguments],
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        cwd=cwd,
        env={**os.environ, **{key: str(value) for key, value in environment.items()}},
        timeout=120,
    )


def extract(*arguments, **more):
    return gbnfc("extract", "-s", SCHEMA, *arguments, **more)


def lines(raw):
    return [json.loads(line) for line in raw.decode().splitlines()]


@pytest.fixture
def letters(tmp_path):
    for number in range(5):
        (tmp_path / f"{number}.txt").write_text(f"letter {number}")
    return tmp_path


def test_one_document_gives_its_data():
    done = extract(stdin="item 7")
    assert done.returncode == 0
    assert done.stdout == b'{\n  "n": 7\n}\n'
    assert done.stderr == b""
    assert extract("-", stdin="item 7").stdout == done.stdout


def test_one_document_in_its_envelope():
    row = json.loads(extract("--envelope", stdin="item 7").stdout)
    assert (row["source"], row["data"], row["valid"]) == ("<stdin>", {"n": 7}, True)
    plain = gbnfc("extract", "--choice", '{"n": 7}', "--choice", "no", stdin="item 7")
    assert plain.stdout == b'{"n": 7}\n'


def test_several_give_a_line_each_in_order(letters):
    done = extract("3.txt", "1.txt", "*.txt", cwd=letters)
    assert done.returncode == 0
    rows = lines(done.stdout)
    assert [row["source"] for row in rows] == ["3.txt", "1.txt", *(f"{i}.txt" for i in range(5))]
    assert [row["data"]["n"] for row in rows] == [3, 1, 0, 1, 2, 3, 4]
    for row in rows:
        assert list(row)[:5] == ["source", "data", "valid", "errors", "finish"]


def test_folders_lines_and_records(letters):
    assert len(lines(extract(".", cwd=letters).stdout)) == 5
    assert [r["data"]["n"] for r in lines(extract("--lines", stdin="a 1\nb 2").stdout)] == [1, 2]
    assert [r["data"]["n"] for r in lines(extract("-0", stdin="a 1\0b 2").stdout)] == [1, 2]
    rows = lines(extract("--jsonl-field", "t", stdin='{"t": "x 4"}\n{"t": "y 5"}\n').stdout)
    assert [row["data"]["n"] for row in rows] == [4, 5]
    rows = lines(extract("--csv-column", "t", stdin="a,t\nq,z 6\n").stdout)
    assert rows[0]["source"] == "<stdin>:2"


def test_a_folder_or_pattern_of_one_document_is_of_many(tmp_path):
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "0.txt").write_text("letter 0")
    for argument in ("letters", "letters/*.txt"):
        assert [r["data"]["n"] for r in lines(extract(argument, cwd=tmp_path).stdout)] == [0]
    assert extract("-o", "out.jsonl", "letters", cwd=tmp_path).returncode == 0
    (tmp_path / "letters" / "1.txt").write_text("letter 1")
    assert extract("-o", "out.jsonl", "--resume", "letters", cwd=tmp_path).returncode == 0
    assert [row["data"]["n"] for row in lines((tmp_path / "out.jsonl").read_bytes())] == [0, 1]


def test_scores_are_shown_or_refused(letters):
    row = json.loads(extract("--review-below", "0.5", "0.txt", cwd=letters).stdout)
    assert row["data"] == {"n": 0}
    for more in (["--no-envelope"], ["--format", "csv"]):
        done = extract("--field-confidence", *more, "0.txt", cwd=letters)
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"--format json or jsonl" in done.stderr


def test_what_was_forced_against_the_model_is_marked():
    pattern = ["extract", "--regex", '[{]"n": [0-9]+[}]']
    done = gbnfc(*pattern, stdin="item 7", SCRIPT_PRESSURE="0.98")
    assert (done.returncode, done.stdout) == (0, b'{"n": 7}\n')
    assert b"<stdin>: forced against the model (pressure 0.98: the share of its wish" in done.stderr
    row = json.loads(gbnfc(*pattern, "--envelope", stdin="7", SCRIPT_PRESSURE="0.98").stdout)
    assert (row["valid"], row["pressure"]) == (True, 0.98)
    quiet = gbnfc(*pattern, "-q", stdin="item 7", SCRIPT_PRESSURE="0.98")
    assert quiet.stderr == done.stderr, "what an answer is worth is said under -q as well"
    for more in (pattern, ["extract", "--choice", '{"n": 7}'], ["extract", "-s", SCHEMA]):
        pressure = "0.98" if more is not pattern else "0.5"
        done = gbnfc(*more, "--envelope", stdin="item 7", SCRIPT_PRESSURE=pressure)
        assert (done.stderr, "pressure" in json.loads(done.stdout)) == (b"", False)


def test_pressure_is_explained_where_it_is_shown():
    done = gbnfc("extract", "--regex", "[{].*", "--field-confidence", stdin="7")
    assert "pressure" in json.loads(done.stdout)["confidence"][""]
    assert b"pressure the largest share of the model's wish" in done.stderr
    shown = " ".join(gbnfc("extract", "--help").stdout.decode().split())
    assert "pressure, the share of its wish that the grammar took away" in shown


BODY = "id,body\n1,item 7\n2,item 8\n"


@pytest.mark.parametrize("stdin", [True, False])
def test_a_column_mistyped_is_a_usage_error(tmp_path, stdin):
    (tmp_path / "a.csv").write_text(BODY)
    file = ["-"] if stdin else ["a.csv"]
    done = extract("--csv-column", "bdy", *file, stdin=BODY if stdin else "", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"has no column 'bdy'\n  hint: did you mean body? there are: id, body" in done.stderr
    other = extract("--csv-column", "text", *file, stdin=BODY if stdin else "", cwd=tmp_path)
    assert other.returncode == 2
    assert b"hint: there are: id, body" in other.stderr


def test_a_file_without_the_column_among_others_fails_alone(tmp_path):
    (tmp_path / "a.csv").write_text("id;text\n1;item 6\n")
    (tmp_path / "b.csv").write_text(BODY)
    done = extract("--csv-column", "body", "a.csv", "b.csv", cwd=tmp_path)
    assert done.returncode == 6
    assert [row["valid"] for row in lines(done.stdout)] == [False, True, True]


UTF_8_AND_OTHERS = {
    "a.txt": "é 1".encode(),
    "b.txt": "é 2".encode("utf-16-le").join([b"\xff\xfe", b""]),
    "c.txt": "é 3".encode("utf-16-be").join([b"\xfe\xff", b""]),
    "d.txt": "é 4".encode("utf-32-le").join([b"\xff\xfe\0\0", b""]),
    "e.txt": "é 5".encode("utf-8-sig"),
}


def test_files_are_read_by_their_byte_order_marks(tmp_path):
    for name, data in UTF_8_AND_OTHERS.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "f.txt").write_bytes("é 6".encode("utf-16")[:-1])
    for more in ([], ["--lines"]):
        done = extract(*more, ".", cwd=tmp_path)
        assert done.returncode == 6, done.stderr
        assert [(row["data"] or {}).get("n") for row in lines(done.stdout)] == [1, 2, 3, 4, 5, None]
        assert b"f.txt: not UTF-16" in done.stderr
    found = extract("--no-envelope", stdin=UTF_8_AND_OTHERS["c.txt"])
    assert json.loads(found.stdout) == {"n": 3}


@pytest.mark.parametrize("data", UTF_8_AND_OTHERS.values(), ids=UTF_8_AND_OTHERS)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_mark_on_stdin_may_come_in_parts(monkeypatch, data, size):
    class Slow(io.BytesIO):
        def read(self, _):
            return super().read(size)

    monkeypatch.setattr("gbnfc.cli.io.texts._raw_stdin", lambda: Slow(data))
    (text,) = stream_stdin("\n", "utf-8")
    assert re.fullmatch("é [1-5]", text)


def test_an_error_in_csv_is_one_line(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"\xff")
    (tmp_path / "b.txt").write_text("item 1")
    table = extract("--format", "csv", "a.txt", "b.txt", cwd=tmp_path).stdout.decode()
    assert len(table.splitlines()) == 3
    rows = list(csv.DictReader(io.StringIO(table)))
    assert re.fullmatch("a.txt: not UTF-8: .*; hint: name the encoding, .*", rows[0]["error"])


# --- what hostile documents and names may not do --------------------------------------------------

ESCAPES = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e"


def test_escape_sequences_in_names_and_texts_are_never_printed(tmp_path):
    name = f"a{ESCAPES}b.txt".replace("/", "")
    try:
        (tmp_path / name).write_text(f"{ESCAPES} item 7")
    except OSError:
        pytest.skip("such names cannot be here")
    (tmp_path / f"bad{ESCAPES}").write_bytes(b"\xff")
    (tmp_path / f"empty{ESCAPES}").write_text(" ")
    closed = ["-v", "--max-tokens", "1", "--on-length", "close"]
    for more in (["."], [*closed, "."], [f"gone{ESCAPES}"], ["--dry-run", "."]):
        done = extract(*more, cwd=tmp_path)
        assert (b"\\x1b]0;owned" in done.stderr) == (more[0] != "--dry-run")
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", done.stderr.decode()), more
        assert b"\x1b" not in done.stdout
    table = extract("--format", "csv", ".", cwd=tmp_path).stdout.decode()
    assert f"a{ESCAPES}b.txt" in table, "data is data: it stays what it was"


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx"]
PLAIN = ["a=1", "1-1", "", "'=1", "Zoë"]


@pytest.mark.parametrize("text", [*FORMULAS, *PLAIN])
def test_cells_that_begin_like_formulas_can_be_guarded(text):
    record = Record("=a.txt", data={"-t": text, "n": -5, "l": ["=1"]}, valid=True, finish="stop")
    for guards in (False, True):
        layout = RecordOptions(Format.CSV, columns=("-t", "n", "l"), guards_cells=guards)
        head, row = csv.reader(io.StringIO(written_records((record,), layout), newline=""))
        mark = "'" if guards else ""
        assert (row[0], head[4]) == (f"{mark}=a.txt", f"{mark}-t")
        assert row[4] == (mark if text in FORMULAS else "") + text
        assert row[5:] == ["-5", '["=1"]'], "numbers and JSON are no formulas"


def test_guarding_is_for_csv(tmp_path):
    (tmp_path / "=a.txt").write_text("item 7")
    done = extract("--guard-cells", "--format", "csv", "=a.txt", cwd=tmp_path)
    assert done.stdout.splitlines()[1].startswith(b"'=a.txt,true,stop,,7")
    refused = extract("--guard-cells", "=a.txt", cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, b"")
    assert b"--guard-cells is about CSV" in refused.stderr


SECRET = "hunter2"


@pytest.mark.parametrize(
    "arguments",
    [
        ["-s", '{"$ref": "PLACE"}', "a.txt"],
        ["-s", "PLACE", "a.txt"],
        ["-g", "PLACE", "a.txt"],
        ["-s", SCHEMA, "PLACE"],
        ["-s", SCHEMA, "-m", "PLACE", "a.txt"],
        ["-s", SCHEMA, "--chunk", "PLACE", "a.txt"],
        ["-s", SCHEMA, "-o", "PLACE", "a.txt"],
        ["-s", SCHEMA, "--encoding", "PLACE", "a.txt"],
        ["-s", SCHEMA, "--nonsense=PLACE", "a.txt"],
    ],
    ids=lambda arguments: " ".join(arguments[:-1])[-30:],
)
@pytest.mark.parametrize("place", [f"https://user:{SECRET}@example.org/s", f"http://:{SECRET}@x/"])
def test_passwords_are_never_printed(tmp_path, monkeypatch, capsys, arguments, place):
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("item 7")
    given = [argument.replace("PLACE", place) for argument in arguments]
    assert run(["extract", *given]) in (2, 3, 4)
    out, err = capsys.readouterr()
    assert SECRET not in out + err
    assert err.startswith("error: ")


def test_what_cannot_be_plucked_is_told_first_or_fails_alone(letters):
    done = extract("--pluck", "k", ".", cwd=letters)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"has no array of that name" in done.stderr
    mixed = '{"properties": {"n": {"type": ["array", "integer"]}}, "required": ["n"]}'
    done = gbnfc("extract", "-s", mixed, "--pluck", "n", ".", cwd=letters)
    assert done.returncode == 5
    assert all("has no array 'n'" in row["error"] for row in lines(done.stdout))
    assert len(lines(done.stdout)) == 5


def test_formats(letters):
    array = extract("--format", "json", ".", cwd=letters).stdout
    assert [row["data"]["n"] for row in json.loads(array)] == list(range(5))
    table = extract("--format", "csv", ".", cwd=letters).stdout.decode()
    assert [row["n"] for row in csv.DictReader(io.StringIO(table))] == list("01234")
    extract("-o", "out.csv", "--no-envelope", "0.txt", "1.txt", cwd=letters)
    assert (letters / "out.csv").read_text() == "n\n0\n1\n"
    bare = extract("--no-envelope", ".", cwd=letters).stdout
    assert {"n": 4} in lines(bare)


def test_shards_cover_everything_once(letters):
    found = [
        row["source"]
        for shard in ("1/3", "2/3", "3/3")
        for row in lines(extract("--shard", shard, ".", cwd=letters).stdout)
    ]
    assert sorted(found) == [f"{i}.txt" for i in range(5)]


def test_a_partial_failure_is_6_and_the_rest_is_written(letters):
    (letters / "2.txt").write_bytes(b"caf\x96")
    done = extract(".", cwd=letters)
    assert done.returncode == 6
    rows = lines(done.stdout)
    assert [row["valid"] for row in rows] == [True, True, False, True, True]
    assert "2.txt" in rows[2]["error"]
    assert "offset 3" in rows[2]["error"]
    assert b"0x96" in done.stderr
    assert extract("--encoding", "cp1252", ".", cwd=letters).returncode == 0


def test_failures_can_stop_the_run(letters):
    for name in ("1.txt", "2.txt", "3.txt"):
        (letters / name).write_bytes(b"\xff")
    for more, failed in (["--fail-fast"], 1), (["--max-failures", "2"], 2):
        done = extract(*more, ".", cwd=letters, SCRIPT_DELAY_S=0.01)
        assert done.returncode == 6
        rows = lines(done.stdout)
        assert sum("error" in row for row in rows) == failed
        assert f"stopped after {len(rows)} of 5 documents with {failed} failure" in str(done.stderr)
    done = extract("--max-failures", "3", ".", "-o", "out.jsonl", cwd=letters)
    assert b"--resume goes on" in done.stderr
    (letters / "0.txt").write_bytes(b"\xff")
    assert extract("--fail-fast", ".", cwd=letters).returncode == 6
    assert extract("--fail-fast", "0.txt", "--lines", cwd=letters).returncode == 5


def test_truncation_is_5_and_prints_nothing():
    done = extract("--max-tokens", "1", stdin="item 7")
    assert done.returncode == 5
    assert done.stdout == b""
    assert b"--max-tokens 1" in done.stderr
    closed = extract("--max-tokens", "1", "--on-length", "close", stdin="item 7")
    assert closed.returncode == 0
    assert set(json.loads(closed.stdout)) == {"n"}
    assert b"<stdin>: cut off, then closed" in closed.stderr
    table = extract(*("--max-tokens", "1", "--on-length", "close", "--format", "csv"), stdin="7")
    assert table.stdout.startswith(b"source,valid,finish,error,n\n<stdin>,true,closed,,")


def test_a_failed_document_has_its_record_where_records_are_asked_for(tmp_path):
    (tmp_path / "empty.txt").write_text(" ")
    for more in (["--envelope"], ["--format", "jsonl"], ["--format", "csv"]):
        done = extract(*more, "empty.txt", cwd=tmp_path)
        assert done.returncode == 5
        assert b"the document is empty" in done.stdout
    assert extract("empty.txt", cwd=tmp_path).returncode == 3
    cut = extract("--max-tokens", "1", "--envelope", stdin="item 7")
    assert (cut.returncode, json.loads(cut.stdout)["finish"]) == (5, "length")


def test_texts_are_json_where_json_is_asked_for(tmp_path):
    choices = ["extract", "--choice", '{"n": 7}', "--choice", "no"]
    assert gbnfc(*choices, "--format", "json", stdin="7").stdout == b'"{\\"n\\": 7}"\n'
    assert gbnfc(*choices, "-o", "x.json", stdin="7", cwd=tmp_path).returncode == 0
    assert json.loads((tmp_path / "x.json").read_text()) == '{"n": 7}'


def test_pieces_that_differ(tmp_path):
    text = " ".join(f"Item {number} is here." for number in range(200))
    for choices in (["-s", SCHEMA], ["--regex", '[{]"n": [0-9]+[}]']):
        done = gbnfc("extract", *choices, "--chunk", "tokens:100", stdin=text)
        assert (done.returncode, json.loads(done.stdout)) == (0, {"n": 0})
        assert re.search(rb"its pieces differ in [0-9]+ values, the first counts", done.stderr)
        done = gbnfc("extract", *choices, "--chunk", "tokens:100", "--envelope", stdin=text)
        assert len(json.loads(done.stdout)["conflicts"]) > 3
        assert done.stderr == b""
    small = extract("--chunk", "tokens:32", stdin=text)
    assert small.returncode == 0, small.stderr


def test_one_of_three_truncated(tmp_path):
    for name, text in (("a", "1"), ("b", "1" * 40), ("c", "3")):
        (tmp_path / name).write_text(text)
    done = extract("--max-tokens", "4", "a", "b", "c", cwd=tmp_path)
    assert done.returncode == 6
    assert [row["finish"] for row in lines(done.stdout)] == ["stop", "length", "stop"]


def test_a_refused_grammar_generates_nothing():
    done = extract(stdin="item 7", SCRIPT_REFUSE=1)
    assert (done.returncode, done.stdout) == (4, b"")
    assert b"refuses the grammar" in done.stderr


@pytest.mark.parametrize("what", ["range(10**9)", "range(99999)"])
def test_a_template_without_end_is_one_line(what):
    loop = f"{{% for i in {what} %}}"
    done = extract(stdin="item 7", SCRIPT_TEMPLATE=loop * 2 + "{% endfor %}" * 2)
    assert (done.returncode, done.stdout) == (4, b"")
    assert re.fullmatch(rb"error: the model's chat template fails: [^\n]*\n", done.stderr)


def test_verbose_counts_arrays(letters):
    done = extract("-v", "0.txt", "1.txt", cwd=letters)
    assert b"0.txt: done" in done.stderr


def test_stats_and_dry_run(letters):
    assert b"2 documents in" in extract("--stats", "0.txt", "1.txt", cwd=letters).stderr
    rows = lines(extract("--dry-run", ".", cwd=letters).stdout)
    assert len(rows) == 5
    assert all(row["pieces"] == 1 and row["tokens"] > 5 for row in rows)


def test_examples_are_checked():
    assert extract("--example", 'x 3={"n": 3}', stdin="7").returncode == 0
    bad = extract("--example", 'x={"n": "three"}', stdin="7")
    assert (bad.returncode, bad.stdout) == (2, b"")
    assert b"/n" in bad.stderr
    assert extract("--example", "nonsense", stdin="7").returncode == 2
    other = gbnfc("extract", "--choice", "a", "--choice", "b", "--example", "x=c", stdin="7")
    assert (other.returncode, other.stdout) == (2, b"")
    assert b"'c' is none of the answers" in other.stderr
    for missing in ('gone.txt={"n": 3}', "x 3=gone.json"):
        bad = extract("--example", missing, stdin="7")
        assert (bad.returncode, bad.stdout) == (3, b"")
        assert b"no such file" in bad.stderr


def test_a_pydantic_class(tmp_path):
    (tmp_path / "model.py").write_text(
        "from pydantic import BaseModel\nclass Item(BaseModel):\n    n: int\n"
    )
    for name in ("model.py:Item", "model:Item"):
        done = gbnfc("extract", "-s", name, stdin="item 7", cwd=tmp_path)
        assert (done.returncode, json.loads(done.stdout)) == (0, {"n": 7}), done.stderr
    missing = gbnfc("extract", "-s", "model.py:Itm", stdin="7", cwd=tmp_path)
    assert missing.returncode == 3
    assert b"did you mean Item" in missing.stderr


# --- faults --------------------------------------------------------------------------------------

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals and pipes")


def start(*arguments, cwd, stdin=None, **environment):
    return subprocess.Popen(
        [*PROGRAM, "extract", "-s", SCHEMA, *arguments],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env={**os.environ, **{key: str(value) for key, value in environment.items()}},
    )


@posix
def test_a_closed_pipe_ends_the_run_quietly(letters):
    gate = letters / ".gate"
    child = start(".", cwd=letters, SCRIPT_GATE=gate)
    assert json.loads(child.stdout.readline())["source"] == "0.txt"
    child.stdout.close()
    gate.touch()
    assert child.wait(60) == 141
    assert child.stderr.read() == b""
    child.stderr.close()


STREAMS = {
    ("--lines",): b"item %d\n",
    ("--jsonl-field", "t"): b'{"t": "item %d"}\r\n',
    ("--null", "--unordered"): b"item\n%d\0",
    ("--lines", "--encoding", "cp1252"): b"\x80 item %d\n",
}


@pytest.mark.parametrize("options", STREAMS)
def test_a_line_of_stdin_is_answered_before_the_next_one_comes(tmp_path, options):
    child = start(*options, cwd=tmp_path, stdin=subprocess.PIPE)
    for number in range(3):
        child.stdin.write(STREAMS[options] % number)
        child.stdin.flush()
        assert json.loads(child.stdout.readline())["data"] == {"n": number}
    child.stdin.write((STREAMS[options] % 9).rstrip(b"\r\n\0"))
    out, errors = child.communicate(timeout=60)
    assert json.loads(out)["data"] == {"n": 9}
    assert (child.returncode, errors) == (0, b"")


WAITING = (
    ["--csv-column", "t"],
    ["--lines", "--encoding", "utf-16-le"],
    ["--envelope"],
    ["-", "a"],
    [],
)


@posix
@pytest.mark.parametrize("options", WAITING)
def test_ctrl_c_ends_the_waiting_for_stdin(tmp_path, options):
    (tmp_path / "a").write_text("item 1")
    sign = tmp_path / "reading"
    child = start("-v", *options, cwd=tmp_path, stdin=subprocess.PIPE, SCRIPT_READING=sign)
    child.stdin.write(b"t\nitem 1\n")
    child.stdin.flush()
    wait_until(sign.exists)
    child.send_signal(signal.SIGINT)
    assert child.wait(60) == 130
    errors = child.stderr.read()
    assert b"interrupted" in errors
    assert b"Fatal" not in errors
    for stream in (child.stdin, child.stdout, child.stderr):
        stream.close()


@posix
def test_ctrl_c_ends_the_waiting_for_a_line(tmp_path):
    child = start("--lines", "-o", "out.jsonl", cwd=tmp_path, stdin=subprocess.PIPE)
    child.stdin.write(b"item 1\nitem 2\nit")
    child.stdin.flush()
    wait_for(tmp_path / "out.jsonl", 2)
    child.send_signal(signal.SIGINT)
    assert child.wait(60) == 130
    assert b"stopped after 2 documents; --resume goes on from here" in child.stderr.read()
    for stream in (child.stdin, child.stdout, child.stderr):
        stream.close()
    text = "item 1\nitem 2\nit 3"
    done = extract("--lines", "-o", "out.jsonl", "--resume", stdin=text, cwd=tmp_path)
    assert done.returncode == 0
    assert [row["data"]["n"] for row in lines((tmp_path / "out.jsonl").read_bytes())] == [1, 2, 3]


def test_lines_of_stdin_in_utf_16(tmp_path):
    child = start("--lines", "--encoding", "utf-16", cwd=tmp_path, stdin=subprocess.PIPE)
    child.stdin.write("item 1\n".encode("utf-16"))
    child.stdin.flush()
    assert json.loads(child.stdout.readline())["data"] == {"n": 1}
    child.communicate(timeout=60)
    assert child.returncode == 0
    text = "item 1\nitem 2\n".encode("utf-16")
    done = extract("--lines", "--encoding", "utf-16", stdin=text)
    assert [row["data"]["n"] for row in lines(done.stdout)] == [1, 2]


@posix
def test_ctrl_c_writes_what_is_done(letters):
    gate = letters / ".gate"
    child = start("-o", "out.jsonl", ".", cwd=letters, SCRIPT_GATE=gate)
    wait_for(letters / "out.jsonl", 1)
    child.send_signal(signal.SIGINT)
    gate.touch()
    _, errors = child.communicate(timeout=60)
    assert child.returncode == 130, errors
    assert re.search(rb"stopped after [1-4] of 5 documents; --resume goes on", errors)
    done = (letters / "out.jsonl").read_bytes()
    assert 1 <= len(lines(done)) < 5
    assert extract("-o", "out.jsonl", "--resume", "?.txt", cwd=letters).returncode == 0
    assert [row["data"]["n"] for row in lines((letters / "out.jsonl").read_bytes())] == [*range(5)]


def wait_for(path, count):
    wait_until(lambda: path.exists() and path.read_bytes().count(b"\n") >= count)


def wait_until(is_so):
    deadline = time.monotonic() + 100
    while not is_so():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.01)


def test_a_run_that_was_broken_off_is_not_begun_anew_in_silence(letters):
    full = extract("-o", "out.jsonl", ".", cwd=letters, SCRIPT_FULL=2)
    assert full.returncode == 3
    assert b"No space left" in full.stderr
    again = extract("-o", "out.jsonl", "?.txt", cwd=letters)
    assert again.returncode == 2
    assert b"--resume" in again.stderr
    assert extract("-o", "out.jsonl", "--resume", ".", cwd=letters).returncode == 0
    assert [row["source"] for row in lines((letters / "out.jsonl").read_bytes())] == [
        f"{i}.txt" for i in range(5)
    ]


CHANGED = [
    ("--temp", "0.5"),
    ("--top-k", "5"),
    ("--top-p", "0.5"),
    ("--min-p", "0.5"),
    ("--seed", "7"),
    ("--instruction", "Be brief."),
    ("--system", "You are brief."),
    ("--max-tokens", "9"),
    ("--context", "2048"),
    ("--chunk", "auto"),
]


def test_a_run_is_not_gone_on_with_by_other_options(letters):
    assert extract("-o", "o.jsonl", "?.txt", cwd=letters, SCRIPT_FULL=2).returncode == 3
    for change in CHANGED:
        other = extract("-o", "o.jsonl", "--resume", *change, "?.txt", cwd=letters)
        assert other.returncode == 2, change
        assert b"another schema, model, or options" in other.stderr
    assert extract("-o", "o.jsonl", "--resume", "?.txt", cwd=letters).returncode == 0
    written = (letters / "o.jsonl").read_bytes()
    complete = extract("-o", "o.jsonl", "--resume", "?.txt", cwd=letters)
    assert (complete.returncode, complete.stdout) == (0, b"")
    assert b"nothing left to do: all 5 documents" in complete.stderr
    assert (letters / "o.jsonl").read_bytes() == written


def test_a_complete_output_is_not_gone_on_with_by_other_options(letters):
    assert extract("-o", "o.jsonl", "?.txt", cwd=letters).returncode == 0
    written = (letters / "o.jsonl").read_bytes()
    for change in CHANGED[::4]:
        other = extract("-o", "o.jsonl", "--resume", *change, "?.txt", cwd=letters)
        assert other.returncode == 2, change
        assert b"another schema, model, or options" in other.stderr
    assert (letters / "o.jsonl").read_bytes() == written
    (letters / "o.jsonl.journal").unlink()
    unknown = extract("-o", "o.jsonl", "--resume", "?.txt", cwd=letters)
    assert unknown.returncode == 2
    assert b"o.jsonl.journal, is not there" in unknown.stderr
    assert (letters / "o.jsonl").read_bytes() == written
    assert extract("-o", "o.jsonl", "--fresh", "?.txt", cwd=letters).returncode == 0


def test_a_resumed_run_does_what_is_new_and_what_failed(letters):
    (letters / "2.txt").write_bytes(b"\xff")
    assert extract("-o", "o.jsonl", "?.txt", cwd=letters).returncode == 6
    (letters / "2.txt").write_text("letter 2")
    (letters / "7.txt").write_text("letter 7")
    done = extract("-o", "o.jsonl", "--resume", "--stats", "?.txt", cwd=letters)
    assert (done.returncode, b"nothing left" in done.stderr) == (0, False), done.stderr
    rows = lines((letters / "o.jsonl").read_bytes())
    assert [row["data"]["n"] for row in rows] == [0, 1, 2, 3, 4, 7]
    assert b"no longer holds" not in done.stderr
    (letters / "3.txt").unlink()
    fewer = extract("-o", "o.jsonl", "--resume", "?.txt", cwd=letters)
    assert (fewer.returncode, b"no longer holds 1 answers" in fewer.stderr) == (0, True)


def test_stdout_and_devices_have_no_journal(letters):
    assert extract("-o", "-", "?.txt", cwd=letters).returncode == 0
    if Path("/dev/null").exists():
        assert extract("-o", "/dev/null", "?.txt", cwd=letters).returncode == 0
        assert not Path("/dev/null.journal").exists()
    assert not list(letters.glob("*.journal"))
    assert extract("-o", "-", "--resume", "?.txt", cwd=letters).returncode == 2


KILLS = 20
MAX_AT_ONCE = 10
"""Answers of one run, so that one that is killed late on a busy machine cannot do all the work."""


def strike(child, journal, rng, *, at_work):
    """Kill `child` at a random moment: of its start, or of its work, once it has done something."""
    before = journal.stat().st_size if journal.exists() else 0
    deadline = time.monotonic() + 60
    while at_work and child.poll() is None and time.monotonic() < deadline:
        if journal.exists() and journal.stat().st_size > before:
            break
        time.sleep(0.002)
    time.sleep(rng.random() * (0.03 if at_work else 0.3))
    child.kill()
    child.communicate()
    return child.returncode


@posix
def test_kill_at_any_moment_loses_and_doubles_nothing(tmp_path):
    count, rng = KILLS * MAX_AT_ONCE + 50, random.Random(20)
    texts = tmp_path / "texts"
    texts.mkdir()
    for number in range(count):
        (texts / f"{number:03}.txt").write_text(f"letter {number}")
    journal = tmp_path / "out.jsonl.journal"
    extra: list[str] = []
    for kill in range(KILLS):
        child = start(
            *("-o", "out.jsonl", *extra, "texts"),
            cwd=tmp_path,
            SCRIPT_DELAY_S=0.01,
            SCRIPT_FREE=MAX_AT_ONCE,
            SCRIPT_GATE=tmp_path / "never",
        )
        assert strike(child, journal, rng, at_work=kill % 4 > 0) == -signal.SIGKILL
        extra = ["--resume"] if journal.exists() else []
    assert len(journal.read_bytes().splitlines()) < count
    done = extract("-o", "out.jsonl", *extra, "texts", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rows = lines((tmp_path / "out.jsonl").read_bytes())
    assert [row["data"]["n"] for row in rows] == list(range(count))


@posix
def test_a_damaged_journal_loses_and_doubles_nothing(tmp_path):
    bench = journal_campaign.Bench(tmp_path)
    places = journal_campaign.misplaced_runs(bench, journal_campaign.PLACES[1:2])
    damages = journal_campaign.damaged_runs(bench, range(2), 1)
    assert [(name, wrong) for name, _, wrong in (*places, *damages) if wrong] == []


@posix
@pytest.mark.parametrize("signals", journal_campaign.SIGNALS[1:])
def test_a_signal_at_any_moment_loses_and_doubles_nothing(tmp_path, signals):
    journal_campaign.write_texts(tmp_path, journal_campaign.TEXTS)
    assert journal_campaign.killed_run(tmp_path, signals, random.Random(len(signals))) == ""
    rows = lines((tmp_path / "out.jsonl").read_bytes())
    assert [row["data"]["n"] for row in rows] == list(range(journal_campaign.TEXTS))


def test_formats_are_held_whatever_the_dialect():
    # The validator judges by them, so the grammar must not offer anything else.
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "properties": {"day": {"type": "string", "format": "date"}},
        "required": ["day"],
    }
    spec = AnswerSpec(schema=json.dumps(schema))
    grammar = read_target(spec, Voice(quiet=True)).constraint.grammar
    assert match_text(grammar, '{"day": "2024-02-29"}').verdict is Verdict.ACCEPTED
    assert match_text(grammar, '{"day": "2023-02-29"}').verdict is Verdict.REJECTED


@pytest.mark.parametrize(("template", "count"), [(None, 0), ("{{ messages }}", 1)])
def test_only_chat_models_are_shown_a_made_example(template, count):
    schema = {
        "type": "object",
        "properties": {"tags": {"type": "array", "items": {"type": "string"}}},
    }
    compiled = compile_schema(schema, options=CompileOptions(order="schema", additional="closed"))
    target = Target(ConstraintGrammar(compiled.text, compiled.grammar), schema)
    shown = shown_examples(PromptSpec(), target, ChatTemplate(template), "spaced")
    assert len(shown) == count
    without = PromptSpec(made_example=False)
    assert shown_examples(without, target, ChatTemplate(template), "spaced") == ()


def test_a_schema_without_end_is_named_as_the_reason():
    endless = {"properties": {"t": {"$ref": "#/properties/t"}}}
    problems = Validator(endless).check({"t": 1})
    assert "references have no end" in str(problems[0])
