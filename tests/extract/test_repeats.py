"""Lists that repeat themselves are ended; lists that stand in the document are not."""

from __future__ import annotations

import json

import pytest

from gbnfc import CompileOptions, compile_schema
from gbnfc.engine.base import ConstraintGrammar
from gbnfc.engine.scripted import ScriptedEngine
from gbnfc.extract.answer_options import AnswerOptions
from gbnfc.extract.chunks import Chunking
from gbnfc.extract.documents import Document
from gbnfc.extract.prompt import PromptText
from gbnfc.extract.run import Extraction
from gbnfc.extract.template import ChatTemplate
from gbnfc.extract.validate import Validator

KINDS = ["new", "used"]
SCHEMA = {
    "type": "object",
    "properties": {
        "items": {"type": "array"},
        "kinds": {"type": "array", "items": {"enum": KINDS}},
        "after": {"type": "string"},
    },
    "required": ["items"],
    "additionalProperties": False,
}


def extract(answers, text, schema=SCHEMA, whitespace="spaced", **answer_options):
    compiled = compile_schema(schema, options=CompileOptions(order="schema", whitespace=whitespace))
    constraint = ConstraintGrammar(compiled.text, compiled.grammar)
    answers = [answers] if isinstance(answers, str) else answers
    extraction = Extraction(
        ScriptedEngine(constraint, lambda _, call: answers[call]),
        ChatTemplate(None),
        PromptText(schema=schema),
        Validator(schema),
        AnswerOptions(max_tokens=100_000, **answer_options),
    )
    ((_, record),) = extraction.run([(0, Document("x", text))])
    return record


def written(items, **more):
    return json.dumps({"items": items, **more}, ensure_ascii=False)


ROWS = [{"name": f"Lot {n}", "qty": 1} for n in range(1, 51)]
INVENTED = [{"name": f"Lot {n}", "qty": 1} for n in range(51, 80)]
SAME = [{"name": "Bolt", "price": 2.5}] * 40
COUNTED = [{"name": f"Bolt {n}", "price": 2.5} for n in range(1, 41)]
PAGES = "\n".join(f"Lot {n}   1 pc" for n in range(1, 51))

# What must stay as it is: the document, the list.
KEPT = [
    ("a numbered list", PAGES, ROWS),
    ("numbered, told by numbers", "Rooms " + ", ".join(map(str, range(101, 151))) + " are free.",
     [f"Room {n}" for n in range(101, 151)]),
    ("equal lines", "Bolt 2.50\n" * 40, SAME),
    ("equal lines, other case and blanks", "BIG   BOLT\n" * 9, ["Big Bolt"] * 9),
    ("what all rows share stands once", "All in EUR.\n" + "\n".join(f"A{n}" for n in range(9)),
     [{"id": f"A{n}", "currency": "EUR"} for n in range(9)]),
    ("few of the same", "two bolts", ["Bolt", "Bolt", "Nut", "Bolt", "Bolt", "Bolt"]),
    ("different inventions", "nothing", ["ant", "bee", "cat", "dog", "elk", "fox", "gnu", "hen"]),
    ("switches", "on and off", [True, False, True, True, True, True, True, True]),
    ("choices", "x", [{"kind": "new"}] * 9),
    ("rows told by their numbers", "Bolts: 3 at 2.00, 5 at 3.50, 7 at 1,234.50, 9 at 6",
     [{"name": "Bolt", "qty": q, "price": p} for q, p in ((3, 2), (5, 3.5), (7, 1234.5), (9, 6))]),
    ("counted numbers", "from one to nine", list(range(1, 10))),
    ("numbers of the text", "7, 7, 7, 7, 7, 8", [7, 7, 7, 7, 7, 8]),
    ("lists of lists", "1 2, 3 4, 5 6, 7 8", [[1, 2], [3, 4], [5, 6], [7, 8], [1, 2]]),
    ("commas and brackets in strings", "x", ["a], [a", "b, b, b", '"', "\\", "]"]),
    ("digits inside words", "A1, A2, A3, A4, A5, A6", ["A1", "A2", "A3", "A4", "A5", "A6"]),
]  # fmt: skip

