"""Schemas that try to exhaust the compiler get an answer or a GbnfcError, in bounded time.

`python tests/helpers/hostile_schemas.py` runs the whole table in processes
limited to 1 GB and 10 s.
"""

from __future__ import annotations

import time

import pytest
from hostile_schemas import SCHEMAS, SECONDS

import gbnfc

SLOW = {
    "100,000 enum numbers",
    "100,000 enum values",
    "20,000 enum objects",
    "30 dependencies",
    "4 anyOf of patterns",
    "allOf of 25 oneOf pairs",
    "doubling oneOf of arrays",
    "1,000 branches of oneOf",
    "1,000 long keys",
    "5,000 properties",
    "5,000 properties of a kind",
    "5,000 properties, closed",
    "5,000 properties, one at least",
    "5,000 required",
    "100,000 characters",
    "allOf of 40 oneOf pairs",
    "allOf of 40 pairs",
    "nested prefixes",
    "oneOf of kinds that refer to each other",
    "unanchored many",
    "unevaluated in pairs",
    "1,000 dependencies",
}
"""Entries that take over a second; they are run by hand."""

MAX_LENGTH = 300_000
"""Longer grammars are not loaded: llama.cpp takes seconds."""


@pytest.mark.parametrize("name", [name for name in SCHEMAS if name not in SLOW])
def test_answer_or_error(name, judge):
    schema = SCHEMAS[name]()
    started = time.process_time()
    try:
        text = gbnfc.compile_schema(schema).text
    except gbnfc.GbnfcError as error:
        text = None
        message = str(error)
    assert time.process_time() - started < SECONDS
    assert text is not None or message
    if text is not None and len(text) < MAX_LENGTH:
        assert judge.loads(text)


def test_the_slow_ones_exist():
    assert SCHEMAS.keys() >= SLOW
