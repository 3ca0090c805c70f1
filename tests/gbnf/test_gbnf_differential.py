"""Two judges: our parser, with `engine_refusal`, says of each text what llama.cpp does with it.

The long run is `campaign_parse.py`: 100,000 texts with seed 1 and 100,000 with seed 2, without a
difference (llama-cpp-python 0.3.36; 26 % of them load).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from grammar_strategies import broken_texts, fragment_texts
from hypothesis import HealthCheck, given, settings
from judge import UnsafeToAsk
from loading import loads_here

from gbnfc.errors import GbnfSyntaxError
from gbnfc.gbnf.format import format_gbnf
from gbnfc.gbnf.parse import parse_gbnf
from gbnfc.gbnf.write import write_gbnf
from gbnfc.ir.analysis import engine_refusal

if TYPE_CHECKING:
    from judge import EngineJudge

QUICK = settings(
    max_examples=500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def check(text: str, judge: EngineJudge) -> None:
    here, why = loads_here(text)
    if here is None:
        return
    try:
        there = judge.loads(text)
    except UnsafeToAsk:
        return
    assert here == there, why


@QUICK
@given(text=broken_texts())
def test_broken_grammars_load_here_as_there(text: str, judge: EngineJudge) -> None:
    check(text, judge)


@QUICK
@given(text=fragment_texts)
def test_heaps_of_fragments_load_here_as_there(text: str, judge: EngineJudge) -> None:
    check(text, judge)


@QUICK
@given(text=broken_texts())
def test_what_is_rewritten_loads_as_predicted(text: str, judge: EngineJudge) -> None:
    """`engine_refusal` of a plain parse speaks about the text that the writer makes of it."""
    here, _ = loads_here(text)
    if here is None:
        return
    try:
        grammar = parse_gbnf(text)
    except GbnfSyntaxError:
        return
    refusal = engine_refusal(grammar)
    if refusal is None or refusal.kind.is_answered:
        assert judge.loads(write_gbnf(grammar)) == (refusal is None), str(refusal)


def shipped_grammars() -> list[Path]:
    """Return llama.cpp's own grammars: $GBNFC_LLAMA_GRAMMARS, or none."""
    folder = os.environ.get("GBNFC_LLAMA_GRAMMARS")
    return sorted(Path(folder).glob("*.gbnf")) if folder else []


@pytest.mark.skipif(not shipped_grammars(), reason="set GBNFC_LLAMA_GRAMMARS to a folder of .gbnf")
def test_grammars_shipped_with_llama_cpp(judge: EngineJudge) -> None:
    for path in shipped_grammars():
        text = path.read_text(encoding="utf-8")
        grammar = parse_gbnf(text, path.name)
        assert parse_gbnf(write_gbnf(grammar)) == grammar
        assert parse_gbnf(format_gbnf(text)) == grammar
        assert loads_here(text) == (True, "loads")
        assert judge.loads(text)
        assert judge.loads(write_gbnf(grammar))
