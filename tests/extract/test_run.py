"""The main job over a scripted engine: retries, limits, pieces, failures."""

from __future__ import annotations

import json

import pytest

from gbnfc import compile_schema
from gbnfc.engine.base import ConstraintGrammar
from gbnfc.engine.scripted import ScriptedEngine
from gbnfc.extract.answer_options import AnswerOptions, OnLength
from gbnfc.extract.chunks import Chunking
from gbnfc.extract.documents import Document
from gbnfc.extract.prompt import PromptText
from gbnfc.extract.run import Extraction
from gbnfc.extract.template import ChatTemplate
from gbnfc.extract.validate import Validator

SCHEMA = {
    "type": "object",
    "properties": {
        "n": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["n", "tags"],
    "additionalProperties": False,
}
# The grammar is wider than what answers are judged by: what a report would have called wider.
STRICT = SCHEMA | {"properties": SCHEMA["properties"] | {"n": {"type": "integer", "maximum": 9}}}


def answer(n, *tags):
    return json.dumps({"n": n, "tags": list(tags)})


def run(script, documents, answer_options=None, judged_by=SCHEMA, **engine_options):
    compiled = compile_schema(SCHEMA)
    engine = ScriptedEngine(
        ConstraintGrammar(compiled.text, compiled.grammar), script, **engine_options
    )
    extraction = Extraction(
        engine,
        ChatTemplate(None),
        PromptText(schema=SCHEMA),
        Validator(judged_by),
        answer_options or AnswerOptions(),
    )
    found = dict(extraction.run(enumerate(documents)))
    return [found[key] for key in sorted(found)], engine


def docs(*texts):
    return [Document(f"{i}.txt", text) for i, text in enumerate(texts)]


def test_every_document_gives_its_record():
    found, _ = run(lambda _, call: answer(call), docs("a", "b", "c"))
    assert [r.source for r in found] == ["0.txt", "1.txt", "2.txt"]
    assert [r.data["n"] for r in found] == [0, 1, 2]
    assert all(r.valid and r.finish == "stop" and not r.failed for r in found)


def test_a_bad_document_does_not_stop_the_others():
    mixed = [*docs("a"), Document("bad", error="bad: not utf-8"), *docs("b")]
    found, _ = run(lambda _, call: answer(call), mixed)
    assert [r.failed for r in found] == [False, True, False]
    assert found[1].error == "bad: not utf-8"


def test_a_refused_answer_is_asked_for_again_with_the_reason():
    script = [answer(99), answer(5)]
    found, engine = run(lambda _, call: script[call], docs("a"), judged_by=STRICT)
    assert found[0].data == {"n": 5, "tags": []}
    assert found[0].retries == 1
    assert "99 is greater than the maximum of 9" in engine.prompts[1]
    assert answer(99) in engine.prompts[1]


@pytest.mark.parametrize("retries", [0, 1, 3])
def test_what_is_refused_every_time_is_kept_as_invalid(retries):
    answer_options = AnswerOptions(retries=retries)
    found, engine = run(lambda *_: answer(99), docs("a"), answer_options, judged_by=STRICT)
    assert len(engine.prompts) == retries + 1
    assert (found[0].valid, found[0].failed, found[0].data["n"]) == (False, True, 99)
    assert "/n" in found[0].errors[0]


@pytest.mark.parametrize(("answers", "tries"), [([99, 99, 1], 2), ([99, 98, 99, 1], 3)])
def test_who_repeats_a_refused_answer_is_not_asked_again(answers, tries):
    answer_options = AnswerOptions(retries=9, is_greedy=True)
    found, engine = run(
        lambda _, call: answer(answers[call]), docs("a"), answer_options, judged_by=STRICT
    )
    assert (len(engine.prompts), found[0].valid) == (tries, False)


def test_a_truncated_answer_is_no_result():
    answer_options = AnswerOptions(max_tokens=3)
    found, _ = run(lambda *_: answer(1, "long enough to be cut"), docs("a"), answer_options)
    assert (found[0].finish, found[0].data, found[0].valid) == ("length", None, False)
    assert "--max-tokens 3" in found[0].error


def test_a_truncated_answer_can_be_closed():
    answer_options = AnswerOptions(max_tokens=5, on_length=OnLength.CLOSE)
    found, _ = run(lambda *_: answer(1, "long enough to be cut"), docs("a"), answer_options)
    assert found[0].finish == "closed"
    assert found[0].valid
    assert found[0].data["n"] == 1


LONG = " ".join(f"Item {i} is here." for i in range(200))


def test_a_long_document_is_an_error_that_says_what_to_do():
    found, _ = run(lambda *_: answer(1), docs(LONG, "short"), window=500)
    assert found[0].finish == "error"
    for part in ("the window is 500", "--chunk auto"):
        assert part in found[0].error
    assert found[1].valid


def test_a_long_document_is_cut_and_merged():
    answer_options = AnswerOptions(chunking=Chunking("auto"), max_tokens=50)
    found, engine = run(
        lambda _, call: answer(call, f"t{call % 2}"), docs(LONG), answer_options, window=500
    )
    assert len(engine.prompts) > 2
    record = found[0]
    assert record.data == {"n": 0, "tags": ["t0", "t1"]}
    assert record.extra["chunks"] == len(engine.prompts)
    assert record.extra["conflicts"][0] == {"pointer": "/n", "value": 1}
    assert record.valid


def test_confidence_follows_the_merged_values():
    answer_options = AnswerOptions(
        chunking=Chunking("auto"), max_tokens=50, confidence=True, review_below=0.5
    )
    found, _ = run(
        lambda _, call: answer(call, f"t{call % 2}"), docs(LONG), answer_options, window=500
    )
    assert list(found[0].extra["confidence"]) == ["/n", "/tags/0", "/tags/1"]
    assert found[0].extra["review"] == []
    (whole,), _ = run(lambda *_: answer(1, "a", "a"), docs("short"), answer_options)
    assert whole.data["tags"] == ["a", "a"]
    assert list(whole.extra["confidence"]) == ["/n", "/tags/0", "/tags/1"]


def test_a_short_document_is_not_cut():
    answer_options = AnswerOptions(chunking=Chunking("auto"))
    found, engine = run(lambda *_: answer(1), docs("short"), answer_options)
    assert len(engine.prompts) == 1
    assert "chunks" not in found[0].extra


def test_pieces_by_tokens():
    answer_options = AnswerOptions(chunking=Chunking("tokens", 100))
    _, engine = run(lambda *_: answer(1), docs(LONG), answer_options)
    assert len(engine.prompts) >= len(LONG) // 400


def test_it_stops_when_told():
    compiled = compile_schema(SCHEMA)
    engine = ScriptedEngine(
        ConstraintGrammar(compiled.text, compiled.grammar), lambda *_: answer(1), parallel=1
    )
    seen = []
    extraction = Extraction(
        engine,
        ChatTemplate(None),
        PromptText(schema=SCHEMA),
        Validator(SCHEMA),
        AnswerOptions(),
    )
    documents = enumerate(docs(*"abcdef"))
    for number, _ in extraction.run(documents, should_stop=lambda: len(seen) >= 2):
        seen.append(number)
    assert seen == [0, 1]


def test_the_plan_needs_no_generation():
    compiled = compile_schema(SCHEMA)
    engine = ScriptedEngine(ConstraintGrammar(compiled.text, compiled.grammar), lambda *_: "")
    extraction = Extraction(
        engine,
        ChatTemplate(None),
        PromptText(schema=SCHEMA),
        Validator(SCHEMA),
        AnswerOptions(chunking=Chunking("tokens", 100)),
    )
    needed, pieces = extraction.plan(docs(LONG)[0])
    assert needed > len(LONG) // 4
    assert len(pieces) > 5
    assert not engine.prompts


HUGE = "x" * 50_000_000


@pytest.fixture
def counted(monkeypatch):
    """The sizes of the texts whose tokens were counted."""
    sizes, count = [], ScriptedEngine._count

    def noting(self, text):
        sizes.append(len(text))
        return count(self, text)

    monkeypatch.setattr(ScriptedEngine, "_count", noting)
    return sizes


def test_a_huge_document_is_refused_unread(counted):
    found, engine = run(lambda *_: answer(1), [Document("huge", HUGE), *docs("a")])
    assert "it needs about 12,500,000 tokens" in found[0].error
    assert "--chunk auto" in found[0].error
    assert found[1].valid
    assert sum(counted) < 100_000
    assert len(engine.prompts) == 1


def test_a_huge_document_is_cut_in_parts_of_itself(counted):
    answer_options = AnswerOptions(chunking=Chunking("auto"), max_tokens=8)
    _, engine = run(lambda *_: answer(1), docs(HUGE[:1_000_000]), answer_options, window=4096)
    assert len(engine.prompts) > 60
    assert max(counted) < 17 * 4096
