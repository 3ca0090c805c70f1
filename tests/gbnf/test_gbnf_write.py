"""Writing and formatting: what is written reads back the same, comments stay, twice is as once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from grammar_strategies import ODD_CHARS, WILD_BOUNDS, grammars
from hypothesis import given, settings
from hypothesis import strategies as st
from mutated_grammars import neighbours

from gbnfc.charset import CharSet
from gbnfc.errors import GbnfcError, LimitExceeded
from gbnfc.gbnf.escapes import decode_class, decode_literal, encode_class, encode_literal
from gbnfc.gbnf.format import format_gbnf
from gbnfc.gbnf.layout import WIDTH
from gbnfc.gbnf.parse import parse_gbnf
from gbnfc.gbnf.write import write_gbnf
from gbnfc.ir.build import NOTHING, chars
from gbnfc.ir.nodes import (
    MAX_DEPTH,
    CharClass,
    Choice,
    Comment,
    Expression,
    Grammar,
    Literal,
    Repeat,
    Rule,
    RuleRef,
    Sequence,
    TokenTerminal,
)

if TYPE_CHECKING:
    from judge import EngineJudge


def one_rule(body: Expression) -> Grammar:
    return Grammar((Rule("root", body),))


@settings(max_examples=300, deadline=None)
@given(grammars(ODD_CHARS, WILD_BOUNDS, tokens=True))
def test_what_is_written_reads_back(grammar: Grammar) -> None:
    text = write_gbnf(grammar)
    assert parse_gbnf(text) == grammar
    assert write_gbnf(parse_gbnf(text)) == text


@given(st.text())
def test_literals_survive(text: str) -> None:
    written = encode_literal(text)
    assert decode_literal(written) == text
    assert written.isprintable() or not set(written) & set(map(chr, range(0x20)))


@given(st.lists(st.tuples(*[st.integers(0, 0x10FFFF)] * 2)), st.booleans())
def test_classes_survive(ranges: list[tuple[int, int]], negated: bool) -> None:
    written = encode_class(tuple(ranges), negated=negated)
    assert decode_class(written[2 if negated else 1 : -1]) == tuple(ranges)


# Spellings that are the only, or the shortest, right ones.
SPELLINGS: tuple[tuple[Expression, str], ...] = (
    (Sequence(), '""'),
    (Literal(""), '""'),
    (Choice((Literal("a"), Sequence())), '"a" | ""'),
    (Choice(()), r"[^\x00-\U0010FFFF]"),
    (NOTHING, r"[^\x00-\U0010FFFF]"),
    (chars(CharSet()), r"[^\x00-\U0010FFFF]"),
    (Repeat(Sequence(), 0, 1), "()?"),
    (Repeat(Literal(""), 0, 1), '("")?'),
    (Repeat(CharClass(()), 0, 1), "([])?"),
    (Repeat(Repeat(RuleRef("x"), 0, None), 0, 1), "(x*)?"),
    (Repeat(Choice((RuleRef("x"), RuleRef("y"))), 2, 2), "(x | y){2}"),
    (Repeat(Literal("ab"), 1, 1), '"ab"{1}'),
    (Repeat(Literal("ab"), 0, 7), '"ab"{0,7}'),
    (Repeat(Literal("ab"), 7, None), '"ab"{7,}'),
    (Sequence((Choice((RuleRef("x"), RuleRef("y"))), RuleRef("z"))), "(x | y) z"),
    (Choice((Sequence((RuleRef("x"), RuleRef("y"))), RuleRef("z"))), "x y | z"),
    (Literal('"\\[]-\n\r\t\x00\x7f'), r'"\"\\[]-\n\r\t\x00\x7F"'),
    (Literal("é\u2028\U0010ffff\ud800"), r'"é\u2028\U0010FFFF\uD800"'),
    (CharClass(((45, 45), (97, 122), (93, 93), (45, 45))), r"[-a-z\]-]"),
    (CharClass(((97, 97), (45, 45), (98, 98))), r"[a\-b]"),
    (CharClass(((94, 94),)), r"[\x5E]"),
    (CharClass(((94, 94),), negated=True), "[^^]"),
    (CharClass(((97, 97), (94, 94))), "[a^]"),
    (TokenTerminal("think", negated=True), "!<think>"),
    (TokenTerminal(7), "<[7]>"),
)


@pytest.mark.parametrize(("body", "written"), SPELLINGS)
def test_spelling(body: Expression, written: str, judge: EngineJudge) -> None:
    assert write_gbnf(one_rule(body)) == f"root ::= {written}\n"
    rest = '\nx ::= "x"\ny ::= "y"\nz ::= "z"'
    if not isinstance(body, TokenTerminal):
        assert judge.loads(f"root ::= {written}{rest}")


UNWRITABLE: tuple[tuple[Grammar, type[GbnfcError]], ...] = (
    (one_rule(RuleRef("a_b")), GbnfcError),
    (Grammar((Rule("", Literal("a")),)), GbnfcError),
    (one_rule(TokenTerminal("a>b")), GbnfcError),
    (one_rule(TokenTerminal("[x")), GbnfcError),
)


@pytest.mark.parametrize(("grammar", "error"), UNWRITABLE)
def test_what_gbnf_cannot_say_is_an_error(grammar: Grammar, error: type[GbnfcError]) -> None:
    with pytest.raises(error):
        write_gbnf(grammar)


def test_deep_expressions_are_refused_and_those_at_the_limit_are_not() -> None:
    body: Expression = Literal("a")
    for level in range(1, MAX_DEPTH):
        body = Sequence((body, Literal("b"))) if level % 2 else Choice((body, Literal("c")))
    assert parse_gbnf(write_gbnf(one_rule(body))) == one_rule(body)
    for _ in range(2 * MAX_DEPTH):
        body = Sequence((body, Literal("b")))
    with pytest.raises(LimitExceeded):
        write_gbnf(one_rule(body))


# Layout: before, after. (Golden on purpose: this is what people read.)
LAYOUTS: tuple[tuple[str, str], ...] = (
    ('root::=("a")|[b]\n', 'root ::= "a" | [b]\n'),
    ('root ::= "a"\r\n\r\n\r\n# c\r\nx ::= "b"', 'root ::= "a"\n\n# c\nx ::= "b"\n'),
    ('# c\n\n\n\n# d\nroot ::= "a" # e', '# c\n\n# d\nroot ::= "a" # e\n'),
    (
        'root ::= "a" | # one\n"b" | # two\n# three\n"c" # four\n',
        'root ::=\n  "a" | # one\n  "b" | # two\n  # three\n  "c" # four\n',
    ),
    (
        'root ::= ("a" # one\n"b" # two\n)',
        'root ::= (\n  "a" # one\n  "b" # two\n)\n',
    ),
    (
        'root ::= "x" ("a" # one\n| "b")* "y"',
        'root ::= "x" (\n  "a" # one\n  | "b"\n)* "y"\n',
    ),
    (
        'root ::= ("a" # one\n| # two\n"b")',
        'root ::= (\n  "a" # one\n  | # two\n  "b"\n)\n',
    ),
    (
        'root ::= ("a" # one\n* "b" {2 # two\n, 3} "c")',
        'root ::= (\n  "a" # one\n  * "b"{2,3} # two\n  "c"\n)\n',
    ),
    (
        'root ::= ( # one\n) "ab" (( # two\n"c" # three\n) # four\n)',
        'root ::= # one\n  (\n    "" "ab" # two\n    "c" # three\n    # four\n  )\n',
    ),
    (
        f'root ::= "{"a" * 60}" | "{"b" * 60}"',
        f'root ::=\n  "{"a" * 60}" |\n  "{"b" * 60}"\n',
    ),
    (
        f'root ::= "{"a" * 60}" ("{"b" * 60}" | "c")? "d"',
        f'root ::= "{"a" * 60}" (\n  "{"b" * 60}" |\n  "c"\n)? "d"\n',
    ),
)


# llama.cpp refuses these without their parentheses, and needs no others.
NEEDED_PARENTHESES = (
    'root ::= (("a" | ""))* ("b")',
    'root ::= (("" | "\\ra"{2}))+',
    "root ::= x{0,44}{45}",
    'root ::= a ("b")\na ::= (("x" | () | b))+\nb ::= ("y")?',
)


@pytest.mark.parametrize("text", NEEDED_PARENTHESES)
def test_what_llama_cpp_loads_it_loads_when_formatted(text: str, judge: EngineJudge) -> None:
    if "x{" in text:
        text += '\nx ::= "x"'
    formatted = format_gbnf(text)
    assert judge.loads(text)
    assert judge.loads(formatted)
    assert not judge.loads(write_gbnf(parse_gbnf(text)))
    assert format_gbnf(formatted) == formatted


COMMENTED = (
    "a ::= ((){0 # one\n})?",
    "a ::= ( # one\n)? .",
    'a ::= ("x"{ # one\n2, # two\n3 # three\n} # four\n"y")* "z"',
    'a ::= (( # one\n"x" # two\n) | # three\n( # four\n"y" # five\n)* # six\n)',
    'a ::= ((("x" # one\n) # two\n | ) # three\n | "y") ("z")',
    'a ::= # one\n("x") ( # two\n"y" | # three\n) # four\n\n# five\nb ::= "z" # six\n# seven',
)


@pytest.mark.parametrize("text", COMMENTED)
def test_comments_keep_their_neighbours(text: str) -> None:
    formatted = format_gbnf(text)
    assert neighbours(formatted) == neighbours(text)
    assert format_gbnf(formatted) == formatted


@pytest.mark.parametrize(("before", "after"), LAYOUTS)
def test_layout(before: str, after: str) -> None:
    assert format_gbnf(before) == after
    assert format_gbnf(after) == after


@st.composite
def commented_texts(draw: st.DrawFn) -> str:
    """Texts with comments and blanks wherever they may stand."""
    text = write_gbnf(draw(COMMENTED))
    gaps = draw(st.lists(st.sampled_from(GAPS), min_size=1, max_size=12))
    tokens = re.findall(r'"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|\s+|[^\s"\[]', text)
    return "".join(
        token + (gaps[i % len(gaps)] if token in ("(", "|") or i % 5 == 0 else "")
        for i, token in enumerate(tokens)
    )


COMMENTED = grammars("ab", WILD_BOUNDS)
GAPS = ("", "", " # one\n", "\n", "\n# two\n\n# three\n", " #four\n  ")


@settings(max_examples=300, deadline=None)
@given(commented_texts())
def test_formatting_keeps_the_grammar_and_its_comments(text: str) -> None:
    try:
        grammar = parse_gbnf(text)
    except GbnfcError:
        return
    formatted = format_gbnf(text)
    assert parse_gbnf(formatted) == grammar
    assert format_gbnf(formatted) == formatted
    comments = re.findall("#.*", text)
    assert re.findall("#.*", formatted) == [comment.rstrip() for comment in comments]


@settings(max_examples=60, deadline=None)
@given(grammars(ODD_CHARS, tokens=True))
def test_lines_are_short_where_they_can_be_broken(grammar: Grammar) -> None:
    wide = Choice(tuple(Literal(f"{number:020}") for number in range(9)))
    rules = tuple(Rule(rule.name, Choice((wide, rule.body))) for rule in grammar.rules)
    text = write_gbnf(Grammar(rules))
    assert parse_gbnf(text) == Grammar(rules)
    assert all(len(line) <= WIDTH for line in text.split("\n") if "|" in line)


def test_built_comments_stand_above_their_rule() -> None:
    rules = (
        Rule("root", RuleRef("x"), (Comment(" /a\0\n/b \ud800"), Comment(" end", trailing=True))),
        Rule("x", Literal("x"), (Comment(" /c"),)),
    )
    text = write_gbnf(Grammar(rules, (Comment(" last"),)))
    assert text == ('# /a\\x00\n#/b \\ud800\nroot ::= x # end\n\n# /c\nx ::= "x"\n# last\n')
    assert parse_gbnf(text) == Grammar(rules)
