"""What the matcher answers, by hand-written tables; llama.cpp's opinion is in the differential."""

from __future__ import annotations

import gc
import random
import time

import pytest

from gbnfc.charset import CharSet
from gbnfc.errors import GbnfcError, LimitExceeded
from gbnfc.gbnf.parse import parse_gbnf
from gbnfc.ir.nodes import Choice, Grammar, Literal, Repeat, Rule, RuleRef, Sequence
from gbnfc.match import Matcher, Verdict, compile_matcher, match_text, sample
from gbnfc.match import states as states_module

OK, MORE, NO = Verdict.ACCEPTED, Verdict.INCOMPLETE, Verdict.REJECTED

SUM = 'root ::= sum\nsum ::= num | sum "-" num\nnum ::= [0-9]+'
INDIRECT = 'root ::= sum\nsum ::= num | diff\ndiff ::= sum "-" num\nnum ::= [0-9]+'
HIDDEN = 'root ::= pre root "x" | "y"\npre ::= " "?'
BRACKETS = 'root ::= "(" root ")" root | ""'
PALINDROME = 'root ::= "a" root "a" | "b" root "b" | ""'
KEYS = 'root ::= "{\\"name\\": " ("true" | "false") ", \\"n\\": " [0-9] "}"'

WORDS = "root ::= " + " | ".join(['""', '"d" [a] "d"', '"day"', *(f'"w{n}"' for n in range(30))])

