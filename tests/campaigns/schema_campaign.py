"""Hold compiled grammars and their reports against two validators, on mutated schemas.

    python tests/campaigns/schema_campaign.py [DATA.jsonl[.gz] …] [--count N] [--seed N]
                                              [--max-bytes N]

DATA is MaskBench-like: one `{"schema": …, "tests": [{"data": …}]}` a line; without it the schemas
are random ones. Each schema is altered in one to three places and so are its instances, and then:

- a value that both validators accept has a spelling that the grammar accepts (keys in any order,
  numbers as integers or decimals), or the report has a `narrower` entry;
- a value that both refuse has none, or the report has a `wider` entry; samples of the grammar too.

What contradicts that is made as small as it gets and printed, once for each set of keywords.
"""

from __future__ import annotations

import argparse
import copy
import gzip
import itertools
import json
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "helpers"))

from schema_strategies import INSTANCES, SchemaMaker, neighbours, read_plain, smallest

import gbnfc
from gbnfc.match import Matcher, compile_matcher, sample
from gbnfc.schema.check.oracle import SchemaOracle, read_value
from gbnfc.schema.compile import asserts_formats

DRAFTS = ("4", "6", "7", "2019-09", "2020-12")
FORMATS = ("dialect", "dialect", "annotate", "assert")
ODD_KEYS = (
    "__proto__",
    "constructor",
    "",
    "a/b",
    "~0",
    "é",
    '"',
    "\\",
    "$ref",
    "a b",
    "0",
    "\U0001f600",
)
NAMED_FORMATS = ("date", "ipv4", "uuid", "foo", "x-custom", "int32", "date-time", "uri")
ODD_VALUES = (
    2.0,
    0.5,
    1e3,
    -1,
    0,
    100,
    "",
    "a",
    "2020-01-01",
    "1.2.3.4",
    None,
    True,
    False,
    [],
    {},
)
NEWER_KEYWORDS = (
    *("dependentRequired", "dependentSchemas", "prefixItems", "$defs", "$anchor", "$dynamicRef"),
    *("const", "contains", "minContains", "maxContains", "propertyNames", "if", "then", "else"),
    *(
        "unevaluatedItems",
        "unevaluatedProperties",
        "additionalItems",
        "dependencies",
        "definitions",
    ),
    *("$recursiveRef", "$recursiveAnchor", "nullable", "discriminator", "examples", "x-order"),
)
JUNK = (
    *(None, 1, "a", [], {}, [1], ["a"], [{}], [["a"]], {"a": 1}, {"a": "a"}, {"a": [{}]}),
    *({"a": [["b"]]}, {"a": None}, {"": [None]}, [None], 1e300, "#/a", "http://[", True),
)
MAX_STEPS = {True: 20_000, False: 400}
"""How often the grammar is asked for one value, by whether it should accept it."""
SAMPLES = 3
VALUES = 10
SLOW_S = 10
SMALLER = 600
"""Schemas tried, at most, to make one that contradicts smaller."""


class GaveUp(Exception):
    """A value has more spellings than are tried."""


class Speller:
    """Tells whether a grammar accepts a spelling of a value: keys in any order, 2.0 also as 2."""

    def __init__(self, program):
        self._program = program
        self._left = 0

    def accepts(self, value, *, expected):
        """Return whether it does. Raises: `GaveUp`, sooner where that is not `expected`."""
        self._left = MAX_STEPS[expected]
        return any(after.can_end() for after in self._after(value, Matcher(self._program)))

    def _read(self, matcher, text):
        self._left -= 1
        if self._left < 0:
            raise GaveUp
        after = matcher.copy()
        return after if after.advance(text) else None

    def _after(self, value, matcher):
        """Yield a matcher behind each spelling of `value` that can be read from `matcher` on."""
        match value:
            case dict():
                if (inside := self._read(matcher, "{")) is not None:
                    yield from self._members(value, tuple(value), inside, set())
            case list():
                if (inside := self._read(matcher, "[")) is not None:
                    yield from self._items(value, 0, inside)
            case _:
                for text in number_texts(value) or [json.dumps(value, ensure_ascii=False)]:
                    if (after := self._read(matcher, text)) is not None:
                        yield after

    def _members(self, value, keys, matcher, tried):
        state = (keys, id(matcher._state))
        if state in tried:
            return
        tried.add(state)
        if not keys:
            if (after := self._read(matcher, "}")) is not None:
                yield after
            return
        lead = "" if len(keys) == len(value) else ", "
        for key in keys:
            begun = self._read(matcher, f"{lead}{json.dumps(key, ensure_ascii=False)}: ")
            if begun is not None:
                rest = tuple(other for other in keys if other != key)
                for after in self._after(value[key], begun):
                    yield from self._members(value, rest, after, tried)

    def _items(self, value, at, matcher):
        if at == len(value):
            if (after := self._read(matcher, "]")) is not None:
                yield after
            return
        begun = self._read(matcher, ", ") if at else matcher
        if begun is not None:
            for after in self._after(value[at], begun):
                yield from self._items(value, at + 1, after)


