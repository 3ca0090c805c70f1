"""Values out of the prompt are refused where the document does not hold them."""

from __future__ import annotations

import json

import pytest

from gbnfc import CompileOptions, compile_schema
from gbnfc.engine.base import ConstraintGrammar
from gbnfc.engine.scripted import ScriptedEngine
from gbnfc.extract.chunks import Chunking
from gbnfc.extract.copied import PromptPart, PromptValues
from gbnfc.extract.documents import Document
from gbnfc.extract.made_example import make_example
from gbnfc.extract.prompt import PromptText
from gbnfc.extract.run import AnswerOptions, Extraction
from gbnfc.extract.template import ChatTemplate
from gbnfc.extract.validate import Validator

SCHEMA = {
    "type": "object",
    "properties": {
        "customer": {"type": "string", "description": "name of the customer or shop"},
        "day": {"type": "string", "format": "date"},
        "at": {"type": "string", "format": "time"},
        "mail": {"type": "string", "format": "email"},
        "code": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{4}$"},
        "currency": {"type": "string", "pattern": "^(EUR|USD)$"},
        "state": {"enum": ["some state", "closed"]},
        "paid": {"type": "boolean"},
        "stars": {"type": "integer", "minimum": 1, "maximum": 5},
        "lines": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "item": {"type": "string", "description": "what was ordered"},
                    "count": {"type": "integer"},
                    "note": {"type": "string", "description": "one of small, medium or very large"},
                },
                "additionalProperties": False,
            },
        },
    },
    "additionalProperties": False,
}
OPTIONS = CompileOptions(order="schema", additional="closed", digits=15)
COMPILED = compile_schema(SCHEMA, options=OPTIONS)
CONSTRAINT = ConstraintGrammar(COMPILED.text, COMPILED.grammar)
MADE = make_example(SCHEMA, CONSTRAINT, "spaced")
PROMPT = PromptText(schema=SCHEMA, examples=(MADE,))
ANSWER = json.loads(MADE.answer)
NUMBER = ANSWER["lines"][0]["count"]

# What may be copied: the answer, the document, where and from what.
COPIED = [
    ({"customer": "some customer"}, "from Otto", {"/customer": PromptPart.EXAMPLE}),
    ({"customer": "Some  Customer."}, "from Otto", {"/customer": PromptPart.EXAMPLE}),
    ({"customer": "some item"}, "from Otto", {"/customer": PromptPart.EXAMPLE}),
    ({"customer": "some boxes"}, "7 boxes", {"/customer": PromptPart.EXAMPLE}),
    ({"day": ANSWER["day"]}, "on 4 May", {"/day": PromptPart.EXAMPLE}),
    ({"at": ANSWER["at"]}, "at ten", {"/at": PromptPart.EXAMPLE}),
    ({"mail": ANSWER["mail"]}, "write to me", {"/mail": PromptPart.EXAMPLE}),
    ({"code": "AA-0000"}, "no code", {"/code": PromptPart.EXAMPLE}),
    ({"lines": [{"count": NUMBER}, {"count": NUMBER, "item": "some item"}]}, "a few",
     {"/lines/1/count": PromptPart.EXAMPLE, "/lines/1/item": PromptPart.EXAMPLE}),
    ({"customer": "name of the customer or shop"}, "x", {"/customer": PromptPart.DESCRIPTIONS}),
    ({"customer": "Name of the customer"}, "x", {"/customer": PromptPart.DESCRIPTIONS}),
    ({"customer": "the customer or shop"}, "x", {"/customer": PromptPart.DESCRIPTIONS}),
    ({"lines": [{"item": "What was ordered"}]}, "x", {"/lines/0/item": PromptPart.DESCRIPTIONS}),
]  # fmt: skip

# What is no copy: the answer, the document.
OWN = [
    ({"customer": "some customer"}, "It was Some\n customer, who cares."),
    ({"customer": "some"}, "x"),
    ({"customer": "Some"}, "x"),
    ({"customer": "awesome item"}, "x"),
    ({"customer": ""}, "x"),
    ({"customer": "shop"}, "x"),
    ({"customer": "name of"}, "x"),
    ({"day": ANSWER["day"]}, "on 17 May 2031"),
    ({"day": ANSWER["day"]}, "on 17.5.31"),
    ({"at": ANSWER["at"]}, "at 3:47 in the night"),
    ({"mail": ANSWER["mail"]}, f"write to {ANSWER['mail'].upper()}"),
    ({"code": "AA-0000"}, "the code is AA-0000"),
    ({"currency": ANSWER["currency"]}, "12 euros"),
    ({"state": "some state"}, "x"),
    ({"paid": False, "stars": ANSWER["stars"]}, "x"),
    ({"lines": [{"count": NUMBER}]}, f"{NUMBER} pieces"),
    ({"lines": [{"count": NUMBER, "item": "pen"}]}, "pens, one for each day of the week"),
    ({"lines": [{"note": "medium"}, {"note": "very large"}]}, "x"),
]


