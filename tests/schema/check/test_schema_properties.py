"""Laws of the compiler on random schemas: samples validate, valid instances are accepted.

`jsonschema` is the judge of values, the matcher of texts. Run once by hand with other seeds:
`GBNFC_EXAMPLES=20000 GBNFC_SEED=1 python -m pytest tests/schema/check/test_schema_properties.py`.
"""

from __future__ import annotations

import itertools
import json
import os
import random

import jsonschema
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schema_strategies import INSTANCES, SchemaMaker, neighbours, read_plain, smallest, texts

import gbnfc
from gbnfc.match import Verdict, compile_matcher, match_text, sample

DRAFTS = {
    "4": jsonschema.Draft4Validator,
    "6": jsonschema.Draft6Validator,
    "7": jsonschema.Draft7Validator,
    "2019-09": jsonschema.Draft201909Validator,
    "2020-12": jsonschema.Draft202012Validator,
}
EXAMPLES = int(os.environ.get("GBNFC_EXAMPLES", "4000")) // len(DRAFTS)
SEED = os.environ.get("GBNFC_SEED")
SAMPLES = 4
ORDERS = ("any", "schema", "required-first")

relaxed = settings(
    max_examples=EXAMPLES,
    derandomize=SEED is None,
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def seeded(test):
    return seed(int(SEED))(test) if SEED else test


def is_misread(schema):
    """Return whether the judge (jsonschema 4.26, in 2019-09) is wrong about `schema`.

    To it a schema under `additionalProperties` evaluates nothing, so that the same names are left
    for `unevaluatedProperties`. In 2020-12 it reads them right.
    """
    text = json.dumps(schema)
    return '"additionalProperties": {' in text and "unevaluatedProperties" in text


def objection(schema, draft, order="any", rng_seed=0):
    """Return where grammar, report and `jsonschema` contradict each other, or `None`."""
    if draft == "2019-09" and is_misread(schema):
        return None
    validator = DRAFTS[draft](schema)
    valid = {}
    for value in INSTANCES:
        valid.setdefault(json.dumps(value), validator.is_valid(value))
    try:
        options = gbnfc.CompileOptions(order=order)
        compiled = gbnfc.compile_schema(schema, draft=draft, options=options)
    except gbnfc.Unsatisfiable:
        found = next((text for text, is_valid in valid.items() if is_valid), None)
        return found and f"said to be unsatisfiable, but {found} is valid"
    effects = {entry.effect.value for entry in compiled.report}
    program = compile_matcher(compiled.grammar)
    rng = random.Random(rng_seed)
    for _ in range(SAMPLES):
        text = sample(program, rng, max_depth=20)
        try:
            value = read_plain(text)
        except ValueError:
            continue
        if not validator.is_valid(value) and "wider" not in effects:
            return f"accepts invalid {text}"
        for near in (value, *itertools.islice(neighbours(value), 4)):
            valid.setdefault(json.dumps(near), validator.is_valid(near))
    for text, is_valid in valid.items():
        if ("narrower" if is_valid else "wider") in effects:
            continue
        # In draft 4 the number 1.0 is no integer: it depends on the text, not on the value.
        if draft == "4" and ".0" in text:
            continue
        spelled = texts(json.loads(text), 24)
        accepted = [t for t in spelled if match_text(program, t).verdict is Verdict.ACCEPTED]
        if is_valid != bool(accepted):
            return f"rejects valid {text}" if is_valid else f"accepts invalid {accepted[0]}"
    return None


def has_objection(schema, draft, order, wanted):
    try:
        DRAFTS[draft].check_schema(schema)
        found = objection(schema, draft, order)
    except (gbnfc.GbnfcError, jsonschema.exceptions.SchemaError):
        return False
    return found is not None and found[:10] == wanted[:10]


@pytest.mark.parametrize("draft", DRAFTS)
def test_grammar_report_and_validator_agree(draft):
    @seeded
    @relaxed
    @given(st.randoms(use_true_random=True))
    def agrees(rng):
        schema = SchemaMaker(rng, draft).schema()
        order = rng.choice(ORDERS)
        if (found := objection(schema, draft, order)) is not None:
            least = smallest(schema, lambda other: has_objection(other, draft, order, found))
            found = objection(least, draft, order) or found
            pytest.fail(f"order={order} {json.dumps(least)}\n{found}")

    agrees()
