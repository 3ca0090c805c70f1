"""The long run over mutated grammars, by hand: does what we say and write of them hold?

    python tests/campaigns/grammar_campaign.py --count 12000 --seed 1

Each mutant is linted, fixed, formatted, sampled and matched, and llama.cpp is asked (see
`mutated_grammars.problems`). The work is done in a child process: one that hangs, dies or needs
more than 1 GB is reported and replaced. Exit code 1 when anything was found. Linux only.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "helpers"))

from judge import EngineJudge
from mutated_grammars import mutant, problems
from watched import Bounds, watched

if TYPE_CHECKING:
    from collections.abc import Iterator

    from watched import Check


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=12_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    def random_of(number: int) -> random.Random:
        return random.Random(f"{arguments.seed}-{number}")

    def prepare() -> Check:
        judge = EngineJudge()

        def check(number: int) -> Iterator[str]:
            rng = random_of(number)
            return problems(mutant(rng), judge, rng)

        return check

    numbers = range(arguments.first, arguments.count)
    found = watched(numbers, prepare, lambda n: f"{n} {mutant(random_of(n))!r}", Bounds())
    print(f"{len(numbers)} mutants, {found} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
