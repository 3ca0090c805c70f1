"""Our matcher and llama.cpp's engine give the same verdict on generated grammars and texts.

In CI about 6,000 grammar/text pairs. By hand, on 0.3.36: 222,936 pairs (105,825 accepted, 18,711
incomplete, 98,400 rejected) without a difference, with `GBNFC_GRAMMARS=9000 GBNFC_TEXTS=40
GBNFC_SEED=20250300` in the environment.

Left out, because llama.cpp cannot be asked: left recursion that its check overlooks (it would add
stacks for ever), and texts with so many live stacks that it would take minutes.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from gbnfc.gbnf.parse import parse_gbnf
from gbnfc.match import Matcher, Program, compile_matcher, match_text, sample

if TYPE_CHECKING:
    import pytest
    from judge import EngineJudge

GRAMMARS = int(os.environ.get("GBNFC_GRAMMARS", "900"))
SEED = int(os.environ.get("GBNFC_SEED", "20250101"))
TEXTS_PER_GRAMMAR = int(os.environ.get("GBNFC_TEXTS", "12"))
MAX_STACKS = 200

RULES = ("root", "r1", "r2", "r3")
LETTERS = "abcé日\n"
ATOMS = (
    *('"a"', '"b"', '"ab"', '"ba"', '"abc"', '""', '"é"', '"日本"', r'"\n"', r'"\x61"'),
    *("[ab]", "[a-c]", "[^a]", "[^ab]", r"[^\n]", "[b-bé]", "[日]", "[a-]", ".", "[^a-z]"),
)
REPEATS = ("", "", "", "", "?", "*", "+", "{2}", "{1,3}", "{0,2}", "{2,}", "{0}", "{3,3}", "{0,}")


def _expressions(rule: int) -> st.SearchStrategy[str]:
    # Mostly references to later rules: most grammars with others are left-recursive, so refused.
    atom = st.sampled_from([*ATOMS, *RULES, *RULES[rule + 1 :] * 4])

    def extend(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        group = inner.map("({})".format)
        item = st.one_of(atom, atom, group)
        repeated = st.builds(
            str.__add__, item.filter(lambda text: text != '""'), st.sampled_from(REPEATS)
        )
        sequence = st.lists(repeated, min_size=1, max_size=3).map(" ".join)
        return st.lists(sequence, min_size=1, max_size=3).map(" | ".join)

    return st.recursive(atom, extend, max_leaves=8)


GRAMMAR_TEXTS = st.tuples(*map(_expressions, range(len(RULES)))).map(
    lambda bodies: "".join(f"{n} ::= {b}\n" for n, b in zip(RULES, bodies, strict=True))
)


def _grows_for_ever(program: Program) -> bool:
    # A frame that calls itself first, with something left to do, whatever stands before is empty.
    closures = program.closures
    calls = {
        frame: {callee for callee, _ in closures.known[entry].calls}
        for frame, entry in enumerate(closures.network.entries)
    }
    for frame in calls:
        reached, todo = set(), list(calls[frame])
        while todo:
            if (callee := todo.pop()) not in reached:
                reached.add(callee)
                todo.extend(calls[callee])
        if frame in reached:
            return True
    return False


def _texts(program: Program, rng: random.Random) -> list[str]:
    texts = ["", "".join(rng.choices(LETTERS, k=rng.randint(1, 6)))]
    can_end = Matcher(program).shortest_completion() is not None
    while len(texts) < TEXTS_PER_GRAMMAR:
        text = sample(program, rng, max_depth=6)[:30] if can_end else ""
        for _ in range(rng.randint(0, 2)):
            at = rng.randint(0, len(text))
            text = text[:at] + rng.choice(["", *LETTERS]) + text[at + rng.randint(0, 1) :]
        texts.append("".join(c for c in text if c.isprintable() or c == "\n"))
    return texts


def _worst_stacks(program: Program, text: str) -> int:
    matcher = Matcher(program)
    worst = matcher.live_stacks()
    for char in text:
        if not matcher.advance(char):
            break
        worst = max(worst, matcher.live_stacks())
    return worst


def _compare(judge: EngineJudge, grammar_text: str) -> Counter[str]:
    """Compare the two judges on texts for this grammar and return how often each verdict fell."""
    compared: Counter[str] = Counter()
    program = compile_matcher(parse_gbnf(grammar_text))
    if _grows_for_ever(program) or Matcher(program).live_stacks() > MAX_STACKS:
        return compared
    sampler = judge.load(grammar_text)
    if sampler is None:
        return compared
    rng = random.Random(grammar_text)
    for text in _texts(program, rng):
        if _worst_stacks(program, text) <= MAX_STACKS:
            ours = match_text(program, text).verdict.value
            theirs = judge.verdict(sampler, text)
            assert ours == theirs, (text, ours, theirs)
            compared[ours] += 1
    judge.free(sampler)
    return compared


def test_same_verdicts(judge: EngineJudge, capsys: pytest.CaptureFixture[str]) -> None:
    compared: Counter[str] = Counter()

    @seed(SEED)
    @settings(
        max_examples=GRAMMARS, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(grammar_text=GRAMMAR_TEXTS)
    def compare(grammar_text: str) -> None:
        compared.update(_compare(judge, grammar_text))

    compare()
    with capsys.disabled():
        print(f" {compared.total()} pairs compared {dict(sorted(compared.items()))}", end="")
    assert compared.total() >= 5_000


def test_known_difference_inside_characters(judge: EngineJudge) -> None:
    """Where a token ends inside a character, llama.cpp's `[^…]` refuses too much.

    `llama_grammar_match_partial_char` asks whether *some* excluded character begins with the bytes
    so far, and then refuses the token, although others begin like that too. Our matcher reads
    whole characters; our compilers write no `[^…]` with characters beyond ASCII.
    """
    assert match_text(parse_gbnf("root ::= [^😀]"), "😁").verdict.value == "accepted"
    with judge.loaded("root ::= [^😀]") as sampler:
        assert judge.verdict(sampler, "😁") == "rejected"
    with judge.loaded("root ::= [\\x01-😁]") as sampler:
        assert judge.verdict(sampler, "😁") == "accepted"
