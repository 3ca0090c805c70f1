"""Our grammars beside those of llama-cpp-python's own converter: what a mask costs.

    python tests/bench/bench_schema.py [--data FILE.jsonl[.gz]] [--count 300] [--additional closed]

For each schema that both compile and whose valid instance both grammars accept, the whole
vocabulary is masked before tokens of that instance, under either grammar in turn. Printed are the
ratio of the times, ours by the converter's (goals: median 1.0, 99th percentile 1.5), and how many
stacks of ours were live behind each character. At most `--tokens` positions, evenly spread, are
timed in each instance.

The converter reads an object without `additionalProperties` as closed, so ours is compiled with
`additional=closed`: two grammars of the same texts. With `--additional schema` ours holds what JSON
Schema says, any other key at any place, and pays for it wherever a key begins.

"At least" is the number of live stacks that no grammar can do without: how many sets of stacks the
next character can lead to, since each alternative of llama.cpp's has one continuation.

Last run, 300 schemas on two shared cores: ratio median 0.98, p99 1.11, worst 1.18; stacks p99 8, at
least 8. With `--additional schema`: ratio median 1.1, p99 2.3.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import json
import os
import statistics
import sys
from pathlib import Path

from llama_cpp.llama_grammar import json_schema_to_gbnf

import gbnfc
from gbnfc.engine.mask_clock import MaskClock
from gbnfc.engine.models import find_model
from gbnfc.errors import EngineError
from gbnfc.ir.analysis import left_recursive_cycles
from gbnfc.lint.analysis.machine import build_machine

DATA = Path(__file__).resolve().parents[3] / "shared" / "bench" / "maskbench-dev.jsonl.gz"


def instances(path, count):
    """Yield (name, schema, valid value) of about `count` schemas, spread over the file."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    found = [
        (record["name"], record["schema"], valid[0]["data"])
        for record in records
        if (valid := [test for test in record["tests"] if test["valid"]])
    ]
    return found[:: max(1, len(found) // (2 * count))]


def grammars(schema, options):
    """Return our grammar text and the converter's, or `None` where one of them has none."""
    try:
        ours = gbnfc.compile_schema(schema, options=options).text
    except gbnfc.GbnfcError:
        return None
    try:
        theirs = json_schema_to_gbnf(json.dumps(schema))
        # Long nested optionals, as the converter writes lengths, bring llama.cpp down.
        is_safe = not left_recursive_cycles(gbnfc.parse_gbnf(theirs))
    except Exception:  # noqa: BLE001 - the converter raises whatever it meets
        return None
    return (ours, theirs) if is_safe else None


def live_stacks(grammar, text):
    """Return, for each position in `text`, how many stacks live there and how many must."""
    machine = build_machine(gbnfc.parse_gbnf(grammar))
    stacks = machine.start()
    known, found = {}, []
    for char in [*text, None]:
        key = tuple(sorted(stacks))
        if key not in known:
            known[key] = (len(stacks), len(set(continuations(machine, stacks))))
        found.append(known[key])
        if char is not None:
            stacks = machine.step(stacks, ord(char))
    return found


def continuations(machine, stacks):
    """Yield the stacks that each kind of next character leads to."""
    classes = [machine.chars[machine.tops[stack]] for stack in stacks if stack]
    ranges = [pair for chars in classes if chars is not None for pair in chars.ranges]
    for point in {edge for low, high in ranges for edge in (low, high + 1) if edge <= 0x10FFFF}:
        if after := machine.step(stacks, point):
            yield tuple(sorted(after))


def prefixes(text, tokens):
    """Return starts of `text` at up to `tokens` positions, evenly spread."""
    step = max(1, len(text) // tokens)
    return [text[:at] for at in range(0, len(text), step)]


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(share * (len(ordered) - 1)))]


@contextlib.contextmanager
def quiet_stderr():
    """Silence what llama.cpp prints of grammars that it refuses."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def measure(clock, text, ours, theirs, tokens):
    """Return the summed mask times of both grammars, in seconds."""
    totals = [0.0, 0.0]
    for start in prefixes(text, tokens):
        for number, grammar in enumerate((ours, theirs)):
            totals[number] += clock.time_behind(grammar, start, repeats=2)
    return totals


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--tokens", type=int, default=8)
    parser.add_argument("--additional", default="closed", choices=["closed", "schema"])
    parser.add_argument("--model")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    if not arguments.data.exists():
        print(f"no data at {arguments.data}; give --data", file=sys.stderr)
        return 2
    options = gbnfc.CompileOptions(additional=arguments.additional)
    rows, stacks = [], []
    with MaskClock(find_model(arguments.model)) as clock, quiet_stderr():
        for name, schema, value in instances(arguments.data, arguments.count):
            if len(rows) >= arguments.count:
                break
            text = json.dumps(value, ensure_ascii=False)
            if len(text) > 4_000 or (both := grammars(schema, options)) is None:
                continue
            try:
                ours, theirs = measure(clock, text, *both, arguments.tokens)
                clock.time_behind(both[0], text, repeats=1)
            except EngineError:
                continue  # one of the grammars does not accept the instance
            rows.append((ours / theirs, ours, name))
            here = live_stacks(both[0], text)
            stacks += here
            if arguments.verbose:
                print(f"{ours / theirs:6.2f} {ours * 1e3:8.2f} ms {max(here)[0]:4} stacks  {name}")
    if not rows:
        print("nothing could be compared", file=sys.stderr)
        return 1
    ratios = [ratio for ratio, *_ in rows]
    print(f"schemas compared: {len(rows)}")
    print(f"mask time, ours / converter's: median {statistics.median(ratios):.2f}", end="")
    print(f"   p99 {percentile(ratios, 0.99):.2f}   worst {max(rows)[0]:.2f} ({max(rows)[2]})")
    for name, counts in zip(("live", "at least"), zip(*stacks, strict=True), strict=True):
        print(f"stacks, {name}: median {statistics.median(counts)}", end="")
        print(f"   p99 {percentile(counts, 0.99)}   worst {max(counts)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
