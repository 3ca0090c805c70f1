"""Small random JSON Schemas over all keywords, instances, and the texts that spell an instance."""

from __future__ import annotations

import itertools
import json
import re
from decimal import Decimal

LINE_ENDS = re.compile(r"\\[nr]|[\u0085\u2028\u2029]")
KEYS = ("a", "b", "ab", "c")
STRINGS = ("", "a", "b", "ab", "ba", "aaa", "é", '"')
NUMBERS = (0, 1, 2, 3, -1, 10, 0.5, 1.5, -2.5)
SCALARS = (None, True, False, *STRINGS, *NUMBERS)
PATTERNS = ("^a", "b$", "^[ab]+$", "^.{2}$", "a|b", "^(?!a)")
TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")

INSTANCES = (
    *SCALARS,
    [],
    [1],
    [0, 1],
    [1, 1],
    ["a", "b"],
    ["a", 1, None],
    [1, 2, 3],
    [[], {}],
    [{"a": 1}],
    {},
    {"a": 1},
    {"a": "a"},
    {"b": 0.5},
    {"a": 1, "b": 2},
    {"a": None, "b": "b", "c": 3},
    {"ab": [], "c": {}},
    {"a": {"a": 1}},
    {"z": 1},
    {"a": 1, "z": "b"},
    {"ab": True},
)


class SchemaMaker:
    """Makes small schemas of one draft, without references, from a source of random numbers."""

    def __init__(self, rng, draft):
        self._rng = rng
        self._draft = {"4": 4, "6": 6, "7": 7, "2019-09": 19, "2020-12": 20}[draft]

    def schema(self, depth=2):
        """Return a schema whose subschemas nest `depth` levels at most."""
        if depth == 0 or self._rng.random() < 0.3:
            return self._any(self._leaves())
        return self._any(self._levels(depth - 1))

    def _any(self, makers):
        return self._rng.choice(makers)()

    def _some(self, facets, share=0.35):
        return {keyword: make() for keyword, make in facets.items() if self._rng.random() < share}

    def _one(self, values):
        return lambda: self._rng.choice(values)

    def _few(self, values, least=0, most=2):
        return lambda: self._rng.sample(values, self._rng.randint(least, most))

    def _count(self):
        return self._rng.choice((0, 1, 1, 2, 2, 3))

    # --- single values ----------------------------------------------------------------------

    def _leaves(self):
        leaves = [
            lambda: {"type": self._rng.choice(TYPES)},
            lambda: {"type": self._few(TYPES, 1, 3)()},
            lambda: {"enum": self._few(INSTANCES, 1, 4)()},
            self._string,
            self._number,
        ]
        if self._draft > 4:
            leaves += [lambda: {"const": self._rng.choice(INSTANCES)}, self._one((True, False))]
        return leaves

    def _string(self):
        return self._some(
            {
                "type": lambda: "string",
                "minLength": self._count,
                "maxLength": self._count,
                "pattern": self._one(PATTERNS),
            },
            0.6,
        )

    def _number(self):
        bound = self._one(NUMBERS)
        facets = {
            "type": self._one(("integer", "number")),
            "multipleOf": self._one((1, 2, 3, 0.5, 1.5)),
            "minimum": bound,
            "maximum": bound,
        }
        if self._draft > 4:
            facets |= {"exclusiveMinimum": bound, "exclusiveMaximum": bound}
        schema = self._some(facets, 0.4)
        if self._draft == 4:
            # In draft 4 the exclusive keywords are flags beside their bounds.
            for keyword in schema.keys() & {"minimum", "maximum"}:
                schema[f"exclusive{keyword.title()}"] = self._rng.random() < 0.5
        return schema

    # --- schemas of schemas -----------------------------------------------------------------

    def _levels(self, depth):
        def inner():
            return self.schema(depth)

        def several(least=1, most=2):
            return [inner() for _ in range(self._rng.randint(least, most))]

        def merged():
            return self._object_like(several(2, 3))

        levels = [
            lambda: self._some(self._object(inner)),
            lambda: self._some(self._object(inner), 0.6),
            lambda: self._some(self._array(inner)),
            lambda: {"allOf": several(1, 3)},
            lambda: {"anyOf": several(1, 3)},
            lambda: {"oneOf": several(1, 3)},
            lambda: {"not": inner()},
            merged,
            merged,
        ]
        names = self._few(KEYS)
        if self._draft < 19:
            either = [self._few(KEYS, 1, 2), lambda: self._object_like([inner()])]
            levels.append(lambda: {"dependencies": self._named(lambda: self._any(either), KEYS)})
        else:
            levels += [
                lambda: {"dependentRequired": self._named(names, KEYS)},
                lambda: {"dependentSchemas": self._named(inner, KEYS)},
                lambda: self._object_like([merged(), {"unevaluatedProperties": inner()}]),
                lambda: self._object_like([merged(), {"unevaluatedItems": inner()}]),
            ]
        if self._draft >= 7:
            branches = {"then": inner, "else": inner}
            levels.append(lambda: {"if": inner(), **self._some(branches, 0.7)})
        return levels

    def _object(self, inner):
        facets = {
            "type": lambda: "object",
            "properties": lambda: self._named(inner, KEYS, 3),
            "required": self._few(KEYS, 1, 2),
            "additionalProperties": lambda: self._boolean_or_object(inner),
            "patternProperties": lambda: self._named(inner, PATTERNS),
            "minProperties": self._count,
            "maxProperties": self._count,
        }
        return facets | ({"propertyNames": inner} if self._draft > 4 else {})

    def _array(self, inner):
        facets = {
            "type": lambda: "array",
            "minItems": self._count,
            "maxItems": self._count,
            "uniqueItems": self._one((True, False)),
        }
        listed = lambda: [self._object_like([inner()]) for _ in range(self._rng.randint(1, 2))]  # noqa: E731
        if self._draft >= 20:
            facets |= {"items": inner, "prefixItems": listed}
        else:
            facets |= {
                "items": lambda: self._any([listed, lambda: self._object_like([inner()])]),
                "additionalItems": lambda: self._boolean_or_object(inner),
            }
        if self._draft > 4:
            facets["contains"] = inner
        if self._draft >= 19:
            facets |= {"minContains": self._count, "maxContains": self._count}
        return facets

    def _named(self, inner, names, most=2):
        return {name: inner() for name in self._few(names, 1, most)()}

    def _boolean_or_object(self, inner):
        return self._any([lambda: False, lambda: True, lambda: self._object_like([inner()])])

    def _object_like(self, schemas):
        """Return the schemas' keywords together; draft 4 knows no boolean schemas."""
        found = {}
        for schema in schemas:
            found |= schema if isinstance(schema, dict) else {}
        return found


