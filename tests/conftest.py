"""Fixtures for all tests."""

from __future__ import annotations

import os

import pytest
from judge import EngineJudge, is_available

from gbnfc.engine.cache import cache_folder

# What tests find out of this machine stays apart from what the user's runs find, and stays: a probe
# and a copy of weights take seconds. Each worker of pytest-xdist has its own. What was told once is
# told again.
_WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")
os.environ.setdefault("GBNFC_CACHE", str(cache_folder() / "tests" / _WORKER))
(cache_folder() / "told.json").unlink(missing_ok=True)


def _keep_to_own_cores() -> None:
    """Threads of llama.cpp wait for each other by spinning: workers must not share a core."""
    number = _WORKER.removeprefix("gw")
    if number.isdigit() and hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
        os.sched_setaffinity(0, set(cores[int(number) :: workers]) or set(cores))


_keep_to_own_cores()


@pytest.fixture(scope="session", autouse=True)
def weights_are_settled() -> None:
    """On a machine where it never ran, `extract` would first say that it copies the weights."""
    if is_available():
        from machine import extra_buffers_work

        from gbnfc.engine.load import default_threads
        from gbnfc.engine.models import default_model
        from gbnfc.engine.weight_source import Weights
        from gbnfc.engine.weights import CopyOptions, default_folder, faster_file

        copy_options = CopyOptions(
            Weights.AUTO, extra_buffers_work(), default_threads(), print, default_folder()
        )
        faster_file(default_model(), copy_options)


@pytest.fixture(scope="session")
def judge() -> EngineJudge:
    """llama.cpp's grammar engine; tests that need it are skipped where it is not installed."""
    if not is_available():
        pytest.skip("needs the extras `llama` and `smollm2`")
    return EngineJudge()