def number_texts(value):
    """Return the texts of a number without exponents, whole ones as integers first."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return []
    exact = value if isinstance(value, int) else Decimal(repr(value))
    whole = [str(int(exact))] if exact == int(exact) else []
    return list(dict.fromkeys([*whole, f"{Decimal(exact):f}", json.dumps(value)]))


@dataclass(frozen=True)
class Case:
    """What is compiled, and how. `draft` is `None` where `$schema` tells."""

    schema: object
    draft: str | None
    formats: str
    order: str


@dataclass(frozen=True)
class Contradiction:
    """What is wrong (`kind`), and the JSON text of the value that shows it."""

    kind: str
    text: str


# --- mutations -----------------------------------------------------------------------------------


def places(value, at=()):
    """Yield the path of each subschema-like part (an object or a boolean in one) of a schema."""
    stack = [(at, value)]
    while stack:
        path, part = stack.pop()
        if isinstance(part, dict):
            yield path
            stack += [((*path, key), inner) for key, inner in part.items()]
        elif isinstance(part, list):
            stack += [((*path, index), inner) for index, inner in enumerate(part)]


def at_path(value, path):
    for segment in path:
        value = value[segment]
    return value


def replaced(value, path, new):
    """Return a copy of `value` with `new` at `path`."""
    if not path:
        return new
    result = copy.copy(value)
    result[path[0]] = replaced(value[path[0]], path[1:], new)
    return result


class Mutator:
    """Alters schemas and instances at random."""

    def __init__(self, rng, draft):
        self._rng = rng
        self._maker = SchemaMaker(rng, draft)

    def schema(self, schema):
        """Return `schema` altered in one to three places."""
        for _ in range(self._rng.randint(1, 3)):
            path = self._rng.choice(list(places(schema)))
            part = at_path(schema, path)
            schema = replaced(schema, path, self._rng.choice(self._edits)(self, part, schema))
        return schema

    def _with_a_leaf(self, part, _):
        new = self._maker.schema(1)
        return {**part, **new} if isinstance(new, dict) else {**part, "not": {"type": "null"}}

    def _without_a_keyword(self, part, _):
        gone = self._rng.choice(list(part) or [""])
        return {key: value for key, value in part.items() if key != gone}

    def _with_a_copy(self, part, schema):
        other = self._part_of(schema)
        key = self._rng.choice(
            ("not", "additionalProperties", "items", "contains", "propertyNames")
        )
        return {**part, key: other}

    def _part_of(self, schema):
        """Return a copy of a part, without what would make it a document of its own."""
        part = at_path(schema, self._rng.choice(list(places(schema))))
        return {k: copy.deepcopy(v) for k, v in part.items() if k not in ("$schema", "$id", "id")}

    def _wrapped(self, part, schema):
        other = self._rng.choice((self._maker.schema(1), self._part_of(schema)))
        if not isinstance(other, dict):
            other = {"type": "object"}
        names = (
            [*part.get("properties", {}), "a"]
            if isinstance(part.get("properties"), dict)
            else ["a"]
        )
        name = self._rng.choice(names)
        return self._rng.choice(
            (
                {"not": part},
                {"not": {"not": part}},
                {"oneOf": [part, other]},
                {"anyOf": [part, other]},
                {"allOf": [part, other]},
                {"if": other, "then": part},
                {"if": part, "then": other, "else": {"type": "null"}},
                {**part, "dependencies": {name: other}},
                {**part, "dependentSchemas": {name: other}},
                {"type": "array", "contains": part, "maxContains": self._rng.choice((0, 1, 2))},
                {"type": "array", "items": part, "uniqueItems": True, "maxItems": 3},
            )
        )

    def _with_a_format(self, part, _):
        name = self._rng.choice(NAMED_FORMATS)
        return self._rng.choice(({**part, "format": name}, {**part, "not": {"format": name}}))

    def _with_odd_keys(self, part, _):
        key = self._rng.choice(ODD_KEYS)
        inner = (
            {**part.get("properties", {}), key: self._maker.schema(1)}
            if isinstance(part.get("properties", {}), dict)
            else {key: {}}
        )
        inner = {k: v if isinstance(v, dict) else {} for k, v in inner.items()}
        required = {"required": [key]} if self._rng.random() < 0.5 else {}
        return {**part, "properties": inner, **required}

    def _with_bounds(self, part, _):
        rng = self._rng
        keyword = rng.choice(
            (
                *("minimum", "maximum", "multipleOf", "minLength", "maxLength", "minItems"),
                *("maxItems", "minProperties", "maxProperties"),
            )
        )
        value = rng.choice((1, 2, 3)) if keyword != "minimum" else rng.choice((0, -1, 2.0, 0.5))
        return {**part, keyword: value}

    def _with_values(self, part, _):
        rng = self._rng
        values = rng.sample((*ODD_VALUES, *INSTANCES), rng.randint(1, 4))
        values = [value for at, value in enumerate(values) if value not in values[:at]]
        return rng.choice(({**part, "enum": values}, {"enum": values}))

    def _with_junk(self, part, _):
        """Add a keyword of another draft, of which this one says nothing."""
        return {**part, self._rng.choice(NEWER_KEYWORDS): self._rng.choice(JUNK)}

    def _closed(self, part, _):
        rng = self._rng
        keyword = rng.choice(("additionalProperties", "unevaluatedProperties", "unevaluatedItems"))
        return {**part, keyword: rng.choice((False, {"type": "string"}, {"type": "integer"}))}

    _edits = (
        _with_a_leaf,
        _without_a_keyword,
        _with_a_copy,
        _wrapped,
        _wrapped,
        _with_a_format,
        _with_odd_keys,
        _with_bounds,
        _with_values,
        _closed,
        _with_junk,
    )

    def values(self, instances):
        """Return instances and such near them."""
        rng = self._rng
        pool = [*instances, *rng.sample(INSTANCES, 4), *rng.sample(ODD_VALUES, 3)]
        found = rng.sample(pool, min(len(pool), VALUES // 2))
        while len(found) < VALUES:
            found.append(self._near(rng.choice(pool)))
        return found

    def _near(self, value):
        rng = self._rng
        paths = [((), value)]
        for path, part in paths:
            if isinstance(part, dict | list):
                inner = part.items() if isinstance(part, dict) else enumerate(part)
                paths += [((*path, key), each) for key, each in inner]
        path, part = rng.choice(paths)
        options = [*neighbours(part), rng.choice(ODD_VALUES)]
        if isinstance(part, dict):
            options.append({**part, rng.choice(ODD_KEYS): rng.choice(ODD_VALUES)})
        if isinstance(part, int) and not isinstance(part, bool) and abs(part) < 1e9:
            options.append(float(part))
        return replaced(value, path, rng.choice(options))


# --- judging -------------------------------------------------------------------------------------


def contradiction(case, values, rng, counts=None):
    """Return where grammar, report and validators contradict each other, or `None`."""
    counts = Counter() if counts is None else counts
    options = gbnfc.CompileOptions(order=case.order, formats=case.formats)
    held = asserts_formats(options, case.schema, case.draft)
    draft = case.draft
    compiled = None
    try:
        compiled = gbnfc.compile_schema(case.schema, case.draft, options=options)
        draft = compiled.draft
    except gbnfc.Unsatisfiable:
        draft = draft or declared(case.schema)
    except gbnfc.GbnfcError as error:
        counts[type(error).__name__] += 1
        return None
    except Exception as error:  # noqa: BLE001 - whatever is left is a fault
        return Contradiction("crash", repr(error))
    try:
        judge = SchemaOracle(case.schema, draft, {}, asserts_formats=held)
    except ValueError:  # an altered reference, for example
        return None
    if compiled is None:
        counts["unsatisfiable"] += 1
        found = next((v for v in values if said(judge, v, draft) is True), None)
        return None if found is None else Contradiction("unsatisfiable", json.dumps(found))
    counts["compiled"] += 1
    # No value here holds a leap second, for which alone dates and times are narrower.
    entries = [entry for entry in compiled.report if "leap second" not in entry.message]
    effects = {entry.effect.value for entry in entries}
    program = compile_matcher(compiled.grammar)
    sampled = []
    for _ in range(SAMPLES):
        text = sample(program, rng, max_depth=12)
        try:
            value = read_plain(text)
        except ValueError:
            continue
        if "wider" not in effects and said(judge, value, draft) is False:
            return Contradiction("accepts invalid", text)
        if len(text) < 2_000:
            sampled += itertools.islice(neighbours(value), 4)
    return _of_values(program, judge, draft, effects, (*values, *sampled), counts)


def _of_values(program, judge, draft, effects, values, counts):
    speller = Speller(program)
    for value in values:
        try:
            read_plain(json.dumps(value))
        except ValueError:
            continue
        valid = said(judge, value, draft)
        if valid is None or ("narrower" if valid else "wider") in effects:
            counts["not judged"] += 1
            continue
        try:
            accepted = speller.accepts(value, expected=valid)
        except GaveUp:
            counts["gave up on valid" if valid else "gave up"] += 1
            continue
        counts["valid" if valid else "invalid"] += 1
        if accepted != valid:
            kind = "rejects valid" if valid else "accepts invalid"
            return Contradiction(kind, json.dumps(value))
    return None


def said(judge, value, draft):
    """Return what both validators say of `value`; `None`: they differ, or it cannot be said."""
    text = json.dumps(value)
    # In draft 4 the number 1.0 is no integer: it depends on the text, not on the value.
    if draft == "4" and ".0" in text:
        return None
    return judge.judge(read_value(text)).valid


def declared(schema):
    """Return the draft that `$schema` names."""
    named = str(schema.get("$schema", "")) if isinstance(schema, dict) else ""
    found = [d for d in DRAFTS if f"draft-0{d}" in named or f"draft/{d}" in named]
    return found[0] if found else "2020-12"


def shrunk(case, found, values):
    """Return a smaller schema with the same contradiction in the same value."""
    left = [SMALLER]

    def fails(schema):
        left[0] -= 1
        if left[0] < 0:
            return False
        try:
            other = contradiction(
                Case(schema, case.draft, case.formats, case.order), values, random.Random(0)
            )
        except Exception:  # noqa: BLE001 - a smaller schema may be none to the validators
            return False
        return other is not None and other.kind == found.kind

    return smallest(case.schema, fails)


# --- the campaign --------------------------------------------------------------------------------


def read_seeds(path, max_bytes):
    """Return the schemas of `path` that are small enough, with their instances."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [
        (row["schema"], [test["data"] for test in row["tests"] if len(json.dumps(test)) < 2_000])
        for row in rows
        if isinstance(row["schema"], dict) and len(json.dumps(row["schema"])) <= max_bytes
    ]


