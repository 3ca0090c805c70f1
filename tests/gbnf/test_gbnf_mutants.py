"""A small share of the long run over mutated grammars, `campaign_mutants.py`."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from mutated_grammars import mutant, neighbours, problems

if TYPE_CHECKING:
    from judge import EngineJudge


@pytest.mark.parametrize("seed", range(20))
def test_what_we_say_and_write_of_mutants_holds(seed: int, judge: EngineJudge) -> None:
    rng = random.Random(f"ci-{seed}")
    text = mutant(rng)
    assert list(problems(text, judge, rng)) == [], text


def test_neighbours_of_comments() -> None:
    text = 'a ::= ("x" # one\n  | # two\n ([b]{ 1 , # three\n 1} # four\n)) # five\nc ::= "" # six'
    assert neighbours(text) == [
        ("'x'", "# one", "|"),
        ("|", "# two", "(False, ((98, 98),))"),
        ("1,1", "# three", "c"),
        ("1,1", "# four", "c"),
        ("1,1", "# five", "c"),
        ("::=", "# six", ""),
    ]
    assert neighbours('a ::= "x"{072} # c') == neighbours('a ::= "x"{72} # c')
