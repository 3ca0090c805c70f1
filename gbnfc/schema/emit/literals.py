"""Fixed JSON values → grammar: the texts of `const` and `enum`, as a trie where they share starts.

A value is written as `json.dumps(value, ensure_ascii=False)` writes it, with the layout's blanks
and the author's key order.
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from gbnfc.errors import SchemaError
from gbnfc.ir.build import choice, optional, sequence
from gbnfc.ir.nodes import Choice, Expression, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gbnfc.schema.emit.whitespace import Layout

_MAX_TRIE_DEPTH = 40
"""Words that share starts of starts this often (`a`, `aa`, `aaa`, …) are listed instead."""

_LEAST_WITH_EXPONENT = 1e16
"""From here on Python writes floats with an exponent."""

_ENCODER = json.JSONEncoder(ensure_ascii=False)
"""What `json.dumps` makes anew for every value."""


def scalar_text(value: Any) -> str:
    """Return the JSON text of a string, number, boolean or null.

    Raises:
        SchemaError: a string with a lone surrogate, which no UTF-8 text can hold.
    """
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < _LEAST_WITH_EXPONENT:
        return str(int(value))
    text = _ENCODER.encode(value)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise SchemaError(f"the string {text!a} holds half of a surrogate pair") from None
    return text


def value_expression(value: Any, layout: Layout, depth: int) -> Expression:
    """Return the expression for one JSON value at `depth` containers."""
    match value:
        case dict():
            comma = layout.comma(depth)
            parts: list[Expression] = []
            for key, inner in value.items():
                parts += [comma] * bool(parts)
                below = value_expression(inner, layout, layout.below(depth))
                parts += [Literal(scalar_text(key)), layout.colon(), below]
            return layout.container("{}", _body(parts), may_be_empty=False, depth=depth)
        case list() | tuple():
            comma = layout.comma(depth)
            parts = []
            for inner in value:
                parts += [comma] * bool(parts)
                parts.append(value_expression(inner, layout, layout.below(depth)))
            return layout.container("[]", _body(parts), may_be_empty=False, depth=depth)
        case float() if value.is_integer() and abs(value) < _LEAST_WITH_EXPONENT:
            return choice([Literal(scalar_text(value)), Literal(repr(value))])  # `1` and `1.0`
        case _:
            return Literal(scalar_text(value))


def _body(parts: list[Expression]) -> Expression | None:
    return sequence(parts) if parts else None


def trie(ends: Mapping[str, Expression]) -> Expression:
    """Return an expression for the texts of `ends`, each shared start written once.

    `ends` gives what follows each text; nothing may follow one that another begins with.
    Alternatives keep the order of first appearance and begin with different characters, so the
    engine holds one stack for each at most, and one after the first character.

    `{"red": x, "rose": y}` → `"r" ("ed" x | "ose" y)`
    """
    return _trie(list(ends.items()), 0)


def _trie(items: list[tuple[str, Expression]], depth: int) -> Expression:
    if len(items) == 1 or depth >= _MAX_TRIE_DEPTH:
        return choice(sequence([Literal(text), end]) for text, end in items)
    by_start: dict[str, list[tuple[str, Expression]]] = {}
    for item in items:
        by_start.setdefault(item[0][:1], []).append(item)
    may_end = by_start.pop("", None) is not None
    branches: list[Expression] = []
    for group in by_start.values():
        shared = _shared_start([text for text, _ in group])
        rests = [(text[len(shared) :], end) for text, end in group]
        branches.append(sequence([Literal(shared), _trie(rests, depth + 1)]))
    # They differ in their first character, so there is no need to look for equal ones.
    found = Choice(tuple(branches)) if len(branches) > 1 else branches[0]
    return optional(found) if may_end else found


def _shared_start(texts: list[str]) -> str:
    """Return the longest start of all `texts`: what the first and the last in order share."""
    first, last = min(texts), max(texts)
    for at, char in enumerate(first):
        if char != last[at]:
            return first[:at]
    return first