VERDICTS = [
    # grammar, text, verdict, offset
    ('root ::= "ab" | "ac"', "ab", OK, 2),
    ('root ::= "ab" | "ac"', "a", MORE, 1),
    ('root ::= "ab" | "ac"', "ad", NO, 1),
    ('root ::= "ab" | "ac"', "abb", NO, 2),
    ('root ::= ""', "", OK, 0),
    ('root ::= ""', "a", NO, 0),
    ('root ::= "a" | "ab"', "ab", OK, 2),
    # llama.cpp reads a class without members as the empty text, negated or not.
    ('root ::= "x" [] "y"', "xy", OK, 2),
    ('root ::= "x" [^]', "x", OK, 1),
    ('root ::= ([] | "a"){2,3} "b"', "ab", OK, 2),
    ('root ::= e{2,3} "b"\ne ::= []', "b", OK, 1),
    ('root ::= x x\nx ::= "a"?', "aa", OK, 2),
    ('root ::= x x\nx ::= "a"?', "aaa", NO, 2),
    ('root ::= x\nx ::= "a"\nx ::= "b"', "b", OK, 1),  # the last definition counts
    ('root ::= x\nx ::= "a"\nx ::= "b"', "a", NO, 0),
    ("root ::= .", "\n", OK, 1),
    ("root ::= [^a]", "日", OK, 1),
    ("root ::= [^a]", "a", NO, 0),
    ("root ::= .", "\0", NO, 0),  # llama.cpp ends a text at NUL
    ("root ::= .", "\ud800", NO, 0),
    ('root ::= "a\\x00bcd"', "a\0bcd", NO, 1),
    ('root ::= x "efg"\nx ::= y "d"\ny ::= "abc"', "abcdefg", OK, 7),
    ('root ::= x "efg"\nx ::= y "d"\ny ::= "abc"', "abcdx", NO, 4),
    ('root ::= root "ab"', "", MORE, 0),
    (WORDS, "", OK, 0),
    (WORDS, "w1", OK, 2),
    (WORDS, "w17", OK, 3),
    (WORDS, "w1x", NO, 2),
    (WORDS, "w", MORE, 1),
    (WORDS, "dad", OK, 3),
    (WORDS, "da", MORE, 2),
    ('root ::= x x "!"\nx ::= "ab"{2}', "abababab!", OK, 9),
    ("root ::= [a-c]{2,3}", "a", MORE, 1),
    ("root ::= [a-c]{2,3}", "abc", OK, 3),
    ("root ::= [a-c]{2,3}", "abca", NO, 3),
    ('root ::= "ab"{2}', "abab", OK, 4),
    ('root ::= "ab"{2}', "aba", MORE, 3),
    ('root ::= ("a" "b"?){2,} "c"', "aac", OK, 3),
    ('root ::= ("a" "b"?){2,} "c"', "ac", NO, 1),
    ('root ::= ("a" "b"?){2,} "c"', "abababac", OK, 8),
    ('root ::= ("a"?){3}', "", OK, 0),  # a nullable body: no minimum in effect
    ('root ::= ("a"?){3}', "aaa", OK, 3),
    ('root ::= ("a"?){3}', "aaaa", NO, 3),
    ('root ::= ("a" | "aa"){0,3}', "aaaaaa", OK, 6),
    ('root ::= ("a" | "aa"){0,3}', "aaaaaaa", NO, 6),
    ('root ::= ("a" | "aa"){0,3} "b"', "aaab", OK, 4),
    ("root ::= [a]{0,3000}", "a" * 4000, OK, 4000),  # llama.cpp: above 2,000 is unbounded
    ("root ::= [a]{0,2000}", "a" * 2001, NO, 2000),
    ('root ::= ("a"* )* "."', "aa.", OK, 3),
    ('root ::= ("a"* )* "."', "b.", NO, 0),
    ('root ::= (("a"?)* | "b"*)+', "abba", OK, 4),
    ('root ::= [^\\n]* ("yes" | "no")', "it is no", OK, 8),
    ('root ::= [^\\n]* ("yes" | "no")', "maybe", MORE, 5),
    (SUM, "7-2-1", OK, 5),
    (SUM, "-7", NO, 0),
    (SUM, "7-", MORE, 2),
    (INDIRECT, "7-2-1", OK, 5),
    (INDIRECT, "7--", NO, 2),
    (HIDDEN, "y", OK, 1),
    (HIDDEN, "  yxx", OK, 5),
    (HIDDEN, "yxxx", OK, 4),
    (HIDDEN, " y", MORE, 2),
    (HIDDEN, "x", NO, 0),
    ('root ::= root "a" | root "b" | "c"', "cabba", OK, 5),
    ('root ::= root root | "a"', "aaaa", OK, 4),
    ('root ::= root | "a"', "a", OK, 1),
    ('root ::= x root | "a"\nx ::= ""', "a", OK, 1),
    ('root ::= a "z"\na ::= b "y" | "0"\nb ::= a "x" | "1"', "0xyxyz", OK, 6),
    ('root ::= a "z"\na ::= b "y" | "0"\nb ::= a "x" | "1"', "1yxyz", OK, 5),
    ('root ::= a "z"\na ::= b "y" | "0"\nb ::= a "x" | "1"', "1xz", NO, 1),
    (BRACKETS, "()(())", OK, 6),
    (BRACKETS, "())", NO, 2),
    (PALINDROME, "abba", OK, 4),
    (PALINDROME, "aba", MORE, 3),
    ('root ::= "a" loop\nloop ::= "b" loop', "abb", MORE, 3),  # never finishes: never refused
    ('root ::= "a" <think>', "a", MORE, 1),
    ('root ::= "a" <think>', "a<think>", NO, 1),
    ('root ::= <think> | "b"', "b", OK, 1),
]


@pytest.mark.parametrize(("grammar", "text", "verdict", "offset"), VERDICTS)
def test_verdict(grammar: str, text: str, verdict: Verdict, offset: int) -> None:
    result = match_text(parse_gbnf(grammar), text)
    assert (result.verdict, result.offset) == (verdict, offset)


@pytest.mark.parametrize(("grammar", "text", "verdict", "offset"), VERDICTS)
def test_piece_by_piece_is_as_in_one_go(
    grammar: str, text: str, verdict: Verdict, offset: int
) -> None:
    program = compile_matcher(parse_gbnf(grammar))
    matcher = Matcher(program)
    assert sum(matcher.advance_up_to(char) for char in text[: offset + 1]) == offset
    assert matcher.expected() == match_text(program, text).expected
    assert matcher.can_end() is (verdict is OK) or verdict is NO


