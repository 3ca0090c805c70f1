"""Rule names: legal in GBNF, readable, unique, and the same for the same input."""

from __future__ import annotations

import re
from functools import lru_cache

_ILLEGAL = re.compile(r"[^a-zA-Z0-9-]+")
_MAX_LENGTH = 60


class NameAllocator:
    """Hands out rule names that are letters, digits and dashes, each one once.

    A hint that holds no legal character (`城市`) becomes `fallback`; a taken name gets `-2`, `-3`,
    … in the order of the requests, so the same requests give the same names. Names that differ only
    in case count as the same: a reader would take one for the other.
    """

    def __init__(self, reserved: tuple[str, ...] = ("root",)) -> None:
        self._next_number = _taken(reserved).copy()

    def allocate(self, hint: str, *, fallback: str = "rule") -> str:
        """Return a new name that resembles `hint`."""
        is_legal = hint.isascii() and hint.replace("-", "").isalnum()
        base = _shortened((hint if is_legal else _ILLEGAL.sub("-", hint)).strip("-")) or fallback
        key = base.lower()
        if key not in self._next_number:
            self._next_number[key] = 2
            return base
        while True:
            number = self._next_number[key]
            self._next_number[key] += 1
            if f"{key}-{number}" not in self._next_number:
                self._next_number[f"{key}-{number}"] = 2
                return f"{base}-{number}"


@lru_cache(maxsize=16)
def _taken(reserved: tuple[str, ...]) -> dict[str, int]:
    return dict.fromkeys(map(str.lower, reserved), 2)


def _shortened(name: str) -> str:
    """Return the end of a long name, from a dash on: the end is what tells paths apart."""
    if len(name) <= _MAX_LENGTH:
        return name
    tail = name[-_MAX_LENGTH:]
    return (tail.partition("-")[2] or tail).strip("-")
