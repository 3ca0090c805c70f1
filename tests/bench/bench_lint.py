"""How fast the linter is. Run: `python tests/bench/bench_lint.py`.

Prints the time of 1,000 grammars of 50 rules (goal: 10 s on two cores, so 20 s of processor time),
of one grammar of 10,000 rules (goal: 5 s), and of `gbnfc lint` on one file from a cold start (goal:
0.25 s). Half of the grammars are tidy: records, lists, numbers, choices of words; the other half is
made at random and full of findings, which cost more to explain than a clean grammar costs to pass.
Times are processor times, so that other work on the machine counts as little as can be.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from gbnfc.lint import lint_grammar
from gbnfc.lint.run import InputFile, lint_files, relax_collector
from gbnfc.lint.settings import LintSettings

GRAMMARS = 1_000
RULES = 50
MANY_RULES = 10_000
COLD_STARTS = 7

_TIDY_LEAVES = (
    r'"\"" [a-z]{1,20} "\""',
    '"0" | [1-9] [0-9]{0,8}',
    r'"\"" ("red" | "green" | "blue") "\""',
    '"true" | "false" | "null"',
    r'"\"" [0-9]{4} "-" [0-1] [0-9] "\""',
)
_MESSY_LEAVES = ("[a-z]+", "[0-9]{1,4}", r'[^"\\]', "[A-Z]?")


def main() -> None:
    """Measure and print."""
    relax_collector()
    texts = [_tidy(RULES, seed) if seed % 2 else _messy(RULES, seed) for seed in range(GRAMMARS)]
    lint_grammar(texts[0])
    seconds, findings = _lint(texts)
    print(f"{GRAMMARS:,} grammars of {RULES} rules, {findings:,} findings")
    print(f"  one process       {seconds:6.2f} s of processor time   (goal 20)")
    print(f"  all cores         {_lint_in_parallel(texts):6.2f} s by the clock         (goal 10)")
    print(f"one grammar of {MANY_RULES:,} rules")
    for kind, text in (("tidy", _tidy(MANY_RULES, 1)), ("messy", _messy(MANY_RULES, 0))):
        seconds, findings = _lint([text])
        print(f"  {kind:<17} {seconds:6.2f} s, {findings:,} findings   (goal 5)")
    print(
        f"cold start, one file {min(_cold_start() for _ in range(COLD_STARTS)):.3f} s   (goal 0.25)"
    )


def _lint(texts: list[str]) -> tuple[float, int]:
    began = time.process_time()
    findings = sum(len(lint_grammar(text)) for text in texts)
    return time.process_time() - began, findings


def _lint_in_parallel(texts: list[str]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for number, text in enumerate(texts):
            path = Path(folder) / f"{number}.gbnf"
            path.write_text(text, encoding="utf-8")
            files.append(InputFile(str(path), named=True))
        began = time.perf_counter()
        lint_files(files, LintSettings())
        return time.perf_counter() - began


def _cold_start() -> float:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.gbnf"
        path.write_text(_tidy(RULES, 1), encoding="utf-8")
        command = [sys.executable, "-m", "gbnfc", "lint", str(path), "--exit-zero"]
        began = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, cwd=folder)
        return time.perf_counter() - began


def _tidy(count: int, seed: int) -> str:
    """Return a JSON-shaped grammar: records whose members are the rules that follow."""
    rng = random.Random(seed)
    lines = []
    for number in range(count):
        below = [n for n in range(3 * number + 1, 3 * number + 4) if n < count]
        if not below:
            lines.append(f"{_name(number)} ::= {rng.choice(_TIDY_LEAVES)}")
            continue
        members = ' ", " '.join(rf'"\"key-{n}\": " {_name(n)}' for n in below)
        lines.append(f'{_name(number)} ::= "{{" {members} "}}"')
    return "\n".join(lines) + "\n"


def _messy(count: int, seed: int) -> str:
    """Return a grammar of random alternatives that overlap, repeat without end and chain."""
    rng = random.Random(seed)
    lines = []
    for number in range(count):
        later = [_name(n) for n in range(number + 1, min(number + 6, count))]
        alternatives = [_messy_sequence(rng, later) for _ in range(rng.randint(1, 3))]
        alternatives.append(f'"x{number}" {later[0] if later else ""}')
        lines.append(f"{_name(number)} ::= {' | '.join(alternatives)}")
    return "\n".join(lines) + "\n"


def _messy_sequence(rng: random.Random, later: list[str]) -> str:
    items = []
    for _ in range(rng.randint(1, 4)):
        kind = rng.random()
        if kind < 0.4 and later:
            items.append(rng.choice(later) + rng.choice(("", "", "?", "{1,5}")))
        elif kind < 0.7:
            letters = rng.choices("abcdefghij:, ", k=rng.randint(1, 8))
            items.append(f'"{"".join(letters)}"')
        else:
            items.append(rng.choice(_MESSY_LEAVES))
    return " ".join(items)


def _name(number: int) -> str:
    return "root" if number == 0 else f"rule-{number}"


if __name__ == "__main__":
    main()
