"""Which places of a schema make its grammar large: the bytes of rules by JSON Pointer.

In: a `Compiled`. Out: `PlaceSize`s. A rule counts where it was made for, rules without such a place
where the first that needs them counts, and all of it counts with the places around.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gbnfc.frozen import frozen
from gbnfc.ir.walk import references

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.schema.compile import Compiled

LARGE = 100_000
"""A grammar of more bytes than this has its places listed."""

_MAX_PLACES = 12
_LEAST_SHARE = 0.04
_ALL_OF_IT = 0.9
"""A place is left out when one within it has more than this share of its bytes."""

_HEAD = re.compile(r"^([A-Za-z0-9-]+) ::=", re.MULTILINE)


@frozen
class PlaceSize:
    """The bytes of the rules for what is at `pointer` or below it; `pointer` is as in a report."""

    pointer: str
    size: int


def largest_places(compiled: Compiled) -> tuple[PlaceSize, ...]:
    """Return the places with the most bytes, largest first; nothing for a grammar of few."""
    total = len(compiled.text.encode())
    if total <= LARGE:
        return ()
    sizes: dict[str, int] = {}
    for pointer, size in _by_pointer(compiled).items():
        for around in _with_ancestors(pointer):
            sizes[around] = sizes.get(around, 0) + size
    largest_within: dict[str, int] = {}
    for pointer, size in sizes.items():
        parent = _parent(pointer)
        if parent is not None:
            largest_within[parent] = max(largest_within.get(parent, 0), size)
    found = [
        PlaceSize(pointer, size)
        for pointer, size in sizes.items()
        if size >= _LEAST_SHARE * total and largest_within.get(pointer, 0) < _ALL_OF_IT * size
    ]
    return tuple(sorted(found, key=lambda place: (-place.size, place.pointer))[:_MAX_PLACES])


def _by_pointer(compiled: Compiled) -> dict[str, int]:
    """Return the bytes of the rules that were made for each pointer itself."""
    needs = {rule.name: references(rule.body) for rule in compiled.grammar.rules}
    places = dict(compiled.origins)
    pending = [compiled.grammar.root]
    seen = {compiled.grammar.root}
    for name in pending:
        for used in needs.get(name, ()):
            if used not in seen:
                seen.add(used)
                pending.append(used)
                places.setdefault(used, places.get(name, ""))
    found: dict[str, int] = {}
    for name, size in _rule_sizes(compiled.text):
        pointer = places.get(name, "")
        found[pointer] = found.get(pointer, 0) + size
    return found


def _rule_sizes(text: str) -> Iterator[tuple[str, int]]:
    heads = list(_HEAD.finditer(text))
    for number, head in enumerate(heads):
        end = heads[number + 1].start() if number + 1 < len(heads) else len(text)
        yield head[1], len(text[head.start() : end].encode())


def _with_ancestors(pointer: str) -> Iterator[str]:
    around: str | None = pointer
    while around is not None:
        yield around
        around = _parent(around)


def _parent(pointer: str) -> str | None:
    """Return the pointer of what is around; `None`: it is a whole document."""
    document, hash_sign, path = pointer.rpartition("#")
    return f"{document}{hash_sign}{path.rpartition('/')[0]}" if path else None
