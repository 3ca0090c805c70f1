"""Schemas by keyword family, each with texts that its grammar accepts and texts that it refuses.

A case is `(schema, accepted, refused)`; texts are separated by ` ‖ ` so that a line holds many. A
fourth element is the draft.
"""

from __future__ import annotations

BAR = " ‖ "
DRAFT_4 = "http://json-schema.org/draft-04/schema#"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
INT = {"type": "integer"}
STR = {"type": "string"}
NULL = {"type": "null"}


def closed(properties, **others):
    return {"type": "object", "properties": properties, "additionalProperties": False, **others}


FAMILIES = {
    "types": [
        (
            {},
            'null ‖ true ‖ 0 ‖ -1.5e3 ‖ "" ‖ [] ‖ [1, "a"] ‖ {} ‖ {"a": {}}',
            "nul ‖ 01 ‖ [1,] ‖ {a: 1} ‖ -0x",
        ),
        (True, "null ‖ {}", "x"),
        ({"type": "null"}, "null", "0 ‖ Null ‖ false"),
        ({"type": "boolean"}, "true ‖ false", "True ‖ 0 ‖ null"),
        # A type and, where the canonical form does not join them, one value of it.
        (
            {
                "anyOf": [
                    {"type": ["boolean", "null"]},
                    {"oneOf": [{}, {"const": True}, {"enum": [["a", 1, None], {"a": 1}, "b"]}]},
                ]
            },
            'true ‖ false ‖ null ‖ "c"',
            '"b"',
        ),
        ({"type": "integer"}, "0 ‖ -1 ‖ 12345678901234567890", "1.5 ‖ 01 ‖ -0 ‖ +1 ‖ 1e5x ‖ null"),
        (
            {"type": "number"},
            "0 ‖ -1 ‖ 0.5 ‖ -0.25 ‖ 1e10 ‖ 1.5E-3",
            ".5 ‖ 1. ‖ 00 ‖ 1e ‖ NaN ‖ Infinity",
        ),
        (
            {"type": "string"},
            '"" ‖ "a" ‖ "é" ‖ "\\n" ‖ "\\"" ‖ "😀" ‖ "\\u0001" ‖ "/"',
            'a ‖ \'a\' ‖ "\n" ‖ "\\x"',
        ),
        ({"type": "array"}, "[] ‖ [1] ‖ [[], {}]", "[ ‖ [1 2] ‖ {} ‖ [1,2]"),
        ({"type": "object"}, '{} ‖ {"a": 1} ‖ {"a": {"b": []}}', '{"a"} ‖ {"a":1} ‖ []'),
        ({"type": ["integer", "null"]}, "1 ‖ null", '1.5 ‖ "1" ‖ true'),
        ({"type": ["integer", "number"]}, "1 ‖ 1.5", "null"),
        (
            {"enum": [1, "1", None, [1], {"a": 1}]},
            '1 ‖ "1" ‖ null ‖ [1] ‖ {"a": 1}',
            '2 ‖ true ‖ [] ‖ [1, 1] ‖ {"a": 2}',
        ),
        (
            {"enum": ["a/./b/c", "a/./b/d", "a/.", "a"]},
            '"a/./b/c" ‖ "a/./b/d" ‖ "a/." ‖ "a"',
            '"a/b/c" ‖ "" ‖ "a/"',
        ),
        ({"enum": ["a", "aa", "aaa"]}, '"a" ‖ "aa" ‖ "aaa"', '"" ‖ "aaaa"'),
        (
            {"enum": [{"b": 1, "a": 2}, {"b": 1, "a": 3}]},
            '{"b": 1, "a": 2} ‖ {"b": 1, "a": 3}',
            '{"b": 1, "a": 4} ‖ {}',
        ),
        ({"type": "string", "enum": [1, "a"]}, '"a"', "1"),
        ({"const": 'é\n"\\'}, '"é\\n\\"\\\\"', '"e"'),
        ({"const": 1.0}, "1", "2 ‖ true"),
        ({"const": False}, "false", "0 ‖ true"),
        ({"const": []}, "[]", "[1] ‖ {}"),
        ({"const": {"a": 1.0}}, '{"a": 1} ‖ {"a": 1.0}', '{"a": 1.5} ‖ {"a": true}'),
    ],
    "objects": [
        (
            closed({"a": INT}, required=["a"]),
            '{"a": 1}',
            '{} ‖ {"a": "1"} ‖ {"a": 1, "b": 1} ‖ {"a": 1, "a": 1} ‖ {"a":1}',
        ),
        (
            closed({"a": INT, "b": INT}),
            '{} ‖ {"a": 1} ‖ {"b": 1} ‖ {"a": 1, "b": 1} ‖ {"b": 1, "a": 1}',
            '{"a": 1, "a": 1} ‖ {"c": 1} ‖ {, "b": 1}',
        ),
        (closed({}), "{}", '{"a": 1}'),
        (
            {"type": "object", "properties": {"a": INT}},
            '{} ‖ {"a": 1} ‖ {"a": 1, "z": "x"} ‖ {"z": []}',
            '{"a": "x"} ‖ {"a": 1, "a": "x"}',
        ),
        (
            {"type": "object", "properties": {"ab": INT}},
            '{"a": "x"} ‖ {"abc": "x"} ‖ {"": 0}',
            '{"ab": "x"}',
        ),
        (
            {"type": "object", "properties": {'"': INT, "\n": INT}},
            '{"\\"": 1, "\\n": 2} ‖ {"\\\\": ""}',
            '{"\\"": ""} ‖ {"\\n": ""}',
        ),
        ({"type": "object", "required": ["x"]}, '{"x": 1} ‖ {"x": [], "a": 1}', '{} ‖ {"a": 1}'),
        (
            {"type": "object", "properties": {"a": NULL}, "required": ["z", "a"]},
            '{"a": null, "z": 1} ‖ {"a": null, "z": {}, "k": 1}',
            '{"a": null} ‖ {"z": 1}',
        ),
        ({"type": "object", "additionalProperties": INT}, '{} ‖ {"a": 1, "b": 2}', '{"a": "x"}'),
        (closed({"a": False, "b": INT}), '{} ‖ {"b": 1}', '{"a": 1}'),
        (
            {"type": "object", "patternProperties": {"^x": INT}},
            '{"x1": 1} ‖ {"y": "s"} ‖ {"x": 1, "y": []}',
            '{"x": "s"} ‖ {"xx": null}',
        ),
        (
            {"type": "object", "patternProperties": {"^x": INT}, "additionalProperties": False},
            '{} ‖ {"x": 1, "xy": 2}',
            '{"y": 1}',
        ),
        (
            {
                "type": "object",
                "patternProperties": {"a": {"minimum": 1}, "b": {"maximum": 3}},
                "additionalProperties": False,
            },
            '{"a": 9} ‖ {"b": -9} ‖ {"ab": 2} ‖ {"ab": "s"}',
            '{"a": 0} ‖ {"b": 4} ‖ {"ab": 4} ‖ {"ab": 0} ‖ {"c": 1}',
        ),
        (
            {
                "type": "object",
                "properties": {"xa": {"maximum": 5}},
                "patternProperties": {"^x": INT},
            },
            '{"xa": 5} ‖ {"xb": 9}',
            '{"xa": 6} ‖ {"xa": "s"}',
        ),
        (
            {"type": "object", "propertyNames": {"pattern": "^[a-c]+$"}},
            '{} ‖ {"abc": 1}',
            '{"d": 1} ‖ {"": 1}',
        ),
        (
            {"type": "object", "propertyNames": {"enum": ["a", "b"]}},
            '{} ‖ {"a": 1, "b": 2} ‖ {"b": 0}',
            '{"c": 1}',
        ),
        (
            {
                "type": "object",
                "propertyNames": {"maxLength": 2},
                "properties": {"abc": INT, "a": INT},
            },
            '{"a": 1} ‖ {"zz": 1}',
            '{"abc": 1} ‖ {"zzz": 1}',
        ),
        ({"type": "object", "propertyNames": False}, "{}", '{"a": 1}'),
        (
            closed({"a": NULL, "b": NULL, "c": NULL}, minProperties=2),
            '{"a": null, "c": null} ‖ {"b": null, "c": null} ‖ {"a": null, "b": null, "c": null}',
            '{} ‖ {"a": null} ‖ {"c": null}',
        ),
        (
            closed({"a": NULL, "b": NULL, "c": NULL}, maxProperties=1),
            '{} ‖ {"a": null} ‖ {"c": null}',
            '{"a": null, "b": null}',
        ),
        (
            closed({"a": NULL, "b": NULL}, minProperties=1, required=["b"]),
            '{"b": null} ‖ {"a": null, "b": null}',
            '{"a": null} ‖ {}',
        ),
        ({"type": "object", "minProperties": 1}, '{"a": 1} ‖ {"a": 1, "b": 2}', "{}"),
        (
            {"type": "object", "maxProperties": 2, "properties": {"a": INT}},
            '{} ‖ {"a": 1, "b": 1} ‖ {"x": 1, "y": 1}',
            '{"a": 1, "b": 1, "c": 1}',
        ),
        ({"type": "object", "maxProperties": 0}, "{}", '{"a": 1}'),
    ],
    "empty containers": [
        ({"anyOf": [{"const": {}}, closed({"a": INT})]}, '{} ‖ {"a": 1}', '{"b": 1}'),
        ({"anyOf": [{"const": []}, {"type": "array", "items": INT}]}, "[] ‖ [1]", '["a"]'),
        (
            {"anyOf": [{"const": {}}, closed({"a": INT}, required=["a"])]},
            '{} ‖ {"a": 1}',
            '{"b": 1}',
        ),
        (
            {"anyOf": [{"const": []}, {"type": "array", "items": INT, "minItems": 2}]},
            "[] ‖ [1, 2]",
            "[1]",
        ),
        (
            {"anyOf": [{"const": []}, {"type": "array", "contains": {"const": 1}}]},
            "[] ‖ [1, 2]",
            "[2]",
        ),
    ],
    "any order": [
        (
            closed({"b": NULL, "a": NULL, "c": NULL}, required=["a"]),
            '{"b": null, "a": null} ‖ {"a": null, "b": null} ‖ {"c": null, "a": null, "b": null}',
            '{"b": null} ‖ {"a": null, "a": null} ‖ {"b": null, "a": null, "b": null}',
        ),
        (
            closed({"b": INT, "a": INT, "c": INT, "d": INT}, required=["a", "b"]),
            '{"a": 1, "b": 1} ‖ {"d": 1, "b": 1, "c": 1, "a": 1} ‖ {"b": 1, "c": 1, "a": 1}',
            '{"a": 1, "c": 1} ‖ {"a": 1, "b": 1, "a": 1} ‖ {} ‖ {"b": 1, "e": 1, "a": 1}',
        ),
        (
            closed({**dict.fromkeys("badcfe", INT), "o": INT}, required=[*"abcdef"]),
            '{"b": 1, "o": 1, "a": 1, "d": 1, "c": 1, "f": 1, "o": 2, "e": 1} ‖ '
            '{"a": 1, "o": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1} ‖ '
            '{"b": 1, "a": 1, "c": 1, "d": 1, "e": 1, "f": 1}',
            '{"b": 1, "a": 1, "o": 1} ‖ {"b": 1, "d": 1, "a": 1, "c": 1, "f": 1, "e": 1} ‖ '
            '{"a": 1, "b": 1, "c": 1, "d": 1, "e": 1} ‖ '
            '{"a": 1, "a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1}',
        ),
        (
            closed({"b": NULL, "a": NULL}, required=["a", "b"]),
            '{"b": null, "a": null} ‖ {"a": null, "b": null}',
            '{"a": null} ‖ {"a": null, "a": null, "b": null} ‖ {}',
        ),
        (
            closed(dict.fromkeys("dbac", INT), required=[*"abcd"]),
            '{"d": 1, "b": 1, "a": 1, "c": 1} ‖ {"b": 1, "d": 1, "a": 1, "c": 1}',
            '{"a": 1, "b": 1, "c": 1} ‖ {"d": 1, "b": 1, "a": 1, "c": 1, "d": 1}',
        ),
        (
            closed(dict.fromkeys("dbacfe", INT), required=[*"abcdef"]),
            '{"d": 1, "b": 1, "a": 1, "c": 1, "f": 1, "e": 1} ‖ '
            '{"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1} ‖ '
            '{"d": 1, "b": 1, "a": 1, "c": 1, "e": 1, "f": 1}',
            '{"b": 1, "d": 1, "a": 1, "c": 1, "e": 1, "f": 1} ‖ {"a": 1, "b": 1, "c": 1}',
        ),
        (
            closed(dict.fromkeys("abcdef", INT), required=[*"abcdef"]),
            '{"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1}',
            '{"b": 1, "a": 1, "c": 1, "d": 1, "e": 1, "f": 1} ‖ {"a": 1, "b": 1, "c": 1}',
        ),
        (
            {"type": "object", "properties": {"b": INT, "a": INT}, "minProperties": 1},
            '{"b": 1} ‖ {"a": 1, "b": 1} ‖ {"b": 1, "x": 1, "a": 1} ‖ {"x": 1}',
            '{} ‖ {"a": 1, "b": "x"}',
        ),
        (
            {
                "type": "object",
                "properties": dict.fromkeys("bac", INT),
                "required": ["b", "a"],
                "minProperties": 2,
            },
            '{"b": 1, "a": 1} ‖ {"a": 1, "c": 1, "b": 1, "x": 1}',
            '{"b": 1} ‖ {"c": 1, "a": 1} ‖ {}',
        ),
        (
            closed(dict.fromkeys("bac", INT), minProperties=1, maxProperties=2),
            '{"b": 1} ‖ {"a": 1, "b": 1} ‖ {"b": 1, "a": 1} ‖ {"c": 1}',
            '{} ‖ {"a": 1, "b": 1, "c": 1} ‖ {"a": 1, "a": 1}',
        ),
        (
            closed(dict.fromkeys("bac", INT), minProperties=2, required=["c"]),
            '{"c": 1, "a": 1} ‖ {"b": 1, "c": 1} ‖ {"b": 1, "a": 1, "c": 1}',
            '{"c": 1} ‖ {"a": 1, "b": 1} ‖ {"c": 1, "c": 1}',
        ),
        (
            {"type": "object", "properties": {"b": INT, "a": INT}, "required": ["a"]},
            '{"x": [], "a": 1, "b": 2} ‖ {"b": 1, "y": 0, "a": 1, "z": 0} ‖ {"aa": "", "a": 1}',
            '{"x": 1} ‖ {"a": 1, "b": "x"} ‖ {"b": "x", "a": 1} ‖ {"a": 1, "a": 2}',
        ),
        (
            {"type": "object", "properties": {"one": INT, "once": STR, "": NULL, "o\n": NULL}},
            '{"on": 0, "once": "", "": null, "one": 1, "o\\n": null, "onc": 2, "ones": []}',
            '{"once": 1} ‖ {"on": 1, "one": ""} ‖ {"": 1} ‖ {"o\\n": 1}',
        ),
        (
            {
                "type": "object",
                "properties": {"xa": INT, "b": INT},
                "patternProperties": {"^x": {"maximum": 5}},
                "additionalProperties": False,
                "required": ["b"],
            },
            '{"x": 1, "b": 9, "xa": 5} ‖ {"xa": 1, "xb": "", "b": 1}',
            '{"x": 6, "b": 1} ‖ {"y": 1, "b": 1} ‖ {"xa": 6, "b": 1} ‖ {"x": 1}',
        ),
    ],
    "arrays": [
        ({"type": "array", "items": INT}, "[] ‖ [1] ‖ [1, 2, 3]", '["a"] ‖ [1, "a"] ‖ [1,]'),
        (
            {"type": "array", "items": INT, "minItems": 2, "maxItems": 3},
            "[1, 2] ‖ [1, 2, 3]",
            "[] ‖ [1] ‖ [1, 2, 3, 4]",
        ),
        ({"type": "array", "maxItems": 0}, "[]", "[1]"),
        ({"type": "array", "items": False}, "[]", "[1]"),
        (
            {"type": "array", "prefixItems": [INT, STR]},
            '[] ‖ [1] ‖ [1, "a"] ‖ [1, "a", null]',
            '["a"] ‖ [1, 2]',
        ),
        (
            {"type": "array", "prefixItems": [INT, STR], "items": False},
            '[] ‖ [1] ‖ [1, "a"]',
            '[1, "a", null]',
        ),
        (
            {"type": "array", "prefixItems": [INT], "items": NULL, "minItems": 2},
            "[1, null] ‖ [1, null, null]",
            "[1] ‖ [1, 1] ‖ []",
        ),
        (
            {"type": "array", "items": [INT, STR], "additionalItems": NULL},
            '[] ‖ [1, "a"] ‖ [1, "a", null]',
            '["a"] ‖ [1, "a", 1]',
            "7",
        ),
        (
            {"type": "array", "items": [INT], "additionalItems": False},
            "[] ‖ [1]",
            "[1, 1]",
            "2019-09",
        ),
        (
            {"type": "array", "prefixItems": [{"const": n} for n in range(40)], "items": False},
            f"[] ‖ [0] ‖ {list(range(33))} ‖ {list(range(40))}",
            f"[1] ‖ {list(range(41))} ‖ [0, 0]",
        ),
        ({"type": "array", "items": INT, "maxItems": 5000}, f"[] ‖ {[1] * 400}", '["a"]'),
        (
            {"type": "array", "items": {"type": "array", "items": INT, "maxItems": 1}},
            "[[], [1]]",
            "[[1, 1]] ‖ [1]",
        ),
    ],
    "contains": [
        (
            {"type": "array", "contains": NULL},
            "[null] ‖ [1, null] ‖ [null, null, 1]",
            "[] ‖ [1] ‖ [1, 2]",
        ),
        (
            {"type": "array", "contains": NULL, "minContains": 2},
            "[null, null] ‖ [null, 1, null]",
            "[null] ‖ [1, null]",
        ),
        (
            {"type": "array", "contains": NULL, "maxContains": 1},
            "[null] ‖ [1, null, 2]",
            "[] ‖ [null, null]",
        ),
        (
            {"type": "array", "contains": NULL, "minContains": 0, "maxContains": 1},
            "[] ‖ [1] ‖ [null]",
            "[null, null]",
        ),
        (
            {
                "type": "array",
                "contains": INT,
                "items": {"type": ["integer", "string"]},
                "maxItems": 2,
            },
            '[1] ‖ ["a", 1]',
            '["a"] ‖ [1, 1, 1] ‖ [null]',
        ),
        (
            {"type": "array", "allOf": [{"contains": NULL}, {"contains": INT}]},
            '[null, 1] ‖ [1, null] ‖ ["a", 1, null]',
            "[null] ‖ [1] ‖ []",
        ),
        (
            {"type": "array", "prefixItems": [STR], "contains": STR, "maxContains": 1},
            '["a"] ‖ ["a", 1]',
            '["a", "b"] ‖ []',
        ),
    ],
    "uniqueItems": [
        (
            {"type": "array", "items": {"enum": ["a", "b", "c"]}, "uniqueItems": True},
            '[] ‖ ["a"] ‖ ["c", "a", "b"]',
            '["a", "a"] ‖ ["a", "b", "a"]',
        ),
        (
            {"type": "array", "items": {"type": "boolean"}, "uniqueItems": True, "minItems": 2},
            "[true, false] ‖ [false, true]",
            "[true] ‖ [true, true]",
        ),
        (
            {
                "type": "array",
                "items": {"type": "integer", "minimum": 1, "maximum": 3},
                "uniqueItems": True,
            },
            "[1, 2, 3] ‖ [3, 1]",
            "[1, 1] ‖ [1, 2, 3, 1]",
        ),
        (
            {"type": "array", "items": {"enum": [1, True, "1"]}, "uniqueItems": True},
            '[1, true, "1"]',
            "[1, 1] ‖ [true, true]",
        ),
        (
            {
                "type": "array",
                "prefixItems": [{"enum": [1, 2]}, {"enum": [2, 3]}],
                "items": False,
                "uniqueItems": True,
            },
            "[1, 2] ‖ [2, 3] ‖ []",
            "[2, 2]",
        ),
        (
            {"type": "array", "items": STR, "uniqueItems": True, "maxItems": 1},
            '[] ‖ ["a"]',
            '["a", "b"]',
        ),
    ],
    "strings": [
        (
            {"type": "string", "minLength": 2, "maxLength": 3},
            '"ab" ‖ "abc" ‖ "é\\n" ‖ "😀😀"',
            '"a" ‖ "abcd" ‖ "😀"',
        ),
        (
            {"type": "string", "pattern": "^[A-Z]{2} [0-9]{3}$"},
            '"AB 123"',
            '"AB 12" ‖ "ab 123" ‖ " AB 123"',
        ),
        ({"type": "string", "pattern": "b"}, '"b" ‖ "abc"', '"" ‖ "ac"'),
        # What jsonschema_rs refuses or reads otherwise.
        ({"type": "string", "pattern": "^[^]$"}, '"a" ‖ "\\n" ‖ "😀"', '"" ‖ "ab"'),
        (
            {"$schema": "http://json-schema.org/draft-07/schema#", "pattern": "^[a]]{b}$"},
            '"a]{b}"',
            '"a]b" ‖ "ab"',
        ),
        ({"type": "string", "pattern": "^\\0$"}, '"\\u0000"', '"0" ‖ ""'),
        ({"type": "string", "pattern": "^[\\b]$"}, '"\\b"', '"b" ‖ ""'),
        ({"type": "string", "pattern": "^\\ud83d\\ude00$"}, '"😀"', '"" ‖ "ud83d"'),
        ({"type": "string", "pattern": "^[\\d-x]{2}$"}, '"1-" ‖ "xx"', '"1a" ‖ "1"'),
        ({"type": "string", "pattern": "\\A[a-z]{2}\\z"}, '"ab"', '"abc" ‖ "Aabz"'),
        ({"type": "string", "pattern": "\\A[a-z]{2}\\Z"}, '"ab"', '"abc" ‖ "AabZ"'),
        (
            {
                "type": "object",
                "patternProperties": {"^[^]{2}$": INT},
                "additionalProperties": False,
            },
            '{} ‖ {"ab": 1}',
            '{"a": 1} ‖ {"ab": "x"}',
        ),
        ({"type": "string", "pattern": "^a", "maxLength": 2}, '"a" ‖ "ab"', '"b" ‖ "abc" ‖ ""'),
        (
            {
                "type": "string",
                "pattern": "^[ab]+$",
                "minLength": 2,
                "maxLength": 3,
                "allOf": [{"pattern": "a$"}],
            },
            '"aa" ‖ "bba"',
            '"a" ‖ "ab" ‖ "bbba" ‖ "ca"',
        ),
        (
            {"type": "string", "pattern": "^(?=.*[0-9])(?=.*[a-z]).{3,5}$"},
            '"a1b" ‖ "1aaaa"',
            '"abc" ‖ "123" ‖ "a1"',
        ),
        ({"type": "string", "format": "date"}, '"2024-02-29"', '"2023-02-29" ‖ "2024-1-1" ‖ ""'),
        ({"type": "string", "format": "date", "pattern": "^2024"}, '"2024-12-31"', '"2023-12-31"'),
        (
            {"type": "string", "format": "ipv4", "maxLength": 8},
            '"1.2.3.4" ‖ "10.0.0.1"',
            '"1.2.3" ‖ "10.10.10.10"',
        ),
        (
            {"type": "string", "format": "uuid"},
            '"123e4567-e89b-12d3-a456-426614174000"',
            '"123e4567"',
        ),
        ({"type": "string", "not": {"pattern": "x"}}, '"" ‖ "abc"', '"x" ‖ "axb"'),
        ({"type": "string", "not": {"enum": ["a", "b"]}}, '"" ‖ "c" ‖ "aa"', '"a" ‖ "b"'),
        ({"type": "string", "minLength": 1, "not": {"const": "no"}}, '"n" ‖ "nope"', '"" ‖ "no"'),
        ({"type": "string", "maxLength": 3000}, '"" ‖ "' + "a" * 300 + '"', "1"),
        ({"type": "string", "pattern": '^["\\\\]+$'}, '"\\"" ‖ "\\\\\\""', '"a" ‖ "\\"a"'),
        (
            {"anyOf": [{"type": "string", "maxLength": 1}, {"type": "string", "pattern": "^aaa$"}]},
            '"" ‖ "x" ‖ "aaa"',
            '"aa" ‖ "xx"',
        ),
    ],
    "numbers": [
        ({"type": "integer", "minimum": 0}, "0 ‖ 7 ‖ 100", "-1 ‖ 0.5 ‖ 00"),
        (
            {"type": "integer", "minimum": -5, "maximum": 12},
            "-5 ‖ -1 ‖ 0 ‖ 9 ‖ 12",
            "-6 ‖ 13 ‖ 100 ‖ -0",
        ),
        (
            {"type": "integer", "exclusiveMinimum": 9, "exclusiveMaximum": 100},
            "10 ‖ 99",
            "9 ‖ 100 ‖ 1000",
        ),
        ({"type": "integer", "minimum": 0.5, "maximum": 3.5}, "1 ‖ 3", "0 ‖ 4"),
        ({"type": "integer", "exclusiveMinimum": True, "minimum": 1}, "2 ‖ 10", "1 ‖ 0", "4"),
        (
            {"type": "number", "minimum": 0, "maximum": 1},
            "0 ‖ 1 ‖ 0.5 ‖ 1.0 ‖ 0.999",
            "1.1 ‖ -0.1 ‖ 2 ‖ 1.01",
        ),
        ({"type": "number", "exclusiveMinimum": 0}, "1 ‖ 0.001 ‖ 1e5 ‖ 1e-9", "0 ‖ 0.0 ‖ -1"),
        (
            {"type": "number", "exclusiveMinimum": -1.5, "exclusiveMaximum": 2.25},
            "-1.49 ‖ 0 ‖ 2.2",
            "-1.5 ‖ 2.25 ‖ 2.3 ‖ -2",
        ),
        ({"type": "number", "maximum": -0.01}, "-0.01 ‖ -5", "0 ‖ -0.001 ‖ 1"),
        ({"type": "integer", "multipleOf": 3}, "0 ‖ 3 ‖ -12 ‖ 111", "1 ‖ 100"),
        ({"type": "number", "multipleOf": 0.01}, "0 ‖ 1 ‖ 0.1 ‖ 19.99 ‖ -0.01", "0.001 ‖ 19.999"),
        (
            {"type": "number", "multipleOf": 0.25, "minimum": 0, "maximum": 1},
            "0.25 ‖ 0.5 ‖ 1 ‖ 0",
            "0.3 ‖ 1.25 ‖ -0.25",
        ),
        ({"type": "number", "multipleOf": 1.5}, "1.5 ‖ 3 ‖ 4.5", "1 ‖ 2"),
        (
            {"type": "integer", "multipleOf": 7, "minimum": 10, "maximum": 30},
            "14 ‖ 21 ‖ 28",
            "7 ‖ 35 ‖ 15",
        ),
        (
            {"type": "integer", "multipleOf": 4, "allOf": [{"multipleOf": 6}]},
            "12 ‖ 0 ‖ 24",
            "4 ‖ 6",
        ),
        ({"type": "integer", "maximum": 10**30}, f"{10**30} ‖ 5", f"{10**30 + 1} ‖ {10**31}"),
        ({"type": "integer", "not": {"multipleOf": 2}}, "1 ‖ 3", "2 ‖ 0"),
        ({"type": "integer", "not": {"const": 5}}, "4 ‖ 55", "5"),
        ({"type": "number", "not": {"type": "integer"}}, "0.5", "1 ‖ 0"),
    ],
    "logic": [
        ({"not": {"type": "string"}}, "1 ‖ null ‖ []", '"a"'),
        ({"not": {"not": INT}}, "1", "null"),
        ({"not": {"type": "object", "required": ["a"]}}, '1 ‖ {} ‖ {"b": 1}', '{"a": 1}'),
        (
            {"type": "object", "properties": {"a": INT}, "not": {"required": ["a", "b"]}},
            '{} ‖ {"a": 1} ‖ {"b": 1}',
            '{"a": 1, "b": 2}',
        ),
        (
            {"not": {"enum": [["a", 1, None], [1], [0, 1]]}},
            '[] ‖ [0] ‖ [1, 1] ‖ null ‖ ["a", 1]',
            '[1] ‖ [0, 1] ‖ ["a", 1, null]',
        ),
        (
            {"not": {"enum": [{"ab": [], "c": {}}]}},
            '{} ‖ {"ab": []} ‖ 1',
            '{"ab": [], "c": {}}',
            "4",
        ),
        (
            {"not": {"anyOf": [{"enum": [{}]}, {"enum": [{"a": 1}, {"ab": True}]}]}},
            '{"b": 0.5} ‖ {"a": 2} ‖ {"a": 1, "b": 1} ‖ 1',
            '{} ‖ {"a": 1} ‖ {"ab": true}',
        ),
        ({"type": "array", "not": {"contains": NULL}}, "[] ‖ [1]", "[null] ‖ [1, null]"),
        ({"anyOf": [INT, {"type": "string", "maxLength": 1}]}, '1 ‖ "a"', '"ab" ‖ null'),
        ({"oneOf": [INT, {"type": "number", "minimum": 2}]}, "1 ‖ 2.5 ‖ -1", "2 ‖ 1.5"),
        (
            {"oneOf": [closed({"a": INT}), closed({"b": INT})]},
            '{"a": 1} ‖ {"b": 1}',
            '{} ‖ {"a": 1, "b": 1}',
        ),
        ({"oneOf": [True, False]}, "1", "x"),
        (
            {"allOf": [{"type": ["integer", "null"]}, {"type": ["integer", "string"]}]},
            "1",
            'null ‖ "a"',
        ),
        (
            {"if": INT, "then": {"minimum": 5}, "else": {"type": "string"}},
            '5 ‖ "a"',
            "4 ‖ null ‖ 5.5",
        ),
        ({"if": INT, "then": {"minimum": 5}}, '5 ‖ "a" ‖ 4.5', "4"),
        ({"then": {"minimum": 5}}, "4 ‖ 6", "x"),
        (
            {
                "type": "object",
                "properties": {"k": {"enum": ["x", "y"]}, "v": True},
                "required": ["k", "v"],
                "if": {"properties": {"k": {"const": "x"}}},
                "then": {"properties": {"v": INT}},
                "else": {"properties": {"v": STR}},
            },
            '{"k": "x", "v": 1} ‖ {"k": "y", "v": "s"}',
            '{"k": "x", "v": "s"} ‖ {"k": "y", "v": 1}',
        ),
        (
            {"type": "object", "dependentRequired": {"a": ["b"]}},
            '{} ‖ {"b": 1} ‖ {"a": 1, "b": 1} ‖ {"z": 1}',
            '{"a": 1} ‖ {"a": 1, "z": 1}',
        ),
        (
            {"type": "object", "dependentSchemas": {"a": {"properties": {"b": INT}}}},
            '{"b": "s"} ‖ {"a": 1, "b": 1}',
            '{"a": 1, "b": "s"}',
        ),
        (
            {"type": "object", "dependencies": {"a": ["b"]}},
            '{"a": 1, "b": 1} ‖ {}',
            '{"a": 1}',
            "7",
        ),
        (
            {"type": "object", "dependencies": {"a": {"required": ["b"]}}},
            '{"a": 1, "b": 1}',
            '{"a": 1}',
            "4",
        ),
        (
            {"type": "object", "properties": {"a": INT}, "unevaluatedProperties": False},
            '{} ‖ {"a": 1}',
            '{"b": 1}',
        ),
        (
            {
                "type": "object",
                "allOf": [{"properties": {"a": INT}}],
                "unevaluatedProperties": False,
            },
            '{"a": 1}',
            '{"b": 1} ‖ {"a": 1, "b": 1}',
        ),
        ({"type": "array", "prefixItems": [INT], "unevaluatedItems": False}, "[] ‖ [1]", "[1, 2]"),
        ({"enum": [{"a": 1}], "unevaluatedProperties": {"type": "integer"}}, '{"a": 1}', "{}"),
        ({"const": [], "enum": [[], {}], "not": {"const": [{}]}}, "[]", "{} ‖ [{}]"),
    ],
    "references": [
        ({"$ref": "#/$defs/a", "$defs": {"a": INT}}, "1", "null"),
        ({"$ref": "#/definitions/a", "definitions": {"a": INT}}, "1", "null", "4"),
        (
            {"$ref": "#/properties/a", "properties": {"a": {"type": ["integer", "object"]}}},
            "1 ‖ {}",
            "null",
        ),
        ({"$ref": "#/$defs/a~1b/x%25", "$defs": {"a/b": {"x%": NULL}}}, "null", "1"),
        ({"$ref": "#/$defs/a", "minimum": 3, "$defs": {"a": INT}}, "3", "2"),
        (
            {"$ref": "#/definitions/a", "minimum": 3, "definitions": {"a": INT}},
            "2 ‖ 3",
            "null",
            "7",
        ),
        ({"$ref": "#x", "$defs": {"a": {"$anchor": "x", "type": "integer"}}}, "1", "null"),
        ({"$ref": "#x", "definitions": {"a": {"$id": "#x", "type": "integer"}}}, "1", "null", "7"),
        (
            {
                "$id": "https://e.org/root",
                "$ref": "item",
                "$defs": {"i": {"$id": "item", "type": "null"}},
            },
            "null",
            "1",
        ),
        (
            {
                "$id": "https://e.org/root",
                "$ref": "item#/$defs/n",
                "$defs": {"i": {"$id": "item", "$defs": {"n": NULL}}},
            },
            "null",
            "1",
        ),
        ({"$ref": "https://e.org/int"}, "1", "null"),
        ({"$ref": "https://e.org/defs#/$defs/s"}, '"a"', "1"),
        ({"$ref": "https://e.org/defs#named"}, "null", "1"),
        ({"$ref": "https://e.org/tree"}, '{} ‖ {"next": {"next": {}}}', '{"next": 1} ‖ {"z": 1}'),
        (
            closed({"v": INT, "next": {"$ref": "#"}}, required=["v"]),
            '{"v": 1} ‖ {"v": 1, "next": {"v": 2, "next": {"v": 3}}}',
            '{"next": {"v": 1}} ‖ {"v": 1, "next": {}}',
        ),
        (
            {"anyOf": [INT, {"type": "array", "items": {"$ref": "#"}}]},
            "1 ‖ [] ‖ [[1], [[]]]",
            "null ‖ [null]",
        ),
        ({"anyOf": [{"$ref": "#"}, NULL]}, "null", "1"),
        (
            {
                "$ref": "#/$defs/a",
                "$defs": {
                    "a": {"anyOf": [NULL, closed({"b": {"$ref": "#/$defs/b"}})]},
                    "b": {"type": "array", "items": {"$ref": "#/$defs/a"}},
                },
            },
            'null ‖ {"b": [null, {"b": []}]}',
            '{"b": null} ‖ {"b": [1]}',
        ),
        ({"$defs": {"x": NULL}}, "1 ‖ null", "x"),
        (
            {
                "$id": "https://e.org/strict",
                "$dynamicAnchor": "node",
                "$ref": "https://e.org/node",
                "unevaluatedProperties": False,
            },
            '{} ‖ {"kids": [{}, {"kids": []}]}',
            '{"z": 1} ‖ {"kids": [{"z": 1}]}',
        ),
        (
            {
                "$id": "https://e.org/r",
                "$recursiveAnchor": True,
                "type": "object",
                "properties": {"c": {"$recursiveRef": "#"}},
                "additionalProperties": False,
            },
            '{"c": {"c": {}}}',
            '{"c": 1} ‖ {"d": 1}',
            "2019-09",
        ),
    ],
    "drafts": [
        (
            {
                "$schema": "http://json-schema.org/draft-04/schema#",
                "id": "http://e.org/x",
                "type": "integer",
                "minimum": 1,
                "exclusiveMinimum": True,
            },
            "2",
            "1",
        ),
        ({"$schema": "http://json-schema.org/draft-06/schema#", "const": 1}, "1", "2"),
        ({"const": 1}, "1 ‖ 2 ‖ null", "x", "4"),
        ({"if": INT, "then": False}, "1 ‖ null", "x", "6"),
        ({"prefixItems": [INT], "type": "array"}, '["a"]', "1", "7"),
        ({"dependentRequired": {"a": ["b"]}, "type": "object"}, '{"a": 1}', "1", "7"),
        (
            {"$schema": "http://json-schema.org/draft-07/schema#", "type": "array", "items": [INT]},
            "[1]",
            '["a"]',
        ),
        ({"$schema": "https://example.com/dialect", "type": "null"}, "null", "1"),
    ],
}

