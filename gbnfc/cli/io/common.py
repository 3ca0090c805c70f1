"""JSON as a command reads it. In: a text. Out: its value, or an error with line and column."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from gbnfc.errors import JsonSyntaxError, LimitExceeded
from gbnfc.source import Source, Span


def parse_json(source: Source) -> Any:
    """Return the JSON value of `source`.

    Raises:
        JsonSyntaxError: with line and column; also for `NaN`, `Infinity`, an empty text, and an
            object with the same key twice.
        LimitExceeded: nested beyond what Python's JSON reader can hold.
    """

    def refuse(constant: str) -> NoReturn:
        at = max(source.text.find(constant), 0)
        raise _json_error(source, f"{constant} is not JSON", at)

    repeated: list[dict[str, Any]] = []

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            repeated.append(found)
        return found

    try:
        value = json.loads(source.text, parse_constant=refuse, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise _json_error(source, _lower_first(error.msg), error.pos) from None
    except RecursionError:
        raise LimitExceeded(f"{source.name}: the JSON is nested too deeply") from None
    except ValueError as error:  # an integer of more digits than Python reads
        raise LimitExceeded(f"{source.name}: {error}") from None
    if repeated:
        from gbnfc.documents.json_positions import check_keys, read_json

        check_keys(source, read_json(source))
    return value


def _json_error(source: Source, message: str, at: int) -> JsonSyntaxError:
    hint = "the text is empty" if not source.text.strip() else None
    return JsonSyntaxError(f"not JSON: {message}", source=source, span=Span(at, at + 1), hint=hint)


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]
