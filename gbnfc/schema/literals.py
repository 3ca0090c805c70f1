"""Fixed JSON values → grammar: the texts of `const` and `enum`, as a trie where they share starts.

A value is written as `json.dumps(value, ensure_ascii=False)` writes it, with the layout's blanks
and the author's key order.
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from gbnfc.errors import SchemaError
from gbnfc.ir.build import choice, sequence
from gbnfc.ir.nodes import Expression, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gbnfc.schema.layout import Layout

_DEEPEST_TRIE = 40
"""Words that share starts of starts this often (`a`, `aa`, `aaa`, …) are listed instead."""


def scalar_text(value: Any) -> str:
    """Return the JSON text of a string, number, boolean or null.

    Raises:
        SchemaError: a string with a lone surrogate, which no UTF-8 text can hold.
    """
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e16:
        return str(int(value))
    text = json.dumps(value, ensure_ascii=False)
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
        case _:
            return Literal(scalar_text(value))


def _body(parts: list[Expression]) -> Expression | None:
    return sequence(parts) if parts else None


def trie(texts: Sequence[str]) -> Expression:
    """Return an expression for exactly `texts`, each shared start written once.

    Alternatives keep the order of first appearance and begin with different characters, so the
    engine holds one stack for each at most, and one after the first character.

    `["red", "rose"]` → `"r" ("ed" | "ose")`
    """
    return _trie(list(dict.fromkeys(texts)), 0)


def _trie(texts: list[str], depth: int) -> Expression:
    if len(texts) == 1:
        return Literal(texts[0])
    if depth >= _DEEPEST_TRIE:
        return choice(map(Literal, texts))
    by_start: dict[str, list[str]] = {}
    for text in texts:
        by_start.setdefault(text[:1], []).append(text)
    branches: list[Expression] = []
    for group in by_start.values():
        shared = _shared_start(group)
        rests = [text[len(shared) :] for text in group]
        branches.append(
            sequence([Literal(shared), _trie(rests, depth + 1)])
            if len(group) > 1
            else Literal(group[0])
        )
    return choice(branches)


def _shared_start(texts: list[str]) -> str:
    """Return the longest start of all `texts`: what the first and the last in order share."""
    first, last = min(texts), max(texts)
    for at, char in enumerate(first):
        if char != last[at]:
            return first[:at]
    return first
