"""What a grounded value can be in one document, under the grammar at the place where it begins.

In: a document, and a `Matcher` that stands where the value begins. Out: JSON value texts with their
places in the folded text, each of which the grammar accepts as a whole value. Texts come lazily,
first where they start and then where they end: there are too many to list.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gbnfc.charset import CharSet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gbnfc.grounding.dates import DateReading
    from gbnfc.grounding.document import Document
    from gbnfc.grounding.numerals import Numeral
    from gbnfc.match import Matcher

_NUMBER_CHARS = CharSet.from_chars("0123456789.eE+-")
_ENCODER = json.JSONEncoder(ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value as JSON (`'"Bonn"'`, `'12.50'`) and its place [start, end) in the folded text."""

    value: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TextStart:
    """A place where a text may begin. `matcher` has read the opening quote: do not move it."""

    start: int
    matcher: Matcher


def text_starts(document: Document, place: Matcher) -> Iterator[TextStart]:
    """Yield where a string may begin at `place`: the grammar takes its quote and first character.

    `place` stays where it is.
    """
    opened = place.copy()
    if not opened.advance('"'):
        return
    for start in document.starts:
        if opened.copy().advance(escape_text(document.text[start])):
            yield TextStart(start, opened)


def text_ends(
    document: Document, begun: TextStart, max_chars: int | None = None
) -> Iterator[Candidate]:
    """Yield the strings that begin at `begun` and that the grammar accepts, by rising length.

    Linear in the text that is read: it stops where the grammar takes no more.
    """
    matcher = begun.matcher.copy()
    at = begun.start
    for end in document.ends_from(begun.start, max_chars):
        if not matcher.advance(escape_text(document.text[at:end])):
            return
        at = end
        if matcher.copy().advance('"'):
            text = document.text_of(begun.start, end)
            yield Candidate(_ENCODER.encode(text), begun.start, end)


def number_candidates(
    found: Iterable[Numeral], place: Matcher, *, is_integer: bool
) -> Iterator[Candidate]:
    """Yield the numerals that the grammar accepts at `place` as whole numbers, by place.

    A fraction of zeros is left out for an integer, and where the grammar refuses it.
    """
    for numeral in found:
        integer = numeral.as_integer
        spellings = [integer] if is_integer else [numeral.number, integer]
        for spelling in dict.fromkeys(spellings):
            if spelling is not None and accepts_value(place, spelling):
                yield Candidate(spelling, numeral.start, numeral.end)
                break


def date_candidates(found: Iterable[DateReading], place: Matcher) -> Iterator[Candidate]:
    """Yield the readings of dates and times that the grammar accepts at `place`."""
    for reading in found:
        value = f'"{reading.text}"'
        if accepts_value(place, value):
            yield Candidate(value, reading.start, reading.end)


def accepts_value(place: Matcher, value: str) -> bool:
    """Return whether the grammar takes JSON scalar `value` at `place` as a whole."""
    matcher = place.copy()
    if not matcher.advance(value):
        return False
    return value.endswith('"') or matcher.can_end() or bool(matcher.expected() - _NUMBER_CHARS)


def escape_text(text: str) -> str:
    """Return `text` as it stands inside a JSON string."""
    return _ENCODER.encode(text)[1:-1]
