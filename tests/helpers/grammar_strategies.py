"""Hypothesis strategies: grammars as IR, and GBNF texts that are valid or slightly broken."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from gbnfc.gbnf.write import write_gbnf
from gbnfc.ir.nodes import (
    AnyChar,
    CharClass,
    Choice,
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
    from hypothesis.strategies import DrawFn, SearchStrategy

RULE_NAMES = ("root", "a", "b-1", "0")
RULE_NAME_LISTS = st.lists(st.sampled_from(("root", "root", *RULE_NAMES)), min_size=1, max_size=5)
SMALL = "ab"
ODD_CHARS = "ab\"\\[]^-\n\r\t#|é\u2028😀\x00\x7f\ud800'`<>{}()"

BOUNDS = st.sampled_from(
    [(0, 1), (0, None), (1, None), (0, 0), (1, 1), (2, 2), (0, 3), (1, 2), (2, None), (2, 4)]
)
WILD_BOUNDS = BOUNDS | st.sampled_from(
    [
        (44, 45),
        (1000, 1000),
        (2000, 2000),
        (2001, 2001),
        (0, 2001),
        (700, 2500),
        (0, 2000),
        (0, 667),
    ]
)


def literals(chars: str) -> SearchStrategy[Expression]:
    return st.builds(Literal, st.text(chars, min_size=1, max_size=3))


def classes(chars: str, *, empty: bool) -> SearchStrategy[Expression]:
    codes = st.sampled_from([ord(char) for char in chars])
    single = codes.map(lambda code: (code, code))
    ranges = st.lists(single | st.tuples(codes, codes), min_size=0 if empty else 1, max_size=3)
    return st.builds(CharClass, ranges.map(tuple), st.booleans())


def atoms(chars: str, names: tuple[str, ...], *, tokens: bool) -> SearchStrategy[Expression]:
    kinds: list[SearchStrategy[Expression]] = [
        literals(chars),
        classes(chars, empty=tokens),
        st.just(AnyChar()),
        st.sampled_from([RuleRef(name) for name in names]),
    ]
    if tokens:
        texts = st.sampled_from(["think", "", "a b", "|x|", "!"])
        kinds.append(st.builds(TokenTerminal, texts | st.integers(0, 2**32 - 1), st.booleans()))
    return st.one_of(kinds)


@cache  # building a strategy anew for each draw costs more than the draw
def expressions(
    chars: str = SMALL,
    names: tuple[str, ...] = RULE_NAMES,
    bounds: SearchStrategy[tuple[int, int | None]] = BOUNDS,
    *,
    tokens: bool = False,
    max_leaves: int = 8,
) -> SearchStrategy[Expression]:
    """Expressions in the parser's normal form."""

    def grow(inner: SearchStrategy[Expression]) -> SearchStrategy[Expression]:
        several = st.lists(inner, min_size=2, max_size=4).map(tuple)
        return st.one_of(
            st.builds(Sequence, several),
            st.builds(Choice, several),
            st.builds(lambda body, b: Repeat(body, *b), inner, bounds),
        )

    leaves = atoms(chars, names, tokens=tokens) | st.just(Sequence())
    return st.recursive(leaves, grow, max_leaves=max_leaves)


@st.composite
def grammars(
    draw: DrawFn,
    chars: str = SMALL,
    bounds: SearchStrategy[tuple[int, int | None]] = BOUNDS,
    *,
    tokens: bool = False,
) -> Grammar:
    """Grammars in the parser's normal form; names may repeat or be undefined."""
    names = draw(RULE_NAME_LISTS)
    bodies = expressions(chars, bounds=bounds, tokens=tokens)
    return Grammar(tuple(Rule(name, draw(bodies)) for name in names))


@st.composite
def acyclic_grammars(draw: DrawFn, chars: str = SMALL) -> Grammar:
    """Grammars without recursion and without undefined rules, so that every engine loads them."""
    count = draw(st.integers(1, 4))
    names = ("root", "a", "b-1", "0")[:count]
    rules = [
        Rule(name, draw(expressions(chars, names[index + 1 :] or ("leaf",), max_leaves=6)))
        for index, name in enumerate(names)
    ]
    return Grammar((*rules, Rule("leaf", Literal(chars[0]))))


FRAGMENTS = (
    *(
        "root",
        "a",
        "b-1",
        " ",
        " ",
        "\n",
        "\r\n",
        "\r",
        "\t",
        "::=",
        "::=",
        "|",
        "(",
        ")",
        '"',
        '"a"',
    ),
    *(
        "[",
        "]",
        "[a-z]",
        "[^",
        "^",
        "-",
        "\\",
        "\\n",
        "\\x41",
        "\\u00e9",
        "\\U0001F600",
        "\\q",
        "\\",
    ),
    *(
        "*",
        "+",
        "?",
        "{",
        "}",
        "{2}",
        "{1,3}",
        "{,2}",
        "{ 2 , }",
        ",",
        "0",
        "7",
        "2001",
        ".",
        "<",
        ">",
    ),
    *(
        "<think>",
        "<[12]>",
        "!<[3]>",
        "!",
        "<[",
        "#",
        "# note\n",
        "_",
        "=",
        ":",
        ";",
        "'",
        "é",
        "😀",
    ),
    *('""', "[]", "()", "\nroot ::= ", "\na ::= ", " | ", "\x0b", "\x7f", '"\n"'),
)


WILD_GRAMMARS = grammars(chars='ab"]-', bounds=WILD_BOUNDS, tokens=True)
EDITS = st.lists(
    st.tuples(st.integers(0, 200), st.integers(0, 3), st.sampled_from(("", *FRAGMENTS))), max_size=4
)


@st.composite
def broken_texts(draw: DrawFn) -> str:
    """GBNF texts with a few fragments put in, taken out or exchanged; some are still valid."""
    grammar = draw(WILD_GRAMMARS)
    text = write_gbnf(grammar)
    for where, length, fragment in draw(EDITS):
        start = where % (len(text) + 1)
        text = text[:start] + fragment + text[start + length :]
    return text


fragment_texts: SearchStrategy[str] = st.lists(
    st.sampled_from(FRAGMENTS), min_size=0, max_size=14
).map(lambda parts: "root ::= " + "".join(parts))
