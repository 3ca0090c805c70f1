"""The probe: a child that dies decides, once per model file, build and machine."""

from __future__ import annotations

import os
import signal
import sys
import time

import pytest

from gbnfc.engine.child import Ended, run_to_end
from gbnfc.engine.probe import (
    Health,
    Trial,
    forget,
    fresh_verdict,
    probe,
    remembered_verdict,
)

FINE, DEAD, HUNG = Ended(0), Ended(-11), Ended(None)
REFUSED = Ended(3, out="noise\nm.gguf: the model does not load: because\n")


def child(**ends):
    """A runner that answers by the way of loading, and counts."""
    calls = []

    def run(command, _):
        calls.append(command[-2])
        return ends[command[-2]]

    return run, calls


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "m.gguf"
    path.write_bytes(b"GGUF")
    return path


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "deep" / "probe.json"


VERDICTS = [
    (FINE, FINE, Health.GOOD, ["extra"], ""),
    (DEAD, FINE, Health.PLAIN, ["extra", "plain"], ""),
    (HUNG, FINE, Health.PLAIN, ["extra", "plain"], ""),
    (DEAD, DEAD, Health.BROKEN, ["extra", "plain"], "llama.cpp dies of it (SIGSEGV)"),
    (DEAD, HUNG, Health.BROKEN, ["extra", "plain"], "not loaded and run within 60 s"),
    (REFUSED, FINE, Health.BROKEN, ["extra"], "m.gguf: the model does not load: because"),
]


@pytest.mark.parametrize(("extra", "plain", "health", "ways", "reason"), VERDICTS)
def test_verdicts(model, extra, plain, health, ways, reason):
    run, calls = child(extra=extra, plain=plain)
    verdict = probe(Trial(model), run)
    assert (verdict.health, calls) == (health, ways)
    assert verdict.reason.endswith(reason)
    assert bool(verdict.reason) is bool(reason)


LAST_WORDS = [
    (
        "x/y/llama-model.cpp:12: GGML_ASSERT(n > 0) failed\n",
        "llama-model.cpp 12 GGML_ASSERT(n > 0)",
    ),
    ("C:\\x\\ggml.c:7: fatal error", "ggml.c 7 fatal error"),
    ("terminate called\n  what():  std::bad_alloc\n", "std::bad_alloc"),
    ("", "SIGSEGV"),
    ("a.cpp:1: \x1b[2J\x07 gone", r"a.cpp 1 \x1b[2J\x07 gone"),
]


@pytest.mark.parametrize(("err", "says"), LAST_WORDS)
def test_what_a_child_died_of_is_one_printable_line(model, err, says):
    run, _ = child(extra=Ended(-11, err=err), plain=Ended(-11, err=err))
    reason = probe(Trial(model), run).reason
    assert says in reason
    assert reason.isprintable()


def test_a_verdict_is_remembered(model, cache):
    run, calls = child(extra=DEAD, plain=FINE)
    for _ in range(3):
        assert remembered_verdict(Trial(model), cache, run).health is Health.PLAIN
    assert calls == ["extra", "plain"]


def test_each_file_is_tried_and_each_state_of_it(model, cache, tmp_path):
    run, calls = child(extra=FINE, plain=FINE)
    for data in (b"GGUF", b"GGUF2"):
        model.write_bytes(data)
        for _ in range(2):
            remembered_verdict(Trial(model), cache, run)
    other = tmp_path / "other.gguf"
    other.write_bytes(b"GGUF")
    remembered_verdict(Trial(other), cache, run)
    remembered_verdict(Trial(model, gpu_layers=9), cache, run)
    assert calls == ["extra"] * 4
    os.utime(other, ns=(1, 1))
    remembered_verdict(Trial(other), cache, run)
    assert calls == ["extra"] * 5


def test_each_part_of_a_split_model_counts(tmp_path, cache):
    parts = [tmp_path / f"big-0000{number}-of-00002.gguf" for number in (1, 2)]
    for part in parts:
        part.write_bytes(b"GGUF")
    run, calls = child(extra=FINE)
    for data in (b"GGUF", b"GGUF and more"):
        parts[1].write_bytes(data)
        remembered_verdict(Trial(parts[0]), cache, run)
    assert len(calls) == 2


def test_where_extra_buffers_killed_one_model_others_do_without(model, cache, tmp_path):
    run, calls = child(extra=DEAD, plain=FINE)
    remembered_verdict(Trial(model), cache, run)
    other = tmp_path / "other.gguf"
    other.write_bytes(b"GGUF")
    assert remembered_verdict(Trial(other), cache, run).health is Health.PLAIN
    assert calls == ["extra", "plain", "plain"]
    fresh_verdict(Trial(other), cache, run)
    assert calls[3:] == ["extra", "plain"], "who asks anew gets a new answer"
    forget(cache)
    remembered_verdict(Trial(other), cache, run)
    assert calls[5:] == ["extra", "plain"]


def test_a_vocabulary_alone_is_tried_alone(model, cache, tmp_path):
    run, calls = child(vocabulary=FINE, extra=FINE)
    for _ in range(2):
        remembered_verdict(Trial(model, vocabulary_only=True), cache, run)
    assert calls == ["vocabulary"]
    remembered_verdict(Trial(model), cache, run)
    assert calls == ["vocabulary", "extra"], "its weights are not known by that"
    other = tmp_path / "other.gguf"
    other.write_bytes(b"GGUF")
    remembered_verdict(Trial(other), cache, run)
    remembered_verdict(Trial(other, vocabulary_only=True), cache, run)
    assert calls == ["vocabulary", "extra", "extra"], "what ran has a vocabulary"


def test_a_broken_verdict_is_not_remembered(model, cache):
    run, calls = child(extra=DEAD, plain=DEAD)
    for _ in range(2):
        remembered_verdict(Trial(model), cache, run)
    assert len(calls) == 4


def test_a_fresh_verdict_is_no_remembered_one(model, cache):
    good, _ = child(extra=FINE)
    bad, _ = child(extra=DEAD, plain=DEAD)
    assert remembered_verdict(Trial(model), cache, good).health is Health.GOOD
    assert fresh_verdict(Trial(model), cache, bad).health is Health.BROKEN
    assert remembered_verdict(Trial(model), cache, bad).health is Health.GOOD


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"x": "odd"}'])
def test_a_damaged_cache_is_probed_anew(model, cache, damage):
    cache.parent.mkdir()
    cache.write_text(damage)
    run, calls = child(extra=FINE)
    assert remembered_verdict(Trial(model), cache, run).health is Health.GOOD
    assert calls == ["extra"]


def test_what_is_remembered_does_not_grow_for_ever(model, cache):
    run, _ = child(extra=FINE)
    for number in range(600):
        os.utime(model, ns=(number, number))
        remembered_verdict(Trial(model), cache, run)
    assert cache.read_text().count("\n") < 520
    run, calls = child()
    remembered_verdict(Trial(model), cache, run)
    assert calls == []


@pytest.mark.skipif(sys.platform == "win32", reason="no signals")
def test_a_child_that_segfaults_is_survived():
    code = f"import os; os.kill(os.getpid(), {int(signal.SIGSEGV)})"
    assert run_to_end([sys.executable, "-c", code], 60).status == -signal.SIGSEGV
    assert os.getpid()


def test_a_child_that_hangs_is_ended():
    began = time.monotonic()
    assert run_to_end([sys.executable, "-c", "import time; time.sleep(60)"], 0.5).status is None
    assert time.monotonic() - began < 30
