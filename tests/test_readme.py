"""The README does what it says: its console blocks are run and compared."""

from __future__ import annotations

import doctest
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```console\n\$ (.*?)\n(.*?)```", README, re.DOTALL)
SHELL_BLOCKS = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)


def run(line):
    # The programs of this environment, whatever is on the path.
    line = re.sub(r"\bgbnfc (?=extract|compile|match|lint)", f"'{sys.executable}' -m gbnfc ", line)
    return subprocess.run(
        line, shell=True, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=300
    )


@pytest.mark.parametrize(("line", "shown"), BLOCKS, ids=[line[:50] for line, _ in BLOCKS])
def test_shown_output_is_what_comes(line, shown):
    done = run(line)
    assert "Traceback" not in done.stderr
    if "extract" not in line:
        assert done.stdout.rstrip() == shown.rstrip()
        return
    # What a model writes may differ between machines; its form may not.
    assert done.returncode == 0, done.stderr
    assert [form(row) for row in rows(done.stdout)] == [form(row) for row in rows(shown)]


def rows(text):
    try:
        return [json.loads(text)]
    except ValueError:
        return [json.loads(line) for line in text.splitlines()]


def form(row):
    return {key: type(value) for key, value in row.items()}


def test_the_python_session_is_what_happens():
    (session,) = re.findall(r"```pycon\n(.*?)```", README, re.DOTALL)
    test = doctest.DocTestParser().get_doctest(session, {}, "README.md", "README.md", 0)
    assert len(test.examples) > 5
    assert doctest.DocTestRunner().run(test).failed == 0


def test_the_tour_shows_the_main_commands():
    shown = " ".join(line for line, _ in BLOCKS)
    for command in ("extract", "compile", "match", "lint"):
        assert f"gbnfc {command}" in shown


def test_the_two_commands_are_there():
    commands = [block for block in SHELL_BLOCKS if "python3 -m venv" in block]
    assert len(commands) == 2
    assert all(block.count("\n") == 1 for block in commands)
    assert "gbnfc extract" in commands[0]
    assert "pytest" in commands[1]


def test_ci_runs_the_readme_s_test_command():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "python -m pytest" in script
    assert "ruff check" in script
    assert "mypy --strict gbnfc" in script


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target


EXAMPLES = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
LINES = [line.replace("\\|", "|") for line in re.findall(r"\| `(.*?)` \|\n", EXAMPLES)]


def test_examples_cover_the_ways_in():
    assert len(LINES) >= 4
    assert any(":" in line and ".py" in line for line in LINES)
    assert any(line.startswith("cat ") for line in LINES)


@pytest.mark.parametrize("line", LINES)
def test_example_lines_run(line):
    # Answers are cut short: that they begin, and that files and options fit, is the point here.
    done = run(re.sub("gbnfc extract", "gbnfc extract --dry-run", line))
    assert done.returncode == 0, done.stderr
    assert done.stdout
