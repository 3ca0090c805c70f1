"""Guessing what comes next: answers of an extraction are mostly copied from the document.

In: what was written, and the document. Out: the text that a copy would go on with. A wrong guess
costs a little time and never changes the result (prompt-lookup decoding, A. Saxena 2023).
"""

from __future__ import annotations

import re

_SHORTEST_MATCH = 3
_LONGEST_MATCH = 24

# Values are phrases: a copy that went on behind one of these would be refused by the model.
_PHRASE_END = re.compile(r"[,.;:!?()\n\"]")


def propose(written: str, source: str, length: int) -> str:
    """Return up to `length` characters that follow `written`'s end where it occurs in `source`.

    The match must lie inside the string value being written (behind its opening quote) and hold at
    least three characters; the first such place in `source` counts, and the proposal ends with the
    phrase. "" when there is none.

    >>> propose('{"name": "Yuk', "Dear Sirs, Yuki Diallo, aged 48", 40)
    'i Diallo'
    """
    value = written[written.rfind('"') + 1 :][-_LONGEST_MATCH:]
    for start in range(len(value) - _SHORTEST_MATCH + 1):
        at = source.find(value[start:])
        if at >= 0:
            begin = at + len(value) - start
            phrase_end = _PHRASE_END.search(source, begin)
            end = len(source) if phrase_end is None else phrase_end.start()
            return source[begin : min(end, begin + length)]
    return ""