def smallest(schema, fails):
    """Return a smaller schema for which `fails` still holds: parts are taken out one by one."""
    while True:
        for candidate in _smaller(schema):
            if fails(candidate):
                schema = candidate
                break
        else:
            return schema


def _smaller(value):
    if isinstance(value, dict):
        for key in value:
            yield {k: v for k, v in value.items() if k != key}
        yield from (inner for inner in value.values() if isinstance(inner, dict))
        for key, inner in value.items():
            yield from ({**value, key: other} for other in _smaller(inner))
    elif isinstance(value, list):
        for at in range(len(value)):
            yield value[:at] + value[at + 1 :]
        yield from (inner for inner in value if isinstance(inner, dict))
        for at, inner in enumerate(value):
            yield from ([*value[:at], other, *value[at + 1 :]] for other in _smaller(inner))


def texts(value, most=48):
    """Return up to `most` JSON texts of `value`: keys in every order, 1.0 also as 1."""
    if isinstance(value, dict):
        orders = itertools.permutations(value.items()) if len(value) < 4 else [value.items()]
        found = (
            "{" + ", ".join(parts) + "}"
            for order in orders
            for parts in itertools.product(
                *(
                    [f"{json.dumps(k, ensure_ascii=False)}: {t}" for t in texts(v, 4)]
                    for k, v in order
                )
            )
        )
        return list(itertools.islice(found, most))
    if isinstance(value, list):
        parts = itertools.product(*(texts(item, 6) for item in value))
        return ["[" + ", ".join(part) + "]" for part in itertools.islice(parts, most)]
    if isinstance(value, float):
        # Without an exponent; whole numbers also as integers.
        return [*([str(int(value))] if value.is_integer() else []), f"{Decimal(repr(value)):f}"]
    return [json.dumps(value, ensure_ascii=False)]


def read_plain(text):
    """Return the value of a JSON text; of a key that stands twice the last one counts.

    Raises `ValueError` for what the judge reads differently: numbers beyond a float's precision,
    and line ends, which Python's `.` and `$` treat otherwise.
    """

    def number(digits):
        size = Decimal(digits).copy_abs()  # no context, so no overflow
        if len(digits) > 12 or size > 10**9 or 0 < size < Decimal("1e-9"):
            raise ValueError("beyond a float's precision")
        return json.loads(digits) + 0  # not -0.0

    if LINE_ENDS.search(text):
        raise ValueError("line ends")
    return json.loads(text, parse_float=number, parse_int=number)


def neighbours(value):
    """Yield values near `value`: one member or item less or other, another scalar."""
    match value:
        case dict():
            for key in value:
                yield {k: v for k, v in value.items() if k != key}
                yield {**value, key: 1}
                yield {**value, key: "a"}
            yield {**value, "z": 0}
        case list():
            for at in range(len(value)):
                yield value[:at] + value[at + 1 :]
                yield [*value[:at], "a", *value[at + 1 :]]
            yield [*value, 1]
            yield [*value, *value[:1]]
        case bool() | None:
            yield not value
        case int() | float():
            yield value + 1
            yield 0 - value
            yield value / 2
        case str():
            yield value + "a"
            yield value[:-1]
