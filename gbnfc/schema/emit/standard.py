"""Rules that every schema may need: any JSON value (RFC 8259) and its parts, ready made.

They are the same in each grammar with the same blanks between tokens, so they are built once.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from gbnfc.charset import SCALARS, CharSet
from gbnfc.ir.build import choice, repeat, sequence
from gbnfc.ir.equal import Signature, signature
from gbnfc.ir.names import NameAllocator
from gbnfc.ir.nodes import Expression, Literal, Rule, RuleRef
from gbnfc.regex import CharRules, Content, emit_string
from gbnfc.regex.spelling import ESCAPED
from gbnfc.schema.emit.numbers import number_language, short_numbers
from gbnfc.schema.read.schemas import NumberSchema

if TYPE_CHECKING:
    from gbnfc.schema.emit.whitespace import Layout

_QUOTE = Literal('"')

NAMES = (
    "value",
    "object",
    "array",
    "string",
    "key",
    "number",
    "integer",
    "boolean",
    "char",
    "escape",
)
"""The rules that others refer to by name; helpers of `number` are named after it."""


@cache
def standard_rules(layout: Layout, digits: int | None) -> dict[str, Expression]:
    """Return the bodies of the rules by name.

    `key` is the content of a string and its closing quote.

    `digits` is the option of `CompileOptions`.
    """
    names = NameAllocator(NAMES)
    number, number_rules = _number(NumberSchema(), "number", names, digits)
    integer, integer_rules = _number(NumberSchema(is_integer=True), "integer", names, digits)
    bodies = {
        "value": choice(
            [*map(RuleRef, ("object", "array", "string", "number", "boolean")), Literal("null")]
        ),
        "object": _list(
            "{}", sequence([RuleRef("string"), layout.colon(), RuleRef("value")]), layout
        ),
        "array": _list("[]", RuleRef("value"), layout),
        "string": sequence([_QUOTE, repeat(RuleRef("char"), 0, None), _QUOTE]),
        "key": sequence([repeat(RuleRef("char"), 0, None), _QUOTE]),
        "number": number,
        "integer": integer,
        "boolean": choice([Literal("true"), Literal("false")]),
        "char": _spelling(SCALARS),
        "escape": _spelling(ESCAPED),
    }
    bodies.update((rule.name, rule.body) for rule in (*number_rules, *integer_rules))
    return bodies


@cache
def standard_outlines(layout: Layout, digits: int | None) -> dict[str, Signature]:
    """Return the outlines of the rules by name."""
    rules = standard_rules(layout, digits)
    return {name: signature(body) for name, body in rules.items()}


def _list(brackets: str, item: Expression, layout: Layout) -> Expression:
    items = sequence([item, repeat(sequence([layout.comma(0), item]), 0, None)])
    return layout.container(brackets, items, may_be_empty=True, depth=0)


def _number(
    shape: NumberSchema, name: str, names: NameAllocator, digits: int | None
) -> tuple[Expression, tuple[Rule, ...]]:
    language = number_language(shape)
    if digits is not None:
        language &= short_numbers(digits)
    return emit_string(language, names, name, Content.RAW)


def _spelling(members: CharSet) -> Expression:
    chars = CharRules(NameAllocator(), Content.JSON)
    chars.unit(members, "char")
    return chars.rules[0].body
