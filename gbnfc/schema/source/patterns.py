"""A schema whose patterns are spelled for those who read it beside us.

In: a schema as its author wrote it. Out: the same with `pattern` and `patternProperties` spelled so
that `jsonschema_rs`, or Python's `re` behind `jsonschema`, reads what ECMA-262 means.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from gbnfc.errors import LimitExceeded, PatternError
from gbnfc.regex import Reader, respell
from gbnfc.schema.source.rewrite import edit_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_STRICTEST = "http://json-schema.org/draft-07/schema#"
"""The dialect whose meta-schema refuses most patterns (lone brackets, for example)."""

_OFFICIAL = re.compile(r"https?://json-schema\.org/draft[-/]")
_NOT_READ = (re.error, OverflowError, RecursionError)


def for_library(schema: Any) -> Any:
    """Return `schema` with what `jsonschema_rs` refuses of its patterns written out: `[^]`, `\\0`,
    pairs of surrogates, lone braces. What is no pattern to us either stays as it is.
    """

    def spelled(pattern: str) -> str:
        try:
            jsonschema_rs.canonicalize({"$schema": _STRICTEST, "pattern": pattern})
        except ValueError:
            return _respelled(pattern, Reader.ECMA)
        return pattern

    return _with_patterns(schema, spelled)


def for_python(schema: Any) -> tuple[Any, Mapping[str, str]]:
    """Return `schema` with patterns as Python's `re` means them, and the old ones by the new ones.

    Patterns that `re` cannot read in any spelling are left out: to the grammar they are known. So
    are the names of dialects that nobody knows: `jsonschema` raises on those that are no URIs.
    """
    originals: dict[str, str] = {}

    def spelled(pattern: str) -> str | None:
        new = _respelled(pattern, Reader.PYTHON)
        try:
            re.compile(new)
        except _NOT_READ:
            return None
        originals[new] = pattern
        return new

    return _with_patterns(edit_schema(schema, _without_unknown_dialect), spelled), originals


def _without_unknown_dialect(_: str, keywords: Mapping[str, Any]) -> dict[str, Any]:
    dialect = keywords.get("$schema")
    is_unknown = isinstance(dialect, str) and not _OFFICIAL.match(dialect)
    return {k: v for k, v in keywords.items() if not (is_unknown and k == "$schema")}


def _respelled(pattern: str, reader: Reader) -> str:
    try:
        return respell(pattern, reader)
    except (PatternError, LimitExceeded):  # a back-reference, for example
        return pattern


def _with_patterns(schema: Any, spelled: Callable[[str], str | None]) -> Any:
    def edit(_: str, keywords: Mapping[str, Any]) -> dict[str, Any]:
        found = dict(keywords)
        if isinstance(pattern := found.get("pattern"), str):
            found |= {"pattern": spelled(pattern)}
            if found["pattern"] is None:
                del found["pattern"]
        if isinstance(patterns := found.get("patternProperties"), dict):
            named = [(spelled(pattern), value) for pattern, value in patterns.items()]
            found["patternProperties"] = {p: value for p, value in named if p is not None}
        return found

    return edit_schema(schema, edit)


def matches_few(pattern: str, limit: int) -> bool:
    """Return whether at most `limit` texts match `pattern`.

    Raises:
        PatternError: not a regular expression; LimitExceeded: too large an automaton.
    """
    from gbnfc.regex import compile_pattern

    return compile_pattern(pattern).count(limit + 1) <= limit
