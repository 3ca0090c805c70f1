#!/usr/bin/env python3
"""Does the linter's cost estimate follow what llama.cpp really takes?

    python tests/bench/mask_cost.py [--schemas FILE.jsonl[.gz]] [--count N] [--verbose]

For each grammar the linter's dearest prefix and its estimate are taken, and the time of masking the
whole vocabulary behind that prefix is measured. Grammars: families of growing size, the grammars of
this project and mutations of them, and what the compiler makes of schemas (`--schemas`: lines with
a "schema" each). Prints Spearman's rank correlation; the aim is 0.9 over 150 grammars or more.

Then, for each cost rule, the mask time of its documented example and of what to use instead.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
from pathlib import Path

from gbnfc.engine.mask_clock import MaskClock
from gbnfc.engine.models import find_model
from gbnfc.errors import EngineError, GbnfcError
from gbnfc.gbnf.parse import parse_gbnf
from gbnfc.gbnf.write import write_gbnf
from gbnfc.ir.nodes import Choice, Grammar, Repeat, Rule, Sequence
from gbnfc.ir.walk import rebuild
from gbnfc.lint.cost import estimate_mask, measure_cost
from gbnfc.lint.manual import manual_of
from gbnfc.lint.registry import RULES

_LONGEST_NS = 300_000_000
"""Grammars dearer than that by the estimate are left out: they take minutes to measure."""
_PLAIN = "root ::= [^\\n]*"
ROOT = Path(__file__).resolve().parents[2]


def families():
    words = [f"{a}{b}{c}" for a in "abcdefgh" for b in "aeiou" for c in "lmnrst"]
    for n in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 240):
        yield f"optionals-{n}", "root ::= " + " ".join(["[a-z]?"] * n) + ' "."'
        yield f"bounded-{n}", f'root ::= [a-z]{{0,{n}}} "."'
        yield f"stars-{n}", "root ::= " + " ".join(["[a-z]*"] * n) + ' "."'
        yield f"literals-{n}", "root ::= " + " | ".join(f'"{w}"' for w in words[:n])
        yield f"phrases-{n}", 'root ::= "It" (' + " | ".join(f'" {w}"' for w in words[:n]) + ")+"
        classes = " | ".join(f"[{chr(97 + i % 20)}-z]+" for i in range(n))
        yield f"classes-{n}", f"root ::= ({classes})+"
        yield (
            f"parts-{n}",
            "root ::= " + " ".join(f"[{chr(97 + i % 13)}-z]{{0,3}}" for i in range(n)),
        )
    for n in (1, 2, 3, 4, 5, 6):
        yield f"nested-{n}", "root ::= " + "(" * n + "[a-z]+" + ")+" * n
        yield f"text-{n}", f"root ::= [^{chr(96 + n)}]* [{chr(96 + n)}]"


def mutated(grammars, count):
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


def compiled(path, count):
    from gbnfc.schema import compile_schema

    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line, _ in zip(lines, range(count * 40), strict=False)]
    for record in records[::40]:
        try:
            yield record.get("name", "schema"), compile_schema(record["schema"]).text
        except GbnfcError:
            continue


def rank(values):
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
    x, y = rank(first), rank(second)
    mean = (len(x) - 1) / 2
    covariance = sum((a - mean) * (b - mean) for a, b in zip(x, y, strict=True))
    spread = [sum((v - mean) ** 2 for v in values) for values in (x, y)]
    return covariance / (spread[0] * spread[1]) ** 0.5


def calibrate(clock, grammars, verbose):
    rows = []
    skipped = 0
    for name, text in grammars:
        try:
            grammar = parse_gbnf(text)
            stacks, estimate = measure_cost(grammar).stacks, estimate_mask(grammar)
            if estimate.nanoseconds > _LONGEST_NS:
                skipped += 1
                continue
            # Beside a plain grammar at the same moment, so that other load on the machine cancels.
            plain = clock.time_behind(_PLAIN, "", repeats=5)
            seconds = clock.time_behind(text, estimate.prefix, repeats=5) / plain * 0.004
        except (GbnfcError, EngineError) as error:
            if verbose:
                print(f"skipped {name}: {str(error)[:80]}")
            continue
        rows.append((estimate.nanoseconds / 1e6, seconds * 1000, stacks, name))
        if verbose:
            print(f"{rows[-1][0]:9.2f} est ms {rows[-1][1]:9.2f} ms {stacks:5} stacks  {name}")
    correlation = spearman([row[0] for row in rows], [row[1] for row in rows])
    alone = spearman([row[2] for row in rows], [row[1] for row in rows])
    print(
        f"grammars: {len(rows)}   rank correlation of estimate and measurement: {correlation:.3f}"
    )
    print(f"left out as too dear to measure: {skipped}")
    print(f"(number of stacks alone: {alone:.3f})")
    return correlation


def before_and_after(clock):
    print(f"\n{'rule':<8} {'example':>10} {'instead':>10}")
    for rule in RULES:
        manual = manual_of(rule)
        if not rule.CODE.startswith("COST") or not manual.example:
            continue
        times = []
        for text in (manual.example, manual.instead):
            try:
                times.append(clock.time_behind(text, estimate_mask(parse_gbnf(text)).prefix))
            except (GbnfcError, EngineError) as error:
                times.append(str(error).split("\n")[0][:40])
        shown = [t if isinstance(t, str) else f"{t * 1000:7.2f} ms" for t in times]
        print(f"{rule.CODE:<8} {shown[0]:>10} {shown[1]:>10}  {rule.NAME}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--schemas", type=Path)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--model")
    arguments = parser.parse_args()
    ours = [(p.stem, p.read_text(encoding="utf-8")) for p in sorted(ROOT.glob("grammars/*.gbnf"))]
    ours += [
        (path.stem, path.read_text(encoding="utf-8"))
        for path in sorted(ROOT.glob("tests/**/llama.cpp/*.gbnf"))
    ]
    grammars = [*families(), *ours]
    if arguments.schemas:
        made = list(compiled(arguments.schemas, arguments.count))
        grammars += made
    grammars += mutated(ours or list(families()), arguments.count)
    with MaskClock(find_model(arguments.model)) as clock:
        correlation = calibrate(clock, grammars, arguments.verbose)
        before_and_after(clock)
    return 0 if correlation >= 0.9 else 1


if __name__ == "__main__":
    sys.exit(main())
