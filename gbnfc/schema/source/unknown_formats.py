"""Formats that nobody defines constrain nothing: they are taken out before a schema is read.

In: schemas. Out: the same without `format` keywords of unknown names. The canonical form would keep
such a name as a set of strings of its own, of which the complement is one too; but every string
passes an unknown format (2020-12 validation, section 7.2.3), so none is left for its negation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gbnfc.schema.formats import FORMAT_NAMES
from gbnfc.schema.source.rewrite import edit_schema

if TYPE_CHECKING:
    from collections.abc import Mapping


def is_unknown_format(value: Any) -> bool:
    """Return whether `value` of a `format` keyword is a name that no draft defines."""
    return isinstance(value, str) and value not in FORMAT_NAMES


def without_unknown_formats(schema: Any) -> Any:
    """Return `schema` without them, itself when there are none."""
    return edit_schema(schema, _known_only) if _has_unknown_format(schema) else schema


def _has_unknown_format(schema: Any) -> bool:
    pending = [schema]
    for value in pending:
        if isinstance(value, dict):
            if "format" in value and is_unknown_format(value["format"]):
                return True
            pending += value.values()
        elif isinstance(value, list | tuple):
            pending += value
    return False


def _known_only(_: str, keywords: Mapping[str, Any]) -> dict[str, Any]:
    return {
        keyword: value
        for keyword, value in keywords.items()
        if keyword != "format" or not is_unknown_format(value)
    }