REGISTRY = {
    "https://e.org/int": {"type": "integer"},
    "https://e.org/defs": {"$defs": {"s": STR, "n": {"$anchor": "named", "type": "null"}}},
    "https://e.org/tree": closed({"next": {"$ref": "#"}}),
    "https://e.org/node": {
        "$id": "https://e.org/node",
        "$dynamicAnchor": "node",
        "type": "object",
        "properties": {"kids": {"type": "array", "items": {"$dynamicRef": "#node"}}},
    },
}

ORDERED = [
    *(
        (
            {"type": "object", "additionalProperties": NULL, **listed},
            '{"en": null, "de": null}',
            '{"de": null, "en": null} ‖ {"de": null}',
        )
        for listed in (
            {"propertyNames": {"enum": ["en", "de"]}, "required": ["en", "de"]},
            {"propertyNames": {"enum": ["en", "de"]}, "required": ["de", "en"]},
            {"propertyNames": {"enum": ["en", "fr", "de"]}, "required": ["de", "en"]},
            {"propertyNames": {"enum": ["en", "de"]}, "minProperties": 2},
            {"propertyNames": {"anyOf": [{"const": "en"}, {"const": "de"}]}, "minProperties": 2},
            {
                "propertyNames": {"$ref": "#/$defs/language"},
                "$defs": {"language": {"enum": ["en", "de"]}},
                "minProperties": 2,
            },
            {"propertyNames": {"pattern": "^..$"}, "required": ["en", "de"], "maxProperties": 2},
        )
    ),
    (
        closed({"z": NULL, "a": NULL, "m": NULL}, required=["m", "z", "a"]),
        '{"z": null, "a": null, "m": null}',
        '{"a": null, "m": null, "z": null} ‖ {"m": null, "z": null, "a": null}',
    ),
    (
        {
            "type": "object",
            "allOf": [{"properties": {"z": NULL}}, {"properties": {"a": NULL}}],
            "required": ["z", "a"],
        },
        '{"z": null, "a": null}',
        '{"a": null, "z": null}',
    ),
    (
        {
            "type": "object",
            "properties": {"m": NULL},
            "allOf": [{"properties": {"a": NULL}}],
            "required": ["m", "a"],
        },
        '{"m": null, "a": null}',
        '{"a": null, "m": null}',
    ),
    (
        {
            "allOf": [{"$ref": "#/$defs/base"}, {"properties": {"a": NULL}, "required": ["a"]}],
            "$defs": {"base": {"type": "object", "properties": {"z": NULL}, "required": ["z"]}},
        },
        '{"z": null, "a": null}',
        '{"a": null, "z": null}',
    ),
    (
        {
            "$ref": "#/$defs/b",
            "$defs": {"b": closed({"y": NULL, "x": NULL}, required=["x", "y"])},
        },
        '{"y": null, "x": null}',
        '{"x": null, "y": null}',
    ),
    (
        {
            "anyOf": [
                closed({"b": NULL, "a": NULL}, required=["a", "b"]),
                closed({"c": NULL, "a": INT}, required=["a", "c"]),
            ]
        },
        '{"b": null, "a": null} ‖ {"c": null, "a": 1}',
        '{"a": null, "b": null} ‖ {"a": 1, "c": null} ‖ {"b": null, "a": 1}',
    ),
    (
        {
            "type": "object",
            "properties": {"k": {"anyOf": [{"$ref": "#/$defs/o"}, NULL]}},
            "required": ["k"],
            "$defs": {"o": closed({"y": INT, "x": INT}, required=["x", "y"])},
        },
        '{"k": {"y": 1, "x": 1}} ‖ {"k": null}',
        '{"k": {"x": 1, "y": 1}}',
    ),
    (
        {"type": "array", "items": closed({"b": INT, "a": INT}, required=["b", "a"])},
        '[{"b": 1, "a": 2}]',
        '[{"a": 1, "b": 2}]',
    ),
    ({"const": {"z": 1, "a": [2]}}, '{"z": 1, "a": [2]}', '{"a": [2], "z": 1}'),
]
"""With `order=schema`: the author's order, wherever the properties are declared."""

