"""`gbnfc match --value`: is the value of a text valid, however it is written?

In: a schema, and texts. Out: what `jsonschema` says against the value of each, with JSON Pointers.
"""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from gbnfc.errors import GbnfcError
from gbnfc.source import visible_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gbnfc.cli.inputs.schema_argument import SchemaInput
    from gbnfc.extract.validate import Validator
    from gbnfc.source import Source


class Objection(NamedTuple):
    """What is wrong with a value: where in the text (a 0-based offset), where in the value, why."""

    offset: int
    pointer: str
    message: str


class ValueJudge:
    """Judges texts by the values that they stand for."""

    def __init__(self, given: SchemaInput, draft: str | None) -> None:
        self._given = given
        self._draft = draft

    @cached_property
    def _validator(self) -> Validator:
        from gbnfc.extract.validate import Validator
        from gbnfc.schema.read.canonical import DIALECTS, declares_annotated_formats

        schema = self._given.schema
        asserts = not declares_annotated_formats(schema, None)
        if isinstance(schema, dict) and self._draft is not None:
            schema = {**schema, "$schema": DIALECTS[self._draft]}
        registry = tuple(self._given.registry.items())
        return Validator(schema, registry, asserts_formats=asserts)

    def objections(self, text: str) -> tuple[Objection, ...]:
        """Return what is wrong with the value of `text`; nothing when it is valid."""
        from gbnfc.extract.validate import read_answer

        try:
            value = read_answer(text)
        except json.JSONDecodeError as error:
            return (Objection(error.pos, "", f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}"),)
        except (ValueError, RecursionError) as error:
            return (Objection(0, "", f"not JSON: {error}"),)
        problems = self._validator.check(value)
        places = _places(text) if problems else {}
        return tuple(Objection(places.get(p.pointer, 0), p.pointer, p.message) for p in problems)


def _places(text: str) -> Mapping[str, int]:
    from gbnfc.documents.json_positions import read_json
    from gbnfc.source import Source

    try:
        document = read_json(Source(text))
    except GbnfcError:  # deeper than can be read with places
        return {}
    return {pointer: span.start for pointer, span in document.values.items()}


def as_text(source: Source, start: int, objections: tuple[Objection, ...]) -> str:
    """Return a line for a valid value, one for each objection otherwise.

    The text begins at the offset `start` of `source`.
    """
    if not objections:
        where = f":{source.position(start).line}" if start else ""
        return f"{source.name}{where}: valid"
    return "\n".join(
        f"{source.name}:{source.position(start + found.offset)}: invalid: "
        + visible_line(f"{found.pointer or '/'}: {found.message}")
        for found in objections
    )


def as_record(source: Source, start: int, objections: tuple[Objection, ...]) -> str:
    """Return the same as a line of JSON."""
    problems: list[dict[str, Any]] = []
    for found in objections:
        at = source.position(start + found.offset)
        place = {"line": at.line, "column": at.column}
        problems.append({"pointer": found.pointer, "message": found.message, **place})
    verdict = "invalid" if objections else "valid"
    record = {"file": source.name, "verdict": verdict, "problems": problems}
    return json.dumps(record, ensure_ascii=False)
