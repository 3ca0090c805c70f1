"""What patterns mean: tables of (pattern, members, non-members), and two judges."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import random
import re
import time
from pathlib import Path

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from regex_campaign import disagreements, patterns_of

from gbnfc.errors import LimitExceeded, PatternError
from gbnfc.ir.names import NameAllocator
from gbnfc.regex import Reader, compile_pattern, emit_pattern, respell

MEANINGS = [
    # Anchors: the ends of the text only, anywhere in the tree.
    ("foo", ["foo", "a foo b"], ["fo", ""]),
    ("^foo", ["foo", "food"], ["a foo", "\nfoo"]),
    ("foo$", ["foo", "a foo"], ["foo\n", "food"]),
    ("", ["", "x", "\n"], []),
    ("a^b", [], ["ab", "b", "a\nb"]),
    ("a$b", [], ["ab", "a\nb"]),
    ("(a|^b)c", ["ac", "xac", "bc"], ["xbc"]),
    ("(^|x)b($|y)", ["b", "xb", "by", "zxbyz"], ["ab", "bz"]),
    ("^^a$$", ["a"], ["aa"]),
    ("(?:^a|b$)", ["ab", "a", "b", "cb"], ["c", "ba"]),
    # Quantifiers.
    ("^a{2}$", ["aa"], ["a", "aaa"]),
    ("^a{2,}$", ["aa", "aaaa"], ["a"]),
    ("^a{0,2}$", ["", "aa"], ["aaa"]),
    ("^a{0}$", [""], ["a"]),
    ("^a+?b*?c??$", ["a", "abc"], ["c"]),
    ("^(a*)*b$", ["b", "aab"], ["a"]),
    ("^(?:a|b)+$", ["abba"], ["", "c"]),
    ("^(|a)b$", ["b", "ab"], ["a"]),
    # Classes.
    ("^[a-c]$", ["a", "c"], ["d", ""]),
    ("^[^a-c]$", ["d", "\n", "\U0001f600"], ["a", ""]),
    ("^[]$", [], ["", "]"]),
    ("^[^]$", ["a", "\n"], [""]),
    (r"^[\]\\-]$", ["]", "\\", "-"], ["["]),
    ("^[-a]$", ["-", "a"], ["b"]),
    ("^[a-]$", ["-", "a"], ["b"]),
    (r"^[\b]$", ["\b"], ["b"]),
    (r"^[+--]$", ["+", ",", "-"], ["."]),
    (r"^\d\D$", ["1a", "1\u0661"], ["\u0661a", "11"]),
    (r"^\w\W$", ["a-", "_\u00e9"], ["\u00e9-", "ab"]),
    (r"^\s$", list(" \t\n\v\f\r\u00a0\ufeff\u2028\u2029\u3000\u1680\u2003"), ["\x1c", "\x85", "a"]),
    (r"^\S$", ["a", "\x85"], [" ", "\ufeff"]),
    ("^.$", ["a", "\x85", "\U0001f600"], ["\n", "\r", "\u2028", "\u2029"]),
    # Escapes.
    (r"^\x41\u0042\u{43}\cJ\0\t$", ["ABC\n\0\t"], ["ABCJ0t"]),
    (r"^\u{1F600}$", ["\U0001f600"], ["u"]),
    (r"^\uD83D\uDE00$", ["\U0001f600"], [""]),
    (r"^[\uD83D\uDE00-\uD83D\uDE02]$", ["\U0001f601"], ["\U0001f603"]),
    (r"^[\uD800-\uDBFF]$", [], ["\U0001f600", "a"]),
    (r"^\uD83D$", [], ["\U0001f600"]),
    ("^\U0001f600$", ["\U0001f600"], ["a"]),
    (r"^\/\.\-\$$", ["/.-$"], ["/a-$"]),
    (r"^\p{Lu}\p{Letter}\P{L}$", ["Aa1", "\u00c9\u00e91"], ["aa1", "Aaa"]),
    (r"^\p{General_Category=Nd}\p{gc=Nd}$", ["1\u0661"], ["a1"]),
    (r"^[\p{L}\p{N}]+$", ["a1\u00e9\u0661"], ["-"]),
    (r"^\p{ASCII}\p{Any}$", ["a\u00e9"], ["\u00e9a"]),
    (r"^\p{Script=Greek}\p{sc=Cyrl}$", ["\u03b1\u0431"], ["a\u0431"]),
    (r"^\p{Script_Extensions=Deva}$", ["\u0905", "\u0964"], ["a"]),
    (r"^\p{Alphabetic}\p{White_Space}\p{Uppercase}$", ["a A"], ["1 A"]),
    (r"^\p{Emoji}$", ["\U0001f600", "1"], ["a"]),
    # Annex B: what Unicode mode refuses and validators read all the same.
    (r"^[\w-.]+$", ["a-."], ["+"]),
    (r"^[a-\d]+$", ["a-1"], ["b"]),
    ("^{a}]$", ["{a}]"], ["a"]),
    ("^x{a}$", ["x{a}"], ["x"]),
    (r"^\_\-\@\é$", ["_-@é"], []),
    (r"^\101\7$", ["A\7"], []),
    (r"^(?=a)*b$", ["b"], ["a"]),
    # Modifiers, and Python's named groups.
    ("^(?i:a)b$", ["ab", "Ab"], ["aB", "AB"]),
    ("^(?i:[^k\u00e9])$", ["a", "\u00c8"], ["k", "K", "\u212a", "\u00c9"]),
    (r"^(?i:\w\W)$", ["\u017f-", "K-"], ["--", "a\u017f"]),
    ("^(?i:\u00df\u03c3)$", ["\u1e9e\u03c2", "\u00df\u03a3"], ["ss\u03c3"]),
    ("^(?i:a(?-i:b)c)d$", ["abcd", "AbCd"], ["aBcd", "abcD"]),
    ("^(?s:.).$", ["\na", "aa"], ["a\n"]),
    ("^(?i-ms:a.)$", ["Ax"], ["a\n", "\naa"]),
    ("^(?P<n>a)+$", ["a", "aa"], ["", "b"]),
    # The ends of the text, as in Python, Rust and Perl.
    (r"\Aa+\z", ["a", "aa"], ["ba", "ab", "Aaz"]),
    (r"\A(?:a|b\Z)", ["ac", "b"], ["bc", "ca"]),
    (r"^\Z\A$", [""], ["ZA"]),
    # Groups.
    ("^(?<name>a)(?:b)(c)$", ["abc"], ["ab"]),
    # Word boundaries.
    (r"\bfoo\b", ["foo", "a foo b", "-foo-"], ["food", "a_foo"]),
    (r"\Boo", ["foo", "oo oo-foo"], ["oo", "-oo"]),
    (r"^\b$", [], ["", "a"]),
    (r"\B", ["", "ab", "-"], ["a"]),
    (r"^(\b|-)*a$", ["a", "-a", "--a"], ["aa"]),
    # Look-ahead, everywhere.
    ("^(?!foo)[a-z]+$", ["fo", "bar"], ["foo", "food"]),
    (r"^(?=.*\d)(?=.*[a-z]).{2,4}$", ["a1", "1a--"], ["aa", "a1---", "a"]),
    ("^(?:(?!ab)[ab])*$", ["ba", "aa", ""], ["ab", "aab"]),
    ("^(?=(?:a(?=b)|b)*$)[ab]*$", ["ab", "bb", ""], ["aa", "ba"]),
    ("^a(?!b(?!c))", ["a", "abc", "ac"], ["ab", "abd"]),
    ("(?=ab)a(?=bc)b", ["xabc"], ["abd"]),
    ("^(?:a(?!$))*b?$", ["ab", "aab", ""], ["a", "aa"]),
    ("(?!)", [], ["", "a"]),
    ("^(?=)a$", ["a"], [""]),
    (r"^(?!.*\bno\b).*$", ["know", "yes"], ["no", "oh no!"]),
    (r"^(?=^a)(?!\b-)a", ["a"], ["b"]),
    # Look-behind.
    ("(?<=ab)c", ["abc"], ["c", "bc"]),
    ("(?<!ab)c", ["c", "bc", "abcc"], ["abc"]),
    (r"(?<=^|,)x", ["x", ",x", "ax,x"], ["ax"]),
    (r"(?<=\bfoo)x", ["foox"], ["afoox"]),
    ("^(?:a|(?<=a)b)*$", ["abaab", "a"], ["b", "abb"]),
    ("(?<=a+b*)c", ["aabbc"], ["bc"]),
    ("(?<=(?<!x)a)b", ["ab", "yab"], ["xab", "b"]),
    ("(?=(?<=a)b)b", ["ab"], ["b"]),
]


@pytest.mark.parametrize(("pattern", "inside", "outside"), MEANINGS)
def test_meaning(pattern: str, inside: list[str], outside: list[str]) -> None:
    dfa = compile_pattern(pattern)
    assert [text for text in inside if not dfa.accepts(text)] == []
    assert [text for text in outside if dfa.accepts(text)] == []
    assert disagreements(pattern, dfa, seed=1, count=10) == []


BEYOND_PYTHON = re.compile(r"\(\?<[=!].*([*+]|\(\?<|\|)")
"""Look-behind of no fixed width, which Python's `re` does not know."""