QUESTIONS = [
    # grammar, text read, expected, forced, can end, shortest completion, live stacks
    ('root ::= "abc"', "", "a", "abc", False, "abc", 1),
    ('root ::= "abcdefgh"', "abc", "d", "defgh", False, "defgh", 1),
    ('root ::= "abcdefgh" | "abcx"', "abc", "dx", "", False, "x", 2),
    ('root ::= "abcdef" | "abcd"', "a", "b", "bcd", False, "bcd", 2),
    ('root ::= "a"? "b"', "", "ab", "", False, "b", 2),
    ('root ::= "a"? "b"?', "", "ab", "", True, "", 3),
    ('root ::= "a" "b"?', "a", "b", "", True, "", 2),
    (KEYS, "{", '"', '"name": ', False, '"name": true, "n": 0}', 1),
    (KEYS, '{"name": f', "a", 'alse, "n": ', False, 'alse, "n": 0}', 1),
    ("root ::= [a-z]{3} [0-9]{2}", "a", "abcdefghijklmnopqrstuvwxyz", "", False, "aa00", 1),
    ('root ::= ("ab" | "cde"){2,3} "!"', "ab", "ac", "", False, "ab!", 2),
    ("root ::= [x]{3}", "", "x", "xxx", False, "xxx", 1),
    ("root ::= [x]{1,3}", "", "x", "x", False, "x", 1),
    (SUM, "7", "-0123456789", "", True, "", None),
    (SUM, "7-", "0123456789", "", False, "0", None),
    (BRACKETS, "((", "()", "", False, "))", 2),
    ('root ::= "a" x "b"\nx ::= x "c"', "a", "", "", False, None, None),
    ('root ::= "a" <think> "b"', "a", "", "", False, None, 1),
    ("root ::= [\\x00] | [a]", "", "a", "a", False, "a", None),
    # chained optionals: one stack each, as in llama.cpp
    ('root ::= "a"? "a"? "a"? "a"?', "", "a", "", True, "", 5),
    ('root ::= "a"{0,4}', "", "a", "", True, "", 2),
    # two ways per character: stacks double with each
    ('root ::= "a" root "b" | "a" root "c" | "z"', "aaa", "az", "", False, "zbbb", 24),
]


@pytest.mark.parametrize(
    ("grammar", "text", "expected", "forced", "can_end", "shortest", "stacks"), QUESTIONS
)
def test_questions(
    grammar: str,
    text: str,
    expected: str,
    forced: str,
    can_end: bool,
    shortest: str | None,
    stacks: int | None,
) -> None:
    matcher = Matcher(compile_matcher(parse_gbnf(grammar)))
    assert matcher.advance(text)
    assert matcher.expected() == CharSet.from_chars(expected)
    assert matcher.forced_text() == forced
    assert matcher.can_end() is can_end
    assert matcher.shortest_completion() == shortest
    if stacks is not None:
        assert matcher.live_stacks() == stacks


def test_a_refused_text_changes_nothing() -> None:
    matcher = Matcher(compile_matcher(parse_gbnf('root ::= "abcdef"')))
    assert not matcher.advance("abx")
    assert matcher.forced_text() == "abcdef"


def test_copies_are_independent() -> None:
    matcher = Matcher(compile_matcher(parse_gbnf('root ::= "ab" | "cd"')))
    twin = matcher.copy()
    assert matcher.advance("a")
    assert twin.advance("c")
    assert (matcher.forced_text(), twin.forced_text()) == ("b", "d")


def test_forced_text_stops_at_its_limit() -> None:
    matcher = Matcher(compile_matcher(parse_gbnf('root ::= "abcdefgh" "ij"')))
    assert [matcher.forced_text(limit) for limit in (0, 3, 9, 99)] == [
        "",
        "abc",
        "abcdefghi",
        "abcdefghij",
    ]


def test_must_end() -> None:
    matcher = Matcher(compile_matcher(parse_gbnf('root ::= "a" "b"?')))
    assert matcher.advance("a")
    assert (matcher.can_end(), matcher.must_end()) == (True, False)
    assert matcher.advance("b")
    assert (matcher.can_end(), matcher.must_end()) == (True, True)


TOKENS = [
    ("root ::= <think> [a]", [(5, "<think>", True), (1, "a", True)], True),
    ("root ::= <think> [a]", [(5, "<thin>", False)], False),
    ("root ::= <[7]>", [(7, "x", True)], True),
    ("root ::= <[7]>", [(8, "x", False)], False),
    ("root ::= !<[7]>* <[7]>", [(1, "any", True), (2, "", True), (7, "", True)], True),
    ('root ::= "ab" <[7]> | "abc"', [(1, "ab", True), (7, "c", True)], True),
    ('root ::= "ab" <[7]> | "abc"', [(1, "ab", True), (8, "c", True)], True),
    ('root ::= "ab" <[7]> "d" | "abc"', [(1, "ab", True), (8, "c", True), (9, "d", False)], True),
    ('root ::= "ab" <[7]> "d" | "abc"', [(1, "ab", True), (7, "c", True), (9, "d", True)], True),
]


