r"""The one table of GBNF escapes, read by the parser and by the writer.

The escapes are those of `parse_char` in llama.cpp's `src/llama-grammar.cpp` (as vendored by
llama-cpp-python 0.3.36): `\xHH \uHHHH \UHHHHHHHH \t \r \n \\ \" \[ \] \-`, the same inside literals
and classes. Everything else stands for itself, line breaks included.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from gbnfc.charset import MAX_CODE_POINT, CharSet, Range

if TYPE_CHECKING:
    from collections.abc import Iterator

SIMPLE = {"t": "\t", "r": "\r", "n": "\n", "\\": "\\", '"': '"', "[": "[", "]": "]", "-": "-"}
"""What may follow a backslash by itself, and the character it stands for."""

HEX_DIGITS = {"x": 2, "u": 4, "U": 8}
"""How many hexadecimal digits follow each numeric escape."""

ESCAPE = (
    r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[" + re.escape("".join(SIMPLE)) + r"])"
)
"""Regular expression source: one legal escape."""

_CHARACTER = rf"(?:{ESCAPE}|[^\\])"
_ANY_ESCAPE = re.compile(r"\\(?:x..|u.{4}|U.{8}|.)|\\", re.DOTALL)
_LEGAL_ESCAPE = re.compile(ESCAPE)
# The parser hands over what stands between the brackets, so a dash at the end has no upper bound
# behind it and stays a literal, as in llama.cpp.
_CLASS_MEMBER = re.compile(rf"({_CHARACTER})(?:-({_CHARACTER}))?", re.DOTALL)

INVISIBLE = CharSet.of(
    [
        (0x00, 0x1F),
        (0x7F, 0xA0),
        (0xAD, 0xAD),
        (0x61C, 0x61C),
        (0x1680, 0x1680),
        (0x180E, 0x180E),
        (0x2000, 0x200F),
        (0x2028, 0x202F),
        (0x205F, 0x206F),
        (0x3000, 0x3000),
        (0xD800, 0xF8FF),
        (0xFE00, 0xFE0F),
        (0xFEFF, 0xFEFF),
        (0xFFF0, 0xFFFF),
        (0x1FFFE, 0x1FFFF),
        (0x2FFFE, 0x2FFFF),
        (0x33480, MAX_CODE_POINT),
    ]
)
"""Code points written as numbers: blanks (but the space), controls, surrogates, private use, …

A fixed list rather than `str.isprintable`, whose answer depends on the Unicode version of Python.
"""


class BadEscape(ValueError):
    """An escape that GBNF has not. `offset` is 0-based in the decoded text, `escape` as written."""

    def __init__(self, offset: int, escape: str) -> None:
        super().__init__(escape)
        self.offset = offset
        self.escape = escape


def decode_literal(written: str) -> str:
    r"""Return the text that `written` (what stands between the quotes) means.

    >>> decode_literal(r"a\x41\n")
    'aA\n'

    Raises: `BadEscape`.
    """
    if "\\" not in written:
        return written
    return _ANY_ESCAPE.sub(_decode_match, written)


def _decode_match(match: re.Match[str]) -> str:
    return chr(_code_point(match[0], match.start()))


def _code_point(written: str, offset: int) -> int:
    if written[0] != "\\" or len(written) < 2:
        if written[0] == "\\":
            raise BadEscape(offset, written)
        return ord(written)
    if not _LEGAL_ESCAPE.fullmatch(written):
        raise BadEscape(offset, written)
    kind = written[1]
    if kind not in HEX_DIGITS:
        return ord(SIMPLE[kind])
    code_point = int(written[2:], 16)
    if code_point > MAX_CODE_POINT:
        raise BadEscape(offset, written)
    return code_point


def decode_class(written: str) -> tuple[Range, ...]:
    r"""Return the ranges of a class, in order, from what stands between `[` or `[^` and `]`.

    >>> decode_class(r"a-z\]-")
    ((97, 122), (93, 93), (45, 45))

    Raises: `BadEscape`.
    """
    return tuple(_class_members(written))


def _class_members(written: str) -> Iterator[Range]:
    at = 0
    while at < len(written):
        match = _CLASS_MEMBER.match(written, at)
        if match is None:
            escape = _ANY_ESCAPE.match(written, at)
            raise BadEscape(at, escape[0] if escape else written[at])
        first = _code_point(match[1], at)
        if match[2] is None:
            if written.startswith("-\\", match.end()):
                # A range whose upper end is no legal escape.
                escape = _ANY_ESCAPE.match(written, match.end() + 1)
                raise BadEscape(match.end() + 1, escape[0] if escape else "\\")
            yield first, first
        else:
            yield first, _code_point(match[2], match.start(2))
        at = match.end()


def encode_number(code_point: int) -> str:
    r"""Return the shortest numeric escape of `code_point`.

    >>> encode_number(0x1F), encode_number(0x1F600)
    ('\\x1F', '\\U0001F600')
    """
    if code_point <= 0xFF:
        return f"\\x{code_point:02X}"
    return f"\\u{code_point:04X}" if code_point <= 0xFFFF else f"\\U{code_point:08X}"


def _pattern_of(chars: CharSet) -> str:
    return "".join(f"{encode_number(a)}-{encode_number(b)}" for a, b in chars.ranges)


_SHORT = {char: "\\" + letter for letter, char in SIMPLE.items()}
_WRITTEN_IN_LITERAL = re.compile(rf'["\\{_pattern_of(INVISIBLE)}]')


def encode_literal(text: str) -> str:
    r"""Return `text` as it is written between the quotes of a literal.

    >>> encode_literal('say "hi"\n')
    'say \\"hi\\"\\n'
    """
    return _WRITTEN_IN_LITERAL.sub(lambda match: _encode_char(match[0]), text)


def _encode_char(char: str) -> str:
    return _SHORT.get(char) or encode_number(ord(char))


@lru_cache(maxsize=1_024)
def encode_class(ranges: tuple[Range, ...], *, negated: bool) -> str:
    r"""Return a class, brackets included, that keeps the order of its inclusive `ranges`.

    >>> encode_class(((97, 122), (45, 45)), negated=True)
    '[^a-z-]'
    """
    last = len(ranges) - 1
    members = [
        _encode_range(range_, first=index == 0, last=index == last, negated=negated)
        for index, range_ in enumerate(ranges)
    ]
    return f"[{'^' if negated else ''}{''.join(members)}]"


def _encode_range(range_: Range, *, first: bool, last: bool, negated: bool) -> str:
    low, high = range_
    if range_ == (0x2D, 0x2D):
        # Raw at either end, where it cannot make a range: older llama.cpp has no `\-`.
        return "-" if first or last else "\\-"
    if first and not negated and low == 0x5E:
        lower = encode_number(low)
    else:
        lower = _encode_member(low)
    return lower if low == high else f"{lower}-{_encode_member(high)}"


def _encode_member(code_point: int) -> str:
    char = chr(code_point)
    if char in "\\[]-\n\r\t":
        return _SHORT[char]
    return encode_number(code_point) if code_point in INVISIBLE else char