@pytest.mark.parametrize(("pattern", "inside", "outside"), MEANINGS)
@pytest.mark.parametrize("reader", Reader)
def test_the_meaning_stays(reader, pattern, inside, outside):
    respelled = respell(pattern, reader)
    if reader is Reader.ECMA:
        assert compile_pattern(respelled) == compile_pattern(pattern)
        validator = jsonschema_rs.validator_for({"pattern": respelled})
        found = validator.is_valid
    elif BEYOND_PYTHON.search(pattern):
        pytest.skip("re knows no look-behind of any width")
    else:
        found = re.compile(respelled).search
    assert [text for text in inside if not found(text)] == []
    assert [text for text in outside if found(text)] == []


ERRORS = [
    ("^[[:alpha:]_]$", "no class [:alpha:]", 2),
    ("[^_[:digit:]]", "no class [:digit:]", 3),
    ("[:space:]", "no class [:space:]", 0),
    ("^a{,3}$", "needs its minimum", 2),
    ("{,3}", "needs its minimum", 0),
    ("(?i)a", "unknown kind of group", 0),
    ("(?ii:a)", "each named once", 0),
    ("(?i-i:a)", "each named once", 0),
    ("(?-:a)", "each named once", 0),
    (r"(?P<n>a)\1", "back-reference", 8),
    ("(a", "never closed", 0),
    ("a)", "unmatched", 1),
    ("[a", "never closed", 0),
    ("a**", "nothing to repeat", 2),
    ("*a", "nothing to repeat", 0),
    ("^*", "nothing to repeat", 1),
    (r"\b+", "nothing to repeat", 2),
    ("(?<=a)+", "nothing to repeat", 6),
    ("x|{2}", "nothing to repeat", 2),
    ("a{2,1}", "out of order", 1),
    ("[z-a]", "out of order", 1),
    ("a\\", "lone backslash", 1),
    ("a(?im:^b)", "modifier m is not supported", 1),
    ("(?P=n)", "unknown kind of group", 0),
    (r"\p{Foo}", "unknown Unicode property", 0),
    (r"[\p{L]", "unknown Unicode property", 1),
    (r"a\h", r"\h means nothing", 1),
    (r"[a\A]", r"\A means nothing", 2),
    (r"a\c1", r"\c means nothing", 1),
    (r"\u12", r"\u means nothing", 0),
    (r"\u{110000}", r"\u means nothing", 0),
    (r"[\xg]", r"\x means nothing", 1),
    (r"\p", r"\p means nothing", 0),
    (r"\k<a>", r"\k means nothing", 0),
    (r"\8", r"\8 means nothing", 0),
    (r"\A*", "nothing to repeat", 2),
    (r"(a)\1", "back-reference \\1", 3),
    (r"\1(a)", "back-reference \\1", 0),
    (r"(?<n>a)\k<n>", "back-reference \\k<n>", 7),
    ("(" * 60 + ")" * 60, "nest deeper", 50),
]


