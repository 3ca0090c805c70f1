"""The long run over mutated grammars, by hand: does what we say and write of them hold?

    python tests/gbnf/campaign_mutants.py --count 12000 --seed 1

Each mutant is linted, fixed, formatted, sampled and matched, and llama.cpp is asked (see
`mutated_grammars.problems`). The work is done in a child process: one that hangs, dies or needs
more than 1 GB is reported and replaced. Exit code 1 when anything was found. Linux only.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import signal
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from judge import EngineJudge
from mutated_grammars import mutant, problems

HANGS_S = 60
SLOW_S = 10
MOST_KB = 1_000_000


def random_of(seed: int, number: int) -> random.Random:
    return random.Random(f"{seed}-{number}")


def work(seed: int, first: int, count: int, progress: int) -> None:
    """Look at the mutants from `first` to `count`, telling each number before it begins."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # llama.cpp prints each text it refuses
    judge = EngineJudge()
    for number in range(first, count):
        os.pwrite(progress, b"%10d" % number, 0)
        rng = random_of(seed, number)
        text = mutant(rng)
        started = time.process_time()
        try:
            found = list(problems(text, judge, rng))
        except Exception:  # noqa: BLE001 - a traceback is what we look for
            found = [traceback.format_exc()]
        if (spent := time.process_time() - started) > SLOW_S:
            found.append(f"took {spent:.0f} s")
        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        if used > MOST_KB:
            found.append(f"needed {used // 1000} MB")
        for problem in found:
            print(f"{number} {text!r}\n    {problem}", flush=True)
        if used > MOST_KB:
            os.pwrite(progress, b"%10d" % (number + 1), 0)
            os._exit(2 if found else 0)


def cpu_time_of(child: int) -> float:
    """Return the seconds that `child` has computed: others may use the machine too."""
    user, system = Path(f"/proc/{child}/stat").read_text("utf-8").rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def watch(child: int, progress: int) -> tuple[int | None, int]:
    """Return how `child` ended (None: it hung and was ended), and the number it was at."""
    seen, since = -1, 0.0
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        number = int(os.pread(progress, 10, 0) or 0)
        if ended:
            return status, number
        if number != seen:
            seen, since = number, cpu_time_of(child)
        elif cpu_time_of(child) - since > HANGS_S:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return None, number
        time.sleep(0.2)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=12_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    progress = os.memfd_create("progress")
    first, crashes = arguments.first, 0
    while first < arguments.count:
        child = os.fork()
        if child == 0:
            work(arguments.seed, first, arguments.count, progress)
            os._exit(0)
        status, number = watch(child, progress)
        if status == 0:
            break
        first = number if status is not None and os.WIFEXITED(status) else number + 1
        if first > number:
            crashes += 1
            text = mutant(random_of(arguments.seed, number))
            print(f"{number} {text!r}\n    {'hangs' if status is None else 'dies'}", flush=True)
    print(f"{arguments.count} mutants, {crashes} hung or died")
    return 1 if crashes else 0


if __name__ == "__main__":
    sys.exit(main())
