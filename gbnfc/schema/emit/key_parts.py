"""Keys of objects, cut by which patterns of `patternProperties` they match.

In: an automaton for each pattern. Out: disjoint parts of all keys. Where patterns overlap, each may
double the parts, whose automata multiply as well; so their number and size are limited. Cut by the
first pattern that a key matches, they are as many as the patterns.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

from gbnfc.errors import LimitExceeded
from gbnfc.regex import Dfa

MAX_PARTS = 64
"""Overlapping patterns cut the keys into at most this many parts."""

MAX_STATES = 10_000
"""All automata on the way may have this many states in sum, which take a fraction of a second."""

KeyPart: TypeAlias = "tuple[Dfa, tuple[int, ...]]"
"""Keys, and the numbers of the patterns that all of them match."""


@lru_cache(maxsize=256)
def cut_keys(patterns: tuple[Dfa, ...]) -> tuple[KeyPart, ...]:
    """Return all keys, cut by which `patterns` they match, with the numbers of those.

    Raises:
        LimitExceeded: the parts are more than `MAX_PARTS`, or have over `MAX_STATES` states.
    """
    left = MAX_STATES
    parts: list[KeyPart] = [(Dfa.everything(), ())]
    for number, language in enumerate(patterns):
        cut: list[KeyPart] = []
        for keys, numbers in parts:
            cut.append((keys & language, (*numbers, number)))
            left -= _cost(cut[-1][0], left)
        for keys, numbers in parts:
            cut.append((keys - language, numbers))
            left -= _cost(cut[-1][0], left)
        parts = [(keys, numbers) for keys, numbers in cut if not keys.is_empty()]
        if len(parts) > MAX_PARTS:
            raise LimitExceeded(f"the patterns cut the keys into over {MAX_PARTS} parts")
    return tuple(parts)


@lru_cache(maxsize=256)
def cut_by_first(patterns: tuple[Dfa, ...]) -> tuple[KeyPart, ...]:
    """Return all keys, cut by the first of `patterns` that they match; none: they match none.

    Raises:
        LimitExceeded: the parts have over `MAX_STATES` states.
    """
    left = MAX_STATES
    parts: list[KeyPart] = []
    matched = Dfa.nothing()
    for number, language in enumerate(patterns):
        parts.append((language - matched, (number,)))
        left -= _cost(parts[-1][0], left)
        matched |= language
        left -= _cost(matched, left)
    parts.append((Dfa.everything() - matched, ()))
    return tuple((keys, numbers) for keys, numbers in parts if not keys.is_empty())


def _cost(keys: Dfa, left: int) -> int:
    """Return the states of `keys`. Raises `LimitExceeded` when that is more than is `left`."""
    if keys.state_count > left:
        raise LimitExceeded(f"to tell the keys apart takes over {MAX_STATES:,} states")
    return keys.state_count
