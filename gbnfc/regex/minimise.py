"""Minimise a partial deterministic automaton given as a table.

A table row maps a symbol class to the next state; a missing class is the dead state. State 0 is the
start. The result has no dead and no equivalent states, and its states are numbered by a
breadth-first walk in symbol order, so that equal languages over the same classes give equal tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

Row: TypeAlias = dict[int, int]
_SELF = -2  # Stands for "this very state" in a signature; no class has this number.


def minimise(rows: Sequence[Row], accepting: Sequence[bool]) -> tuple[list[Row], list[bool]]:
    """Return the minimal automaton that accepts the same words (see the module's docstring)."""
    live = _distances_to_acceptance(rows, accepting)
    if live[0] is None:
        return [{}], [False]
    order = _post_order(rows, live)
    trimmed = [
        {c: t for c, t in row.items() if live[t] is not None} if live[s] is not None else {}
        for s, row in enumerate(rows)
    ]
    blocks = _merge_acyclic(trimmed, accepting, order)
    if blocks is None:
        blocks = _refine(trimmed, accepting, order, live)
    return _renumber(trimmed, accepting, blocks)


def _distances_to_acceptance(rows: Sequence[Row], accepting: Sequence[bool]) -> list[int | None]:
    """Return for each state the length of its shortest accepted word, `None` for dead states."""
    sources: list[list[int]] = [[] for _ in rows]
    for state, row in enumerate(rows):
        for target in set(row.values()):
            sources[target].append(state)
    distance: list[int | None] = [0 if accepted else None for accepted in accepting]
    frontier = [state for state, accepted in enumerate(accepting) if accepted]
    steps = 0
    while frontier:
        steps += 1
        following = []
        for state in frontier:
            for source in sources[state]:
                if distance[source] is None:
                    distance[source] = steps
                    following.append(source)
        frontier = following
    return distance


def _post_order(rows: Sequence[Row], live: list[int | None]) -> list[int]:
    """Return the live states reachable from the start, each after its depth-first descendants."""
    seen = {0}
    order: list[int] = []
    stack = [(0, iter(rows[0].values()))]
    while stack:
        state, targets = stack[-1]
        for target in targets:
            if target not in seen and live[target] is not None:
                seen.add(target)
                stack.append((target, iter(rows[target].values())))
                break
        else:
            order.append(state)
            stack.pop()
    return order


def _merge_acyclic(
    rows: Sequence[Row], accepting: Sequence[bool], order: list[int]
) -> list[int] | None:
    """Return the class of each state when there is no cycle but self-loops; else `None`.

    Revuz's bottom-up hashing (1992), linear, extended to self-loops. A looping state has the same
    language as an earlier class X when either its row with itself written as `_SELF` is that of X,
    or X is one of its targets and the row becomes that of X with X for itself.
    """
    block: list[int] = [-1] * len(rows)
    known: dict[tuple[bool, tuple[tuple[int, int], ...]], int] = {}
    for number, state in enumerate(order):
        loops = False
        row: list[tuple[int, int]] = []
        for symbol, target in sorted(rows[state].items()):
            if target == state:
                loops = True
                row.append((symbol, _SELF))
            elif block[target] < 0:
                return None  # A back edge: a longer cycle.
            else:
                row.append((symbol, block[target]))
        accepted = accepting[state]
        found = known.get((accepted, tuple(row)))
        if loops and found is None:
            for candidate in sorted({target for _, target in row if target != _SELF}):
                found = known.get((accepted, _with_self(row, candidate)), -1)
                if found == candidate:
                    break
                found = None
        if found is None:
            found = number
            known[accepted, tuple(row)] = found
            if loops:
                known[accepted, _with_self(row, found)] = found
        block[state] = found
    return block


def _with_self(row: list[tuple[int, int]], own: int) -> tuple[tuple[int, int], ...]:
    return tuple((symbol, own if target == _SELF else target) for symbol, target in row)


def _refine(
    rows: Sequence[Row], accepting: Sequence[bool], order: list[int], live: list[int | None]
) -> list[int]:
    """Return the class of each state by Hopcroft's partition refinement (1971), n log n.

    The first partition already tells states apart by acceptance, live symbols and shortest
    accepted length, which is most of the work for typical patterns.
    """
    first: dict[object, list[int]] = {}
    sources: dict[int, list[tuple[int, int]]] = {state: [] for state in order}
    for state in order:
        key = (accepting[state], live[state], tuple(sorted(rows[state])))
        first.setdefault(key, []).append(state)
        for symbol, target in rows[state].items():
            sources[target].append((symbol, state))
    blocks = [set(members) for members in first.values()]
    block_of = [-1] * len(rows)
    for index, members in enumerate(blocks):
        for state in members:
            block_of[state] = index
    waiting = set(range(len(blocks)))
    while waiting:
        splitter = waiting.pop()
        incoming: dict[int, list[int]] = {}
        for state in blocks[splitter]:
            for symbol, source in sources[state]:
                incoming.setdefault(symbol, []).append(source)
        for hit in incoming.values():
            _split(blocks, block_of, waiting, hit)
    return block_of


def _split(blocks: list[set[int]], block_of: list[int], waiting: set[int], hit: list[int]) -> None:
    """Split every block that `hit` cuts; the smaller (or a waiting) part goes to `waiting`."""
    touched: dict[int, list[int]] = {}
    for state in hit:
        touched.setdefault(block_of[state], []).append(state)
    for index, members in touched.items():
        if len(members) == len(blocks[index]):
            continue
        new = len(blocks)
        part = set(members)
        blocks[index] -= part
        if index not in waiting and len(part) > len(blocks[index]):
            part, blocks[index] = blocks[index], part
        blocks.append(part)
        for state in part:
            block_of[state] = new
        waiting.add(new)


def _renumber(
    rows: Sequence[Row], accepting: Sequence[bool], blocks: list[int]
) -> tuple[list[Row], list[bool]]:
    """Build the quotient automaton, numbered breadth-first from the start in symbol order."""
    number = {blocks[0]: 0}
    representative = [0]
    new_rows: list[Row] = []
    for state in representative:  # Grows while it is walked: the queue of the search.
        row: Row = {}
        for symbol, target in sorted(rows[state].items()):
            block = blocks[target]
            if block not in number:
                number[block] = len(representative)
                representative.append(target)
            row[symbol] = number[block]
        new_rows.append(row)
    return new_rows, [accepting[state] for state in representative]