@pytest.mark.parametrize(("answer", "text", "places"), COPIED)
def test_copies_of_the_prompt_are_found(answer, text, places):
    found = {problem.pointer: problem.source for problem in PROMPT.values.copied(answer, text)}
    assert found == places


@pytest.mark.parametrize(("answer", "text"), OWN)
def test_the_documents_own_values_are_no_copies(answer, text):
    assert list(PROMPT.values.copied(answer, text)) == []


def test_the_made_example_is_a_copy_wherever_it_can_be():
    found = [problem.pointer for problem in PROMPT.values.copied(ANSWER, "nothing")]
    assert found == [
        "/customer", "/day", "/at", "/mail", "/code",
        "/lines/0/item", "/lines/0/count", "/lines/0/note",
    ]  # fmt: skip
    assert list(PROMPT.values.copied(ANSWER, MADE.document)) == []


def test_without_example_and_descriptions_nothing_is_a_copy():
    assert list(PromptValues().copied(ANSWER, "nothing")) == []
    bare = PromptText(schema={"properties": {"description": {"type": "string"}}})
    assert bare.values.descriptions == ()


# --- in a run ------------------------------------------------------------------------------------

COPY = json.dumps({"customer": "some customer"})
DESCRIBED = json.dumps({"customer": "name of the customer or shop"})
OTTO = json.dumps({"customer": "Otto"})


def run(answers, text="from Otto", **answer_options):
    engine = ScriptedEngine(CONSTRAINT, lambda _, call: answers[min(call, len(answers) - 1)])
    extraction = Extraction(
        engine,
        ChatTemplate(None),
        PROMPT,
        Validator(SCHEMA),
        AnswerOptions(is_greedy=True, **answer_options),
    )
    ((_, record),) = extraction.run([(0, Document("x", text))])
    return record, engine.prompts


def test_what_was_copied_is_not_shown_again():
    record, prompts = run([COPY, DESCRIBED, OTTO])
    assert (record.data, record.valid, record.retries) == ({"customer": "Otto"}, True, 2)
    has_example = [MADE.answer in prompt for prompt in prompts]
    has_descriptions = ["(name of the customer or shop)" in prompt for prompt in prompts]
    assert has_example == [True, False, False]
    assert has_descriptions == [True, True, False]
    assert all("is not valid" not in prompt for prompt in prompts)


@pytest.mark.parametrize("retries", [0, 1, 2])
def test_what_is_copied_every_time_is_marked(retries):
    record, prompts = run([COPY], retries=retries)
    assert record.data == {"customer": "some customer"}
    assert not record.valid
    assert record.errors == (
        "/customer: 'some customer' is copied from the made example, it does not stand in the text",
    )
    assert len(prompts) == min(retries, 1) + 1  # the same answer twice: it would come again


def test_a_try_that_is_cut_off_does_not_lose_the_one_before():
    endless = '{"customer": "' + "x" * 400
    record, _ = run([COPY, endless], max_tokens=30)
    assert record.data == {"customer": "some customer"}
    assert (record.finish, record.valid, record.error) == ("stop", False, None)


def test_of_several_tries_the_one_with_the_fewest_copies_counts():
    bad = json.dumps({"customer": "some customer", "mail": ANSWER["mail"]})
    record, _ = run([COPY, bad, bad])
    assert record.data == {"customer": "some customer"}


def test_only_what_was_copied_is_taken_from_a_later_try():
    """Without the example a small model does worse on the whole: the rest of the first stays."""
    first = {"customer": "Otto", "stars": 4, "lines": [{"item": "some item", "count": 2}]}
    later = {"customer": "Wrong", "stars": 1, "lines": [{"item": "pen", "count": 9}, {"count": 1}]}
    record, _ = run([json.dumps(first), json.dumps(later)], text="2 pens")
    assert record.data == first | {"lines": [{"item": "pen", "count": 2}]}
    assert record.valid
    assert record.extra["asked_again"] == ["/lines/0/item"]


def test_what_a_later_try_has_no_value_for_stays_marked():
    first = {"customer": "some customer", "mail": ANSWER["mail"]}
    record, _ = run([json.dumps(first), OTTO], retries=1)
    assert record.data == {"customer": "Otto"} or record.errors
    assert record.valid == (record.data == {"customer": "Otto"})


def test_pieces_are_judged_by_the_whole_document():
    text = "From some customer. " + "More is said here. " * 30
    record, _ = run([COPY], text, chunking=Chunking("tokens", 40), retries=0)
    assert record.extra["chunks"] > 1
    assert record.valid, record.errors
