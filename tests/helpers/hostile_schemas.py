"""Schemas that try to exhaust the compiler: a table, and a way to run each within limits.

python tests/helpers/hostile_schemas.py            every entry, each in a child with 1 GB and 10 s
python tests/helpers/hostile_schemas.py NAME       one entry, in this process
"""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import product

SECONDS = 10
BYTES = 1_000_000_000


def nested(levels, inner, wrap):
    schema = inner
    for _ in range(levels):
        schema = wrap(schema)
    return schema


def pairs(count, keyword="anyOf"):
    return {
        "allOf": [
            {keyword: [{"required": [f"a{n}"]}, {"required": [f"b{n}"]}]} for n in range(count)
        ]
    }


def typed_pairs(count, keyword="anyOf"):
    return {
        "allOf": [
            {
                keyword: [
                    {"properties": {f"p{n}": {"type": "string"}}},
                    {"properties": {f"p{n}": {"type": "number"}}, "required": [f"q{n}"]},
                ]
            }
            for n in range(count)
        ]
    }


def in_a_row(count, keyword, last=None):
    def one(n):
        return {keyword: [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]}

    return {
        "$ref": "#/$defs/d0",
        "$defs": {f"d{n}": one(n) for n in range(count)}
        | {f"d{count}": last or {"type": "string"}},
    }


def references_in_a_row(count, wrap):
    chain = {f"d{n}": wrap({"$ref": f"#/$defs/d{n + 1}"}) for n in range(count)}
    return {"$ref": "#/$defs/d0", "$defs": chain | {f"d{count}": {"type": "string"}}}


def strings(**facets):
    return {"type": "string", **facets}


def patterns(number, count=6, keyword="anyOf", wrap=lambda schema: schema):
    return {keyword: [wrap({"pattern": f"x{number}{letter}"}) for letter in "abcdef"[:count]]}


def rows_of_patterns(rows=8, wrap=lambda schema: schema, **more):
    return {"allOf": [wrap(patterns(number, **more)) for number in range(rows)]}


