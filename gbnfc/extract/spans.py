"""Where each value of a JSON text stands. In: the text. Out: JSON Pointers and offsets."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gbnfc.documents.pointer import join_pointer

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator


def value_spans(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield JSON Pointer, start and end of each value in JSON `text`, containers at their end.

    `text` must be valid JSON; keys are not values.

    >>> list(value_spans('{"a": [1]}'))
    [('/a/0', 7, 8), ('/a', 6, 9), ('', 0, 10)]
    """
    decoder = json.JSONDecoder()
    # The open containers: pointer, offset, and, for arrays, the index of the next element.
    stack: list[tuple[str, int, int | None]] = []
    pointer, at, is_key = "", 0, False
    while at < len(text):
        char = text[at]
        if char in "{[":
            stack.append((pointer, at, None if char == "{" else 0))
            is_key = char == "{"
            pointer = join_pointer(pointer, 0) if char == "[" else pointer
        elif char in "}]":
            pointer, start, _ = stack.pop()
            yield pointer, start, at + 1
        elif char == ",":
            base, start, index = stack[-1]
            is_key = index is None
            if index is not None:
                stack[-1] = (base, start, index + 1)
                pointer = join_pointer(base, index + 1)
        elif char not in " \t\r\n:":
            value, end = decoder.raw_decode(text, at)
            if is_key:
                pointer, is_key = join_pointer(stack[-1][0], value), False
            else:
                yield pointer, at, end
            at = end
            continue
        at += 1


def text_around(text: str, pointers: Collection[str]) -> tuple[str, ...]:
    """Return the parts of JSON `text` before, between and behind the values at `pointers`.

    >>> text_around('{"a": [1, 2]}', {"/a/0"})
    ('{"a": [', ', 2]}')
    """
    parts, at = [], 0
    for pointer, start, end in value_spans(text):
        if pointer in pointers:
            parts.append(text[at:start])
            at = end
    return (*parts, text[at:])
