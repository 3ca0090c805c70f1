"""Simplification: what each pass does, and that none changes the language or loses loadability."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest
from grammar_strategies import acyclic_grammars, grammars
from hypothesis import HealthCheck, given, settings

from gbnfc.gbnf.parse import parse_gbnf
from gbnfc.gbnf.write import write_gbnf
from gbnfc.ir.analysis import engine_refusal
from gbnfc.ir.simplify import PASSES, simplify

if TYPE_CHECKING:
    from judge import EngineJudge

    from gbnfc.ir.nodes import Grammar

# What must not change, before what must.
KEPT = (
    'root ::= "a"',
    "root ::= a\na ::= b a | b\nb ::= [0-9]",
    'root ::= "ab" | "cd"',
    "root ::= [] | [a]",
    'root ::= ("a"{50}){50}',
    'root ::= ("a"{0,50}){0,50}',
    'root ::= "a"{3,2}',
    'root ::= ("a"{3,2})?',
    "root ::= ([a]{2,3})*",
    "root ::= undefined",
    'root ::= "(" a b ")"\na ::= "x" b?\nb ::= "x" none?',
)

CHANGED = (
    ('root ::= ("a" "b") ("c" | ("d" | "c"))', 'root ::= "ab" [c-d]'),
    ('root ::= "a" | "x" "y" | [b-d] | "e"', 'root ::= [a-e] | "xy"'),
    ('root ::= "a" | .', "root ::= ."),
    ("root ::= ([a]+)?", "root ::= [a]*"),
    ("root ::= ([a]*)+", "root ::= [a]*"),
    ("root ::= ([a]?)?", "root ::= [a]?"),
    ("root ::= ([a]?)+", "root ::= [a]*"),
    ("root ::= ([a]+)+", "root ::= [a]+"),
    ('root ::= "a"{1}', 'root ::= "a"'),
    ('root ::= "a" "" "b"{0}', 'root ::= "a"'),
    ('root ::= a a\na ::= b\nb ::= "x"', 'root ::= b b\nb ::= "x"'),
    ('root ::= a b\na ::= "x"+\nb ::= "x"+', 'root ::= a a\na ::= "x"+'),
    ("root ::= a\na ::= b\nb ::= a", "root ::= root"),
    ('root ::= "a"\nother ::= "b"', 'root ::= "a"'),
    ('root ::= "a"\nroot ::= "b"', 'root ::= "b"'),
    ('root ::= a\na ::= c\nb ::= d\nc ::= "x"\nd ::= "x"', 'root ::= c\nc ::= "x"'),
    ('root ::= a | b\na ::= "x" a | "y"\nb ::= "x" b | "y"', 'root ::= a\na ::= "x" a | "y"'),
    (
        'root ::= "(" a b ")"\na ::= "x" b?\nb ::= "x" c?\nc ::= "x" a?',
        'root ::= "(" a a ")"\na ::= "x" a?',
    ),
)


@pytest.mark.parametrize("text", KEPT)
def test_kept(text: str) -> None:
    assert write_gbnf(simplify(parse_gbnf(text))) == f"{text}\n"


@pytest.mark.parametrize(("before", "after"), CHANGED)
def test_changed(before: str, after: str) -> None:
    assert write_gbnf(simplify(parse_gbnf(before))) == f"{after}\n"


TEXTS = ["".join(chars) for length in range(5) for chars in product("ab", repeat=length)]
QUICK = settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def language(grammar: Grammar, judge: EngineJudge) -> list[str]:
    """Return the texts of up to four characters that llama.cpp accepts."""
    with judge.loaded(write_gbnf(grammar)) as sampler:
        return [text for text in TEXTS if judge.accepts(sampler, text)]


@QUICK
@given(grammar=acyclic_grammars())
def test_each_pass_keeps_the_language(grammar: Grammar, judge: EngineJudge) -> None:
    if engine_refusal(grammar) is not None:
        return
    expected = language(grammar, judge)
    for change in PASSES:
        changed = change(grammar)
        if changed != grammar and engine_refusal(changed) is None:
            assert language(changed, judge) == expected, change.__name__
    assert language(simplify(grammar), judge) == expected


@settings(max_examples=300, deadline=None)
@given(grammars())
def test_simplifying_never_costs_loadability_and_is_done_at_once(grammar: Grammar) -> None:
    simpler = simplify(grammar)
    assert engine_refusal(grammar) is not None or engine_refusal(simpler) is None
    assert simplify(simpler) == simpler
