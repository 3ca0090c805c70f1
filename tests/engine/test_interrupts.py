"""Breaking off what the engine does, and seeing how far it is."""

from __future__ import annotations

import os
import signal
import sys
import threading

import pytest
from judge import is_available

from gbnfc.engine.base import ConstraintGrammar, Job, Progress, Segment, estimate_by_head
from gbnfc.gbnf.parse import parse_gbnf

if not is_available():
    pytest.skip("needs the extras `llama` and `smollm2`", allow_module_level=True)

from gbnfc.engine.inprocess import LlamaEngine, LlamaOptions
from gbnfc.engine.interrupts import holding_interrupts
from gbnfc.engine.llama import Context, Model, library
from gbnfc.engine.models import default_model

GRAMMAR = 'root ::= "yes" | "no"'
TEXT = "On this day the clerk of Lisbon wrote many letters about grain and salt. " * 40


@pytest.fixture(scope="module")
def model():
    found = Model(default_model(), extra_buffers=False)  # what works on every machine
    yield found
    found.close()


def test_a_long_decode_is_broken_off(model):
    tokens = model.tokenize(TEXT)[:384]
    entries = [(token, place, 0, False) for place, token in enumerate(tokens)]
    context = Context(model, cells=1024, sequences=1, batch_tokens=1024, threads=2)
    assert context.break_off() is False, "nothing is under way"
    asked, really = [], context._ask

    def ask(data):
        asked.append(len(asked))
        if asked == [*range(50)]:
            context.break_off()
        return really(data)

    context._ask = model.api.ggml_abort_callback(ask)
    with pytest.raises(KeyboardInterrupt):
        context.decode(entries)
    assert len(asked) == 50, "of the graph's 900 nodes no other is computed"
    asked[:] = [-1]
    context.trim_sequence(0, 0)
    context.decode([*entries[:40], (tokens[40], 40, 0, True)])
    assert len(context.logits(40)) == model.vocabulary_size, "it goes on afterwards"
    assert len(asked) > 500
    context.close()


posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")


def strike():
    os.kill(os.getpid(), signal.SIGINT)


@posix
def test_ctrl_c_is_not_lost_in_a_callback_while_a_model_loads(monkeypatch):
    lines = []

    def note(line):
        lines.append(line)
        if len(lines) == 5:
            strike()

    monkeypatch.setattr(library(), "echo", note)
    with pytest.raises(KeyboardInterrupt):
        Model(default_model(), extra_buffers=False)
    assert len(lines) >= 5
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@posix
def test_ctrl_c_ends_a_decode_of_whoever_uses_the_engine(model):
    tokens = model.tokenize(TEXT)[:384]
    context = Context(model, cells=512, sequences=1, batch_tokens=512, threads=2)

    def work():
        for _ in range(1000):
            context.trim_sequence(0, 0)
            context.decode([(token, place, 0, False) for place, token in enumerate(tokens)])

    threading.Timer(0.02, strike).start()
    with pytest.raises(KeyboardInterrupt):
        work()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    context.close()


@posix
def test_interrupts_are_held_for_whoever_calls_the_library():
    told, done = [], []

    def work():
        with holding_interrupts(lambda: told.append(1)):
            strike()
            done.append(told[:])  # the library goes on until it returns

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == [[1]]
    theirs = []
    before = signal.signal(signal.SIGINT, lambda *_: theirs.append(1))
    try:
        with holding_interrupts(lambda: told.append(2)):
            strike()
    finally:
        signal.signal(signal.SIGINT, before)
    assert (theirs, told) == ([1], [1])


def test_progress_of_a_long_document(model):
    class Borrowed(Model):
        def __init__(self):
            self.__dict__.update(model.__dict__)

        def close(self):
            pass

    constraint = ConstraintGrammar(GRAMMAR, parse_gbnf(GRAMMAR))
    engine = LlamaEngine(Borrowed(), constraint, LlamaOptions(threads=2))
    prompt = (Segment(TEXT),)
    size = engine.count_tokens(prompt)
    engine.submit(Job(0, prompt, max_tokens=4))
    assert engine.progress == Progress()
    engine.step()
    assert engine.progress == Progress(prompt=size, read=512, written=0)
    engine.close()


@pytest.mark.parametrize("size", [10, 4_000_000])
@pytest.mark.parametrize("piece", ["a", "word ", " ", "é漢", "\n", "-"])
def test_long_texts_are_not_read_to_their_end(model, size, piece):
    text = piece * (size // len(piece))
    window, read = 256, []

    def count(head):
        read.append(len(head))
        return len(model.tokenize(head))

    about = estimate_by_head(text, window, count)
    if about is None:
        assert sum(read) <= 2 * window * 200, "what it takes to see it, and no more"
        about = len(model.tokenize(text))
        assert about <= window * 200
    else:
        assert sum(read) <= 2 * window * 200
        assert about > window
