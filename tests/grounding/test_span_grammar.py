"""The grammar of a document's spans holds them all and nothing else, and stays small."""

from __future__ import annotations

import json
import random
import time

import pytest
from hypothesis import given, settings
from judge import EngineJudge, is_available
from texts import WORDS, texts

from gbnfc.errors import LimitExceeded, Unsatisfiable
from gbnfc.gbnf.write import write_gbnf
from gbnfc.grounding.document import Document
from gbnfc.grounding.grammar import choice_grammar, span_grammar
from gbnfc.ir.names import NameAllocator
from gbnfc.ir.nodes import Grammar, Literal, Rule, Sequence
from gbnfc.lint import lint_grammar
from gbnfc.match import Verdict, compile_matcher, match_text


def grammar_of(document, max_chars=None):
    expression, rules = span_grammar(document, NameAllocator(), max_chars=max_chars)
    body = Sequence((Literal('"'), expression, Literal('"')))
    return Grammar((Rule("root", body), *rules))


def spans(document, max_chars=None):
    found = {document.text_of(start, end) for start, end in document.spans(max_chars)}
    return {span for span in found if not any("\ud800" <= char <= "\udfff" for char in span)}


def written(value):
    return json.dumps(value, ensure_ascii=False)


def accepts(program, value):
    return match_text(program, written(value)).verdict is Verdict.ACCEPTED


def pieces(text):
    """Yield every piece of a text."""
    for start in range(len(text)):
        for end in range(start + 1, len(text) + 1):
            yield text[start:end]


@settings(max_examples=40)
@given(texts)
def test_a_piece_is_accepted_if_and_only_if_it_is_a_span(text):
    document = Document(text[:60])
    expected = spans(document)
    if not expected:
        with pytest.raises(Unsatisfiable):
            grammar_of(document)
        return
    program = compile_matcher(grammar_of(document))
    assert {piece for piece in pieces(document.text) if accepts(program, piece)} == expected


@settings(max_examples=25)
@given(texts)
def test_with_a_bound_nothing_is_longer_and_nothing_short_is_missing(text):
    document = Document(text[:60])
    if not spans(document, 5):
        return
    program = compile_matcher(grammar_of(document, max_chars=10))
    found = {piece for piece in pieces(document.text) if accepts(program, piece)}
    assert spans(document, 5) <= found <= spans(document, 10)


def prose(count, seed=1):
    """Return `count` words that come as often as words do: few often, many once."""
    chosen = random.Random(seed)
    letters = "etaoinshrdlu"
    known = list(WORDS) + [
        "".join(chosen.choices(letters, k=chosen.randint(2, 9))) for _ in range(count // 2)
    ]
    weights = [1 / (rank + 1) for rank in range(len(known))]
    return " ".join(chosen.choices(known, weights, k=count))


@pytest.mark.skipif(not is_available(), reason="needs llama_cpp and a vocabulary")
def test_llama_cpp_and_our_matcher_agree_on_spans_and_others():
    document = Document(prose(120))
    grammar = grammar_of(document)
    program, judge = compile_matcher(grammar), EngineJudge()
    chosen = random.Random(7)
    inside = chosen.sample(sorted(spans(document, 60)), 60)
    outside = [value[:-1] for value in inside] + [f"{value} x" for value in inside]
    with judge.loaded(write_gbnf(grammar)) as sampler:
        for value in inside + outside:
            ours = match_text(program, written(value)).verdict.value
            assert judge.verdict(sampler, written(value)) == ours, value
    assert all(accepts(program, value) for value in inside)


def test_a_long_document_makes_a_small_grammar_in_little_time():
    text = prose(1_400)
    began = time.process_time()
    grammar = grammar_of(Document(text))
    took = time.process_time() - began
    assert len(write_gbnf(grammar).encode()) < 300_000
    assert took < 1.5  # 0.05 s on an idle machine
    found = {finding.code for finding in lint_grammar(grammar)}
    assert found <= {"COST008"}  # as many stacks at the quote as first characters, for information


def test_repetition_is_bounded():
    assert len(write_gbnf(grammar_of(Document("word " * 300)))) < 12_000
    with pytest.raises(LimitExceeded, match="repeats itself"):
        grammar_of(Document("word " * 5_000))


def test_choices_are_exactly_the_values():
    values = ["12", "12.5", '"a"', "-3"]
    expression, rules = choice_grammar(values, NameAllocator())
    program = compile_matcher(Grammar((Rule("root", expression), *rules)))
    for value in values:
        assert match_text(program, value).verdict is Verdict.ACCEPTED
    for value in ("1", "12.", "", '"b"', "-"):
        assert match_text(program, value).verdict is not Verdict.ACCEPTED
