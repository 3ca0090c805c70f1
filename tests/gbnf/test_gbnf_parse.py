"""What the parser reads, as IR; what it refuses, where, and with which hint."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from loading import loads_here

from gbnfc.errors import GbnfSyntaxError
from gbnfc.gbnf.mistakes import MISTAKES, Mistake
from gbnfc.gbnf.parse import MAX_ERRORS, parse_concrete, parse_gbnf
from gbnfc.ir.nodes import (
    AnyChar,
    CharClass,
    Choice,
    Expression,
    Literal,
    Repeat,
    RuleRef,
    Sequence,
    TokenTerminal,
)
from gbnfc.source import Position

if TYPE_CHECKING:
    from judge import EngineJudge

A, B, C = Literal("a"), Literal("b"), Literal("c")
X = RuleRef("x")

BODIES: tuple[tuple[str, Expression], ...] = (
    ('"a"', A),
    ("", Sequence()),
    ('""', Sequence()),
    ("()", Sequence()),
    ('("")', Sequence()),
    ('"a" "b"', Sequence((A, B))),
    ('"a""b"', Sequence((A, B))),
    ("x-1 2", Sequence((RuleRef("x-1"), RuleRef("2")))),
    ("-", RuleRef("-")),
    ('"a" | "b" | "c"', Choice((A, B, C))),
    ('"a"|', Choice((A, Sequence()))),
    ('| "a"', Choice((Sequence(), A))),
    ('"a" |\n"b"', Choice((A, B))),
    ('"a" | # why\n # more\n "b"', Choice((A, B))),
    ('\n\n"a"', A),
    ('"a" "b" | "c"', Choice((Sequence((A, B)), C))),
    ('("a" | "b") "c"', Sequence((Choice((A, B)), C))),
    ('("a" | "b")', Choice((A, B))),
    ('((("a")))', A),
    ('(\n"a"\n|\r\n"b" # c\n)', Choice((A, B))),
    ('"a" ("b" "c")', Sequence((A, Sequence((B, C))))),
    ('"a" "" "b"', Sequence((A, Sequence(), B))),
    ("x?", Repeat(X, 0, 1)),
    ("x*", Repeat(X, 0, None)),
    ("x +", Repeat(X, 1, None)),
    ("x{3}", Repeat(X, 3, 3)),
    ("x{3,}", Repeat(X, 3, None)),
    ("x { 3 , 4 }", Repeat(X, 3, 4)),
    ("(x{\n3\n,4 # c\n})", Repeat(X, 3, 4)),
    ("x{007}", Repeat(X, 7, 7)),
    ("x{0}", Repeat(X, 0, 0)),
    ("x{3,2}", Repeat(X, 3, 2)),
    ("x{999999999}", Repeat(X, 999999999, 999999999)),
    ("x*+", Repeat(Repeat(X, 0, None), 1, None)),
    ("()*", Repeat(Sequence(), 0, None)),
    ('"ab"+', Repeat(Literal("ab"), 1, None)),
    ("[a-z]", CharClass(((97, 122),))),
    ("[^a-z_]", CharClass(((97, 122), (95, 95)), negated=True)),
    ("[a-]", CharClass(((97, 97), (45, 45)))),
    ("[-a]", CharClass(((45, 45), (97, 97)))),
    ("[+--]", CharClass(((43, 45),))),
    ("[--a]", CharClass(((45, 97),))),
    ("[a-b-c]", CharClass(((97, 98), (45, 45), (99, 99)))),
    (r"[a-\]]", CharClass(((97, 93),))),
    (r"[\]\[\-\\]", CharClass(((93, 93), (91, 91), (45, 45), (92, 92)))),
    ('["]', CharClass(((34, 34),))),
    ("[#]", CharClass(((35, 35),))),
    ("[z-a]", CharClass(((122, 97),))),
    ("[]", CharClass(())),
    ("[^]", CharClass((), negated=True)),
    ("[^^]", CharClass(((94, 94),), negated=True)),
    ("[é-😀]", CharClass(((0xE9, 0x1F600),))),
    ("[\n]", CharClass(((10, 10),))),
    (r'"\x41\u00e9\U0001F600\t\r\n\\\"\[\]\-"', Literal('Aé😀\t\r\n\\"[]-')),
    (r'"\x00"', Literal("\0")),
    (r'"\uD83D"', Literal("\ud83d")),
    ('"a\nb"', Literal("a\nb")),
    ('"# no comment"', Literal("# no comment")),
    (".", AnyChar()),
    ('"a".."b"', Sequence((A, AnyChar(), AnyChar(), B))),
    ("<[1000]>", TokenTerminal(1000)),
    ("!<[1000]>", TokenTerminal(1000, negated=True)),
    ("<think>", TokenTerminal("think")),
    ("!</think>", TokenTerminal("/think", negated=True)),
    ("<>", TokenTerminal("")),
)


@pytest.mark.parametrize(("written", "body"), BODIES)
def test_body(written: str, body: Expression) -> None:
    grammar = parse_gbnf(f'first ::= "x"\nroot ::= {written}')
    assert [rule.name for rule in grammar.rules] == ["first", "root"]
    assert grammar.rules[1].body == body


LAYOUTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("", ()),
    ("# only a comment", ()),
    ("\n\n", ()),
    ('a::="x"', ("a",)),
    ('a ::= "x"\nb ::= "y"\n', ("a", "b")),
    ('a ::= "x"\r\nb ::= "y"\r\n', ("a", "b")),
    ('a ::= "x"\rb ::= "y"', ("a", "b")),
    ('  a ::= "x"\n\t b\t::="y"  # c', ("a", "b")),
    ('a ::= "x"\na ::= "y"', ("a", "a")),
    ('# c\n\n# d\na ::= # e\n"x" # f\n# g', ("a",)),
)


@pytest.mark.parametrize(("text", "names"), LAYOUTS)
def test_rules(text: str, names: tuple[str, ...]) -> None:
    assert tuple(rule.name for rule in parse_gbnf(text).rules) == names


EXAMPLES = [(mistake, text) for mistake in MISTAKES for text in mistake.examples]


@pytest.mark.parametrize(
    ("mistake", "text"),
    EXAMPLES,
    ids=[f"{mistake.name}-{i}" for i, (mistake, _) in enumerate(EXAMPLES)],
)
def test_usual_mistakes_get_their_hint(mistake: Mistake, text: str) -> None:
    with pytest.raises(GbnfSyntaxError) as caught:
        parse_gbnf(text)
    assert caught.value.hint == mistake.hint
    if mistake.message is not None:
        assert caught.value.message == mistake.message


POSITIONS: tuple[tuple[str, Position], ...] = (
    ('root = "a"', Position(1, 6)),
    ('root ::= "a"\n  | "b"', Position(2, 3)),
    ('root ::= ("a"\n  | "b"', Position(1, 10)),
    ('root ::= ("a" (\n"b" "c")\nws ::= " "', Position(1, 10)),
    ('root ::= ("a" (\n"b" ("c")\n\n# next\n\tw_s ::= (" ")', Position(1, 15)),
    ('root ::= (\n"a\nws ::= "b")', Position(2, 1)),
    ('root ::= (\n"a" ::= "b")', Position(2, 5)),
    ('root ::= "ab\\qc"', Position(1, 13)),
    ("root ::= [ab\\q]", Position(1, 13)),
    ('root ::= "a"{2 3}', Position(1, 16)),
    ('root ::= "a"{2,x}', Position(1, 16)),
    ('root ::= "a\nitem ::= "b"', Position(1, 10)),
    ('root ::= "é" a_b', Position(1, 15)),
    ('ok ::= "a"\r\nroot ::= %', Position(2, 10)),
)


@pytest.mark.parametrize(("text", "position"), POSITIONS)
def test_errors_point_at_the_place(text: str, position: Position) -> None:
    with pytest.raises(GbnfSyntaxError) as caught:
        parse_gbnf(text)
    error = caught.value
    assert error.source is not None
    assert error.span is not None
    assert error.source.position(error.span.start) == position


def test_all_errors_of_a_text_are_found() -> None:
    text = 'root ::= "a" %\nok ::= "b"\nitem = "c"\nmy_rule ::= "d"\nlast ::= ("e"\n'
    with pytest.raises(GbnfSyntaxError) as caught:
        parse_gbnf(text, "g.gbnf")
    errors = (caught.value, *caught.value.others)
    lines = [error.source.position(error.span.start).line for error in errors]
    assert lines == [1, 3, 4, 5]
    assert "g.gbnf:1:14: expected a literal, a class, a rule name" in str(caught.value)
    assert "g.gbnf:3:6: expected `::=`, found `=`" in str(caught.value)


def test_the_number_of_errors_is_bounded() -> None:
    with pytest.raises(GbnfSyntaxError) as caught:
        parse_gbnf("root ::= %\n" * 1000)
    assert len(caught.value.others) == MAX_ERRORS - 1


def test_expected_is_named() -> None:
    with pytest.raises(GbnfSyntaxError) as caught:
        parse_gbnf('root ::= "a"{2')
    assert caught.value.expected == ("`,`", "`}`")
    assert "expected `,` or `}`, found the end of the text" in str(caught.value)


def test_spans_are_offsets_into_the_text() -> None:
    text = '# c\nroot ::= "a" (x | [b]+)* # d\nx ::= "y"'
    root = parse_gbnf(text).rules[0]
    assert text[slice(*root.name_span)] == "root"
    assert text[slice(*root.span)] == 'root ::= "a" (x | [b]+)*'
    literal, repeat = root.body.items
    assert text[slice(*literal.span)] == '"a"'
    assert text[slice(*repeat.span)] == "(x | [b]+)*"
    assert text[slice(*repeat.body.span)] == "(x | [b]+)"
    assert text[slice(*repeat.body.alternatives[1].span)] == "[b]+"


def test_comments_belong_to_their_rule() -> None:
    text = '# above\nroot ::= ( # in\n "a" # in 2\n) # behind\n\n# next\nx ::= "y" #end\n# last'
    grammar = parse_gbnf(text)
    found = [[(c.text, c.trailing) for c in rule.comments] for rule in grammar.rules]
    assert found == [
        [(" above", False), (" in", True), (" in 2", True), (" behind", True)],
        [(" next", False), ("end", True)],
    ]
    assert [(c.text, c.trailing) for c in grammar.comments] == [(" last", False)]


def test_spelling_keeps_groups() -> None:
    assert parse_concrete('root ::= (("a"))').rules[0].body == Sequence(
        (Sequence((Sequence((A,)),)),)
    )
    assert parse_concrete('root ::= ("a" | "b")').rules[0].body == Sequence((Choice((A, B)),))
    assert parse_concrete('root ::= "a" "b"').rules[0].body == Sequence((A, B))


# Texts on which readers of GBNF tend to differ: does llama.cpp load them?
LOADING: tuple[tuple[str, bool], ...] = (
    ("", False),
    ("# nothing", False),
    ('root ::= "a"', True),
    ("root ::=", True),
    ("root ::= []", True),
    ("root ::= [^] x{0}", True),
    ('root ::= x{0} y\ny ::= "a"', False),
    ('root ::= x\nroot ::= "a"', True),
    ('item ::= "a"', False),
    ("root ::= item", False),
    ('root ::= root "a" | "b"', False),
    ('root ::= a\na ::= b "x" | "y"\nb ::= a', False),
    ('root ::= ("a" | "") root | "b"', False),
    ('root ::= ("a"?) root | "b"', True),
    ('root ::= ("a" | "")*', False),
    ('root ::= ("a"*)*', True),
    ('root ::= x root | "b"\nx ::= | "a"', False),
    ('root ::= x root | "b"\nx ::= "a"?', True),
    ('root ::= "a"{2000}', True),
    ('root ::= "a"{2001}', False),
    ('root ::= "a"{0,2001}', True),
    ('root ::= "a"{2000,9999}', True),
    ('root ::= "a"{999999999}', False),
    ('root ::= "a"{18446744073709551616}', False),
    ('root ::= "a"{0,18446744073709551615}', True),
    ('root ::= "a"{44}{45}', True),
    ('root ::= "a"{45}{45}', False),
    ('root ::= ("a"{45}){45}', True),
    ('root ::= ("a"{0,45}){45}', False),
    ('root ::= (("a")){1000}', True),
    ('root ::= (("a")){1001}', False),
    ('root ::= ("a" x y){666}\nx ::= "x"\ny ::= "y"', True),
    ('root ::= ("a" x y){667}\nx ::= "x"\ny ::= "y"', False),
    ('x ::= "x"\ny ::= "y"\nroot ::= ("a" x y){667}', True),
    ('root ::= "a"{0}*', False),
    ('root ::= ("a"{0})*', False),
    ('root ::= ""*', False),
    ("root ::= ()*", False),
    ("root ::= (())*", True),
    ("root ::= <[7]> !<[4294967295]>", True),
    ("root ::= <[4294967296]>", False),
    ("root ::= <[7>", False),
    ('root ::= "a"\v', False),
    ('root ::= "a"\f', False),
    ('root ::= "\\U0010FFFF"', True),
    ('root ::= "a" # c', True),
    ('root # c\n::= "a"', False),
    ('root\n::= "a"', False),
    ('root ::= "a"\r\n\r\n', True),
    ('root ::= "a" "b"\n\n  ', True),
    ('root ::= a\na ::= "x" | a2\na2 ::= "y"', True),
)


@pytest.mark.parametrize(("text", "loads"), LOADING)
def test_loading(text: str, loads: bool) -> None:
    here, why = loads_here(text)
    assert here is loads, why


@pytest.mark.parametrize(("text", "loads"), LOADING)
def test_loading_is_what_llama_cpp_does(text: str, loads: bool, judge: EngineJudge) -> None:
    assert judge.loads(text) is loads


# Where we are stricter than llama.cpp, and why.
STRICTER = (
    ('root ::= "\\U00110000"', "no text can hold a code point above U+10FFFF"),
    ("root ::= [a-\\UFFFFFFFF]", "no text can hold a code point above U+10FFFF"),
    ('root ::= "a"\0 what follows is not read', "a NUL ends the text there"),
    (
        f'root ::= {"(" * 300}"a"{")" * 300}',
        "there, deep nesting exhausts the stack sooner or later",
    ),
)


@pytest.mark.parametrize(("text", "why"), STRICTER)
def test_stricter_than_llama_cpp(text: str, why: str, judge: EngineJudge) -> None:
    assert judge.loads(text)
    with pytest.raises(GbnfSyntaxError):
        parse_gbnf(text)
