"""The second check of every answer. In: a schema, a text. Out: the data and what is wrong with it.

The grammar has already held the text; `jsonschema`, which shares no code with our compiler, judges
it again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gbnfc.schema.pointer import join_pointer

_SHOWN_ERRORS = 20


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with an answer. `pointer` is a JSON Pointer (RFC 6901) into the data."""

    pointer: str
    message: str

    def __str__(self) -> str:
        return f"{self.pointer or '/'}: {self.message}"


@dataclass(frozen=True)
class Validator:
    """Judges answers by `schema`; None judges nothing (the answer is plain text).

    `registry` maps absolute URIs to documents; nothing is ever fetched.
    """

    schema: Any
    registry: tuple[tuple[str, Any], ...] = ()

    @cached_property
    def _judge(self) -> Any:
        import jsonschema
        from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # no stubs
        from referencing.jsonschema import DRAFT202012

        # A registry of our own never fetches; jsonschema's default one would.
        registry: Any = REGISTRY.with_contents(self.registry, default_specification=DRAFT202012)
        kind = jsonschema.validators.validator_for(
            self.schema, default=jsonschema.Draft202012Validator
        )
        return kind(self.schema, registry=registry, format_checker=kind.FORMAT_CHECKER)

    def check(self, data: Any) -> tuple[Problem, ...]:
        """Return what the schema says against `data`, at most 20 problems."""
        if self.schema is None:
            return ()
        from referencing.exceptions import Unresolvable

        try:
            errors = sorted(self._judge.iter_errors(data), key=lambda error: str(error.json_path))
        except Unresolvable as error:
            return (Problem("", f"the schema cannot be checked: {error}"),)
        except RecursionError:
            return (Problem("", "the schema cannot be checked: its references have no end"),)
        return tuple(
            Problem(join_pointer("", *error.absolute_path), _short(error.message))
            for error in errors[:_SHOWN_ERRORS]
        )


def read_answer(text: str) -> Any:
    """Return the JSON value of `text`. Raises `ValueError` when it is not JSON."""
    return json.loads(text)


def _short(message: str, limit: int = 300) -> str:
    return message if len(message) <= limit else message[:limit] + "…"