SCHEMAS = {
    # References that lead nowhere, in circles, or away.
    "loop": lambda: {"$ref": "#"},
    "loop of two": lambda: {
        "$ref": "#/$defs/a",
        "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
    },
    "loop in allOf": lambda: {"allOf": [{"$ref": "#"}]},
    "loop in anyOf": lambda: {"anyOf": [{"$ref": "#"}, {"type": "null"}]},
    "loop in oneOf": lambda: {"oneOf": [{"$ref": "#"}, {"type": "null"}]},
    "loop in not": lambda: {"not": {"$ref": "#"}},
    "loop in if": lambda: {"if": {"$ref": "#"}, "then": {"type": "null"}},
    "loop in contains": lambda: {"type": "array", "contains": {"$ref": "#"}},
    "loop in propertyNames": lambda: {"propertyNames": {"$ref": "#"}},
    "loop of required property": lambda: {
        "type": "object",
        "properties": {"a": {"$ref": "#"}},
        "required": ["a"],
    },
    "loop of required items": lambda: {"type": "array", "items": {"$ref": "#"}, "minItems": 1},
    "a thousand references in a row": lambda: {
        "$ref": "#/$defs/d0",
        "$defs": {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(1000)}
        | {"d1000": {"type": "string"}},
    },
    # jsonschema_rs 0.61 unfolds these until the stack is full, which ends the process.
    "unevaluatedProperties beside a reference to what holds it": lambda: {
        "anyOf": [
            {"properties": {"a": {"$ref": "#", "unevaluatedProperties": False}}},
            {"type": "null"},
        ]
    },
    "unevaluatedItems beside a reference to what holds it, by way of another": lambda: {
        "oneOf": [{"type": "string"}, {"items": {"$ref": "#/$defs/b", "unevaluatedItems": False}}],
        "$defs": {"b": {"if": {"items": {"allOf": [{"$ref": "#"}], "unevaluatedItems": False}}}},
    },
    "oneOf of kinds that refer to each other": lambda: {
        "$ref": "#/$defs/n0",
        "$defs": {
            f"n{i}": {
                "oneOf": [
                    {
                        "type": "object",
                        "properties": {
                            "op": {"const": f"o{i}"},
                            "l": {"$ref": f"#/$defs/n{(i + 1) % 3}"},
                        },
                        "required": ["op", "l"],
                    },
                    {"type": "array", "items": {"$ref": f"#/$defs/n{(i + 2) % 3}"}},
                    {"$ref": f"#/$defs/n{i + 1}"} if i < 2 else {"type": "null"},
                ]
            }
            for i in range(3)
        },
    },
    "dynamic loop": lambda: {"$dynamicAnchor": "n", "$dynamicRef": "#n"},
    "remote": lambda: {"$ref": "https://example.com/schema.json"},
    "remote in a property": lambda: {"properties": {"a": {"$ref": "http://localhost:1/x#/a"}}},
    "file": lambda: {"$ref": "file:///etc/passwd"},
    "path": lambda: {"$ref": "../../../../etc/passwd"},
    "not a uri": lambda: {"$ref": "http://[::"},
    "ref not a string": lambda: {"$ref": 5},
    "ref to a number": lambda: {"$ref": "#/$defs/a", "$defs": {"a": 5}},
    "id not a uri": lambda: {"$id": "http://[::", "$ref": "#/x"},
    "percent in a ref": lambda: {"$ref": "#/$defs/%ff", "$defs": {}},
    # Depth.
    **{
        f"{levels} levels of {name}": (lambda levels=levels, wrap=wrap: nested(levels, {}, wrap))
        for levels in (100, 250, 500, 10_000)
        for name, wrap in {
            "properties": lambda s: {"properties": {"a": s}, "required": ["a"]},
            "items": lambda s: {"type": "array", "items": s},
            "allOf": lambda s: {"allOf": [s]},
            "anyOf": lambda s: {"anyOf": [s, {"type": "null"}]},
            "not": lambda s: {"not": s},
            "if": lambda s: {"if": {"type": "array"}, "else": s},
            "additionalProperties": lambda s: {"additionalProperties": s},
        }.items()
    },
    "10,000 levels of enum": lambda: {"enum": [nested(10_000, 0, lambda v: [v])]},
    "200 levels of const": lambda: {"const": nested(200, 0, lambda v: {"a": v})},
    "900 levels of const": lambda: {"const": nested(900, 0, lambda v: [v])},
    "10,000 levels of an unknown keyword": lambda: {"x": nested(10_000, {}, lambda s: {"x": s})},
    "10,000 levels of default": lambda: {"default": nested(10_000, {}, lambda s: [s])},
    # Size.
    "100,000 enum values": lambda: {
        "enum": [f"value {n * 7919 % 100_003}" for n in range(100_000)]
    },
    "100,000 enum numbers": lambda: {"enum": list(range(0, 300_000, 3))},
    "20,000 enum objects": lambda: {"enum": [{"a": n} for n in range(20_000)]},
    "nested prefixes": lambda: {"enum": ["a" * n for n in range(1, 2_000)]},
    "100,000 without": lambda: {
        "type": "string",
        "not": {"enum": [f"v{n}" for n in range(20_000)]},
    },
    "5,000 properties": lambda: {
        "properties": {f"p{n}": {"type": "integer"} for n in range(5_000)}
    },
    "5,000 required": lambda: {"required": [f"p{n}" for n in range(5_000)]},
    "5,000 properties, closed": lambda: {
        "properties": {f"p{n}": {"type": "integer"} for n in range(5_000)},
        "additionalProperties": False,
    },
    "5,000 properties, one at least": lambda: {
        "properties": {f"p{n}": {} for n in range(5_000)},
        "additionalProperties": False,
        "minProperties": 1,
    },
    "5,000 properties of a kind": lambda: {
        "properties": {f"p{n}": {"properties": {f"q{n}": {"const": n}}} for n in range(5_000)}
    },
    "500 properties, 250 at most": lambda: {
        "properties": {f"p{n}": {} for n in range(500)},
        "maxProperties": 250,
    },
    "2,000 patternProperties": lambda: {
        "patternProperties": {f"^k{n}": {"const": n} for n in range(2_000)}
    },
    "12 overlapping patternProperties": lambda: {
        "patternProperties": {f"k{n}": {"minimum": n} for n in range(12)}
    },
    "1,000 dependencies": lambda: {
        "dependentRequired": {f"p{n}": [f"p{n + 1}"] for n in range(1_000)}
    },
    "30 dependencies": lambda: {"dependentRequired": {f"p{n}": [f"q{n}"] for n in range(30)}},
    "1,000 branches of oneOf": lambda: {
        "oneOf": [{"properties": {f"p{n}": {"type": "string"}}} for n in range(1_000)]
    },
    "1,000 anyOf strings": lambda: {"anyOf": [strings(pattern=f"^a{n}.*z$") for n in range(1_000)]},
    "300 anyOf objects": lambda: {
        "anyOf": [
            {"type": "object", "properties": {"kind": {"const": f"k{n}k"}}, "required": ["kind"]}
            for n in range(300)
        ]
    },
    "2,000 prefixItems": lambda: {"prefixItems": [{"const": n} for n in range(2_000)]},
    "long key": lambda: {
        "properties": {"k" * 10_000: {"type": "null"}},
        "required": ["k" * 10_000],
    },
    "1,000 long keys": lambda: {"properties": {f"{n:04}" * 100: {} for n in range(1_000)}},
    "long title": lambda: {"title": "t" * 1_000_000, "type": "null"},
    "long const": lambda: {"const": "c" * 1_000_000},
    # Products.
    "allOf of 12 pairs": lambda: pairs(12),
    "allOf of 12 typed pairs": lambda: typed_pairs(12),
    "allOf of 12 oneOf pairs": lambda: pairs(12, "oneOf"),
    "allOf of 12 typed oneOf pairs": lambda: typed_pairs(12, "oneOf"),
    "allOf of 40 pairs": lambda: pairs(40),
    "allOf of 40 oneOf pairs": lambda: typed_pairs(40, "oneOf"),
    "doubling anyOf": lambda: in_a_row(30, "anyOf"),
    "doubling allOf": lambda: in_a_row(30, "allOf"),
    "doubling oneOf": lambda: in_a_row(30, "oneOf"),
    "oneOf in oneOf": lambda: nested(
        12, strings(), lambda s: {"oneOf": [s, {"properties": {"a": s}, "required": ["a"]}]}
    ),
    "doubling properties": lambda: {
        "$ref": "#/$defs/d0",
        "$defs": {
            f"d{n}": {"properties": {k: {"$ref": f"#/$defs/d{n + 1}"} for k in "ab"}}
            for n in range(30)
        }
        | {"d30": strings()},
    },
    "allOf of 14 if": lambda: {
        "allOf": [
            {
                "if": {"properties": {"k": {"const": n}}, "required": ["k"]},
                "then": {"required": [f"p{n}"]},
                "else": {"properties": {f"p{n}": False}},
            }
            for n in range(14)
        ]
    },
    "10 contains": lambda: {"allOf": [{"contains": {"const": n}} for n in range(10)]},
    "contains many": lambda: {"contains": {"const": 1}, "minContains": 10**9},
    "contains few": lambda: {"contains": {"const": 1}, "maxContains": 10**9, "minItems": 10**6},
    "uniqueItems of 16": lambda: {
        "type": "array",
        "items": {"enum": list(range(16))},
        "uniqueItems": True,
    },
    "unevaluated in pairs": lambda: typed_pairs(8) | {"unevaluatedProperties": False},
    "all subsets": lambda: {
        "anyOf": [
            {"required": [k for k, wanted in zip("abcdefgh", row, strict=True) if wanted]}
            for row in product((0, 1), repeat=8)
        ]
    },
    "doubling oneOf of arrays": lambda: {
        "$ref": "#/$defs/d0",
        "$defs": {
            f"d{n}": {
                "oneOf": [
                    {"$ref": f"#/$defs/d{n + 1}"},
                    {"type": "array", "items": {"$ref": f"#/$defs/d{n + 1}"}},
                ]
            }
            for n in range(20)
        }
        | {"d20": strings()},
    },
    "allOf of 25 oneOf pairs": lambda: pairs(25, "oneOf"),
    "3,000 references in a row": lambda: references_in_a_row(3_000, lambda ref: ref),
    "3,000 arrays in a row": lambda: references_in_a_row(
        3_000, lambda ref: {"type": "array", "items": ref}
    ),
    "6,000 kinds in a circle": lambda: {
        "$ref": "#/$defs/d0",
        "$defs": {
            f"d{n}": {"properties": {"a": {"$ref": f"#/$defs/d{(n + 1) % 6_000}"}}}
            for n in range(6_000)
        },
    },
    # Products of patterns, which jsonschema_rs would write out.
    "8 anyOf of patterns": rows_of_patterns,
    "4 anyOf of patterns": lambda: rows_of_patterns(4, count=5) | {"type": "string"},
    "8 oneOf of patterns": lambda: rows_of_patterns(keyword="oneOf"),
    "8 not of patterns": lambda: rows_of_patterns(keyword="allOf", wrap=lambda s: {"not": s}),
    "not of 8 not": lambda: {"not": {"anyOf": [{"not": patterns(n)} for n in range(8)]}},
    "patterns of a property": lambda: rows_of_patterns(wrap=lambda s: {"properties": {"a": s}}),
    "patterns of one property each": lambda: {
        "allOf": [
            patterns(number, wrap=lambda schema: {"properties": {"a": schema}})
            for number in range(8)
        ]
    },
    "patterns of items": lambda: rows_of_patterns(wrap=lambda s: {"items": s}),
    "patterns of names": lambda: rows_of_patterns(wrap=lambda s: {"propertyNames": s}),
    "patterns of an item": lambda: rows_of_patterns(wrap=lambda s: {"prefixItems": [{}, s]}),
    "patterns of overlapping keys": lambda: {
        "patternProperties": {f"^a{n}": patterns(n) for n in range(8)}
    },
    "patterns far down": lambda: nested(30, rows_of_patterns(), lambda s: {"properties": {"a": s}}),
    "patterns by reference": lambda: {
        "allOf": [{"$ref": f"#/$defs/d{n}"} for n in range(8)],
        "$defs": {f"d{n}": patterns(n) for n in range(8)},
    },
    "patterns in 14 if": lambda: {
        "allOf": [
            {"if": {"pattern": f"x{n}"}, "then": {"pattern": "y"}, "else": {"pattern": "z"}}
            for n in range(14)
        ]
    },
    "doubling anyOf of a pattern": lambda: in_a_row(30, "anyOf", {"pattern": "x"}),
    "doubling allOf of patterns": lambda: in_a_row(30, "allOf", rows_of_patterns(3)),
    "unused patterns": lambda: {"$defs": {"x": rows_of_patterns()}, "type": "null"},
    # Patterns.
    "nested quantifiers": lambda: strings(pattern="^(a+)+$"),
    "nested alternatives": lambda: strings(pattern="^((a|aa)+|(a|a)*)*b$"),
    "counted in counted": lambda: strings(pattern="^((a{1,100}){1,100}){1,100}$"),
    "large count": lambda: strings(pattern="^[a-z]{0,100000}$"),
    "huge count": lambda: strings(pattern="^a{2147483648}$"),
    "exponential automaton": lambda: strings(pattern="(a|b)*a(a|b){30}$"),
    "unanchored many": lambda: {"allOf": [strings(pattern=f"x{c}") for c in "abcdefghijklmnop"]},
    "look-aheads": lambda: strings(pattern="^(?=.*a)(?=.*b)(?=.*c)(?=.*\\d)(?!.*\\s).{8,64}$"),
    "backreference": lambda: strings(pattern="^(a|b)\\1$"),
    "10,000 groups": lambda: strings(pattern="(" * 10_000 + "a" + ")" * 10_000),
    "100,000 characters": lambda: strings(pattern="ab?" * 33_000),
    "10,000 alternatives": lambda: strings(
        pattern="^(" + "|".join(f"w{n}" for n in range(10_000)) + ")$"
    ),
    "every letter": lambda: strings(pattern="^\\p{L}{1,300}$"),
    "unfinished pattern": lambda: strings(pattern="[a"),
    "empty class": lambda: strings(pattern="^[]$"),
    "pattern, format and lengths": lambda: strings(
        pattern="^[a-z0-9.@-]*$", format="email", minLength=30, maxLength=5_000
    ),
    "two long lengths": lambda: strings(pattern="^(ab|cde)*$", minLength=5_000, maxLength=50_000),
    "uri of length": lambda: strings(format="uri", minLength=1, maxLength=2_083),
    "not a format": lambda: {"type": "string", "not": {"format": "uri"}, "maxLength": 2_000},
    # Numbers.
    "1e400": lambda: json.loads('{"maximum": 1e400}'),
    "-1e400": lambda: json.loads('{"minimum": -1e400}'),
    "NaN": lambda: json.loads('{"maximum": NaN}'),
    "NaN in const": lambda: json.loads('{"const": NaN}'),
    "infinite enum": lambda: json.loads('{"enum": [Infinity, 1]}'),
    "400 digits": lambda: {"maximum": int("9" * 400), "type": "integer"},
    "400 digits in const": lambda: {"const": int("9" * 400)},
    "5,000 digits": lambda: {"maximum": 10**4_299 * 10**701, "type": "integer"},
    "5,000 digits in enum": lambda: {"enum": [10**4_299 * 10**701]},
    "multipleOf 1e-300": lambda: {"type": "number", "multipleOf": 1e-300},
    "multipleOf 1e300": lambda: {"type": "number", "multipleOf": 1e300},
    "multipleOf 0": lambda: {"multipleOf": 0},
    "multipleOf of 20 digits": lambda: {"type": "integer", "multipleOf": 12345678901234567891},
    "two multipleOf": lambda: {
        "allOf": [{"multipleOf": 9973}, {"multipleOf": 9967}],
        "type": "integer",
    },
    "tiny bounds": lambda: {"minimum": 1e-320, "maximum": 5e-310},
    "minimum 1e308": lambda: {"minimum": 1e308},
    "maxLength 10^9": lambda: strings(maxLength=10**9),
    "minLength 10^9": lambda: strings(minLength=10**9),
    "lengths 10^9 with a pattern": lambda: strings(minLength=10**9, pattern="^a*$"),
    "maxItems 10^9": lambda: {"type": "array", "maxItems": 10**9},
    "minItems 10^9": lambda: {"type": "array", "minItems": 10**9},
    "minProperties 10^9": lambda: {"type": "object", "minProperties": 10**9},
    "maxProperties 10^9": lambda: {"type": "object", "maxProperties": 10**9},
    "minLength 10^30": lambda: strings(minLength=10**30),
    "minLength 1e3": lambda: strings(minLength=1e3),
    "minItems -1": lambda: {"minItems": -1},
    # Characters.
    "lone surrogate in a key": lambda: {"properties": {"\ud800": {}}},
    "lone surrogate in a const": lambda: {"const": "\udfff"},
    "lone surrogate in a pattern": lambda: strings(pattern="\ud800"),
    "lone surrogate in a title": lambda: {"title": "\ud800"},
    "lone surrogate in a ref": lambda: {"$ref": "#/$defs/\ud800"},
    "NUL": lambda: {"properties": {"a\0b": {"const": "\0"}}, "required": ["a\0b"]},
    "odd keys": lambda: {
        "properties": {
            k: {"type": "null"} for k in ('"', "\\", "\n", "\x7f", "😀", "", " ", "]", "~/")
        }
    },
    "odd enum": lambda: {"enum": ['"', "\\", '\\"', "\u2028", "\x01", "😀", "", "'"]},
    "odd pattern keys": lambda: {"patternProperties": {'["\\\\]': {}, "\\u{1F600}": {}}},
    # Not schemas at all.
    "a number": lambda: 5,
    "a list": lambda: [],
    "null": lambda: None,
    "a string": lambda: "string",
    "properties a list": lambda: {"properties": []},
    "required a string": lambda: {"required": "a"},
    "enum a string": lambda: {"enum": "a"},
    "type unknown": lambda: {"type": "integr"},
    "keys that are no strings": lambda: {"properties": {1: {}}},
    "$schema a number": lambda: {"$schema": 5},
    "$schema unknown": lambda: {"$schema": "https://example.com/dialect", "type": "null"},
    "$id in a circle": lambda: {"$id": "urn:a", "$defs": {"b": {"$id": "urn:a"}}},
    "two anchors": lambda: {"$defs": {"a": {"$anchor": "x"}, "b": {"$anchor": "x"}}, "$ref": "#x"},
    "tuple": lambda: {"enum": (1, 2)},
    "set": lambda: {"enum": {1}},
    "bytes": lambda: {"const": b"a"},
}
"""Name → function that makes the schema."""


