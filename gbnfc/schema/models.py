"""Pydantic classes → JSON Schema. In: a model, or any type that `pydantic.TypeAdapter` takes. Out:
its schema, in which a `Decimal` says what Pydantic's own leaves out.

Pydantic describes `Decimal(max_digits=8, decimal_places=2)` as any number or string. Here the
number has its digits and places (https://docs.pydantic.dev, "Decimal": both are counted without
superfluous zeros).
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from functools import cache
from math import lcm
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_MAX_DIGITS = 28
"""Digits that are counted without places take an alternative each; `Decimal` rounds to 28."""


def schema_to_read(model: Any) -> dict[str, Any]:
    """Return the schema of the values that `model` validates.

    Raises:
        pydantic.errors.PydanticUserError: it has none.
    """
    from pydantic import TypeAdapter

    found: dict[str, Any] = TypeAdapter(model).json_schema(schema_generator=_generators()[0])
    return found


def schema_to_write(model: Any) -> dict[str, Any]:
    """Return the schema of the values to be written for `model`: a `Decimal` is a number.

    `model` reads a string as well, of which JSON Schema can say little.
    """
    from pydantic import TypeAdapter

    found: dict[str, Any] = TypeAdapter(model).json_schema(schema_generator=_generators()[1])
    return found


def schema_of_dump(model: Any) -> dict[str, Any]:
    """Return the schema of what `model` serialises to, by alias where it says so itself."""
    from pydantic import TypeAdapter

    config = getattr(model, "model_config", None) or getattr(model, "__pydantic_config__", {})
    by_alias = bool(config.get("serialize_by_alias", False))
    return TypeAdapter(model).json_schema(mode="serialization", by_alias=by_alias)


@cache
def _generators() -> tuple[Any, Any]:
    """Return Pydantic's generator with exact decimals, and the same with numbers only."""
    from pydantic.json_schema import GenerateJsonSchema

    class Exact(GenerateJsonSchema):
        def decimal_schema(self, schema: Any) -> dict[str, Any]:
            """Describe a decimal: a number with its digits, or a string."""
            found: dict[str, Any] = super().decimal_schema(schema)
            texts = [part for part in found.get("anyOf", ()) if part.get("type") == "string"]
            return _any_of([*_numbers(schema), *texts]) if texts else found

    class Written(GenerateJsonSchema):
        def decimal_schema(self, schema: Any) -> dict[str, Any]:
            """Describe a decimal: a number with its digits."""
            return _any_of(_numbers(schema))

    return Exact, Written


def _any_of(parts: list[dict[str, Any]]) -> dict[str, Any]:
    return parts[0] if len(parts) == 1 else {"anyOf": parts}


def _numbers(schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the schemas of which a decimal of the core schema `schema` matches at least one."""
    digits, places = schema.get("max_digits"), schema.get("decimal_places")
    if digits is not None and places is None:
        if digits > _MAX_DIGITS:
            return [_number(schema, digits, None)]
        # As many digits as are not needed behind the point may stand before it.
        return [_number(schema, digits - behind, behind) for behind in range(digits + 1)]
    if digits is not None and places is not None:
        places = min(places, digits)
        return [_number(schema, max(0, digits - places), places)]
    return [_number(schema, None, places)]


def _number(schema: Mapping[str, Any], whole: int | None, places: int | None) -> dict[str, Any]:
    """Return the schema of numbers with `whole` digits before the point, `places` behind it."""
    found: dict[str, Any] = {"type": "number"}
    bounds = {
        "minimum": schema.get("ge"),
        "maximum": schema.get("le"),
        "exclusiveMinimum": schema.get("gt"),
        "exclusiveMaximum": schema.get("lt"),
    }
    if whole is not None:
        limit = 10**whole
        low, high = bounds["exclusiveMinimum"], bounds["exclusiveMaximum"]
        bounds["exclusiveMinimum"] = -limit if low is None else max(low, -limit)
        bounds["exclusiveMaximum"] = limit if high is None else min(high, limit)
    found |= {name: _json_number(bound) for name, bound in bounds.items() if bound is not None}
    divisor = _divisor(schema.get("multiple_of"), places)
    return found if divisor is None else found | {"multipleOf": _json_number(divisor)}


def _divisor(multiple_of: Any, places: int | None) -> Decimal | None:
    """Return the smallest number that both constraints' numbers are multiples of."""
    given = None if multiple_of is None else Fraction(str(multiple_of))
    step = None if places is None else Fraction(1, 10**places)
    if given is None or step is None:
        both = given if step is None else step
    else:
        scale = lcm(given.denominator, step.denominator)
        both = Fraction(lcm(int(given * scale), int(step * scale)), scale)
    return None if both is None else Decimal(both.numerator) / Decimal(both.denominator)


def _json_number(value: Any) -> int | float:
    """Return a bound as JSON has it: the shortest decimal that a double is written as."""
    exact = Decimal(str(value))
    return int(exact) if exact == exact.to_integral_value() else float(exact)
