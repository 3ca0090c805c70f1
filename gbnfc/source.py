"""A text with positions: where a finding or an error points, and how the place is shown.

Offsets are 0-based and count code points; lines and columns are 1-based, as editors show them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

_EXCERPT_WIDTH = 100

_UNSHOWABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
    "\ufeff\ufffe\uffff]"
)
"""Controls (ESC and CSI start what terminals obey), what turns the direction of a line around, half
surrogate pairs (Python's spelling of a file name's stray bytes), and what XML 1.0 forbids."""


def visible(text: str) -> str:
    """Return `text` as it may be shown: no character in it commands a terminal or a reader.

    Those that could are written as Python writes them, `\\x1b`; tabs and line feeds stay.
    """
    return _UNSHOWABLE.sub(_escaped, text)


def visible_line(text: str) -> str:
    """Return `visible(text)` on one line: a file's name may hold line feeds."""
    return visible(text).replace("\n", "\\n")


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def visible_json(text: str) -> str:
    """Return the JSON text `text` with those characters escaped, which all stand in its strings."""
    return _UNSHOWABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class Position(NamedTuple):
    """A place in a text as a person reads it: 1-based line and column (in code points)."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.line}:{self.column}"


class Span(NamedTuple):
    """A half-open range of 0-based offsets, `start <= offset < end`."""

    start: int
    end: int


@dataclass(frozen=True)
class Source:
    """A named text. `name` is a path, `<stdin>` or `<string>`: what a message calls it."""

    text: str
    name: str = "<string>"

    @cached_property
    def _line_starts(self) -> list[int]:
        # A line ends at LF; the CR of a CRLF belongs to the line before it.
        starts = [0]
        at = self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        return starts

    def position(self, offset: int) -> Position:
        """Return the line and column of `offset` (the end of the text counts)."""
        line = bisect_right(self._line_starts, offset)
        return Position(line, offset - self._line_starts[line - 1] + 1)

    def line_start(self, number: int) -> int:
        """Return the offset at which the 1-based line `number` begins."""
        return self._line_starts[number - 1]

    def line(self, number: int) -> str:
        """Return the text of the 1-based line `number`, without its line end."""
        start = self._line_starts[number - 1]
        end = self._line_starts[number] if number < len(self._line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def excerpt(self, span: Span) -> str:
        """Return the line that `span` starts on, with carets under the spanned part.

        Lines too long for a terminal are cut around the span, so a 10 MB line stays readable.
        """
        line, column = self.position(span.start)
        text = self.line(line)
        start = column - 1
        width = max(1, min(span.end - span.start, len(text) - start))
        cut = max(0, start - _EXCERPT_WIDTH // 2)
        shown = text[cut : cut + _EXCERPT_WIDTH]
        lead, tail = ("…" if cut else ""), ("…" if cut + _EXCERPT_WIDTH < len(text) else "")
        visible = "".join(char if char.isprintable() else " " for char in shown)
        gutter = f"{line} | "
        blanks = " " * (len(gutter) + len(lead) + start - cut)
        carets = "^" * min(width, _EXCERPT_WIDTH - (start - cut))
        return f"{gutter}{lead}{visible}{tail}\n{blanks}{carets}"
