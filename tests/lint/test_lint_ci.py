"""What CI systems read: the composite action's steps, run as a runner does, and the hooks."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gbnfc.cli.app import COMMANDS, run

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).resolve().parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"] if "run" in step}


def run_step(name: str, folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run one step's script in `folder` with the environment that a runner would give it."""
    python = folder / "runner" / "gbnfc" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    environment = os.environ | {"RUNNER_TEMP": str(folder / "runner"), "GITHUB_ACTIONS": "true"}
    for variable, value in STEPS[name]["env"].items():
        asked = value.removeprefix("${{ inputs.").removesuffix(" }}")
        environment[variable] = inputs.get(asked, ACTION["inputs"][asked]["default"])
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[name]["run"]]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.skipif(
    shutil.which("bash") is None or sys.platform == "win32", reason="runs a script of bash"
)
@pytest.mark.parametrize(("arguments", "code"), [("", 1), ("--fail-on never --ignore RUN", 0)])
def test_the_lint_step_of_the_action(tmp_path: Path, arguments: str, code: int) -> None:
    (tmp_path / "a.gbnf").write_text('root ::= "a"\nlost ::= "b"\n', encoding="utf-8")
    done = run_step("Lint", tmp_path, paths="a.gbnf .", args=arguments, sarif="out.sarif")
    assert done.returncode == code, done.stderr
    assert done.stdout.startswith("::warning title=STR004")
    log = json.loads((tmp_path / "out.sarif").read_text(encoding="utf-8"))
    assert [result["ruleId"] for result in log["runs"][0]["results"]] == ["STR004"]


def test_hooks_run_commands_that_there_are() -> None:
    names = {entry.name for entry in COMMANDS}
    assert {hook["id"] for hook in HOOKS} == {"gbnfc-lint", "gbnfc-fmt", "gbnfc-compile-check"}
    for hook in HOOKS:
        program, command, *_ = hook["entry"].split()
        assert (program, hook["language"]) == ("gbnfc", "python")
        assert command in names


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("a.gbnf", True),
        ("sub/tool.json", True),
        ("s.yaml", True),
        ("s.yml", True),
        ("a.gbnf.txt", False),
        ("a.jsonl", False),
        ("json", False),
    ],
)
def test_the_lint_hook_is_given_grammars_and_schemas(name: str, wanted: bool) -> None:
    hook = next(hook for hook in HOOKS if hook["id"] == "gbnfc-lint")
    assert bool(re.search(hook["files"], name)) == wanted
    # Files are named one by one: the configuration says which of them are not to be looked at.
    assert hook["entry"].split()[2:] == ["--force-exclude", "--pass-over"]
    assert hook["require_serial"] is True
    assert hook["additional_dependencies"] == ["pyyaml>=6"]


def test_the_lint_hook_runs(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gbnfc.toml").write_text('[lint]\nexclude = ["vendor"]\n', encoding="utf-8")
    (tmp_path / "vendor").mkdir()
    files = {
        "vendor/a.gbnf": "root ::= b\n",
        "data.json": "[1]",
        "ci.yml": "on: push\n",
        "good.gbnf": 'root ::= "a"\n',
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    hook = next(hook for hook in HOOKS if hook["id"] == "gbnfc-lint")
    assert run([*hook["entry"].split()[1:], *files]) == 0
    (tmp_path / "data.json").write_text('{"type": "object", "properties": 3}', encoding="utf-8")
    assert run([*hook["entry"].split()[1:], *files]) == 1
