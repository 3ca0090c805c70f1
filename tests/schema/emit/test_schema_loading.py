"""What is compiled loads in llama.cpp, whatever the bounds."""

from __future__ import annotations

import json

import pytest

import gbnfc
from gbnfc.ir.loading import engine_refusal
from gbnfc.ir.nodes import MAX_REPETITION
from gbnfc.match import Verdict, compile_matcher, match_text

STRING = {"type": "string"}
MANY = [MAX_REPETITION - 1, MAX_REPETITION, MAX_REPETITION + 1, MAX_REPETITION + 2]

BOUNDED = {
    "items": lambda most: {"type": "array", "items": {"const": 0}, "maxItems": most},
    "any items": lambda most: {"type": "array", "maxItems": most},
    "items behind others": lambda most: {
        "type": "array",
        "prefixItems": [STRING, STRING],
        "items": {"const": 0},
        "maxItems": most,
    },
    "one item": lambda most: {"type": "array", "contains": {"const": 1}, "maxItems": most},
    "items of length": lambda most: {
        "type": "array",
        "items": {"type": "string", "maxLength": most},
        "minItems": 1,
        "maxItems": 3,
    },
    "keys": lambda most: {"type": "object", "maxProperties": most},
    "keys beside one": lambda most: {
        "type": "object",
        "properties": {"a": STRING},
        "maxProperties": most,
    },
    "letters": lambda most: {"type": "string", "pattern": f"^(x{{0,999}}y{{0,{most - 999}}}z?)?$"},
    "letters in a row": lambda most: {"type": "string", "pattern": f"^([a-z]{{0,{most}}}\\.?)?$"},
    "words": lambda most: {"type": "string", "pattern": f"^(a{{1,9}} ){{0,{most // 9}}}$"},
}


@pytest.mark.parametrize("most", MANY)
@pytest.mark.parametrize("name", BOUNDED)
def test_large_bounds_load(name, most, judge):
    compiled = gbnfc.compile_schema(BOUNDED[name](most))
    assert engine_refusal(compiled.grammar) is None
    assert judge.loads(compiled.text)


@pytest.mark.parametrize("most", MANY)
def test_large_bounds_are_enforced(most):
    schema = {"type": "array", "items": {"const": 0}, "maxItems": most, "prefixItems": [STRING]}
    program = compile_matcher(gbnfc.compile_schema(schema).grammar)
    for size, wanted in ((0, True), (1, True), (most, True), (most + 1, False)):
        text = json.dumps((["a"] + [0] * size)[:size])
        assert (match_text(program, text).verdict is Verdict.ACCEPTED) == wanted, size


@pytest.mark.parametrize(
    "pattern",
    [
        "^(x{0,999}y{0,1001}z?)?$",
        "^([a-z]{0,1999}\\.[a-z]{0,63})?$",
        "^(a{0,50}b){0,50}$",
    ],
)
def test_regexes_load(pattern, judge):
    compiled = gbnfc.compile_regex(pattern)
    assert engine_refusal(compiled.grammar) is None
    assert judge.loads(compiled.text)
