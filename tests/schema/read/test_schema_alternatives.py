"""Alternatives of an object that become one: the same language, and no stack for each."""

from __future__ import annotations

import itertools
import json
import random

import jsonschema
import pytest

import gbnfc
from gbnfc.lint.analysis.machine import build_machine
from gbnfc.match import Verdict, compile_matcher, match_text

NAMES = ("ab", "ac", "b")
VALUES = ("x", "y", 1, None)
WORDS = (
    {"enum": ["x"]},
    {"enum": ["x", 1]},
    {"type": "string"},
    {"type": ["integer", "null"]},
    {"not": {"enum": ["y"]}},
    False,
)


def alternative(rng):
    """Return a subschema about some of the names: required, forbidden, or of some values."""
    kind = rng.random()
    if kind < 0.4:
        return {"required": rng.sample(NAMES, rng.randint(1, 3))}
    if kind < 0.5:
        return {"not": {"required": rng.sample(NAMES, 2)}}
    names = rng.sample(NAMES, rng.randint(1, 2))
    return {
        "properties": {name: rng.choice(WORDS) for name in names},
        "required": rng.sample(names, rng.randint(0, len(names))),
    }


def object_schema(rng):
    schema = {
        "type": "object",
        "properties": {name: {"enum": list(VALUES)} for name in NAMES},
        rng.choice(("anyOf", "oneOf")): [alternative(rng) for _ in range(rng.randint(2, 4))],
        "additionalProperties": rng.random() < 0.6,
    }
    if rng.random() < 0.3:
        schema["required"] = [rng.choice(NAMES)]
    return schema


def texts_of(names):
    """Yield every object with some of `names`, in every order, with every value."""
    for size in range(len(names) + 1):
        for chosen in itertools.permutations(names, size):
            for values in itertools.product(VALUES, repeat=size):
                yield json.dumps(dict(zip(chosen, values, strict=True)))


@pytest.mark.parametrize("seed", range(60))
def test_every_small_object_is_judged_as_jsonschema_does(seed):
    schema = object_schema(random.Random(seed))
    validator = jsonschema.Draft202012Validator(schema)
    try:
        compiled = gbnfc.compile_schema(schema, draft="2020-12")
    except gbnfc.GbnfcError:
        assert not any(validator.is_valid(json.loads(text)) for text in texts_of(NAMES))
        return
    effects = {entry.effect.value for entry in compiled.report}
    assert effects <= {"ignored"}
    program = compile_matcher(compiled.grammar)
    counts_order = "additionalProperties" not in schema or not schema["additionalProperties"]
    for text in texts_of(NAMES):
        accepted = match_text(program, text).verdict is Verdict.ACCEPTED
        valid = validator.is_valid(json.loads(text))
        if not accepted and valid and counts_order:
            # Closed objects whose keys are all required stand in the author's order.
            continue
        assert accepted == valid, (schema, text)


def max_stacks(schema, text):
    machine = build_machine(gbnfc.compile_schema(schema).grammar)
    stacks, most = machine.start(), 0
    for char in text:
        most = max(most, len(stacks))
        stacks = machine.step(stacks, ord(char))
    assert stacks, "the text is refused"
    return most


PROPERTIES = {name: {"type": "string"} for name in ("aa", "ab", "ac", "ad", "ba", "bb")}
TEXT = json.dumps({"ba": "x", "aa": "y", "ab": "z"})


def test_required_alternatives_cost_no_stacks():
    schema = {"type": "object", "properties": PROPERTIES, "required": ["aa"]}
    alternatives = [{"required": [name]} for name in ("ab", "ac", "ad", "ba")]
    assert max_stacks(schema | {"anyOf": alternatives}, TEXT) <= max_stacks(schema, TEXT) + 4


def test_kinds_of_values_cost_a_stack_each_at_most():
    schema = {"type": "object", "properties": PROPERTIES | {"aa": {"enum": ["u", "v", "y"]}}}
    kinds = [
        {"properties": {"aa": {"enum": ["u"]}}, "required": ["bb"]},
        {"properties": {"aa": {"enum": ["v", "y"]}}, "required": ["ba"]},
    ]
    assert max_stacks(schema | {"anyOf": kinds}, TEXT) <= max_stacks(schema, TEXT) + 2


def test_many_keys_that_begin_alike_share_a_stack():
    names = [f"{letter}{number}" for letter in "abcdefgh" for number in range(3)]
    schema = {
        "type": "object",
        "properties": {name: {"type": "integer"} for name in names},
        "required": [f"{letter}1" for letter in "abcd"],
        "additionalProperties": False,
    }
    text = json.dumps(dict.fromkeys(["h0", "d1", "c1", "a0", "b1", "a1", "h2"], 1))
    assert max_stacks(schema, text) <= 8