@pytest.mark.parametrize(("grammar", "tokens", "can_end"), TOKENS)
def test_tokens(grammar: str, tokens: list[tuple[int, str, bool]], can_end: bool) -> None:
    matcher = Matcher(compile_matcher(parse_gbnf(grammar)))
    for token, piece, taken in tokens:
        assert matcher.advance_token(token, piece) is taken
    assert matcher.can_end() is can_end


def test_expected_tokens() -> None:
    matcher = Matcher(compile_matcher(parse_gbnf("root ::= <think> | !<[3]> | [a]")))
    assert [(t.token, t.negated) for t in matcher.expected_tokens()] == [
        ("think", False),
        (3, True),
    ]


JSON_LIKE = """root ::= value
value ::= object | "[" value ("," value)* "]" | string
object ::= "{" string ":" value "}"
string ::= "\\"" [^"]* "\\"" """

PATHS = [
    ('["a",{"b', ("root", "value", "object", "string")),
    ("[", ("root", "value")),
    ('[{"b":["c"', ("root", "value", "object", "value")),
]


@pytest.mark.parametrize(("text", "path"), PATHS)
def test_rule_path(text: str, path: tuple[str, ...]) -> None:
    assert match_text(parse_gbnf(JSON_LIKE), text).rule_path == path


@pytest.mark.parametrize("grammar", ['start ::= "a"', 'root ::= "a" gone', "root ::= gone{3}"])
def test_undefined_rules_are_errors(grammar: str) -> None:
    with pytest.raises(GbnfcError, match="rule"):
        compile_matcher(parse_gbnf(grammar))


def test_bounds_that_cannot_be_met_match_nothing() -> None:
    grammar = Grammar((Rule("root", Choice((Repeat(Literal("a"), 3, 2), Literal("b")))),))
    assert match_text(grammar, "").verdict is MORE
    assert match_text(grammar, "a").verdict is NO
    assert match_text(grammar, "b").verdict is OK


# --- bounded time and memory ---------------------------------------------------------------------


def test_huge_counts_are_not_expanded() -> None:
    grammar = Grammar((Rule("root", Repeat(Literal("ab"), 2_000_000_000, 2_147_483_647)),))
    program = compile_matcher(grammar)
    assert match_text(program, "ab" * 500).verdict is MORE
    with pytest.raises(LimitExceeded, match="4000000000"):
        Matcher(program).shortest_completion()
    with pytest.raises(LimitExceeded):
        sample(program, random.Random(0))


@pytest.mark.parametrize(
    "grammar",
    [
        'root ::= "a" | "b"{99999999999}',
        'root ::= x? "a"\nx ::= ([a-h] "x"){99999999999}',
        'root ::= x? "a"\nx ::= y{1500}\ny ::= "b"{1500}',
        'root ::= (":"{99999999999}){0,5} "a"',
    ],
)
def test_samples_go_around_what_never_ends(grammar: str) -> None:
    program = compile_matcher(parse_gbnf(grammar))
    assert {sample(program, random.Random(seed)) for seed in range(30)} == {"a"}


def test_long_literals_are_read_at_once() -> None:
    text = "0123456789" * 200_000
    grammar = Grammar((Rule("root", Sequence((Literal(text), Literal("!")))),))
    result = match_text(grammar, text + "!")
    assert result.verdict is OK
    assert match_text(grammar, text[:777_777]).offset == 777_777
    assert match_text(grammar, text[:777_777] + "x").offset == 777_777
    assert Matcher(compile_matcher(grammar)).forced_text(10**7) == text + "!"


def test_many_words_are_a_trie() -> None:
    words = tuple(Literal(f"value-{number:05d}") for number in range(20_000))
    program = compile_matcher(Grammar((Rule("root", Choice(words)),)))
    assert match_text(program, "value-17771").verdict is OK
    assert match_text(program, "value-20000").offset == 6
    matcher = Matcher(program)
    assert matcher.forced_text() == "value-"
    assert matcher.live_stacks() < 20


