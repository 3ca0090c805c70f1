"""Mutate schemas and hold what they compile to against llama.cpp: each grammar must load.

    python tests/campaigns/load_campaign.py DATA.jsonl[.gz] … [--count N] [--seed N] [--mutations N]

DATA is MaskBench-like: one `{"name", "schema"}` a line. Each schema is changed several times:
bounds made large or equal, keywords of other schemas mixed in, subschemas nested, repeated,
negated. A grammar that llama.cpp refuses, or that `ir.loading` says it would, is a fault, and so is
any other error than a `GbnfcError`. Prints each fault with the seed that makes it again. The work
is done in a child process: what hangs, dies or takes more than `LIMITS` is a fault. Linux only.
"""

from __future__ import annotations

import argparse
import copy
import gzip
import json
import random
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "helpers"))

from judge import EngineJudge
from watched import Bounds, watched

import gbnfc
from gbnfc.ir.loading import engine_refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from watched import Check

NUMBERS = (0, 1, 2, 3, 7, 39, 255, 1000, 1999, 2000, 2001, 4095, 65_537, 10**6)
BOUNDS = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
BOUNDS += ("minContains", "maxContains")
PATTERNS = (
    *(
        "^(a|b){3,900}$",
        "^[a-z]{0,63}(\\.[a-z]{0,63}){0,126}$",
        "(x|y)*z{50}",
        "^(\\d{3}-){40,60}$",
    ),
    *(
        "^((ab){1,30}c?){1,70}$",
        "^\\S+(\\s\\S+){2000}$",
        "^(?=.*a)(?=.*b).{8,64}$",
        "a{1999}b{1999}",
    ),
)
MAX_LOADED = 2_000_000
"""Longer grammars are only asked of `ir.loading`: llama.cpp takes half a minute."""
SLOWEST_S = 7.0
"""Compiling is bound to 6 s; the rest is for what is measured while others use the machine."""
LIMITS = Bounds(slow_s=40, hangs_s=60, told_every=100)


def read_schemas(path: Path) -> list[Any]:
    """Return the schemas of a JSONL file."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line)["schema"] for line in lines]


def places_of(schema: Any) -> list[dict[str, Any]]:
    """Return the objects within `schema` that seem to be subschemas."""
    found, pending = [], [schema]
    for value in pending:
        if isinstance(value, dict):
            if not {"type", "properties", "items", "$ref", "enum", "anyOf"}.isdisjoint(value):
                found.append(value)
            pending += value.values()
        elif isinstance(value, list):
            pending += value
    return found or ([schema] if isinstance(schema, dict) else [])


def mutate(schema: Any, others: list[Any], rng: random.Random) -> None:
    """Change one place of `schema`."""
    place = rng.choice(places_of(schema))
    donor = copy.deepcopy(rng.choice(places_of(rng.choice(others)) or [{}]))
    match rng.randrange(11):
        case 0 | 1:
            place[rng.choice(BOUNDS)] = rng.choice(NUMBERS)
        case 2:
            least, most = sorted(rng.choices(NUMBERS, k=2))
            kind = rng.choice(("Length", "Items", "Properties"))
            place |= {f"min{kind}": least, f"max{kind}": most}
        case 3:
            place["pattern"] = rng.choice(PATTERNS)
        case 4:
            inner = dict(place)
            place.clear()
            place[rng.choice(("items", "additionalProperties", "contains"))] = inner
            place["type"] = "array" if "items" in place or "contains" in place else "object"
        case 5:
            place[rng.choice(("anyOf", "oneOf", "allOf"))] = [donor, dict(place)]
        case 6:
            place["not"] = donor
        case 7:
            properties = place.setdefault("properties", {})
            if isinstance(properties, dict):
                properties |= {f"p{n}": copy.deepcopy(donor) for n in range(rng.choice((1, 5, 40)))}
        case 8:
            name = rng.choice(sorted(place) or [""])
            place.pop(name, None)
        case 9:
            place["prefixItems"] = [copy.deepcopy(donor) for _ in range(rng.choice((2, 9, 70)))]
        case 10:
            place["patternProperties"] = {rng.choice(PATTERNS): donor, "^x": dict(place)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--count", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--mutations", type=int, default=5)
    arguments = parser.parse_args()
    read = (schema for path in arguments.data for schema in read_schemas(path))
    schemas = [schema for schema in read if len(json.dumps(schema)) < 20_000]

    def prepare() -> Check:
        judge = EngineJudge()
        return lambda seed: faults(mutated(schemas, arguments.mutations, seed), judge)

    numbers = range(arguments.seed, arguments.seed + arguments.count)
    found = watched(numbers, prepare, lambda seed: f"seed {seed}", LIMITS)
    print(f"{len(numbers)} schemas, {found} faults")
    return 1 if found else 0


def mutated(schemas: list[Any], mutations: int, seed: int) -> Any:
    """Return one of `schemas`, changed in some places: the same for the same `seed`."""
    rng = random.Random(seed)
    schema = copy.deepcopy(rng.choice(schemas))
    for _ in range(rng.randint(1, mutations)):
        mutate(schema, schemas, rng)
    return schema


def faults(schema: Any, judge: EngineJudge) -> Iterator[str]:
    """Yield what is wrong with what `schema` compiles to; any traceback is a fault as well."""
    started = time.process_time()
    compiled = compiled_or_none(schema)
    if (spent := time.process_time() - started) > SLOWEST_S:
        yield f"compiling takes {spent:.1f} s"
    if compiled is None:
        return
    refusal = engine_refusal(compiled.grammar)
    if refusal is not None:
        yield f"refused: {refusal} ({len(compiled.text)} bytes)"
    elif len(compiled.text) <= MAX_LOADED and not judge.loads(compiled.text):
        yield f"not loaded: {compiled.text[:80]}"


def compiled_or_none(schema: Any) -> gbnfc.Compiled | None:
    """Return the grammar of `schema`; None where there is none to be."""
    try:
        return gbnfc.compile_schema(schema)
    except gbnfc.GbnfcError:
        return None


if __name__ == "__main__":
    sys.exit(main())