@pytest.mark.parametrize(("pattern", "message", "offset"), ERRORS)
def test_error_points_at_the_character(pattern: str, message: str, offset: int) -> None:
    with pytest.raises(PatternError, match=re.escape(message)) as caught:
        compile_pattern(pattern)
    assert caught.value.span is not None
    assert caught.value.span.start == offset


def test_look_behind_that_looks_ahead_is_refused() -> None:
    with pytest.raises(PatternError, match="look-behind"):
        compile_pattern(r"(?<=foo\b)x")


HOSTILE = [
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "(x+x+)+y",
    "(a?){100}a{100}",
    "(?:a?){30000}",
    ".*a.{20}",
    "^(a{1000}){1000}$",
    "^((((a{9}){9}){9}){9}){9}$",
    "(.*)(.*)(.*)(.*)(.*)[^a]$",
    "(?=.*a.{14}b)(?=.*b.{14}a)(?=.*c.{14}a)",
    "(?!(?!(?!(?!.*a.{12}).*b.{12}).*c.{12}))",
    "^(" + "|".join(f"(a|b){{{n}}}c" for n in range(1, 40)) + ")$",
    "a{999999999999999999999999}",
    "(?<=(a|b){1,200}c)d",
    "^(" + "|".join(map(chr, range(0x4E00, 0x6E00))) + ")$",
    "^" + "?".join(map(chr, range(0x4E00, 0x5E00))) + "$",
    "^" + "".join(f"[\\u{n:04x}-\\u{n + 999:04x}]" for n in range(0x1000, 0x5000)) + "$",
    "a" * 300_000,
    "(" * 300_000,
    "[" + "a-z" * 100_000 + "]",
    "^" + "(a|" * 45 + "b" + ")*" * 45 + "$",
]


