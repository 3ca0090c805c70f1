"""Breaking off what the engine does, and seeing how far it is."""

from __future__ import annotations

import threading
import time

import pytest
from judge import is_available

from gbnfc.engine.base import ConstraintGrammar, Job, Progress, Segment, estimate_by_head
from gbnfc.gbnf.parse import parse_gbnf

if not is_available():
    pytest.skip("needs the extras `llama` and `smollm2`", allow_module_level=True)

from gbnfc.engine.inprocess import LlamaEngine, LlamaOptions
from gbnfc.engine.llama import Context, Model
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
    began = time.perf_counter()
    context.decode(entries)
    whole_s = time.perf_counter() - began
    assert context.break_off() is False, "nothing is under way"
    context.trim_sequence(0, 0)
    began = time.perf_counter()
    timer = threading.Timer(whole_s / 8, context.break_off)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        context.decode(entries)
    assert time.perf_counter() - began < 0.7 * whole_s
    context.trim_sequence(0, 0)
    context.decode([*entries[:40], (tokens[40], 40, 0, True)])
    assert len(context.logits(40)) == model.vocabulary_size, "it goes on afterwards"
    context.close()


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
