#!/usr/bin/env python3
"""Does the linter's cost estimate follow what llama.cpp really takes, and do its fixes help?

    python tests/bench/mask_cost.py [--schemas FILE.jsonl[.gz]] [--count N] [--verbose]

Calibration: for each grammar the linter's dearest prefix and its estimate are taken, and the time
of masking the whole vocabulary behind that prefix is measured. Grammars: families of growing size,
the grammars of this project and of llama.cpp, what the compiler makes of schemas (`--schemas`:
lines with a "schema" each), and mutations of all of these. Prints Spearman's rank correlation; the
aim is 0.9 over 150 grammars or more. A mask that passes `--limit` seconds counts as that many.
Measured with 80 schemas of MaskBench: 0.958 over 277 grammars (families 0.971 over 103, ours and
llama.cpp's 0.892 over 22, compiled 0.841 over 80, mutated 0.963 over 72; 29 passed the limit, 8
were left out because there is no estimate, or the engine refuses them).

Fixes: for each cost rule the time before and after its fix (or its *Use instead*), at a size at
which it shows. A few rules are not about masks; the table says what they are about.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
from pathlib import Path

from cost_fixes import print_fixes
from mask_meter import Meter, TooSlow

from gbnfc.errors import EngineError, GbnfcError, LimitExceeded
from gbnfc.gbnf.parse import parse_gbnf
from gbnfc.gbnf.write import write_gbnf
from gbnfc.ir.nodes import Choice, Grammar, Repeat, Rule, Sequence
from gbnfc.ir.walk import rebuild
from gbnfc.lint.analysis.cost import Survey

PLAIN_MS = 4
"""What a mask takes on the machine that the estimate's weights were fitted on, with one stack."""
ROOT = Path(__file__).resolve().parents[2]


def families():
    """Yield grammars of one kind each, of growing size."""
    words = [f"{a}{b}{c}" for a in "abcdefgh" for b in "aeiou" for c in "lmnrst"]
    for n in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 240):
        yield f"optionals-{n}", "root ::= " + " ".join(["[a-z]?"] * n) + ' "."'
        yield f"bounded-{n}", f'root ::= [a-z]{{0,{n}}} "."'
        yield f"stars-{n}", "root ::= " + " ".join(["[a-z]*"] * n) + ' "."'
        yield f"literals-{n}", "root ::= " + " | ".join(f'"{w}"' for w in words[:n])
        yield f"phrases-{n}", 'root ::= "It" (' + " | ".join(f'" {w}"' for w in words[:n]) + ")+"
        classes = " | ".join(f"[{chr(97 + i % 20)}-z]+" for i in range(n))
        yield f"classes-{n}", f"root ::= ({classes})+"
        parts = " ".join(f"[{chr(97 + i % 13)}-z]{{0,3}}" for i in range(n))
        yield f"parts-{n}", f"root ::= {parts}"
    for n in (1, 2, 3, 4, 5, 6):
        yield f"nested-{n}", "root ::= " + "(" * n + "[a-z]+" + ")+" * n
        yield f"text-{n}", f"root ::= [^{chr(96 + n)}]* [{chr(96 + n)}]"


def shipped():
    """Yield the grammars of this project and of llama.cpp."""
    for pattern in ("grammars/*.gbnf", "tests/lint/llama.cpp/*.gbnf"):
        for path in sorted(ROOT.glob(pattern)):
            yield path.stem, path.read_text(encoding="utf-8")


def compiled(path, count):
    """Yield what the compiler makes of `count` of the schemas in `path`, evenly chosen."""
    from gbnfc.schema import compile_schema

    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        schemas = [line for line, _ in zip(lines, range(count * 40), strict=False)]
    for number, line in enumerate(schemas[::40]):
        record = json.loads(line)
        try:
            text = compile_schema(record["schema"]).text
        except GbnfcError:
            continue
        yield record.get("name", f"schema-{number}"), text


