"""Values out of the prompt are refused where the document does not hold them."""

from __future__ import annotations

import json

import pytest

from gbnfc import CompileOptions, compile_schema
from gbnfc.engine.base import ConstraintGrammar
from gbnfc.engine.scripted import ScriptedEngine
from gbnfc.errors import EngineError
from gbnfc.extract.answer_options import AnswerOptions
from gbnfc.extract.chunks import Chunking
from gbnfc.extract.copied import CopiedValue, PromptPart, PromptValues, without_copies
from gbnfc.extract.documents import Document
from gbnfc.extract.made_example import make_example
from gbnfc.extract.problems import Checked
from gbnfc.extract.prompt import PromptText
from gbnfc.extract.run import Extraction
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


def test_only_what_was_copied_is_asked_for_again():
    first = {"customer": "Otto", "stars": 4, "lines": [{"item": "some item", "count": 2}]}
    later = first | {"lines": [{"item": "pen", "count": 2}]}
    record, _ = run([json.dumps(first), json.dumps(later)], text="2 pens")
    assert (record.data, record.valid) == (later, True)
    assert record.extra["asked_again"] == ["/lines/0/item"]
    for other in (later | {"customer": "Wrong"}, later | {"stars": 1}, {"customer": "Otto"}):
        with pytest.raises(EngineError, match="does not fit the form"):
            run([json.dumps(first), json.dumps(other)], text="2 pens")


def test_each_try_asks_for_what_is_left():
    mail = ANSWER["mail"]
    tries = [("some customer", mail), ("name of the customer", "x@y.de"), ("Otto", "x@y.de")]
    texts = [json.dumps({"customer": name, "mail": found}) for name, found in tries]
    record, prompts = run(texts)
    assert (record.data, record.valid) == ({"customer": "Otto", "mail": "x@y.de"}, True)
    assert record.extra["asked_again"] == ["/customer", "/mail"]
    assert len(prompts) == 3


def test_what_is_copied_again_beside_what_is_not_stays_marked():
    mail = ANSWER["mail"]
    texts = [json.dumps({"customer": x, "mail": mail}) for x in ("some customer", "Otto")]
    record, _ = run(texts)
    assert record.data == {"customer": "Otto", "mail": mail}
    assert not record.valid
    assert [error.partition(":")[0] for error in record.errors] == ["/mail"]


def test_what_the_schema_refuses_as_well_is_asked_for_as_a_whole():
    schema = SCHEMA | {"required": ["mail"]}
    engine = ScriptedEngine(CONSTRAINT, lambda _, call: [COPY, '{"mail": "x@y.de"}'][call])
    extraction = Extraction(
        engine, ChatTemplate(None), PROMPT, Validator(schema), AnswerOptions(is_greedy=True)
    )
    ((_, record),) = extraction.run([(0, Document("x", "from Otto"))])
    assert (record.data, record.valid) == ({"mail": "x@y.de"}, True)


def test_a_later_answer_of_another_form_gives_only_what_was_copied():
    """With another value the grammar may go on otherwise: the form then ends there."""
    first = {"a": "some a", "b": 1, "c": [{"d": "some d"}, {"d": "some d"}]}
    copies = tuple(CopiedValue(at, "copied") for at in ("/a", "/c/0/d", "/c/1/d"))
    later = {"a": "x", "b": 2, "c": [{"d": "y"}]}
    tries = [Checked(first, first, copies), Checked(later, later)]
    data = {"a": "x", "b": 1, "c": [{"d": "y"}, {"d": "some d"}]}
    assert without_copies(tries) == (data, ("/a", "/c/0/d"))


def test_pieces_are_judged_by_the_whole_document():
    text = "From some customer. " + "More is said here. " * 30
    record, _ = run([COPY], text, chunking=Chunking("tokens", 40), retries=0)
    assert record.extra["chunks"] > 1
    assert record.valid, record.errors
