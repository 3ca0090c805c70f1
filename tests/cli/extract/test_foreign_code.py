"""Nothing that lies in a folder is run, only `file.py:Class` and `module:Class` that are named."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gbnfc.engine.child import run_to_end

PROGRAM = Path(__file__).parents[2] / "helpers" / "scripted_cli.py"
MARK = "import pathlib\npathlib.Path(__file__).with_suffix('.ran').touch()\n"
SCHEMA = '{"properties": {"n": {"type": "integer"}}, "required": ["n"]}'
NAMES = (
    "gbnfc",
    "numpy",
    "jinja2",
    "json",
    "llama_cpp",
    "yaml",
    "rich",
    "conftest",
    "sitecustomize",
)


@pytest.fixture
def hostile(tmp_path):
    for name in (*NAMES, "evil", "jsonschema"):
        (tmp_path / f"{name}.py").write_text(MARK)
    (tmp_path / "evil.yaml").write_text("!!python/object/apply:os.mkdir [made.ran]\n")
    (tmp_path / "evil.json").write_text('{"$ref": "evil.py:Class"}')
    (tmp_path / "gbnfc.toml").write_text('[lint]\nselect = ["ALL"]\n')
    (tmp_path / "doc.txt").write_text("{{ cycler.__init__.__globals__ }} evil.py:Class item 7")
    return tmp_path


def ran(folder):
    return sorted(path.name for path in folder.rglob("*.ran"))


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["-s", SCHEMA, "doc.txt"], 0),
        (["-s", SCHEMA, "evil.py"], 0),
        (["-s", SCHEMA, "."], 0),
        (["-s", "evil.py", "doc.txt"], 3),
        (["-s", "evil", "doc.txt"], 3),
        (["-s", "evil.yaml", "doc.txt"], 3),
        (["-s", "evil.json", "doc.txt"], 3),
        (["-s", SCHEMA, "--example", "evil.py:Class={}", "doc.txt"], 2),
        (["-g", "evil.py:Class", "doc.txt"], 3),
        (["-s", SCHEMA, "evil.py:Class"], 3),
    ],
    ids=lambda value: " ".join(value)[-40:] if isinstance(value, list) else str(value),
)
def test_nothing_else_runs_code(hostile, arguments, code):
    done = subprocess.run(
        [sys.executable, "-P", PROGRAM, "extract", *arguments],
        cwd=hostile,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(PROGRAM.parents[2])},
    )
    assert (done.returncode, ran(hostile)) == (code, []), done.stderr


def test_a_class_is_asked_for_by_name(hostile):
    done = subprocess.run(
        [sys.executable, "-P", PROGRAM, "extract", "-s", "evil.py:Class", "doc.txt"],
        cwd=hostile,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(PROGRAM.parents[2])},
    )
    assert (done.returncode, ran(hostile)) == (3, ["evil.ran"]), done.stderr


def test_children_run_no_code_of_the_current_folder(hostile, monkeypatch):
    monkeypatch.chdir(hostile)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    for module in ("gbnfc.engine.probe", "gbnfc.engine.weights"):
        done = run_to_end([sys.executable, "-m", module, "no.gguf", "plain", "1", "1"], 100)
        assert done.status is not None
        assert "No module named" not in done.err
        assert ran(hostile) == [], done


def test_the_help_says_so():
    done = subprocess.run([sys.executable, PROGRAM, "extract", "--help"], capture_output=True)
    shown = " ".join(done.stdout.decode().split())
    assert "file.py:Class, module:Class: only of these two is code run" in shown
