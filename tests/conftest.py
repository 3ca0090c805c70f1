"""Fixtures for all tests."""

from __future__ import annotations

import pytest
from judge import EngineJudge, is_available


@pytest.fixture(scope="session")
def judge() -> EngineJudge:
    """llama.cpp's grammar engine; tests that need it are skipped where it is not installed."""
    if not is_available():
        pytest.skip("needs the extras `llama` and `smollm2`")
    return EngineJudge()
