"""Guessing what comes next: answers of an extraction are mostly copied from the document.

In: what was written, and the document. Out: the text that a copy would go on with. A wrong guess
costs a little time and never changes the result (prompt-lookup decoding, A. Saxena 2023).
"""

from __future__ import annotations

_SHORTEST_MATCH = 3
_LONGEST_MATCH = 24


def propose(written: str, source: str, length: int) -> str:
    """Return up to `length` characters that follow `written`'s end where it occurs in `source`.

    The match must lie inside the string value being written (behind its opening quote) and hold at
    least three characters; the first such place in `source` counts. "" when there is none.

    >>> propose('{"name": "Yuk', "Dear Sirs, Yuki Diallo lives in Nara.", 11)
    'i Diallo li'
    """
    value = written[written.rfind('"') + 1 :][-_LONGEST_MATCH:]
    for start in range(len(value) - _SHORTEST_MATCH + 1):
        at = source.find(value[start:])
        if at >= 0:
            begin = at + len(value) - start
            return source[begin : begin + length]
    return ""
