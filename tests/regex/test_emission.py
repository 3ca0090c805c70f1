"""Automaton = grammar: what is emitted accepts exactly the automaton's strings, for both judges."""

from __future__ import annotations

import itertools
import json
import os
import random
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from regex_strings import judged_strings

from gbnfc.errors import LimitExceeded, Unsatisfiable, UsageError
from gbnfc.gbnf.parse import parse_gbnf
from gbnfc.gbnf.write import write_gbnf
from gbnfc.ir.names import NameAllocator
from gbnfc.ir.nodes import Grammar, Rule
from gbnfc.match import Matcher, Verdict, compile_matcher, match_text
from gbnfc.regex import (
    CharRules,
    Content,
    Dfa,
    choices_grammar,
    compile_pattern,
    emit_pattern,
    emit_string,
    regex_grammar,
)

if TYPE_CHECKING:
    from judge import EngineJudge


def written(
    pattern: str, mode: Content = Content.RAW, minimum: int = 0, maximum: int | None = None
) -> str:
    body, rules = emit_pattern(
        pattern, NameAllocator(), "text", mode, minimum=minimum, maximum=maximum
    )
    return write_gbnf(Grammar((Rule("root", body), *rules)))


READABLE = [
    ("^[A-Z]{2} [0-9]{6}$", 'root ::= [A-Z]{2} " " [0-9]{6}'),
    (r"^\d{4}-\d\d-\d\d$", 'root ::= [0-9]{4} "-" [0-9]{2} "-" [0-9]{2}'),
    ("^(yes|no)$", 'root ::= "yes" | "no"'),
    ("^[a-z]+(,[a-z]+)*$", 'root ::= [a-z]+ ("," [a-z]+)*'),
    ("^(|a|b)$", 'root ::= ("a" | "b")?'),
    ("^(?:ab){2,3}$", 'root ::= "ab"{2,3}'),
    # Ambiguous as written: as automata, which need no more room.
    ("^(a|ab)c$", 'root ::= "a" "b"? "c"'),
    ("^x?x?x?$", 'root ::= "x"{0,3}'),
    ("^a*aa*$", 'root ::= "a"+'),
    ("^(foo|foobar)-[0-9]+$", 'root ::= "foo" "bar"? "-" [0-9]+'),
    ("^foo", 'root ::= "foo" .*'),
    # Bounds beyond what llama.cpp repeats.
    ("^a{5000}$", 'root ::= text-block{100}\ntext-block ::= "a"{50}'),
    ("^a{0,9999}$", 'root ::= text-block{0,99} "a"{0,99}\ntext-block ::= "a"{100}'),
    # Ambiguous, but never more than two ways at once, and large as an automaton.
    ("^(?:[^ ]+ ){0,199}[^ ]+$", 'root ::= ([^ ]+ " "){0,199} [^ ]+'),
]


@pytest.mark.parametrize(("pattern", "grammar"), READABLE)
def test_reads_like_the_pattern(pattern: str, grammar: str) -> None:
    assert written(pattern).strip() == grammar


def test_length_bounds_become_counts() -> None:
    assert written("^[a-z0-9-]+$", minimum=1, maximum=255).strip() == "root ::= [-0-9a-z]{1,255}"
    assert written("^[a-z][a-z0-9]*$", maximum=63).strip() == "root ::= [a-z] [0-9a-z]{0,62}"
    assert written("[a-z]", Content.RAW, 0, 3).count("\n") < 8


PATTERNS = [
    "",
    "foo",
    "^a",
    ".",
    "^.*$",
    '^.*"$',
    '^[^"]*"$',
    r"^[^\\]*\\$",
    r"^\S+@\S+$",
    r"^(?:\S+\s+){0,60}\S+$",
    r"^\s*[\n\r\t\0-\x1f]+x$",
    r"^[\x00-\x08\x0e-\x1f\x7f]*$",
    r"^(?=.*\d)(?=.*[a-z]).{3,20}$",
    "^(?!foo)[a-z]+(-[a-z]+)*$",
    r"^\p{Lu}\p{Ll}+$",
    "^[^\u00e9]{2,4}$",
    "^[\U0001f600-\U0001f64f]{1,3}$",
    r"\bfoo\b",
    "^(tail|metallic|wings|horns|color|black|(, ))*$",
    r"^(0|[1-9]\d{0,2}|[1-5]\d{3})(\.(0|[1-9]\d{0,2}))?$",
    "^((x{0,3}y){1,4}z?){2}$",
    "^[a-z]{1,3000}$",
    "^(?:[ab]c?){2,70}$",
    r"^\$\(.+\)$",
    r"^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$",
]
LENGTHS = [(0, None), (2, 7), (0, 40)]


