"""Scalar atoms → grammar. In: the booleans, numbers or strings of a union. Out: an expression.

Equal languages of numbers, and equal unions of strings, share one rule in a compilation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gbnfc.errors import LimitExceeded
from gbnfc.ir.build import EMPTY_TEXT
from gbnfc.ir.nodes import Expression, Literal, RuleRef
from gbnfc.regex import Content, Dfa, emit_string
from gbnfc.schema.emit.context import NEVER, is_never
from gbnfc.schema.emit.literals import scalar_text, trie
from gbnfc.schema.emit.numbers import number_language, short_numbers
from gbnfc.schema.emit.strings import strings_expression
from gbnfc.schema.read.schemas import (
    NumberSchema,
    Schema,
    StringSchema,
    TypeSchema,
    ValueSchema,
    value_key,
)
from gbnfc.schema.report import Effect

if TYPE_CHECKING:
    from gbnfc.schema.emit.context import Context
    from gbnfc.schema.source.source_map import Places

_INTEGER = NumberSchema(is_integer=True)
_NUMBER = NumberSchema()


class Scalars:
    """Writes the scalars of one compilation."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._numbers: dict[Dfa, RuleRef] = {}
        self._strings: dict[tuple[Any, ...], Expression] = {}

    def booleans(self, atoms: list[Schema]) -> Expression:
        """Return the expression of `atoms`, all of booleans."""
        values = [atom.value for atom in atoms if isinstance(atom, ValueSchema)]
        if len(values) < len(atoms) or len(values) > 1:
            return RuleRef("boolean")
        return Literal("true" if values[0] else "false")

    def numbers(self, atoms: list[Schema], places: Places, hint: str) -> Expression:
        """Return the expression of `atoms`, all of numbers."""
        values = [a.value for a in atoms if isinstance(a, ValueSchema)]
        shapes = [_as_number_shape(a) for a in atoms if not isinstance(a, ValueSchema)]
        if _NUMBER in shapes or (shapes == [_INTEGER] and not values):
            self.report_digits(places)
            return RuleRef("number" if _NUMBER in shapes else "integer")
        if not shapes:
            return trie(dict.fromkeys(map(scalar_text, values), EMPTY_TEXT))
        language = Dfa.nothing()
        for shape in shapes:
            language |= self._number_language(shape, places)
        language = self._with_few_digits(language, places)
        language |= Dfa.of_strings(map(scalar_text, values))
        if language.is_empty():
            return NEVER
        return self._number_rule(hint, language, places)

    def _with_few_digits(self, language: Dfa, places: Places) -> Dfa:
        """Return the numbers of `language` that the option allows, or else the shortest."""
        digits = self._context.options.digits
        bounds = language.length_bounds()
        if digits is None or bounds is None:
            return language
        short = language & short_numbers(digits)
        if short.is_empty():  # no number of so few digits is within the bounds
            digits = bounds[0]
            short = language & short_numbers(digits)
        if short.is_empty():
            return language
        self.report_digits(places, digits)
        return short

    def report_digits(self, places: Places, digits: int | None = None) -> None:
        """Report that numbers here are bounded (to `digits`), where the option says so."""
        if self._context.options.digits is not None:
            most = self._context.options.digits if digits is None else digits
            message = f"at most {most} digits before the point and behind it (option digits)"
            self._context.report(places, "type", Effect.NARROWER, message)

    def _number_language(self, shape: NumberSchema, places: Places) -> Dfa:
        if self._context.draft == "4" and 1 in shape.not_multiple_of:
            message = "numbers like 2.0, to draft 4 no integers, are not written"
            self._context.report(places, "type", Effect.NARROWER, message)
        try:
            return number_language(shape)
        except LimitExceeded as error:
            has_divisor = shape.multiple_of or shape.not_multiple_of
            keyword = "multipleOf" if has_divisor else "maximum"
            self._context.report(places, keyword, Effect.WIDER, f"not held: {error.message}")
        if not has_divisor:
            return number_language(_INTEGER if shape.is_integer else _NUMBER)
        return self._number_language(_without_divisors(shape), places)

    def _number_rule(self, hint: str, language: Dfa, places: Places) -> Expression:
        known = self._numbers.get(language)
        if known is None:
            expression, rules = emit_string(language, self._context.names, hint, Content.RAW)
            self._context.add(rules)
            known = self._context.note(self._context.rule(hint, expression), places)
            self._numbers[language] = known
        return known

    def strings(self, atoms: list[Schema], places: Places, hint: str) -> Expression:
        """Return the expression of `atoms`, all of strings."""
        if any(isinstance(atom, TypeSchema) for atom in atoms):
            return RuleRef("string")
        shapes = [a for a in atoms if isinstance(a, StringSchema)]
        values = [a.value for a in atoms if isinstance(a, ValueSchema)]
        values = self.in_source_order(values, places)
        key = (tuple(shapes), tuple(values))
        expression = self._strings.get(key)
        if expression is None:
            expression = strings_expression(shapes, values, places, hint, self._context)
            self._strings[key] = expression
        is_short = isinstance(expression, Literal) or len(values) in (1, 2, 3)
        if is_short or is_never(expression):
            return expression
        return self._context.note(self._context.rule(hint, expression), places)

    def in_source_order(self, values: list[Any], places: Places) -> list[Any]:
        """Return `values` in the order, and objects with the key order, of the source's `enum`."""
        if len(values) < 2 and not any(isinstance(v, dict | list) for v in values):
            return values
        wanted = {value_key(value): value for value in values}
        written: dict[str, Any] = {}
        for place in self._context.source_map.flatten(places):
            for value in _listed_values(place.schema):
                if (key := value_key(value)) in wanted:
                    written.setdefault(key, value)
        return [*written.values(), *(v for key, v in wanted.items() if key not in written)]


def _as_number_shape(atom: Schema) -> NumberSchema:
    match atom:
        case NumberSchema():
            return atom
        case TypeSchema(name="integer"):
            return _INTEGER
        case _:
            return _NUMBER


def _without_divisors(shape: NumberSchema) -> NumberSchema:
    return NumberSchema(
        shape.minimum,
        shape.maximum,
        shape.exclusive_minimum,
        shape.exclusive_maximum,
        is_integer=shape.is_integer,
    )


def _listed_values(schema: Any) -> list[Any]:
    if not isinstance(schema, dict):
        return []
    listed = schema.get("enum")
    values = list(listed) if isinstance(listed, list) else []
    return [*values, schema["const"]] if "const" in schema else values
