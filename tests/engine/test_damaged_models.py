"""Model files that llama.cpp does not survive, or refuses: exit code 4, an error, nothing else."""

from __future__ import annotations

import re

import pytest
from damaged_models import Bench
from judge import is_available

from gbnfc.cli.app import run
from gbnfc.engine.models import default_model

if not is_available():
    pytest.skip("needs the extras `llama` and `smollm2`", allow_module_level=True)

# What is changed in the header, and to what; the further options; what the error says.
DAMAGES = [
    ("llama.attention.layer_norm_rms_epsilon", float("nan"), [], r"dies of it \(.*GGML_ASSERT"),
    ("llama.attention.layer_norm_rms_epsilon", float("nan"), ["--dry-run"], "dies of it"),
    ("llama.block_count", 2**31, [], ""),
    ("tokenizer.ggml.tokens.count", 1, [], ""),
    ("token_embd.weight.0", 2**63, [], ""),
    ("general.architecture", b"\x1b[2J\x07", [], r"\\x1b\[2J"),
]


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    return Bench(default_model(), tmp_path_factory.mktemp("models"))


@pytest.mark.parametrize(("name", "value", "more", "says"), DAMAGES)
def test_a_damaged_model_is_an_error(bench, tmp_path, capfd, name, value, more, says):
    assert bench.damaged(name, value)
    document = tmp_path / "doc.txt"
    document.write_text("Maria Lopez lives in Lisbon.")
    arguments = ["extract", "-s", "name str", "-m", str(bench.path), *more, str(document)]
    assert run(arguments) == 4
    out, err = capfd.readouterr()
    error, hint = err.splitlines()
    assert out == ""
    assert error.startswith(f"error: {bench.path}: ")
    assert error.isprintable()
    assert re.search(says, error), error
    assert hint.startswith("  hint: is the file whole")
