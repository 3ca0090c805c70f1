"""What the analyses say of small grammars, as tables; and what llama.cpp refuses, by reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from grammar_strategies import acyclic_grammars
from hypothesis import HealthCheck, given, settings

from gbnfc.errors import LimitExceeded
from gbnfc.gbnf.parse import parse_gbnf
from gbnfc.gbnf.write import write_gbnf
from gbnfc.ir.analysis import (
    RefusalKind,
    engine_refusal,
    first_characters,
    first_of,
    left_recursive_cycles,
    nullable,
    productive,
    reachable,
    references,
    undefined,
    widened_repeats,
)
from gbnfc.ir.nodes import Choice, Expression, Grammar, Literal, Rule

if TYPE_CHECKING:
    from judge import EngineJudge

    from gbnfc.charset import CharSet


def shown(chars: CharSet) -> str:
    return "".join(chr(code) for code in chars) if len(chars) < 50 else f"{len(chars)} characters"


def test_references_are_named_once_in_source_order() -> None:
    body = parse_gbnf("root ::= b (a | b)* c{0}").rules[0].body
    assert references(body) == ("b", "a", "c")


REACHABLE = (
    ('root ::= a\na ::= b | c\nb ::= a\nc ::= "x"\nd ::= a', ("root", "a", "b", "c")),
    ("root ::= x", ("root",)),
    ('a ::= "x"', ()),
    ('root ::= a\nroot ::= b\na ::= "x"\nb ::= "y"', ("root", "b")),
)


@pytest.mark.parametrize(("text", "names"), REACHABLE)
def test_reachable(text: str, names: tuple[str, ...]) -> None:
    assert reachable(parse_gbnf(text)) == names


def test_undefined() -> None:
    assert undefined(parse_gbnf("root ::= a b\nb ::= c a\n")) == ("a", "c")


# Bodies of `x` that match the empty text, and that do not. `e` does, `n` does not; no `u` exists.
NULLABLE = (
    '""',
    "",
    "[]",
    "[^]",
    "e",
    '"a"?',
    '"a"*',
    '"a"{0}',
    "e e",
    "n | e",
    "e+",
    "e{3}",
    "n{0,2}",
)
NOT_NULLABLE = (
    '"a"',
    "n",
    "[a]",
    ".",
    "u",
    "e n",
    '"a"+',
    "<[1]>",
    "!<[1]>",
    "x",
    "e{3,2}",
    "n{2}",
)


@pytest.mark.parametrize(
    ("body", "expected"), [*((b, True) for b in NULLABLE), *((b, False) for b in NOT_NULLABLE)]
)
def test_nullable(body: str, expected: bool) -> None:
    grammar = parse_gbnf(f'e ::= n | f\nf ::= ""\nn ::= "a" e\nx ::= {body}')
    assert ("x" in nullable(grammar)) is expected


PRODUCTIVE = ('"a"', '""', "[a]", "[]", ".", "<[1]>", "x | n", "x*", "x{0}", "n", '"a" | x "b"')
UNPRODUCTIVE = ("x", '"a" x', "x | x", "x+", "u", r"[^\x00-\U0010FFFF]", "[z-a]", "n{3,2}", "y")


@pytest.mark.parametrize(
    ("body", "expected"),
    [*((b, True) for b in PRODUCTIVE), *((b, False) for b in UNPRODUCTIVE)],
)
def test_productive(body: str, expected: bool) -> None:
    grammar = parse_gbnf(f'x ::= {body}\nn ::= "a"\ny ::= z "b"\nz ::= y | z')
    assert ("x" in productive(grammar)) is expected


CYCLES = (
    ('root ::= "a" root | "b"', ()),
    ('root ::= root "a" | "b"', (("root",),)),
    ('root ::= ("x"? root)* "b"', (("root",),)),
    (
        'root ::= sum\nsum ::= num | diff\ndiff ::= sum "-" num\nnum ::= [0-9]',
        (("sum", "diff"),),
    ),
    ('root ::= pre root "x" | "y"\npre ::= " "?', (("root",),)),
    ('root ::= pre root "x" | "y"\npre ::= " "', ()),
    ("root ::= a\na ::= b\nb ::= c\nc ::= a | b", (("a", "b", "c"),)),
    ("root ::= a\na ::= a | b\nb ::= a", (("a",), ("b", "a"))),
    ("root ::= a{0}\na ::= a", (("a",),)),
    ("root ::= root{0}", ()),
    ("root ::= x root", (("root",),)),
)


@pytest.mark.parametrize(("text", "cycles"), CYCLES)
def test_left_recursive_cycles(text: str, cycles: tuple[tuple[str, ...], ...]) -> None:
    defined = text if "x root" not in text else f'{text}\nx ::= "a"*'
    assert left_recursive_cycles(parse_gbnf(defined)) == cycles


FIRST = (
    ('"abc"', "a"),
    ("[b-d]", "bcd"),
    ('"a"? "b"', "ab"),
    ('"a"* e "c" "d"', "ac"),
    ('"a" | n', "an"),
    ('x "q" | "z"', "z"),
    ("[^b]", "1114111 characters"),
    ('[] "a"', "a"),
    ('"a"{0} "b"', "b"),
    ('<[3]> "a"', ""),
    ("u", ""),
)


@pytest.mark.parametrize(("body", "expected"), FIRST)
def test_first_characters(body: str, expected: str) -> None:
    grammar = parse_gbnf(f'root ::= x\nx ::= {body}\nn ::= e "n"\ne ::= ""')
    firsts = first_characters(grammar)
    assert shown(firsts["x"]) == expected
    assert firsts["root"] == firsts["x"]
    assert first_of(grammar.rules[1].body, firsts, nullable(grammar)) == firsts["x"]


REFUSALS = (
    ("", RefusalKind.NO_RULES, "no rules"),
    ('a ::= "x"', RefusalKind.NO_ROOT, "no rule named root"),
    ('a ::= root\na ::= "x"', RefusalKind.CRASH, "no rule named root"),
    ("root ::= a b", RefusalKind.UNDEFINED, "the rule a is not defined"),
    ('root ::= "a"{2001}', RefusalKind.REPETITION, "{2001,2001} in rule root"),
    ('root ::= ("a" | "b"{0,50}){50}', RefusalKind.REPETITION, "makes 2550 rules"),
    ('root ::= "a"{3,2}', RefusalKind.ENDLESS, "{3,2} in rule root are reversed"),
    ('root ::= a\na ::= b "x"\nb ::= a | "y"', RefusalKind.LEFT_RECURSION, "a -> b -> a"),
    ('root ::= ("a" | "")*', RefusalKind.LEFT_RECURSION, "repetition in rule root"),
    ('root ::= p root "x" | "y"\np ::= " "?', RefusalKind.ENDLESS, "root -> root"),
    (
        "root ::= r0\n"
        + "\n".join(f"r{n} ::= r{n + 1} | r{n + 1}" for n in range(40))
        + '\nr40 ::= "a"',
        RefusalKind.ENDLESS,
        "exponentially many steps",
    ),
)


@pytest.mark.parametrize(("text", "kind", "words"), REFUSALS)
def test_refusals_say_why(text: str, kind: RefusalKind, words: str) -> None:
    refusal = engine_refusal(parse_gbnf(text))
    assert refusal is not None
    assert refusal.kind is kind
    assert words in str(refusal)


def test_harmless_left_recursion_loads(judge: EngineJudge) -> None:
    # The cycle adds nothing to the stack: llama.cpp overlooks it and gets out of it.
    text = 'root ::= n root | "x"\nn ::= "y"?'
    assert left_recursive_cycles(parse_gbnf(text)) == (("root",),)
    assert engine_refusal(parse_gbnf(text)) is None
    assert judge.loads(text)


WIDENED = (('"a"{0,2000}', 0), ('"a"{0,2001}', 1), ('"a"{2001}', 0), ('("a"{5,9999}){0,3000}', 2))


@pytest.mark.parametrize(("body", "count"), WIDENED)
def test_widened_repeats(body: str, count: int, judge: EngineJudge) -> None:
    assert len(widened_repeats(parse_gbnf(f"root ::= {body}"))) == count


def test_a_widened_bound_is_no_bound_there(judge: EngineJudge) -> None:
    with judge.loaded('root ::= "a"{0,2001}') as sampler:
        assert judge.accepts(sampler, "a" * 2100)
    with judge.loaded('root ::= "a"{0,2000}') as sampler:
        assert not judge.accepts(sampler, "a" * 2100)


def test_expressions_too_high_to_be_written_are_refused_by_name() -> None:
    body: Expression = Literal("a")
    for _ in range(5_000):
        body = Choice((Literal("b"), body))
    grammar = Grammar((Rule("root", body),))
    assert productive(grammar) == {"root"}
    with pytest.raises(LimitExceeded):
        engine_refusal(grammar)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(grammar=acyclic_grammars())
def test_grammars_without_recursion_load_and_start_as_predicted(
    grammar: Grammar, judge: EngineJudge
) -> None:
    if engine_refusal(grammar) is not None:  # an empty alternate under a star
        return
    firsts, empty = first_characters(grammar)["root"], "root" in nullable(grammar)
    with judge.loaded(write_gbnf(grammar)) as sampler:
        assert judge.accepts(sampler, "") is empty
        for char in "abz":
            assert (judge.verdict(sampler, char) != "rejected") <= (char in firsts)
