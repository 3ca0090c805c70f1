"""A guard against lists that repeat themselves: small models write an element again and again.

In: an answer in JSON as it is written, and the document. Out: where a list could have ended, once
its elements repeat without the document's support. A list that stands in the document, of fifty
rows that differ in a digit, is none: its strings occur there as often as they are written.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.match import Matcher, Program

MAX_REPEATS = 3
"""Elements in a row that may repeat earlier ones without support."""

_LOOKED_BACK = 64
_NUMERAL = re.compile(r"\d+(?:[.,]\d+)*")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+|\d{1,3}(?:\.\d{3})+")
_BLANK = " \t\r\n"
_MAX_INDENT = 200


@dataclass(frozen=True, slots=True)
class Element:
    """A whole element of a list. `shape` is its text without its `numbers`.

    `end` is the offset behind it in the answer.
    """

    text: str
    end: int
    shape: str
    numbers: tuple[str, ...]


@dataclass(slots=True)
class _Open:
    """A container that has not ended. `start` is the offset of the element being written."""

    is_list: bool
    at: int
    start: int | None = None
    elements: list[Element] = field(default_factory=list)
    written: Counter[str] = field(default_factory=Counter)
    numbers: Counter[str] = field(default_factory=Counter)
    run: int = 0
    """How many elements at the end repeat in a row."""


@dataclass(frozen=True, slots=True)
class ListEnd:
    """A list that repeats: it begins at offset `at`, and may end at one of `ends`, best first."""

    at: int
    ends: tuple[int, ...]


class Evidence:
    """How often things stand in a document. `known` are strings that need not stand there."""

    def __init__(self, document: str, known: frozenset[str] = frozenset()) -> None:
        self._text = _folded(document)
        self._numbers = Counter(map(_number, _NUMERAL.findall(document)))
        self._known = known
        self._counts: dict[str, int] = {}

    def count(self, value: str) -> int:
        """Return how often `value` stands in the document as words of its own."""
        if value not in self._counts:
            self._counts[value] = _count(_folded(value), self._text)
        return self._counts[value]

    def count_number(self, number: str) -> int:
        """Return how often a number, spelled as `_number` does, stands in the document."""
        return self._numbers[number]

    def of(self, element: Any) -> list[str]:
        """Return what of `element` should stand in the document: its strings, else its numbers."""
        leaves = list(_leaves(element))
        strings = [leaf for leaf in leaves if isinstance(leaf, str)]
        if strings:
            return [leaf for leaf in strings if leaf.strip() and leaf not in self._known]
        return [json.dumps(leaf) for leaf in leaves if not isinstance(leaf, bool | None)]


class RepeatGuard:
    """Reads an answer piece by piece. Only for answers that are JSON."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self.restart("")

    def restart(self, text: str) -> None:
        """Begin again with an answer that begins with `text`."""
        self._text = ""
        self._stack: list[_Open] = []
        self._in_string = self._escaped = False
        self.ending: ListEnd | None = None
        self.write(text)
        self.ending = None

    def write(self, text: str) -> None:
        """Read on. `ending` is set when a list repeats; a later piece may offer more ends."""
        begin = len(self._text)
        self._text += text
        for offset in range(begin, len(self._text)):
            self._read(self._text[offset], offset)

    def _read(self, char: str, offset: int) -> None:
        if self._in_string:
            if self._escaped:
                self._escaped = False
            elif char == "\\":
                self._escaped = True
            elif char == '"':
                self._in_string = False
            return
        inner = self._stack[-1] if self._stack else None
        if char in "]}":
            if self._stack:
                self._stack.pop()
        elif char == ",":
            if inner is not None and inner.is_list:
                self._end_element(inner, offset)
        elif char not in _BLANK:
            if inner is not None and inner.start is None:
                inner.start = offset
            if char in "[{":
                self._stack.append(_Open(char == "[", offset))
            self._in_string = char == '"'

    def _end_element(self, inner: _Open, offset: int) -> None:
        # Not before the comma: a list that ends by itself is left as it is.
        if inner.start is None:
            return
        text = self._text[inner.start : offset].rstrip(_BLANK)
        end, inner.start = inner.start + len(text), None
        try:
            parts = self._evidence.of(json.loads(text))
        except (ValueError, RecursionError):
            return
        numbers = tuple(map(_number, _NUMERAL.findall(text)))
        element = Element(text, end, _NUMERAL.sub("0", text), numbers)
        inner.written.update(set(parts))
        inner.numbers.update(set(numbers))
        repeats = self._repeats(inner, element, parts)
        inner.elements.append(element)
        inner.run = inner.run + 1 if repeats else 0
        if inner.run >= MAX_REPEATS and inner.run % MAX_REPEATS == 0:
            last = len(inner.elements) - inner.run
            ends = (element.end for element in inner.elements[max(0, last - 1) :])
            self.ending = ListEnd(inner.at, tuple(ends))

    def _repeats(self, inner: _Open, element: Element, parts: list[str]) -> bool:
        if not parts and element.text.strip('{}[]" ') not in ("", "null"):
            return False  # a choice among given words, of which no document tells
        like = [other for other in inner.elements[-_LOOKED_BACK:] if _is_like(other, element)]
        if not like:
            return False
        if any(self._evidence.count(part) >= inner.written[part] for part in parts):
            return False
        pairs = zip(like[-1].numbers, element.numbers, strict=True)
        differing = [own for other, own in pairs if own != other]
        # "rooms 11, 12 and 13" support "room 12"
        return not differing or any(
            self._evidence.count_number(number) < inner.numbers[number] for number in differing
        )


