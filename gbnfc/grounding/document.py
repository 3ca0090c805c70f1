"""A text prepared for grounding: white space folded, places kept, and where values may stand.

In: the decoded text of a document. Out: a `Document`. Every run of white space and control
characters (line ends of all kinds, tabs, no-break spaces) is one blank, none at either end. All
offsets are 0-based and in code points of the folded text; `Document.original` gives the place in
the text as it was.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from gbnfc.grounding.boundaries import find_boundaries
from gbnfc.grounding.brackets import enclosing_brackets

if TYPE_CHECKING:
    from collections.abc import Iterator

_CHUNK = re.compile(r"[^\s\x00-\x1f\x7f-\x9f]+")
_LINE_END = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


class Document:
    """A text, folded. Immutable; time and memory are linear in the text.

    `text` is the folded text. `starts` and `ends` are the offsets where a value may begin and end
    (exclusive), ascending. `line_ends` are the offsets of the blanks that stand for a line end.

    >>> document = Document("Name:\\tAnna \\r\\nBell,  Bonn")
    >>> document.text
    'Name: Anna Bell, Bonn'
    >>> [document.text_of(6, end) for end in document.ends_from(6, max_chars=12)]
    ['Anna', 'Anna Bell']
    >>> document.original(6, 15)
    (6, 17)
    """

    __slots__ = ("_at", "_inside", "_origins", "ends", "line_ends", "starts", "text")

    def __init__(self, text: str) -> None:
        pieces: list[str] = []
        self._at: list[int] = []  # where each chunk begins in the folded text …
        self._origins: list[int] = []  # … and where in the original
        line_ends: list[int] = []
        length = end = 0
        for chunk in _CHUNK.finditer(text):
            if pieces:
                if _LINE_END.search(text, end, chunk.start()):
                    line_ends.append(length)
                length += 1
            self._at.append(length)
            self._origins.append(chunk.start())
            pieces.append(chunk[0])
            end = chunk.end()
            length += end - chunk.start()
        self.text = " ".join(pieces)
        self.line_ends = tuple(line_ends)
        self.starts, self.ends = find_boundaries(self.text, self._at)
        self._inside = enclosing_brackets(self.text, (*self.starts, *self.ends))

    def text_of(self, start: int, end: int) -> str:
        """Return the folded text from `start` to `end`."""
        return self.text[start:end]

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return the place in the original text, [start, end) in code points, of a folded span.

        Raises:
            ValueError: the span is empty or not within the folded text.
        """
        if not 0 <= start < end <= len(self.text):
            raise ValueError(
                f"no span of the text: [{start}, {end}) of {len(self.text)} characters"
            )
        if self.text[end - 1] == " ":
            after = self._origins[bisect_right(self._at, end - 1)]
        else:
            after = self._origin(end - 1) + 1
        return self._origin(start), after

    def _origin(self, offset: int) -> int:
        chunk = bisect_right(self._at, offset) - 1
        return self._origins[chunk] + offset - self._at[chunk]

    def ends_from(self, start: int, max_chars: int | None = None) -> Iterator[int]:
        """Yield where a value that begins at `start` may end, ascending, at most `max_chars` on.

        No value cuts a pair of brackets: within one it ends within, and outside it passes over it.
        """
        level = self._inside.get(start)
        last = len(self.text) if max_chars is None else start + max_chars
        for index in range(bisect_right(self.ends, start), len(self.ends)):
            end = self.ends[index]
            if end > last:
                return
            if self._inside.get(end) == level:
                yield end

    def spans(self, max_chars: int | None = None) -> Iterator[tuple[int, int]]:
        """Yield every [start, end) of `starts` and `ends_from`: quadratic without `max_chars`."""
        for start in self.starts:
            for end in self.ends_from(start, max_chars):
                yield start, end

    def bracket_around(self, offset: int) -> int | None:
        """Return the offset of the opening bracket of the innermost pair around a boundary."""
        return self._inside.get(offset)
