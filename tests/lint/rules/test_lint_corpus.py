"""The linter on real grammars: ours, llama.cpp's own, and what the compiler writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from gbnfc.gbnf.parse import parse_gbnf
from gbnfc.lint import Severity, lint_grammar
from gbnfc.lint.analysis.cost import measure_cost
from gbnfc.lint.analysis.machine import EMPTY_STACK, build_machine
from gbnfc.schema import compile_schema

ROOT = Path(__file__).resolve().parents[3]
OURS = sorted((ROOT / "grammars").glob("*.gbnf"))
THEIRS = sorted((Path(__file__).parent / "llama.cpp").glob("*.gbnf"))

# Line and code of every finding. Each is true: `ws` of arithmetic and c may go on for ever, a C
# file may be empty, JSON exponents cannot be 10 in json.gbnf, and so on.
EXPECTED = {
    "arithmetic": [(6, "RUN001")],
    "c": [(1, "RUN006"), (42, "RUN001")],
    "chess": [(4, "RUN005")],
    "english": [(2, "RUN005")],
    "japanese": [(2, "RUN005")],
    "json": [
        (7, "RUN003"),
        (13, "RUN003"),
        (17, "RUN002"),
        (22, "JSON004"),
        (22, "JSON006"),
        (22, "RUN004"),
    ],
    "json_arr": [
        (10, "RUN003"),
        (16, "RUN003"),
        (22, "RUN003"),
        (26, "RUN002"),
        (31, "JSON004"),
        (31, "RUN004"),
    ],
    "list": [],
}

SCHEMAS = [
    {"type": "string", "maxLength": 5},
    {"type": "integer", "minimum": -20, "maximum": 300},
    {"enum": ["red", "green", None, 3]},
    {"type": "array", "items": {"type": "number", "multipleOf": 0.01}, "maxItems": 4},
    {
        "type": "object",
        "properties": {
            "id": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{4}$"},
            "when": {"type": "string", "format": "date"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "next": {"$ref": "#"},
        },
        "required": ["id"],
    },
    {"anyOf": [{"type": "string"}, {"type": "null"}, {"type": "boolean"}]},
]


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.stem)
def test_our_grammars_have_no_warnings(path: Path) -> None:
    found = lint_grammar(path.read_text(encoding="utf-8"))
    assert [str(d) for d in found if d.severity is not Severity.INFO] == []


@pytest.mark.parametrize("path", THEIRS, ids=lambda path: path.stem)
def test_llama_cpp_grammars_have_exactly_these_findings(path: Path) -> None:
    found = lint_grammar(path.read_text(encoding="utf-8"))
    assert sorted((d.position.line, d.code) for d in found if d.position) == EXPECTED[path.stem]


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda schema: str(schema)[:30])
def test_compiled_grammars_have_no_warnings(schema) -> None:
    found = lint_grammar(compile_schema(schema).text)
    assert [str(d) for d in found if d.severity is not Severity.INFO] == []


@pytest.mark.parametrize(
    ("text", "stacks"),
    [
        ('root ::= "a"', 1),
        ("root ::= [a-z]{0,100}", 2),
        ("root ::= " + " ".join(["[a-z]?"] * 10), 11),
        ("root ::= ([a-z]+)+", 4),
        ('root ::= "ab" | "ac" | "ad"', 3),
        ('root ::= ("a" | "b") ("c" | "d")', 2),
    ],
)
def test_worst_number_of_stacks(text: str, stacks: int) -> None:
    cost = measure_cost(parse_gbnf(text))
    assert (cost.stacks, cost.complete) == (stacks, True)


TEXTS = ["", "a", "ab", "1+2", "(x)", "{}", '{"a": 1}', "int a", "- x\n", "1. e4 e5\n", "x=1\n"]


@pytest.mark.parametrize("path", THEIRS, ids=lambda path: path.stem)
def test_the_machine_accepts_what_the_engine_accepts(path: Path, judge) -> None:
    grammar = path.read_text(encoding="utf-8")
    machine = build_machine(parse_gbnf(grammar))
    with judge.loaded(grammar) as sampler:
        for text in TEXTS:
            stacks = machine.start()
            for char in text:
                stacks = machine.step(stacks, ord(char))
            ended = EMPTY_STACK in stacks
            verdict = "accepted" if ended else "incomplete" if stacks else "rejected"
            assert judge.verdict(sampler, text) == verdict, text
