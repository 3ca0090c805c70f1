"""Strings for judging an automaton: members, non-members, and members with small changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

    from gbnfc.charset import CharSet
    from gbnfc.regex import Dfa

_MAX_LENGTH = 60
_EXTRA = 'aZ09_- .\n\r\t"\\/\u00e9\u2028\ufeff\U0001f600'


def members(dfa: Dfa, rng: random.Random, count: int) -> list[str]:
    """Return `count` random members (repeats allowed), none when there is no member."""
    if dfa.is_empty():
        return []
    distance = _distances(dfa)
    edges = [dfa.edges(state) for state in range(dfa.state_count)]
    return [_walk(dfa, edges, distance, rng) for _ in range(count)]


def judged_strings(dfa: Dfa, rng: random.Random, count: int) -> list[str]:
    """Return strings of the language, of its complement and mutations, `count` of each kind."""
    inside = members(dfa, rng, count)
    outside = members(~dfa, rng, count)
    mutated = [_mutate(text, rng) for text in inside + outside[: count // 2]]
    return inside + outside + mutated


def _walk(
    dfa: Dfa,
    all_edges: list[tuple[tuple[CharSet, int], ...]],
    distance: list[int],
    rng: random.Random,
) -> str:
    state, text = 0, ""
    stop = rng.choice((0, 0.1, 0.3, 0.6))
    while True:
        edges = all_edges[state]
        if dfa.accepting[state] and (not edges or rng.random() < stop or len(text) > _MAX_LENGTH):
            return text
        if len(text) > _MAX_LENGTH:
            edges = tuple(e for e in edges if distance[e[1]] < distance[state])
        chars, state = rng.choice(edges)
        first, last = rng.choice(chars.ranges)
        plain = [c for c in _EXTRA if first <= ord(c) <= last]
        text += rng.choice(plain) if plain and rng.random() < 0.5 else chr(rng.randint(first, last))


def _distances(dfa: Dfa) -> list[int]:
    distance = [0 if accepting else len(dfa.rows) for accepting in dfa.accepting]
    for _ in dfa.rows:
        changed = False
        for state, row in enumerate(dfa.rows):
            best = min((distance[target] + 1 for _, target in row), default=len(dfa.rows))
            if best < distance[state]:
                distance[state], changed = best, True
        if not changed:
            break
    return distance


def _mutate(text: str, rng: random.Random) -> str:
    at = rng.randint(0, len(text))
    char = rng.choice(_EXTRA + text)
    match rng.randrange(4):
        case 0:
            return text[:at] + char + text[at:]
        case 1:
            return text[:at] + text[at + 1 :]
        case 2:
            return text[:at] + char + text[at + 1 :]
        case _:
            return text[:at] + text[at:].swapcase()