# What is ended: the document, the list, what stays of it.
ENDED = [
    ("the same again", "Bolt 2.50", SAME, 1),
    ("a running number", "Bolt 2.50", COUNTED, 1),
    ("running numbers", "7 chairs at 89, 1 table at 420",
     [{"id": "DW", "n": n, "price": n * 10.5} for n in range(1, 30)], 1),
    ("strings", "an axe, a saw", ["axe", "saw"] + ["saw"] * 30, 2),
    ("a cycle", "ant bee cat", ["ant", "bee", "cat"] * 15, 3),
    ("more of them than stand there", "nut, nut, nut", ["nut"] * 20, 3),
    ("a substring is no word", "bolts and a Boltzmann", ["nut", *["bolt"] * 20], 2),
    ("numbers", "7 and 8", [8, *[7] * 30], 2),
    ("nothing at all", "x", ["x", *[None] * 20], 2),
    ("empty", "x", ["x", *[""] * 20], 2),
    ("behind the rows that stand there", PAGES, ROWS + INVENTED, 50),
    ("lists", "x y", [["x", "y"]] * 30, 1),
]  # fmt: skip


@pytest.mark.parametrize(("text", "items"), [c[1:] for c in KEPT], ids=[c[0] for c in KEPT])
def test_what_stands_in_the_document_survives(text, items):
    schema = SCHEMA | {"$defs": {"kinds": {"enum": KINDS}}}
    record = extract(written(items, after="x"), text, schema)
    assert record.data == {"items": items, "after": "x"}
    assert "repeated" not in record.extra


@pytest.mark.parametrize(
    ("text", "items", "left"), [c[1:] for c in ENDED], ids=[c[0] for c in ENDED]
)
@pytest.mark.parametrize("separators", [(", ", ": "), (",", ":")])
def test_a_list_that_repeats_is_ended_and_the_answer_goes_on(text, items, left, separators):
    whitespace = "spaced" if separators[0] == ", " else "compact"
    data = {"items": items, "after": "x"}
    spelled = json.dumps(data, separators=separators)
    record = extract(spelled, text, whitespace=whitespace)
    assert record.data == {"items": items[:left], "after": "x"}
    assert record.extra["repeated"] == ["/items"]
    assert record.valid
    off = extract(spelled, text, whitespace=whitespace, stop_repeats=False)
    assert off.data == data
    assert "repeated" not in off.extra


@pytest.mark.parametrize("whitespace", ["pretty:2", "bounded:3"])
def test_blanks_before_the_end_of_a_list(whitespace):
    strings = {"type": "array", "items": {"type": "string"}}
    schema = SCHEMA | {"properties": {"items": strings, "after": {"type": "string"}}}
    spelled = json.dumps({"items": ["a", *["b"] * 9], "after": "x"}, indent=2)
    if whitespace == "bounded:3":
        spelled = '{"items" :  ["a", ' + ' , "b"' * 9 + '],"after":"x"}'
        spelled = spelled.replace(",  ,", " ,")
    record = extract(spelled, "a b", schema, whitespace)
    assert record.data == {"items": ["a", "b"], "after": "x"}
    assert record.extra["repeated"] == ["/items"]


@pytest.mark.parametrize(("least", "left"), [(0, 1), (3, 3), (20, 20), (40, 40)])
def test_a_list_keeps_as_many_as_the_schema_wants(least, left):
    schema = SCHEMA | {"properties": {"items": {"type": "array", "minItems": least}}}
    record = extract(written(SAME), "Bolt", schema)
    assert len(record.data["items"]) == left
    assert record.extra.get("repeated", []) == (["/items"] if left < 40 else [])


def test_lists_inside_lists_end_where_they_are():
    items = [{"tags": ["a"] * 9}, {"tags": ["b", "c"]}, {"tags": ["d"] * 9}]
    record = extract(written(items), "a b c d")
    assert record.data == {"items": [{"tags": ["a"]}, {"tags": ["b", "c"]}, {"tags": ["d"]}]}
    assert record.extra["repeated"] == ["/items/0/tags", "/items/2/tags"]


def test_a_list_that_ends_takes_what_was_ended_in_it_along():
    items = [{"tags": ["a"] * 9}] * 9
    record = extract(written(items), "a")
    assert record.data == {"items": [{"tags": ["a"]}]}
    assert record.extra["repeated"] == ["/items/0/tags", "/items"]


def test_choices_of_the_schema_may_repeat_as_they_like():
    kinds = ["new", "new", "new", "used"] * 10
    record = extract(json.dumps({"items": [], "kinds": kinds}), "eleven goods")
    assert record.data["kinds"] == kinds


def test_pieces_tell_where_in_the_whole_a_list_was_ended():
    text = "Bolt. " * 40
    answers = [written(["Bolt", f"n{n}", *["Bolt"] * 99]) for n in range(9)]
    record = extract(answers, text, chunking=Chunking("tokens", 40))
    assert record.extra["chunks"] > 1
    assert record.extra["repeated"] == ["/items"]