@pytest.mark.parametrize("mode", list(Content))
@pytest.mark.parametrize("pattern", PATTERNS)
def test_automaton_is_grammar_is_engine(pattern: str, mode: Content, judge: EngineJudge) -> None:
    rng = random.Random(pattern)
    for minimum, maximum in LENGTHS:
        dfa = compile_pattern(pattern) & Dfa.of_length(minimum, maximum)
        if dfa.is_empty():
            continue
        body, rules = emit_pattern(
            pattern, NameAllocator(), "text", mode, minimum=minimum, maximum=maximum
        )
        grammar = Grammar((Rule("root", body), *rules))
        text = write_gbnf(grammar)
        assert parse_gbnf(text) == grammar
        with judge.loaded(text) as sampler:
            for string in judged_strings(dfa, rng, 6):
                content = _spelled(string, mode)
                expected = dfa.accepts(string)
                if "\0" in content:
                    continue  # llama.cpp's texts are C strings; a raw NUL is never written.
                verdict = match_text(grammar, content).verdict
                assert (verdict is Verdict.ACCEPTED) == expected, (string, text)
                if judge.text_of(judge.tokens(content)) == content.encode():
                    assert judge.accepts(sampler, content) == expected, (string, text)


_PIECES = st.sampled_from(["a", '"', r"\\", r"\n", r"\x01", "[^a]", '[^"]', ".", '[a"]', r"[\n\r]"])
_ESCAPING_PATTERNS = st.recursive(
    _PIECES,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("(?:{0[0]}|{0[1]})".format),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2,3}"])).map("(?:{0[0]}){0[1]}".format),
    ),
    max_leaves=6,
)
_TEXTS = ["".join(text) for n in range(4) for text in itertools.product('a"\\\n\x01', repeat=n)]


@settings(max_examples=60, deadline=None)
@given(_ESCAPING_PATTERNS, st.sampled_from(["^{}$", "^{}", "{}"]))
def test_escapes_on_all_short_strings(inner: str, form: str) -> None:
    pattern = form.format(inner)
    dfa = compile_pattern(pattern)
    body, rules = emit_pattern(pattern, NameAllocator(), "text", Content.JSON)
    program = compile_matcher(Grammar((Rule("root", body), *rules)))
    for text in _TEXTS:
        matcher = Matcher(program)
        accepted = matcher.advance(_spelled(text, Content.JSON)) and matcher.can_end()
        assert bool(accepted) == dfa.accepts(text), (pattern, text)


def test_same_bytes_with_every_hash_seed() -> None:
    script = (
        "from gbnfc.regex import regex_grammar; from gbnfc.gbnf.write import write_gbnf;"
        r"print(write_gbnf(regex_grammar(r'^(?!foo|bar\b)[a-z\p{Lu}]+(-\d+|\w+)*x$')))"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(texts) == 1


def _spelled(text: str, mode: Content) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1] if mode is Content.JSON else text


def test_every_character_has_its_json_spelling_and_no_other() -> None:
    names = NameAllocator()
    body, rules = emit_string(Dfa.everything() & Dfa.of_length(1, 1), names, "text")
    grammar = Grammar((Rule("root", body), *rules))
    ascii_and_more = [*map(chr, range(0x100)), "\u2028", "\ud7ff", "\ue000", "\U0010ffff"]
    for char in ascii_and_more:
        assert match_text(grammar, _spelled(char, Content.JSON)).verdict is Verdict.ACCEPTED, char
    for other in ('"', "\\", "\n", "\x00", "\\u0041", "\\/", "\\u000a", "\\u001F", "\\ud83d", "ab"):
        assert match_text(grammar, other).verdict is not Verdict.ACCEPTED, other


def test_tokens_that_end_inside_a_character(judge: EngineJudge) -> None:
    # llama.cpp refuses a negated class on such a token if the rest could be an excluded character.
    text = written("^[^\u2028]$")
    with judge.loaded(text) as sampler:
        assert judge.accepts(sampler, "\u2027")
        assert judge.accepts(sampler, "\u20ac")
        assert not judge.accepts(sampler, "\u2028")


def test_strings_of_a_grammar_share_character_rules() -> None:
    names = NameAllocator()
    chars = CharRules(names, Content.JSON)
    _, first = emit_pattern("^a", names, "one", chars=chars)
    _, second = emit_pattern("^b", names, "two", chars=chars)
    assert [rule.name for rule in first] == ["char"]
    assert second == ()


def test_empty_language_is_said() -> None:
    for pattern in ("a^", "[]", "^(?!)$"):
        with pytest.raises(Unsatisfiable):
            regex_grammar(pattern)


CHOICES = [
    ["yes", "no"],
    ["yes", "yep", "no", ""],
    ["a", "ab", "abc", "b"],
    ['"', "\\", "\n", "\u00e9t\u00e9", "\U0001f600"],
    ["x"],
    [f"item-{number}" for number in range(500)],
]


@pytest.mark.parametrize("choices", CHOICES)
def test_choices(choices: list[str], judge: EngineJudge) -> None:
    grammar = choices_grammar(choices)
    with judge.loaded(write_gbnf(grammar)) as sampler:
        for text in choices:
            assert match_text(grammar, text).verdict is Verdict.ACCEPTED
            assert judge.accepts(sampler, text)
        assert not judge.accepts(sampler, choices[0] + "?")


@pytest.mark.parametrize("choices", [[], ["ok", "\ud83d"]])
def test_no_choice_is_an_error(choices: list[str]) -> None:
    with pytest.raises(UsageError):
        choices_grammar(choices)


def test_a_bound_beyond_all_blocks_is_refused() -> None:
    with pytest.raises(LimitExceeded):
        regex_grammar("^a{9000000000000}$")
