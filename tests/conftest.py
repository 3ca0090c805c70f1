"""Fixtures for all tests."""

from __future__ import annotations

import pytest
from judge import EngineJudge, is_available


@pytest.fixture(scope="session", autouse=True)
def weights_are_settled() -> None:
    """On a machine where it never ran, `extract` would first say that it copies the weights."""
    if is_available():
        from gbnfc.engine.models import default_model
        from gbnfc.engine.opening import default_threads
        from gbnfc.engine.weights import Copying, Weights, default_folder, faster_file

        copying = Copying(Weights.AUTO, True, default_threads(), print, default_folder())
        faster_file(default_model(), copying)


@pytest.fixture(scope="session")
def judge() -> EngineJudge:
    """llama.cpp's grammar engine; tests that need it are skipped where it is not installed."""
    if not is_available():
        pytest.skip("needs the extras `llama` and `smollm2`")
    return EngineJudge()
