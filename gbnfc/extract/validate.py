"""The second check of every answer. In: a schema, a value. Out: what is wrong with the value.

The grammar has already held the text; `jsonschema`, which shares no code with our compiler, judges
it again, and the user's own class where the schema came from one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isinf
from typing import TYPE_CHECKING, Any

from gbnfc.documents.pointer import join_pointer
from gbnfc.extract.problems import SHOWN_PROBLEMS, Checked, Problem
from gbnfc.user_code import UserCodeError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gbnfc.extract.model_judge import ModelJudge


@dataclass(frozen=True)
class Validator:
    """Judges answers by `schema`; None judges nothing (the answer is plain text).

    `registry` maps absolute URIs to documents; nothing is ever fetched. `asserts_formats` tells
    whether `format` counts. `model` judges as well, and what it makes of an answer is passed on.
    """

    schema: Any
    registry: tuple[tuple[str, Any], ...] = ()
    asserts_formats: bool = True
    model: ModelJudge | None = None

    @cached_property
    def _judge(self) -> tuple[Any, Mapping[str, str]]:
        """The validator, and how the author spelled the patterns that it reads."""
        import jsonschema
        from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # no stubs
        from referencing.jsonschema import DRAFT202012

        from gbnfc.schema.source.patterns import for_python
        from gbnfc.schema.source.references import with_plain_references

        declared = self.schema.get("$schema") if isinstance(self.schema, dict) else None
        dialect = declared if isinstance(declared, str) else ""
        schema, originals = for_python(with_plain_references(self.schema, dialect))
        known: list[tuple[str, Any]] = []
        for uri, document in self.registry:
            respelled, more = for_python(with_plain_references(document, dialect))
            known.append((uri, respelled))
            originals = {**originals, **more}
        # A registry of our own never fetches; jsonschema's default one would.
        registry: Any = REGISTRY.with_contents(known, default_specification=DRAFT202012)
        kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
        checker = kind.FORMAT_CHECKER if self.asserts_formats else None
        exact = {"multipleOf": _multiple_of}
        kind = jsonschema.validators.extend(kind, exact)  # type: ignore[no-untyped-call]  # no types
        return kind(schema, registry=registry, format_checker=checker), originals

    def judge(self, data: Any) -> Checked:
        """Return what the class says of `data`, and the schema of what the class lets pass."""
        output, said = data, tuple[Problem, ...]()
        if self.model is not None:
            try:
                output, said = self.model.judge(data)
            except UserCodeError as error:
                return Checked(data, data, fault=error.message)
        told = {problem.pointer for problem in said}
        more = (problem for problem in self.check(data) if problem.pointer not in told)
        problems = (*said, *more)
        return Checked(data, data if problems else output, problems)

    def check(self, data: Any) -> tuple[Problem, ...]:
        """Return what the schema says against `data`, at most 20 problems."""
        if self.schema is None:
            return ()
        from referencing.exceptions import Unresolvable

        judge, originals = self._judge
        try:
            errors = sorted(judge.iter_errors(data), key=lambda error: str(error.json_path))
        except Unresolvable as error:
            return (Problem("", f"the schema cannot be checked: {error}"),)
        except RecursionError:
            return (Problem("", "the schema cannot be checked: its references have no end"),)
        return tuple(
            Problem(
                join_pointer("", *error.absolute_path),
                _short(_as_written(error.message, originals)),
            )
            for error in errors[:SHOWN_PROBLEMS]
        )


def _as_written(message: str, originals: Mapping[str, str]) -> str:
    for respelled, original in originals.items():
        message = message.replace(repr(respelled), repr(original))
    return message


def _multiple_of(validator: Any, divisor: Any, value: Any, _: Any) -> Iterator[Any]:
    """Judge `multipleOf` in decimals: 1.11 is a multiple of 0.01, though as floats it is not."""
    from jsonschema import ValidationError

    if validator.is_type(value, "number") and _decimal(value) % _decimal(divisor):
        yield ValidationError(f"{value!r} is not a multiple of {divisor}")


def _decimal(number: Any) -> Fraction:
    return Fraction(repr(number) if isinstance(number, float) else number)


def read_answer(text: str) -> Any:
    """Return the JSON value of `text`.

    Raises:
        ValueError: it is not JSON, or holds a number beyond the range of a double.
    """
    return json.loads(text, parse_float=_finite)


def _finite(digits: str) -> float:
    number = float(digits)
    if isinf(number):  # it would be written as `Infinity`, which is not JSON
        raise ValueError(f"the number {digits} is beyond the range of a double")
    return number


def _short(message: str, limit: int = 300) -> str:
    return message if len(message) <= limit else message[:limit] + "…"