@pytest.mark.parametrize("pattern", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_patterns_end_soon(pattern: str) -> None:
    start = time.process_time()
    with contextlib.suppress(LimitExceeded, PatternError):
        emit_pattern(pattern, NameAllocator(), "text")
    assert time.process_time() - start < 8  # Seconds of the processor, whatever else runs.


# Every pattern over a tiny alphabet, against Python's `re` on every short string. -----------------

_ATOMS = st.sampled_from(["a", "b", "[ab]", "[^a]", "c", r"\b", "^", "$", ""])
_PATTERNS = st.recursive(
    _ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("|".join).map("(?:{})".format),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{0,3}"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
        inner.map("(?={})".format),
        inner.map("(?!{})".format),
        st.sampled_from(["(?<=a)", "(?<!a)", "(?<=ab)", "(?<!b[ab])", r"(?<=\ba)", r"\B"]),
    ),
    max_leaves=8,
)
_SHORT_STRINGS = ["".join(text) for n in range(5) for text in itertools.product("abc-", repeat=n)]


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(_PATTERNS)
def test_same_as_re_on_all_short_strings(pattern: str) -> None:
    dfa = compile_pattern(pattern)
    # Python before 3.14 says that `\B` does not match in the empty string; ECMA-262 says it does.
    texts = [text for text in _SHORT_STRINGS if text or r"\B" not in pattern]
    reference = re.compile(pattern.replace("$", r"\Z"), re.ASCII)
    assert [t for t in texts if dfa.accepts(t) != bool(reference.search(t))] == []
    assert disagreements(pattern, dfa, seed=0, count=5) == []


DATA = os.environ.get("GBNFC_MASKBENCH", "../shared/bench/maskbench-dev.jsonl.gz")


def test_campaign_on_a_sample() -> None:
    path = Path(__file__).parents[2] / DATA
    if not path.exists():
        pytest.skip("needs the MaskBench data: set GBNFC_MASKBENCH to its path")
    patterns = random.Random(0).sample(patterns_of(path), 120)
    lines: list[str] = []
    for pattern in patterns:
        try:
            dfa = compile_pattern(pattern)
        except (PatternError, LimitExceeded):
            continue
        lines += disagreements(pattern, dfa, seed=0)
    assert lines == [], json.dumps(lines[:5])
