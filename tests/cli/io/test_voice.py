"""What is said when: once on a machine, in each run, under -v, and what -q cannot hide."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gbnfc.cli.io.voice import Voice
from gbnfc.engine import load as opening
from gbnfc.engine.probe import Health
from gbnfc.engine.weight_source import Weights

PROGRAM = [sys.executable, str(Path(__file__).parents[2] / "helpers" / "scripted_cli.py")]
EMAIL = '{"properties": {"n": {"type": "integer"}, "mail": {"format": "email"}}, "required": ["n"]}'
OTHER = EMAIL.replace('"mail"', '"post"')


@pytest.fixture(autouse=True)
def fresh_machine(tmp_path, monkeypatch):
    monkeypatch.setenv("GBNFC_CACHE", str(tmp_path / "cache"))


def extract(*arguments, text="item 7"):
    done = subprocess.run(
        [*PROGRAM, "extract", *arguments], input=text.encode(), capture_output=True, env=os.environ
    )
    assert done.returncode == 0, done.stderr
    return done.stderr.decode()


def test_what_a_schema_s_grammar_lacks_is_said_once():
    first = extract("-s", EMAIL)
    assert first.count("wider: /properties/mail format: ") == 1
    assert "said once; -v repeats it" in first
    assert extract("-s", EMAIL) == ""
    assert "wider: /properties/mail format: " in extract("-s", EMAIL, "-v")
    assert "wider: /properties/post format: " in extract("-s", OTHER), "another schema is news"


def test_what_was_not_heard_was_not_said():
    assert extract("-s", EMAIL, "-q") == ""
    assert "wider: " in extract("-s", EMAIL)


def test_where_nothing_can_be_kept_all_is_said(tmp_path):
    (tmp_path / "cache").write_text("a file in the way")
    for _ in range(2):
        assert "wider: " in extract("-s", EMAIL)


MANY = " ".join(f"Item {number} is here." for number in range(200))
# What the answers are worth: arguments, document, what is said.
WORTH = [
    (["--max-tokens", "1", "--on-length", "close"], "item 7", "cut off, then closed"),
    (["--chunk", "tokens:100"], MANY, "its pieces differ in"),
]


@pytest.mark.parametrize(("arguments", "text", "says"), WORTH, ids=["closed", "conflicts"])
def test_quiet_does_not_hide_what_the_answers_are_worth(arguments, text, says):
    for more in ([], ["-q"]):
        lines = extract("-s", "n int", *arguments, *more, text=text).splitlines()
        assert [line.startswith("warning: ") and says in line for line in lines] == [True]


@pytest.mark.parametrize(
    ("voice", "said"),
    [
        (Voice(), ["warning: i", "n", "warning: w", "o (said once; -v repeats it)"]),
        (Voice(quiet=True), ["warning: i"]),
        (Voice(verbose=True), ["warning: i", "n", "warning: w", "o", "d"]),
    ],
)
def test_each_kind_has_its_place(capsys, voice, said):
    voice.insist("i"), voice.note("n"), voice.warn("w"), voice.once("o"), voice.detail("d")
    assert capsys.readouterr() == ("", "".join(f"{line}\n" for line in said))


@pytest.mark.parametrize(("health", "is_told"), [(Health.GOOD, False), (Health.PLAIN, True)])
def test_a_build_that_dies_of_its_extra_buffers_is_told_of_once(
    tmp_path, monkeypatch, capsys, health, is_told
):
    model = tmp_path / "m.gguf"
    model.write_bytes(b"GGUF")
    loaded = []
    monkeypatch.setattr(opening, "_tried", lambda _: health)
    monkeypatch.setattr(opening.llama, "Model", lambda *_, **how: loaded.append(how))
    build = ["one build"]
    monkeypatch.setattr(opening, "build_key", lambda: build[0])

    def run(voice):
        how = (voice.once, voice.note, voice.detail)
        opening.open_model(model, opening.LoadOptions("0", Weights.FILE, 1, *how))
        assert loaded.pop()["extra_buffers"] is (health is Health.GOOD)
        return "extra buffer types" in capsys.readouterr().err

    assert [run(Voice()), run(Voice()), run(Voice(verbose=True))] == [is_told, False, is_told]
    build[0] = "another build"
    assert run(Voice()) is is_told