def _is_like(earlier: Element, later: Element) -> bool:
    """Return whether two elements are equal, or but for their numbers.

    Lists of bare numbers count up for good reasons: these are only compared whole.
    """
    has_strings = '"' in later.text
    return earlier.text == later.text or (has_strings and earlier.shape == later.shape)


def _number(digits: str) -> str:
    """Return a numeral of a text as JSON may write the number: `1,234.50` → `1234.5`."""
    if _GROUPED.fullmatch(digits):
        return re.sub("[.,]", "", digits).lstrip("0") or "0"
    *whole, behind = re.split("[.,]", digits)
    if not whole:
        return behind.lstrip("0") or "0"
    front, behind = "".join(whole).lstrip("0") or "0", behind.rstrip("0")
    return f"{front}.{behind}" if behind else front


def shortened(text: str, ending: ListEnd, program: Program) -> str | None:
    """Return `text` up to where the list of `ending` may end, with the bracket that ends it.

    `None` where the grammar of `program` wants more elements than there are.
    """
    from gbnfc.match import Matcher

    for end in ending.ends:
        matcher = Matcher(program)
        matcher.advance(text[:end])
        bracket = closing(matcher)
        if bracket is not None:
            return text[:end] + bracket
    return None


def closing(matcher: Matcher) -> str | None:
    """Return what ends the list that `matcher` stands in, `]` with the blanks before it, or none.

    >>> closing(matcher_behind('{"a": [1'))
    ']'
    """
    blanks, place = "", matcher.copy()
    while len(blanks) <= _MAX_INDENT:
        if place.copy().advance("]"):
            return f"{blanks}]"
        blank = next((blank for blank in "\n " if place.copy().advance(blank)), None)
        if blank is None:
            return None
        place.advance(blank)
        blanks += blank
    return None


def _count(words: str, text: str) -> int:
    if not words:
        return 0
    # `2` is not in `2.50`, nor `bolt 2`.
    before = r"(?<![\w.,])" if words[0].isdecimal() else r"(?<!\w)"
    behind = r"(?!\w|[.,]\d)" if words[-1].isdecimal() else r"(?!\w)"
    return len(re.findall(f"{before}{re.escape(words)}{behind}", text))


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, list):
        yield value
        return
    for inner in value:
        yield from _leaves(inner)
