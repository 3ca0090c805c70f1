"""The official JSON Schema Test Suite and the bug cases, where their data lie beside the checkout.

Every row that is not a plain pass is explained here; an unknown one fails.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[4] / "shared" / "bench"
if not (BENCH / "suite.py").exists():
    pytest.skip("needs ../shared/bench", allow_module_level=True)

NOTHING = "no value is valid, so there is nothing to write: Unsatisfiable, not a grammar"
SUBSETS = "items of any kind differ: no grammar can compare them; reported wider"
DYNAMIC = "where a dynamic reference leads is not seen by `unevaluated*`; reported wider"
COUNTED = "which items nested `contains` evaluate is not counted; reported wider"
VOCABULARY = "a meta-schema without the validation vocabulary is no dialect that we know"

IMPOSSIBLE = (
    *("allOf/4", "allOf/5", "anyOf/4", "boolean_schema/1", "not/4", "not/5"),
    *("oneOf/2", "oneOf/4", "oneOf/5"),
)
EXPLAINED = {
    **dict.fromkeys(
        [f"{draft}/{row}" for draft in ("draft7", "draft2020-12") for row in IMPOSSIBLE]
        + ["draft7/ref/11", "draft2020-12/ref/10", "draft2020-12/enum/14"],
        ("refused", NOTHING),
    ),
    **dict.fromkeys(
        [f"{d}/uniqueItems/{n}" for d in ("draft7", "draft2020-12") for n in (0, 1)],
        ("flagged", SUBSETS),
    ),
    "draft2020-12/unevaluatedItems/18": ("flagged", DYNAMIC),
    "draft2020-12/unevaluatedProperties/21": ("flagged", DYNAMIC),
    "draft2020-12/unevaluatedItems/22": ("flagged", COUNTED),
    "draft2020-12/unevaluatedItems/23": ("flagged", COUNTED),
    "draft2020-12/vocabulary/0": ("refused", VOCABULARY),
    "draft2020-12/vocabulary/1": ("refused", VOCABULARY),
}
"""Row of the suite → its status and why."""


def run(script, *arguments):
    done = subprocess.run(
        [sys.executable, str(BENCH / script), *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.usefixtures("judge")
def test_official_suite(tmp_path):
    run("suite.py", "--out", str(tmp_path / "rows.jsonl"))
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").open(encoding="utf-8")]
    assert len(rows) == 640
    unexplained = [
        row
        for row in rows
        if row["status"] != "pass" and row["status"] != EXPLAINED.get(row["name"], ("",))[0]
    ]
    assert not unexplained
    # An explanation that nothing needs any more would hide the next fault.
    assert EXPLAINED.keys() <= {row["name"] for row in rows if row["status"] != "pass"}


@pytest.mark.usefixtures("judge")
def test_bug_cases():
    last = run("bugcases.py").splitlines()[-1]
    assert re.match("bug cases: 0 wrong or broken of [1-9]", last), last