def make_case(rng, seeds):
    """Return a mutated case and values to try."""
    formats, order = rng.choice(FORMATS), rng.choice(("any", "any", "schema"))
    if seeds:
        schema, instances = rng.choice(seeds)
        draft = None
        mutator = Mutator(rng, declared(schema))
    else:
        draft = rng.choice(DRAFTS)
        schema, instances = SchemaMaker(rng, draft).schema(3), INSTANCES
        schema = schema if isinstance(schema, dict) else {}
        mutator = Mutator(rng, draft)
    schema = mutator.schema(schema)
    return Case(schema, draft, formats, order), mutator.values(instances)


def run(seed, count, seeds, report, seconds=None, told_every=0):
    """Try `count` cases; call `report(number, case, found, values)` for each contradiction.

    What takes long (to compile, to judge or to match) is told with its number, and counted.
    """
    counts: Counter = Counter()
    end = None if seconds is None else time.monotonic() + seconds
    for number in range(count):
        if end is not None and time.monotonic() > end:
            break
        rng = random.Random(f"{seed}/{number}")
        case, values = make_case(rng, seeds)
        counts["schemas"] += 1
        if told_every and number and number % told_every == 0:
            print(f"{number} looked at", flush=True)
        began = time.thread_time()
        try:
            found = contradiction(case, values, rng, counts)
        except RecursionError:
            continue
        if (spent := time.thread_time() - began) > SLOW_S:
            counts["slow"] += 1
            print(f"#{number} takes {spent:.0f} s", flush=True)
        if found is not None:
            report(number, case, found, values)
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", nargs="*", type=Path)
    parser.add_argument("--count", type=int, default=1_000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--max-bytes", type=int, default=6_000)
    parser.add_argument("--seconds", type=float)
    arguments = parser.parse_args()
    seeds = [seed for path in arguments.data for seed in read_seeds(path, arguments.max_bytes)]
    known: set[tuple[str, frozenset[str]]] = set()

    def report(number, case, found, values):
        least = shrunk(case, found, values)
        again = contradiction(
            Case(least, case.draft, case.formats, case.order), values, random.Random(0)
        )
        words = frozenset(k for path in places(least) for k in at_path(least, path))
        if (found.kind, words) in known:
            return
        known.add((found.kind, words))
        draft = case.draft or declared(case.schema)
        print(f"#{number} {found.kind}: {(again or found).text[:300]}")
        print(f"   draft={draft} formats={case.formats} order={case.order}")
        print(f"   {json.dumps(least)[:1500]}", flush=True)

    counts = run(arguments.seed, arguments.count, seeds, report, arguments.seconds, told_every=500)
    print(", ".join(f"{name}: {number:,}" for name, number in sorted(counts.items())))
    sys.exit(1 if known else 0)


if __name__ == "__main__":
    main()
