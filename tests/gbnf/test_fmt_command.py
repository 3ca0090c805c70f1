"""`gbnfc fmt`: files, directories, stdin, --check, --diff, exit codes, streams."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import pytest

from gbnfc.cli.app import run

if TYPE_CHECKING:
    from pathlib import Path

UGLY, TIDY = 'root::=("a")|[b] #c\n', 'root ::= "a" | [b] #c\n'
BROKEN = 'root = "a"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    files = {"ugly.gbnf": UGLY, "tidy.gbnf": TIDY, "sub/ugly.gbnf": UGLY, "notes.txt": UGLY}
    for name, text in files.items():
        (tmp_path / name).write_bytes(text.encode())
    return tmp_path


def test_files_and_directories_are_rewritten_in_place(folder: Path) -> None:
    assert run(["fmt", str(folder)]) == 0
    for name in ("ugly.gbnf", "tidy.gbnf", "sub/ugly.gbnf"):
        assert (folder / name).read_text(encoding="utf-8") == TIDY
    assert (folder / "notes.txt").read_text(encoding="utf-8") == UGLY
    assert run(["fmt", "--check", str(folder)]) == 0


def test_a_byte_order_mark_is_taken_out(folder: Path) -> None:
    path = folder / "tidy.gbnf"
    path.write_bytes(b"\xef\xbb\xbf" + TIDY.encode())
    assert run(["fmt", "--check", str(path)]) == 1
    assert run(["fmt", "--diff", str(path)]) == 1
    assert run(["fmt", str(path)]) == 0
    assert path.read_bytes() == TIDY.encode()
    assert run(["fmt", "--check", str(path)]) == 0


def test_check_writes_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fmt", "--check", str(folder)]) == 1
    assert (folder / "ugly.gbnf").read_text(encoding="utf-8") == UGLY
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err.count("would reformat ") == 2
    assert "2 of 3 files would be reformatted" in streams.err


def test_diff_shows_the_change(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fmt", "--diff", str(folder / "ugly.gbnf"), str(folder / "tidy.gbnf")]) == 1
    assert (folder / "ugly.gbnf").read_text(encoding="utf-8") == UGLY
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if not line.startswith(("---", "+++", "@@"))] == [
        f"-{UGLY.strip()}",
        f"+{TIDY.strip()}",
    ]


def test_one_broken_file_does_not_stop_the_others(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "broken.gbnf").write_text(BROKEN, encoding="utf-8")
    assert run(["fmt", str(folder), str(folder / "missing.gbnf")]) == 3
    assert (folder / "ugly.gbnf").read_text(encoding="utf-8") == TIDY
    assert (folder / "broken.gbnf").read_text(encoding="utf-8") == BROKEN
    errors = capsys.readouterr().err
    assert "broken.gbnf:1:6: expected `::=`, found `=`" in errors
    assert "missing.gbnf: no such file" in errors


def test_line_ends_stay(folder: Path) -> None:
    path = folder / "windows.gbnf"
    path.write_bytes(UGLY.replace("\n", "\r\n").encode())
    assert run(["fmt", str(path)]) == 0
    assert path.read_bytes() == TIDY.replace("\n", "\r\n").encode()


STDIN = (
    (UGLY, [], 0, TIDY),
    (UGLY, ["--check"], 1, ""),
    (TIDY, ["--check"], 0, ""),
    (BROKEN, [], 3, ""),
)


@pytest.mark.parametrize(("text", "options", "code", "out"), STDIN)
def test_stdin(
    text: str,
    options: list[str],
    code: int,
    out: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert run(["fmt", "-", *options]) == code
    assert capsys.readouterr().out == out
