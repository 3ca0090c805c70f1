"""Whether a field's schema lets the model say that the text holds no answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_WORDS = frozenset(
    (
        *("", "unknown", "other", "others", "none", "n/a", "na", "null", "unspecified", "any"),
        *("undefined", "unclear", "missing", "misc", "neutral", "no", "false"),
        *("not_found", "not found", "not_stated", "not stated", "not_applicable"),
    )
)


def has_way_out(field: Mapping[str, Any]) -> bool:
    """Return whether `null`, a word like `unknown`, or another branch that has one is allowed."""
    kind = field.get("type")
    if kind == "null" or (isinstance(kind, list) and "null" in kind) or field.get("nullable"):
        return True
    values = field.get("enum") if isinstance(field.get("enum"), list) else [field.get("const", 0)]
    for value in values or []:
        if value is None or (isinstance(value, str) and value.strip().lower() in _WORDS):
            return True
    return any(
        has_way_out(branch)
        for keyword in ("anyOf", "oneOf")
        if isinstance(field.get(keyword), list)
        for branch in field[keyword]
        if isinstance(branch, Mapping)
    )
