"""Guessing what comes next: answers of an extraction are mostly copied from the document.

In: what was written, the document, the grammar's state. Out: the text that a copy would go on with,
and, where the copied phrase ends, what closes the value and is dictated behind it. A wrong guess
costs a little time and never changes the result (prompt-lookup decoding, A. Saxena 2023).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gbnfc.match import Matcher

_SHORTEST_MATCH = 3
_LONGEST_MATCH = 24

# Values are phrases: a copy that went on behind one of these would be refused by the model.
_PHRASE_END = re.compile(r"[,.;:!?()\n\"\\]")
_NAME_END = re.compile(rf"{_PHRASE_END.pattern}|\s+(?=[a-z])")
"""What begins with a capital or a digit is taken for a name: "lives in Nara and has worked"."""

_NUMBER_BEGUN = re.compile(r"[:\[,]\s*(-?[0-9]+(?:\.[0-9]*)?)\Z")
_STRING_CLOSERS = ('"',)
_NUMBER_CLOSERS = (",", "}", "]")


def propose(written: str, source: str, length: int) -> str | None:
    """Return up to `length` characters that follow `written`'s end where it occurs in `source`.

    The match must lie inside the value being written: a string, behind its opening quote and with
    at least three characters; or a number, from its first digit on. The first such place in
    `source` counts, and the proposal ends with the phrase or number: "" when that is at its end
    already. None when there is no such place.

    >>> propose('{"name": "Yuk', "Dear Sirs, Yuki Diallo, aged 48", 40)
    'i Diallo'
    """
    number = _NUMBER_BEGUN.search(written)
    if number is not None:
        return _rest_of_number(number[1], source)
    whole = written[written.rfind('"') + 1 :]
    ending = _NAME_END if whole[:1].isupper() or whole[:1].isdigit() else _PHRASE_END
    value = whole[-_LONGEST_MATCH:]
    for start in range(len(value) - _SHORTEST_MATCH + 1):
        at = source.find(value[start:])
        if at >= 0:
            begin = at + len(value) - start
            phrase_end = ending.search(source, begin)
            end = len(source) if phrase_end is None else phrase_end.start()
            return source[begin : min(end, begin + length)]
    return None


def _rest_of_number(digits: str, source: str) -> str | None:
    found = re.search(rf"(?<![0-9.]){re.escape(digits)}([0-9]*(?:\.[0-9]+)?)(?![0-9])", source)
    return found[1] if found else None


def guess_ahead(written: str, source: str, matcher: Matcher, length: int) -> str:
    """Return a text that may well follow `written`, "" when there is none to bet on.

    A copy out of `source` as far as the grammar goes along; behind a whole phrase or number also
    what ends the value, and what the grammar dictates after that.

    >>> guess_ahead('{"name": "Yuk', "Yuki Diallo, aged 48", matcher, 40)
    'i Diallo", "age": '
    """
    copied = propose(written, source, length)
    if copied is None:
        return ""
    after = matcher.copy()
    size = after.advance_up_to(copied)
    if size < len(copied) or len(copied) == length:
        return copied[:size]
    for closer in _NUMBER_CLOSERS if _NUMBER_BEGUN.search(written) else _STRING_CLOSERS:
        if after.advance(closer):
            return copied + closer + after.forced_text(limit=length)
    return copied