OPTIONS = [
    (
        {"whitespace": "compact"},
        closed({"a": INT, "b": {"type": "array", "items": INT}}),
        '{"a":1,"b":[1,2]} ‖ {}',
        '{"a": 1}',
    ),
    (
        {"whitespace": "pretty:2"},
        closed({"a": INT, "b": {"type": "array", "items": INT}}),
        '{\n  "a": 1,\n  "b": [\n    1,\n    2\n  ]\n} ‖ {} ‖ {\n  "b": []\n}',
        '{"a": 1}',
    ),
    (
        {"whitespace": "bounded:2"},
        closed({"a": INT}),
        '{"a":1} ‖ { "a" :  1\n} ‖ {}',
        '{   "a": 1}',
    ),
    (
        {"additional": "closed"},
        {"type": "object", "properties": {"a": INT}},
        '{} ‖ {"a": 1}',
        '{"b": 1}',
    ),
    (
        {"additional": "closed"},
        {"type": "object", "properties": {"a": INT}, "additionalProperties": True},
        '{"b": 1}',
        "1",
    ),
    (
        {"order": "required-first"},
        closed({"o": INT, "r": INT}, required=["r"]),
        '{"r": 1} ‖ {"r": 1, "o": 1}',
        '{"o": 1, "r": 1}',
    ),
    ({"digits": 3}, {"type": "number"}, "1 ‖ 123 ‖ 0.125 ‖ -999.999 ‖ 1e10", "1234 ‖ 0.1234"),
    # Where no number is so short, the shortest there are.
    ({"digits": 2}, {"type": "integer", "minimum": 1000}, "1000 ‖ 9999", "1 ‖ 12345"),
    ({"digits": 2}, {"exclusiveMinimum": 0, "maximum": 0.0001}, "0.0001", "0.0000000000001"),
    (
        {"additional": "closed"},
        {"properties": {"a": STR}, "patternProperties": {"^x-": STR}},
        '{"a": "", "x-b": ""}',
        '{"a": "", "b": ""}',
    ),
    (
        {"additional": "closed"},
        {"properties": {"a": STR}, "propertyNames": {"pattern": "."}},
        '{"a": ""}',
        '{"b": ""}',
    ),
    ({"additional": "closed"}, {"type": "object", "properties": {"a": False}}, "{}", '{"b": ""}'),
    ({"digits": 2}, {"enum": [12345, 1]}, "12345 ‖ 1", "2"),
    ({"digits": 2}, {"type": "array"}, '[12, 0.25, {"a": 1}]', "[123] ‖ [0.123]"),
    (
        {"missing": "null"},
        closed({"o": INT, "r": INT}, required=["r"]),
        '{"o": null, "r": 1} ‖ {"o": 1, "r": 1}',
        '{"r": 1} ‖ {"o": 1, "r": null}',
    ),
    ({"formats": "annotate"}, {"type": "string", "format": "date"}, '"x"', "1"),
    (
        {"formats": "assert"},
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "string",
            "format": "date",
        },
        '"2024-01-01"',
        '"x"',
    ),
    (
        {"formats": "dialect"},
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "string",
            "format": "date",
        },
        '"x"',
        "1",
    ),
]
"""`(options, schema, accepted, refused)`."""