def outcome(name):
    """Compile the entry: "answer" with the size of its grammar, or the name of the GbnfcError."""
    import gbnfc

    schema = SCHEMAS[name]()
    try:
        compiled = gbnfc.compile_schema(schema)
        text = compiled.text
    except gbnfc.GbnfcError as error:
        return f"{type(error).__name__}: {str(error)[:100]!r}"
    wider = sorted(
        {f"{e.keyword} {e.effect.value}" for e in compiled.report if e.effect.value != "ignored"}
    )
    return f"answer of {len(text)} characters {', '.join(wider)}"


def run_alone(name):
    """Run one entry in a child process within the limits; return its outcome and CPU seconds."""
    limits = f'ulimit -v {BYTES // 1024} -t {2 * SECONDS}; exec "$@"'
    import resource  # not on Windows

    started = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(
        ["bash", "-c", limits, "_", sys.executable, __file__, name],
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - started
    answer = done.stdout.strip() or f"DIED ({done.returncode}): {done.stderr.strip()[-300:]}"
    return answer, seconds


def main() -> None:
    """Run every entry by itself, or the named one here."""
    if len(sys.argv) > 1 and sys.argv[1] in SCHEMAS:
        print(outcome(sys.argv[1]))
        return
    for name in SCHEMAS:
        if len(sys.argv) > 1 and not any(word in name for word in sys.argv[1:]):
            continue
        answer, seconds = run_alone(name)
        flag = "!!" if answer.startswith("DIED") or seconds > SECONDS else "  "
        print(f"{flag} {seconds:6.2f} s  {name}: {answer[:200]}", flush=True)


if __name__ == "__main__":
    main()
