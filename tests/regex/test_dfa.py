"""Laws of automata as sets of strings."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gbnfc.charset import CharSet
from gbnfc.errors import LimitExceeded
from gbnfc.ir.names import NameAllocator
from gbnfc.regex import Dfa, compile_pattern, emit_pattern
from gbnfc.regex.determinise import Determiniser

WORDS = ["".join(word) for n in range(4) for word in itertools.product("abc", repeat=n)]
WORD_SETS = st.frozensets(st.sampled_from(WORDS), max_size=12)
LANGUAGES = st.one_of(
    WORD_SETS.map(Dfa.of_strings),
    st.tuples(st.integers(0, 3), st.integers(0, 3)).map(lambda b: Dfa.of_length(b[0], b[1])),
    st.sampled_from(["a", "^a*b", "(?!ab)c", "^[ab]+$", "b$", "", "[]"]).map(compile_pattern),
)


@settings(max_examples=150, deadline=None)
@given(LANGUAGES, LANGUAGES, LANGUAGES)
def test_set_laws(one: Dfa, two: Dfa, three: Dfa) -> None:
    assert ~~one == one
    assert (one | ~one).is_everything()
    assert (one & ~one).is_empty()
    assert one & (two | three) == (one & two) | (one & three)
    assert ~(one | two) == ~one & ~two
    assert one - two == one & ~two
    assert one.is_subset(one | two)
    assert hash(one & two) == hash(two & one)


@settings(max_examples=150, deadline=None)
@given(LANGUAGES, LANGUAGES)
def test_operators_are_those_of_sets(one: Dfa, two: Dfa) -> None:
    for word in WORDS:
        mine, theirs = one.accepts(word), two.accepts(word)
        assert (one & two).accepts(word) == (mine and theirs)
        assert (one | two).accepts(word) == (mine or theirs)
        assert (one - two).accepts(word) == (mine and not theirs)
        splits = range(len(word) + 1)
        expected = any(one.accepts(word[:at]) and two.accepts(word[at:]) for at in splits)
        assert one.then(two).accepts(word) == expected


@settings(max_examples=100, deadline=None)
@given(WORD_SETS)
def test_finite_sets(words: frozenset[str]) -> None:
    dfa = Dfa.of_strings(words)
    expected = sorted(words, key=lambda word: (len(word), word))
    assert dfa.is_finite()
    assert list(dfa.enumerate(100)) == expected
    assert list(dfa.enumerate(2)) == expected[:2]
    assert dfa.count(1000) == len(words)
    assert dfa.count(2) == min(2, len(words))
    lengths = sorted(map(len, words))
    assert dfa.length_bounds() == ((lengths[0], lengths[-1]) if words else None)
    assert (dfa.shortest() is None) == (not words)
    assert words == {word for word in WORDS if dfa.accepts(word)}


FACTS = [
    ("^a*$", None, (0, None), "", ("", "a", "aa")),
    ("^[ab]{2}c?$", 8, (2, 3), "aa", ("aa", "ab", "ba")),
    ("^(?:ab)+$", None, (2, None), "ab", ("ab", "abab", "ababab")),
    ("[]", 0, None, None, ()),
    ("^$", 1, (0, 0), "", ("",)),
    ("^[\\0-\\u{10FFFF}]$", 0x110000 - 0x800, (1, 1), "a", ("\0", "\1", "\2")),
]


@pytest.mark.parametrize(("pattern", "count", "bounds", "shortest", "first"), FACTS)
def test_facts(
    pattern: str,
    count: int | None,
    bounds: tuple[int, int | None] | None,
    shortest: str | None,
    first: tuple[str, ...],
) -> None:
    dfa = compile_pattern(pattern)
    assert dfa.is_finite() == (count is not None)
    assert dfa.count(10**9) == (10**9 if count is None else count)
    assert dfa.length_bounds() == bounds
    assert dfa.shortest() == shortest
    assert dfa.enumerate(3) == first


EQUAL = [
    ("^(a|b)*$", "^(a*b*)*$"),
    ("^(?:a(?:b|c)|ad)$", "^a[b-d]$"),
    ("^a{2,}$", "^aaa*$"),
    ("^(?!a$).*$", "^(?:[^a\\n\\r\\u2028\\u2029]?|..+)$"),
    ("^.{3,}$", "^...+$"),
    ("(?:)", "^"),
    ("a|b", "[ab]"),
    (r"^\w$", "^[A-Za-z0-9_]$"),
    ("(^a|^b)+c$", "^[ab]c$"),
]


@pytest.mark.parametrize(("one", "two"), EQUAL)
def test_equal_languages_are_equal_values(one: str, two: str) -> None:
    assert compile_pattern(one) == compile_pattern(two)


def test_alphabets_are_sets() -> None:
    letters = compile_pattern(r"^\p{L}+$")
    assert len(letters.alphabet) == 1
    assert letters.state_count == 2
    assert Dfa.of_chars(CharSet.from_chars("ba")).transitions(0) == ((97, 98, 1),)
    assert Dfa.everything().transitions(0) == ((0, 0xD7FF, 0), (0xE000, 0x10FFFF, 0))


def test_surrogates_are_in_no_string() -> None:
    assert Dfa.of_strings(["\ud83d", "ok"]).enumerate(5) == ("ok",)
    assert not (~Dfa.of_strings(["a"])).accepts("\ud83d")
    assert Dfa.of_chars(CharSet(((0xD800, 0xDFFF),))).is_empty()


@pytest.mark.parametrize(
    "ask",
    [
        lambda: compile_pattern("^(a|b)*a(a|b){5}$", max_states=31),
        lambda: emit_pattern("(a|b)*a(a|b){5}", NameAllocator(), "x", max_states=29),
        lambda: emit_pattern("^(?:[ab]*c){99}", NameAllocator(), "x", maximum=8_999),
    ],
)
def test_a_pattern_is_found_to_be_too_large_once(ask, monkeypatch) -> None:
    made: list[object] = []
    for kind, name in ((Determiniser, "run"), (Dfa, "intersection")):
        work = getattr(kind, name)
        counted = lambda *args, _work=work, **more: made.append(args) or _work(*args, **more)  # noqa: E731
        monkeypatch.setattr(kind, name, counted)
    with pytest.raises(LimitExceeded) as first:
        ask()
    assert made
    made.clear()
    with pytest.raises(LimitExceeded) as second:
        ask()
    assert not made
    assert str(first.value) == str(second.value)
    assert first.value is not second.value


def test_limits() -> None:
    with pytest.raises(LimitExceeded):
        Dfa.of_length(0, 20_000)
    with pytest.raises(LimitExceeded):
        compile_pattern("^(a|b)*a(a|b){5}$", max_states=30)
    many = compile_pattern("^(?:[ab]*c){99}$")
    with pytest.raises(LimitExceeded):
        many & Dfa.of_length(0, 9_000)
    assert Dfa.of_length(3, 2).is_empty()
