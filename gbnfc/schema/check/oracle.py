"""Does a schema accept a value? Two validators that share no code answer together.

In: a schema, then values. Out: an `Validity`. `jsonschema` tells which keywords refuse; it reads
patterns with Python's `re` (respelled for it) and knows few formats, so `jsonschema_rs` must agree.
Numbers are decimal throughout: `0.07` is a multiple of `0.01`.
"""

from __future__ import annotations

import json
import re
import warnings
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from gbnfc.schema.read.canonical import DIALECTS, retriever_of
from gbnfc.schema.source.patterns import for_library, for_python
from gbnfc.schema.source.references import as_seen_from, with_plain_references

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_MAX_EXPONENT = 400
_CANNOT_TELL = (re.error, InvalidOperation, OverflowError, RecursionError, ValueError, TypeError)


@dataclass(frozen=True, slots=True)
class Validity:
    """Whether a value is valid; `None` where the validators differ or neither can tell.

    `keywords` are those that refuse the value, and all on the way to them; `message` is the reason.
    """

    valid: bool | None
    keywords: frozenset[str] = frozenset()
    message: str = ""


class SchemaOracle:
    """Judges values by one schema. `registry` maps URIs to documents; nothing is fetched."""

    def __init__(
        self, schema: Any, draft: str, registry: Mapping[str, Any], *, asserts_formats: bool
    ) -> None:
        if isinstance(schema, dict):
            schema = with_plain_references({**schema, "$schema": DIALECTS[draft]}, DIALECTS[draft])
        registry = as_seen_from(schema, registry, DIALECTS[draft])
        self._first = _python_validator(schema, draft, registry, asserts_formats=asserts_formats)
        self._second = _rust_validator(schema, draft, registry, asserts_formats=asserts_formats)

    def judge(self, value: Any) -> Validity:
        """Return what both validators say about `value`, as `read_value` made it."""
        second = self._ask_second(value)
        validity = self._ask_first(value)
        if validity.valid is None:
            return Validity(second)
        return validity if second in (None, validity.valid) else Validity(None)

    def _ask_first(self, value: Any) -> Validity:
        from referencing.exceptions import Unresolvable

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Python's `re` wonders about `[[a-z]`
                errors = list(self._first.iter_errors(value))
        except (Unresolvable, *_CANNOT_TELL):
            return Validity(None)
        if not errors:
            return Validity(True)
        return Validity(False, frozenset(_keywords(errors)), _short(errors[0].message))

    def _ask_second(self, value: Any) -> bool | None:
        if self._second is None:
            return None
        try:
            return self._second.is_valid(value)
        except (jsonschema_rs.ReferencingError, *_CANNOT_TELL):
            return None


def read_value(text: str) -> Any:
    """Return the JSON value of `text`, numbers as `int` or `Decimal`; raises `ValueError`."""
    return json.loads(text, parse_float=_number)


def _number(text: str) -> int | Decimal:
    number = Decimal(text)
    exponent = number.as_tuple().exponent
    is_small = isinstance(exponent, int) and abs(exponent) <= _MAX_EXPONENT
    return int(number) if is_small and number == number.to_integral_value() else number


def _python_validator(
    schema: Any, draft: str, registry: Mapping[str, Any], *, asserts_formats: bool
) -> Any:
    import jsonschema
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # no stubs
    from referencing.jsonschema import specification_with

    known: Any = REGISTRY.with_contents(
        [
            (uri, _decimal(for_python(with_plain_references(document, DIALECTS[draft]))[0]))
            for uri, document in registry.items()
        ],
        default_specification=specification_with(DIALECTS[draft]),
    )
    schema, _ = for_python(schema)
    kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    checker = kind.FORMAT_CHECKER if asserts_formats else None
    return kind(_decimal(schema), registry=known, format_checker=checker)


def _rust_validator(
    schema: Any, draft: str, registry: Mapping[str, Any], *, asserts_formats: bool
) -> jsonschema_rs.Validator | None:
    """Return the validator of `jsonschema_rs`; `None` where it reads no spelling of `schema`.

    It looks for `http://x.org/1` where a registered document is named `1#a` in itself, for example.
    """
    made = partial(
        jsonschema_rs.validator_for,
        validate_formats=asserts_formats,
        retriever=retriever_of(registry, DIALECTS[draft]),
    )
    try:
        return made(schema)
    except ValueError:  # a pattern that it reads in another spelling only, for example
        pass
    try:
        return made(for_library(schema))
    except ValueError:
        return None


def _decimal(value: Any) -> Any:
    """Return `value` with each float as the decimal that it was written as."""
    match value:
        case float():
            return Decimal(repr(value))
        case dict():
            return {key: _decimal(inner) for key, inner in value.items()}
        case list():
            return [_decimal(inner) for inner in value]
        case _:
            return value


def _keywords(errors: Iterable[Any]) -> set[str]:
    found: set[str] = set()
    stack = list(errors)
    while stack:
        error = stack.pop()
        found.add(str(error.validator))
        found.update(part for part in error.absolute_schema_path if isinstance(part, str))
        stack += error.context
    return found


def _short(message: str, limit: int = 160) -> str:
    return message if len(message) <= limit else message[:limit] + "…"
