r"""Syntax tree → pattern text that another engine reads alike.

In: a pattern of ECMA-262. Out: one of the same language, every character class spelled out, for
engines that know other escapes: `\d` of Python's `re` is also `٣`, and it knows no `\p{L}`.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from gbnfc.charset import SCALARS
from gbnfc.regex.parse import parse_pattern
from gbnfc.regex.syntax import Alternation, Anchor, Chars, Concat, Look, Node, Quantified

if TYPE_CHECKING:
    from gbnfc.charset import CharSet


class Reader(Enum):
    """Who reads the pattern: any engine with ECMA-262's Unicode mode, or Python's `re`."""

    ECMA = "ecma"
    PYTHON = "python"


_ANCHORS = {
    Reader.ECMA: {anchor: anchor.value for anchor in Anchor},
    Reader.PYTHON: {
        Anchor.START: r"\A",
        Anchor.END: r"\Z",
        Anchor.WORD_BOUNDARY: r"(?a:\b)",
        Anchor.NO_WORD_BOUNDARY: r"(?!(?a:\b))",  # `\B` does not match the empty text
    },
}
_COUNTS = {(0, None): "*", (1, None): "+", (0, 1): "?"}


def respell(pattern: str, reader: Reader) -> str:
    r"""Return `pattern` as `reader` takes it.

    >>> respell(r"^[^]\0$", Reader.ECMA)
    '^[\\s\\S]\\u{0}$'

    Raises:
        PatternError: not a regular expression, or one with a back-reference.
        LimitExceeded: it is too long.
    """
    return _written(parse_pattern(pattern), reader)


def _written(node: Node, reader: Reader) -> str:
    match node:
        case Chars(members=members):
            return _class(members, reader)
        case Concat(items=items):
            return "".join(_item(item, reader) for item in items)
        case Alternation(options=options):
            return "|".join(_written(option, reader) for option in options)
        case Quantified(body=Look() | Anchor() as condition, minimum=minimum):
            return _written(condition, reader) if minimum else ""
        case Quantified(body=body, minimum=minimum, maximum=maximum):
            count = _COUNTS.get((minimum, maximum)) or _count(minimum, maximum)
            written = _written(body, reader)
            return f"{written}{count}" if isinstance(body, Chars) else f"(?:{written}){count}"
        case Look(kind=kind, body=body):
            return f"{kind.value}{_written(body, reader)})"
        case Anchor():
            return _ANCHORS[reader][node]


def _item(node: Node, reader: Reader) -> str:
    written = _written(node, reader)
    return f"(?:{written})" if isinstance(node, Alternation) else written


def _count(minimum: int, maximum: int | None) -> str:
    if minimum == maximum:
        return f"{{{minimum}}}"
    return f"{{{minimum},{'' if maximum is None else maximum}}}"


def _class(members: CharSet, reader: Reader) -> str:
    if members == SCALARS:
        return r"[\s\S]"
    if not members:
        return r"[^\s\S]"
    if len(members) == 1:
        return _char(members.lowest, reader)
    ranges = [
        _char(first, reader) + ("" if first == last else f"-{_char(last, reader)}")
        for first, last in members.ranges
    ]
    return f"[{''.join(ranges)}]"


def _char(code_point: int, reader: Reader) -> str:
    char = chr(code_point)
    if char.isascii() and char.isalnum():
        return char
    return f"\\U{code_point:08x}" if reader is Reader.PYTHON else f"\\u{{{code_point:x}}}"
