"""The probe: a child that dies decides, once per build and machine."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from gbnfc.engine.probe import Health, fresh_health, probe, remembered_health, run_child

CRASH = -11


def child(**codes):
    """A runner that answers by the kind of load, and counts."""
    calls = []

    def run(command):
        calls.append(command[-1])
        return codes[command[-1]]

    return run, calls


@pytest.mark.parametrize(
    ("extra", "plain", "health"),
    [(0, 0, Health.GOOD), (CRASH, 0, Health.PLAIN), (CRASH, CRASH, Health.BROKEN)],
)
def test_verdicts(tmp_path, extra, plain, health):
    run, _ = child(extra=extra, plain=plain)
    assert probe(tmp_path / "m.gguf", run) is health


def test_a_verdict_is_remembered(tmp_path):
    cache = tmp_path / "deep" / "probe.json"
    run, calls = child(extra=CRASH, plain=0)
    for _ in range(3):
        assert remembered_health(tmp_path / "m.gguf", cache, run) is Health.PLAIN
    assert calls == ["extra", "plain"]


def test_a_broken_verdict_is_not_remembered(tmp_path):
    run, calls = child(extra=1, plain=1)
    for _ in range(2):
        remembered_health(tmp_path / "m.gguf", tmp_path / "probe.json", run)
    assert len(calls) == 4


def test_a_fresh_verdict_is_no_remembered_one(tmp_path):
    cache = tmp_path / "probe.json"
    good, _ = child(extra=0, plain=0)
    bad, _ = child(extra=1, plain=1)
    assert remembered_health(tmp_path / "m.gguf", cache, good) is Health.GOOD
    assert fresh_health(tmp_path / "short.gguf", cache, bad) is Health.BROKEN
    assert remembered_health(tmp_path / "m.gguf", cache, bad) is Health.GOOD


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"x": "odd"}'])
def test_a_damaged_cache_is_probed_anew(tmp_path, damage):
    cache = tmp_path / "probe.json"
    cache.write_text(damage)
    run, calls = child(extra=0, plain=0)
    assert remembered_health(tmp_path / "m.gguf", cache, run) is Health.GOOD
    assert calls == ["extra"]


@pytest.mark.skipif(sys.platform == "win32", reason="no signals")
def test_a_child_that_segfaults_is_survived():
    code = f"import os; os.kill(os.getpid(), {int(signal.SIGSEGV)})"
    assert run_child([sys.executable, "-c", code]) != 0
    assert os.getpid()
