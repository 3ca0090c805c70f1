"""Guessing what comes next: answers of an extraction are mostly copied from the document.

In: what was written, the document, the grammar's state. Out: the text that a copy would go on with,
and, where the copied phrase ends, what closes the value and is dictated behind it. A wrong guess
costs a little time and never changes the result (prompt-lookup decoding, A. Saxena 2023).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gbnfc.match import Matcher

_SHORTEST_MATCH = 3
_MAX_MATCH_LENGTH = 24

# Values are phrases: a copy that went on behind one of these would be refused by the model.
_PHRASE_END = re.compile(r"[,.;:!?()\n\"\\]")
_NAME_END = re.compile(rf"{_PHRASE_END.pattern}|\s+(?=[a-z])")
"""What begins with a capital or a digit is taken for a name: "lives in Nara and has worked"."""

_NUMBER_BEGUN = re.compile(r"[:\[,]\s*(-?[0-9]+(?:\.[0-9]*)?)\Z")
_STRING_CLOSERS = ('"',)
_NUMBER_CLOSERS = (",", "}", "]")


@dataclass(frozen=True, slots=True)
class Copy:
    """What a copy would go on with. `is_whole`: the copied phrase or number ends there."""

    text: str
    is_whole: bool


def propose(written: str, source: str, length: int) -> Copy | None:
    """Return up to `length` characters that follow `written`'s end where it occurs in `source`.

    Lists repeat what they held before, so `written` itself is looked through as well. The match
    must lie inside the value being written: a string, behind its opening quote and with at least
    three characters; or a number, from its first digit on. The longest match counts, of those the
    first in `source`. None when there is no such place.

    >>> propose('{"name": "Yuk', "Dear Sirs, Yuki Diallo, aged 48", 40)
    Copy(text='i Diallo', is_whole=True)
    """
    places = (source, written[:-1])
    number = _NUMBER_BEGUN.search(written)
    if number is not None:
        rests = (_rest_of_number(number[1], place) for place in places)
        return next((Copy(rest, is_whole=True) for rest in rests if rest is not None), None)
    whole = written[written.rfind('"') + 1 :]
    ending = _NAME_END if _is_name(whole) else _PHRASE_END
    value = whole[-_MAX_MATCH_LENGTH:]
    for start in range(len(value) - _SHORTEST_MATCH + 1):
        for place in places:
            at = place.find(value[start:])
            if at >= 0:
                begin = at + len(value) - start
                phrase_end = ending.search(place, begin)
                end = len(place) if phrase_end is None else phrase_end.start()
                if end > begin + length:
                    return Copy(place[begin : begin + length], is_whole=False)
                return Copy(place[begin:end], phrase_end is not None or place is source)
    return None


def _is_name(text: str) -> bool:
    return all(word[0].isupper() or word[0].isdigit() for word in text.split())


def _rest_of_number(digits: str, source: str) -> str | None:
    found = re.search(rf"(?<![0-9.]){re.escape(digits)}([0-9]*(?:\.[0-9]+)?)(?![0-9])", source)
    return found[1] if found else None


def guess_ahead(written: str, source: str, matcher: Matcher, length: int) -> str:
    """Return a text that may well follow `written`, "" when there is none to bet on.

    A copy out of `source`, or of what was written before, as far as the grammar goes along; behind
    a whole phrase or number also what ends the value, and what the grammar dictates after that.

    >>> guess_ahead('{"name": "Yuk', "Yuki Diallo, aged 48", matcher, 40)
    'i Diallo", "age": '
    """
    copied = propose(written, source, length)
    if copied is None:
        return ""
    after = matcher.copy()
    size = after.advance_up_to(copied.text)
    if size < len(copied.text) or not copied.is_whole:
        return copied.text[:size]
    for closer in _NUMBER_CLOSERS if _NUMBER_BEGUN.search(written) else _STRING_CLOSERS:
        if after.advance(closer):
            return copied.text + closer + after.forced_text(limit=length)
    return copied.text
