"""Runs over many documents, without a command line: events, order, when to stop, resuming."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from gbnfc import compile_schema
from gbnfc.engine.base import ConstraintGrammar
from gbnfc.engine.scripted import ScriptedEngine
from gbnfc.extract.answer_options import AnswerOptions
from gbnfc.extract.documents import Document
from gbnfc.extract.journal import open_journal
from gbnfc.extract.prompt import PromptText
from gbnfc.extract.run import Extraction
from gbnfc.extract.session import (
    Done,
    Failed,
    Interruption,
    Outcome,
    Session,
    SessionOptions,
    Stopped,
    StopReason,
    Tally,
)
from gbnfc.extract.template import ChatTemplate
from gbnfc.extract.validate import Validator

SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer"}},
    "required": ["n"],
    "additionalProperties": False,
}
JUDGED_BY = {"properties": {"n": {"minimum": 1}}}  # a document 0 fails


def copied(prompt, _):
    return json.dumps({"n": int(prompt.rsplit("Text:\n", 1)[-1].split()[0])})


def session(options=None, parallel=1, **more):
    compiled = compile_schema(SCHEMA)
    constraint = ConstraintGrammar(compiled.text, compiled.grammar)
    extraction = Extraction(
        ScriptedEngine(constraint, copied, parallel=parallel),
        ChatTemplate(None),
        PromptText(schema=SCHEMA),
        Validator(JUDGED_BY),
        AnswerOptions(retries=0),
    )
    return Session(extraction, options, **more)


def numbered(texts):
    return enumerate(Document(f"{at}.txt", text) for at, text in enumerate(texts))


def shown(events):
    """Return `3` for a done document of that text, `!0` for a failed one, and why it stopped."""
    found = []
    for event in events:
        match event:
            case Done(record):
                found.append(str(record.data["n"]))
            case Failed(record):
                found.append(f"!{record.source}")
            case Stopped(reason):
                found.append(reason.value)
    return " ".join(found)


# the documents, options, the events, the outcome
RUNS = [
    ("", SessionOptions(), "", Outcome(Tally(), None, 0)),
    ("12", SessionOptions(), "1 2", Outcome(Tally(2, 0, 2), None, 0)),
    ("102", SessionOptions(), "1 !1.txt 2", Outcome(Tally(3, 1, 3), None, 0)),
    (
        "1023",
        SessionOptions(max_failures=1),
        "1 !1.txt failures",
        Outcome(Tally(2, 1, 2), StopReason.FAILURES, 0),
    ),
    ("10203", SessionOptions(max_failures=3), "1 !1.txt 2 !3.txt 3", None),
]


@pytest.mark.parametrize("is_live", [False, True])
@pytest.mark.parametrize(("texts", "options", "events", "outcome"), RUNS)
def test_a_run_yields_an_event_for_each_document(texts, options, events, outcome, is_live):
    run = session(replace(options, is_live=is_live))
    assert shown(run.run(numbered(texts))) == events
    if outcome is not None:
        assert run.conclude() == outcome


def test_a_limit_reached_by_the_last_document_stops_nothing():
    run = session(SessionOptions(max_failures=1))
    assert shown(run.run(numbered("10"))) == "1 !1.txt"
    assert run.conclude() == Outcome(Tally(2, 1, 2), None, 0)


def test_live_documents_may_still_come_after_the_limit():
    run = session(SessionOptions(max_failures=1, is_live=True))
    assert shown(run.run(numbered("10"))) == "1 !1.txt failures"


@pytest.mark.parametrize("parallel", [1, 2, 5])
def test_records_come_in_the_order_of_their_documents(parallel):
    assert shown(session(parallel=parallel).run(numbered("54321"))) == "5 4 3 2 1"


def test_the_caller_has_the_last_word_on_a_record():
    def checked(record):
        return replace(record, valid=record.data["n"] != 2)

    run = session(SessionOptions(max_failures=1), checked=checked)
    assert shown(run.run(numbered("123"))) == "1 !1.txt failures"


class After(Interruption):
    """Comes when so many results were yielded."""

    def __init__(self, count):
        self._left = count

    @property
    def came(self):
        return self._left <= 0

    def ending(self, results):
        for result in results:
            self._left -= 1
            yield result


def test_an_interrupted_run_says_so():
    run = session(interruption=After(2))
    assert shown(run.run(numbered("1234"))) == "1 2 interrupted"
    assert run.conclude() == Outcome(Tally(2, 0, 2), StopReason.INTERRUPTED, 0)


def with_journal(path, texts, *, resume, **more):
    journal = open_journal(path, "job", resume=resume, fresh=False)
    try:
        run = session(journal=journal, **more)
        documents = enumerate(Document(f"letter {text}", text) for text in texts)
        return shown(run.run(documents)), run.conclude()
    finally:
        journal.close()


def test_a_run_is_taken_up_where_it_stopped(tmp_path):
    path = tmp_path / "out.journal"
    events, _ = with_journal(path, "1234", resume=False, interruption=After(2))
    assert events == "1 2 interrupted"
    # a document less, in another order: answers are known by their documents
    events, outcome = with_journal(path, "431", resume=True)
    assert events == "4 3 1"
    assert outcome == Outcome(Tally(3, 0, 2), None, 1)
    # the run that went through has marked the journal: a new one begins anew
    events, outcome = with_journal(path, "4", resume=False)
    assert outcome == Outcome(Tally(1, 0, 1), None, 0)
