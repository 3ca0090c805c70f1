"""Sets of characters and places in a grammar, as a person reads them.

In: a `CharSet`, a rule path. Out: one line of text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.match.alphabet import MATCHABLE

if TYPE_CHECKING:
    from gbnfc.charset import CharSet, Range

_MAX_PARTS = 12
_MAX_RULES = 8


def describe_char(char: str) -> str:
    """Return `char` as it can be shown: quoted when it is visible, else as `U+0009`."""
    if char == '"':
        return "'\"'"
    return f'"{char}"' if char.isprintable() else f"U+{ord(char):04X}"


def describe_chars(chars: CharSet, max_parts: int = _MAX_PARTS) -> str:
    """Return `chars` as a list such as `"a" to "f", "-" or U+0009`; `nothing` when empty.

    Large sets are told by what they leave out; long lists are cut after `max_parts`.
    """
    if not chars:
        return "nothing"
    rest = MATCHABLE - chars
    if len(rest) < len(chars) // 2 and len(rest.ranges) <= len(chars.ranges):
        return "any character" + (f" but {_listed(rest, max_parts, 'and')}" if rest else "")
    return _listed(chars, max_parts, "or")


def describe_path(path: tuple[str, ...]) -> str:
    """Return a rule path as `root > object > string`, its middle left out when it is long."""
    if len(path) > _MAX_RULES:
        half = _MAX_RULES // 2
        path = (*path[:half], f"… {len(path) - 2 * half} more …", *path[-half:])
    return " > ".join(path)


def _listed(chars: CharSet, max_parts: int, last_word: str) -> str:
    parts = [part for range_ in chars.ranges for part in _range_parts(range_)]
    if len(parts) > max_parts:
        parts = [*parts[: max_parts - 1], f"{len(parts) - max_parts + 1} more"]
    if len(parts) == 1:
        return parts[0]
    return f"{', '.join(parts[:-1])} {last_word} {parts[-1]}"


def _range_parts(range_: Range) -> list[str]:
    first, last = range_
    if last - first < 2:
        return [describe_char(chr(code)) for code in range(first, last + 1)]
    return [f"{describe_char(chr(first))} to {describe_char(chr(last))}"]
