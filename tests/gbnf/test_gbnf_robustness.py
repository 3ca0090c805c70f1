"""Hostile texts: a GbnfcError or a result, in bounded time, never a RecursionError."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gbnfc.errors import GbnfcError
from gbnfc.gbnf.format import format_gbnf
from gbnfc.gbnf.parse import parse_gbnf
from gbnfc.gbnf.write import write_gbnf
from gbnfc.ir.analysis import (
    engine_refusal,
    first_characters,
    left_recursive_cycles,
    nullable,
    productive,
    reachable,
)
from gbnfc.ir.nodes import MAX_DEPTH, Grammar
from gbnfc.ir.simplify import simplify

SECONDS = 10
"""Far more than any of these takes; a quadratic reader takes minutes."""

MEGABYTE = 2**20

HOSTILE: tuple[tuple[str, str], ...] = (
    ("open parentheses", "root ::= " + "(" * 100_000),
    ("closed parentheses", "root ::= " + "(" * 100_000 + '"a"' + ")" * 100_000),
    ("only closing", "root ::= " + ")" * 100_000),
    ("stars", 'root ::= "a"' + "*" * 100_000),
    ("quotes", 'root ::= "' * 100_000),
    ("brackets", "root ::= " + "[" * 1_000_000),
    ("backslashes", 'root ::= "' + "\\" * 1_000_000),
    ("bars", "root ::= " + "|" * 100_000),
    ("line breaks", "\n" * 1_000_000),
    ("carriage returns", "\r" * 1_000_000),
    ("comments", "# x\n" * 200_000),
    ("hash signs", "#" * 5_000_000),
    ("comments in CR lines", 'a ::= "x" # c\r' * 20_000),
    ("long literal", 'root ::= "' + "a" * 10 * MEGABYTE + '"'),
    ("long open literal", 'root ::= "' + "a" * 10 * MEGABYTE),
    ("long class", "root ::= [" + "a-z" * 200_000 + "]"),
    ("long name", "a" * MEGABYTE + " ::= " + "b" * MEGABYTE),
    ("long number", "root ::= x{" + "9" * MEGABYTE + "}"),
    ("zeros", "root ::= x{" + "0" * MEGABYTE + "1}"),
    ("huge bounds", "root ::= x{999999999,9999999999999999999}"),
    ("escapes", 'root ::= "' + r"\x41" * 300_000 + '"'),
    ("NUL", 'root ::= "a"\0'),
    ("NULs", "\0" * 100_000),
    ("surrogate", 'root ::= "\ud800"'),
    ("surrogates", "\ud800" * 100_000),
    ("tokens", "root ::= " + "<a> " * 50_000),
    ("open tokens", "root ::= " + "<" * 100_000),
    ("errors", "a b\n" * 100_000),
    ("alternatives", "root ::= " + " | ".join(f'"{n}"' for n in range(50_000))),
    ("chain", "root ::= r0\n" + "\n".join(f"r{n} ::= r{n + 1}" for n in range(10_000))),
    ("ladder", "root ::= r0\n" + "\n".join(f"r{n} ::= r{n + 1} | r{n + 1}" for n in range(5_000))),
    (
        "circle",
        "root ::= r0\nr9999 ::= r0\n" + "\n".join(f"r{n} ::= r{n + 1}" for n in range(9999)),
    ),
)


@pytest.mark.parametrize("text", [text for _, text in HOSTILE], ids=[name for name, _ in HOSTILE])
def test_hostile_texts(text: str) -> None:
    start = time.process_time()
    message = ""
    try:
        use(parse_gbnf(text))
    except GbnfcError as error:
        message = str(error)
    assert len(message) < 20_000
    assert time.process_time() - start < SECONDS


def use(grammar: Grammar) -> None:
    write_gbnf(grammar)
    engine_refusal(grammar)
    for question in (nullable, productive, reachable, left_recursive_cycles, first_characters):
        question(grammar)
    simplify(grammar)


def test_ten_thousand_rules_take_less_than_a_second() -> None:
    text = "\n".join(
        f'rule-{n} ::= "literal" [a-z]+ (rule-{n + 1} | "x"{{2,3}})? # note' for n in range(10_000)
    )
    start = time.process_time()
    assert len(parse_gbnf(text).rules) == 10_000
    assert time.process_time() - start < 2  # half a second on a quiet machine


NESTED = (
    ("(", '"a" "b"', ")", 1),
    ("(", '"a" "b"', ' "c")', 2),
    ("(", '"a"', ")*", 2),
    ("(", '"a"', ' "b" | "c")*', 4),
)


@pytest.mark.parametrize(("opening", "core", "closing", "levels"), NESTED)
def test_the_deepest_that_parses_also_compares_hashes_and_is_written(
    opening: str, core: str, closing: str, levels: int
) -> None:
    for depth in (MAX_DEPTH // levels - 2, MAX_DEPTH // levels):
        text = f"root ::= {opening * depth}{core}{closing * depth}"
        try:
            grammar = parse_gbnf(text)
        except GbnfcError:
            continue
        assert parse_gbnf(write_gbnf(grammar)) == grammar
        assert hash(grammar) == hash(parse_gbnf(text))
        assert repr(grammar)
        simplify(grammar)
    with pytest.raises(GbnfcError, match="nested deeper"):
        parse_gbnf(f"root ::= {opening * 201}{core}{closing * 201}")


@settings(max_examples=300, deadline=None)
@given(st.text() | st.text('()[]{}<>"|*+?.\\ab0 \n#:=-^!,x').map("root ::= ".__add__))
def test_any_text_gives_a_grammar_or_an_error(text: str) -> None:
    try:
        grammar = parse_gbnf(text)
    except GbnfcError:
        return
    assert parse_gbnf(format_gbnf(text)) == grammar
