"""The long differential run, by hand: does our parser accept just what llama.cpp loads?

    python tests/campaigns/parse_campaign.py --count 100000 --seed 1

Texts are grammars made at random, half of them then slightly broken. Where llama.cpp would not
survive the question (see `RefusalKind.is_answered`) it is not asked. Exit code 1 on a difference.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "helpers"))

from judge import EngineJudge, UnsafeToAsk
from loading import loads_here
from random_grammars import random_text

SLOW_S = 5


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    # llama.cpp prints each text it refuses.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    judge = EngineJudge()
    rng = random.Random(arguments.seed)
    counts: Counter[str] = Counter()
    for number in range(1, arguments.count + 1):
        if number % 20_000 == 0:
            print(number, dict(counts), flush=True)
        text = random_text(rng)
        here, why = loads_here(text)
        if here is None:
            counts["not asked"] += 1
            continue
        started = time.monotonic()
        try:
            there = judge.loads(text)
        except UnsafeToAsk:
            counts["not asked"] += 1
            continue
        if time.monotonic() - started > SLOW_S:
            print(f"slow: {text!r}", flush=True)
        counts["loads" if there else "refused"] += 1
        if here != there:
            counts["DIFFERENT"] += 1
            print(f"{text!r}: here {here} ({why}), llama.cpp {there}", flush=True)
    print(dict(counts))
    return 1 if counts["DIFFERENT"] else 0


if __name__ == "__main__":
    sys.exit(main())