IGNORED, WIDER, NARROWER = "ignored", "wider", "narrower"
REPORTS = [
    ({"type": "integer", "minimum": 1}, set()),
    (
        {"title": "t", "descripton": "d", "type": "null"},
        {("", "title", IGNORED), ("", "descripton", IGNORED)},
    ),
    ({"type": "array", "uniqueItems": True}, {("", "uniqueItems", WIDER)}),
    (
        {"properties": {"a/b": {"type": "array", "items": STR, "uniqueItems": True}}},
        {("/properties/a~1b", "uniqueItems", WIDER)},
    ),
    ({"type": "string", "pattern": "^(a|b)\\1$"}, {("", "pattern", WIDER)}),
    (
        {"$ref": "#/$defs/x", "$defs": {"x": {"type": "string", "pattern": "(a)\\1"}}},
        {("/$defs/x", "pattern", WIDER)},
    ),
    ({"allOf": [{"type": "string"}, {"pattern": "(a)\\1"}]}, {("/allOf/1", "pattern", WIDER)}),
    (
        {"type": "object", "propertyNames": {"pattern": "(a)\\1"}},
        {("/propertyNames", "pattern", WIDER)},
    ),
    (
        {"propertyNames": {"$ref": "#/$defs/n"}, "$defs": {"n": {"pattern": "(a)\\1"}}},
        {("/$defs/n", "pattern", WIDER)},
    ),
    (
        {"type": "object", "patternProperties": {"(a)\\1": {}}, "additionalProperties": False},
        {("", "additionalProperties", WIDER)},
    ),
    ({"type": "string", "format": "email"}, {("", "format", WIDER)}),
    ({"type": "string", "format": "time"}, {("", "format", NARROWER)}),
    ({"type": "string", "format": "colour"}, {("", "format", IGNORED)}),
    # A dialect in the middle of a document, which validators obey and the standard forbids.
    (
        {"properties": {"a": {"$schema": DRAFT_4, "contains": {}}}},
        {("/properties/a", "$schema", WIDER), ("/properties/a", "$schema", NARROWER)},
    ),
    ({"$schema": DRAFT_7, "properties": {"a": {"$schema": DRAFT_7[:-1], "contains": {}}}}, set()),
    # What a later draft defines is held; validators of this one let it pass.
    ({"$schema": DRAFT_7, "format": "uuid"}, {("", "format", NARROWER)}),
    ({"$schema": DRAFT_7, "not": {"format": "uuid"}}, {("", "not", WIDER)}),
    ({"$schema": DRAFT_4, "format": "iri"}, {("", "format", NARROWER)}),
    ({"$schema": DRAFT_7, "format": "iri"}, set()),
    ({"format": "uuid"}, set()),
    # In draft 4 it depends on the text of a number whether it is an integer; we write 2, not 2.0.
    (
        {"$schema": DRAFT_4, "not": {"type": "integer"}},
        {("", "not", NARROWER)},
    ),
    (
        {
            "$schema": DRAFT_4,
            "oneOf": [{"type": "number", "minimum": 1}, {"type": "integer"}],
        },
        {("/oneOf/0", "type", NARROWER), ("/oneOf/1", "type", NARROWER)},
    ),
    ({"not": {"type": "integer"}}, set()),
    ({"type": "integer", "multipleOf": 12345678901}, {("", "multipleOf", WIDER)}),
    ({"type": "string", "maxLength": 10**9}, {("", "maxLength", WIDER)}),
    ({"type": "array", "minItems": 10**9}, {("", "minItems", WIDER)}),
    ({"type": "object", "minProperties": 2}, {("", "minProperties", WIDER)}),
    ({"type": "object", "not": {"maxProperties": 2}}, {("", "not", WIDER)}),
    # A member that breaks the rule may be written again.
    ({"not": {"additionalProperties": {"type": "number"}}}, {("", "not", WIDER)}),
    (
        {"if": {"patternProperties": {"^a": {"type": "null"}}}, "then": {"required": ["a"]}},
        {("/if", "patternProperties", WIDER)},
    ),
    ({"not": {"propertyNames": {"pattern": "^a"}}}, set()),
    ({"not": {"properties": {"a": {"type": "null"}}}}, set()),
    ({"type": "object", "minProperties": 10**9}, {("", "minProperties", WIDER)}),
    ({"type": "object", "maxProperties": 10**9}, {("", "maxProperties", WIDER)}),
    ({"$schema": "https://example.com/dialect", "type": "null"}, {("", "$schema", WIDER)}),
    (
        {"dependentRequired": {f"p{n}": [f"q{n}"] for n in range(30)}},
        {("", "dependentRequired", WIDER)},
    ),
]
"""`(schema, entries)`: every entry of the report as (pointer, keyword, effect)."""