def mutated(grammars, count):
    """Yield `count` random changes of `grammars` that make them repeat, chain and overlap."""
    generator = random.Random(7)
    for number in range(count):
        name, text = generator.choice(grammars)
        grammar = parse_gbnf(text)
        rate = generator.choice((0.05, 0.1, 0.2))

        def change(node, rate=rate):
            if generator.random() > rate:
                return node
            if isinstance(node, Repeat):
                return Repeat(node.body, 0, generator.choice((None, 1, 7, 30)))
            if isinstance(node, Sequence) and node.items:
                return Sequence((*node.items, Repeat(node.items[-1], 0, 3)))
            if isinstance(node, Choice):
                return Choice((*node.alternatives, Repeat(node.alternatives[0], 1, 4)))
            return Repeat(node, 0, generator.choice((1, 2, None)))

        rules = tuple(Rule(rule.name, rebuild(rule.body, change)) for rule in grammar.rules)
        yield f"{name}~{number}", write_gbnf(Grammar(rules))


def rank(values):
    """Return the rank of each value, equal values sharing theirs."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    ranks = [0.0] * len(values)
    at = 0
    while at < len(order):
        end = at
        while end < len(order) and values[order[end]] == values[order[at]]:
            end += 1
        for i in order[at:end]:
            ranks[i] = (at + end - 1) / 2
        at = end
    return ranks


def spearman(first, second):
    """Return Spearman's rank correlation of two equally long lists."""
    x, y = rank(first), rank(second)
    mean = (len(x) - 1) / 2
    covariance = sum((a - mean) * (b - mean) for a, b in zip(x, y, strict=True))
    spread = [sum((v - mean) ** 2 for v in values) for values in (x, y)]
    return covariance / (spread[0] * spread[1]) ** 0.5


def calibrate(meter, grammars, *, verbose):
    """Print how well estimates and measurements agree; return the correlation over all."""
    rows = []
    without = {"no estimate": 0, "refused by the engine": 0}
    slow = 0
    for kind, name, text in grammars:
        try:
            survey = Survey(parse_gbnf(text))
            estimate = survey.estimate_mask()
        except LimitExceeded:
            without["no estimate"] += 1
            continue
        try:
            found = meter.measure(text, estimate.prefix)
            milliseconds = found.mask_s / found.plain_s * PLAIN_MS
        except TooSlow:
            milliseconds = meter.limit_s * 1000
            slow += 1
        except EngineError:
            without["refused by the engine"] += 1
            continue
        rows.append((kind, estimate.nanoseconds / 1e6, milliseconds, survey.cost.stacks))
        if verbose:
            stacks = survey.cost.stacks
            print(f"{rows[-1][1]:9.2f} est ms {milliseconds:9.2f} ms {stacks:5} stacks  {name}")
    print(f"{'grammars':<24} {'number':>6} {'rank correlation':>17} {'(of stacks alone)':>18}")
    for kind in [*dict.fromkeys(row[0] for row in rows), None]:
        some = [row for row in rows if kind in (None, row[0])]
        columns = list(zip(*some, strict=True))
        figure, alone = spearman(columns[1], columns[2]), spearman(columns[3], columns[2])
        print(f"{kind or 'all':<24} {len(some):>6} {figure:>17.3f} {alone:>18.3f}")
    print(f"took longer than the limit of {meter.limit_s:g} s, and count as that: {slow}")
    print("left out: " + ", ".join(f"{count} {why}" for why, count in without.items()))
    return figure


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--schemas", type=Path)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--limit", type=float, default=3)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--model")
    arguments = parser.parse_args()
    ours = list(shipped())
    made = list(compiled(arguments.schemas, arguments.count)) if arguments.schemas else []
    kinds = {
        "families": list(families()),
        "ours and llama.cpp's": ours,
        "compiled": made,
        "mutated": list(mutated([*ours, *made], arguments.count)),
    }
    grammars = [(kind, *grammar) for kind, group in kinds.items() for grammar in group]
    meter = Meter(arguments.model, arguments.limit)
    try:
        correlation = calibrate(meter, grammars, verbose=arguments.verbose)
        print_fixes(meter)
    finally:
        meter.close()
    return 0 if correlation >= 0.9 else 1


if __name__ == "__main__":
    sys.exit(main())