def test_deep_nesting_needs_no_stack() -> None:
    depth = 10_000
    program = compile_matcher(parse_gbnf('root ::= "[" root "]" | "x"'))
    assert match_text(program, "[" * depth + "x" + "]" * depth).verdict is OK
    matcher = Matcher(program)
    assert matcher.advance("[" * depth)
    assert matcher.shortest_completion() == "x" + "]" * depth
    del matcher, program
    gc.collect()  # freeing a long chain of nodes must not recurse either


def test_long_chains_of_rules_need_no_stack() -> None:
    count = 5_000
    rules = [Rule("root", RuleRef("r0"))]
    rules += [Rule(f"r{i}", Sequence((RuleRef(f"r{i + 1}"), Literal("x")))) for i in range(count)]
    rules.append(Rule(f"r{count}", Literal("a")))
    grammar = Grammar(tuple(rules))
    assert match_text(grammar, "a" + "x" * count).verdict is OK
    assert match_text(grammar, "a" + "x" * (count - 1)).verdict is MORE


AMBIGUOUS = [
    'root ::= root root | "a"',
    'root ::= ("a"* "a"*)* "a"*',
    'root ::= "a" root "b" | "a" root "c" | "a" root | ""',
    'root ::= x{0,2000}\nx ::= "a" | "aa"',
    'root ::= x x x x x x x x\nx ::= ("a"?)* | x "a"',
]


@pytest.mark.parametrize("grammar", AMBIGUOUS)
def test_ambiguity_is_not_exponential(grammar: str) -> None:
    began = time.process_time()
    assert match_text(parse_gbnf(grammar), "a" * 60).offset == 60
    assert time.process_time() - began < 5


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states_module, "_MAX_STATES", 50)
    program = compile_matcher(parse_gbnf('root ::= "[" root "]" | "x" | [a-z]{0,500}'))
    text = "[" * 300 + "a" * 400 + "]" * 300
    first, second = Matcher(program), Matcher(program)
    for char in text:
        assert first.advance(char)
        assert second.advance(char)
        assert program.remembered_states() <= 50
    assert first.can_end()
    assert second.can_end()


SAMPLED = [
    *(SUM, HIDDEN, BRACKETS, PALINDROME, KEYS, JSON_LIKE),
    'root ::= root root | "a"',
    'root ::= x{3,40} [0-9]{2}\nx ::= [a-z]+ "."',
    'root ::= "a" (never | "b")\nnever ::= "c" never',
    "root ::= [^\\x00-\\x1F]{5}",
]


@pytest.mark.parametrize("grammar", SAMPLED)
def test_samples_belong_to_the_grammar(grammar: str) -> None:
    program = compile_matcher(parse_gbnf(grammar))
    for number in range(50):
        text = sample(program, random.Random(number))
        assert match_text(program, text).verdict is OK, text


@pytest.mark.parametrize("grammar", SAMPLED)
def test_shortest_samples_are_shortest(grammar: str) -> None:
    program = compile_matcher(parse_gbnf(grammar))
    completion = Matcher(program).shortest_completion()
    assert completion is not None
    assert len(sample(program, random.Random(1), shortest=True)) == len(completion)
    assert match_text(program, completion).verdict is OK


@pytest.mark.parametrize("grammar", SAMPLED)
def test_shortest_completions_complete(grammar: str) -> None:
    program = compile_matcher(parse_gbnf(grammar))
    for number in range(20):
        text = sample(program, random.Random(number))[:80]
        matcher = Matcher(program)
        for char in text:
            assert matcher.advance(char)
            completion = matcher.shortest_completion()
            assert completion is not None
            ended = matcher.copy()
            assert ended.advance(completion)
            assert ended.can_end()


def test_the_same_seed_gives_the_same_sample() -> None:
    grammar = parse_gbnf(JSON_LIKE)
    texts = {sample(grammar, random.Random(7)) for _ in range(5)}
    assert len(texts) == 1


@pytest.mark.parametrize("grammar", ["root ::= <think>", 'root ::= "a" root'])
def test_what_has_no_text_cannot_be_sampled(grammar: str) -> None:
    with pytest.raises(GbnfcError, match="no text"):
        sample(parse_gbnf(grammar), random.Random(0))
