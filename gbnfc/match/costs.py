"""How few characters finish a frame from each position of a network.

In: a `Network`. Out: `Costs`: per position the least number of characters up to the frame's end,
and which edge leads there. The algorithm is Knuth's generalisation of Dijkstra's shortest paths to
grammars (Information Processing Letters 6, 1977): positions are settled in order of rising cost, so
the edge that settles one leads to positions settled before it. Following these edges therefore
always ends, also through left recursion and empty loops.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TYPE_CHECKING, assert_never

from gbnfc.match.alphabet import MATCHABLE
from gbnfc.match.network import END, Call, Count, Edge, Network, Skip, Step, Text, Token

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Costs:
    """Least costs, in characters. `None`: no text leads from there to the frame's end.

    `best_edge[p]` is the index, in `network.edges[p]`, of the edge that gives `of_position[p]`.
    """

    of_position: tuple[int | None, ...]
    best_edge: tuple[int | None, ...]


def least_costs(network: Network) -> Costs:
    """Return the cost of each position of `network`, in characters."""
    size = len(network.edges)
    cost: list[int | None] = [None] * size
    best: list[int | None] = [None] * size
    users: list[list[tuple[int, int]]] = [[] for _ in range(size)]
    for position, edges in enumerate(network.edges):
        for index, edge in enumerate(edges):
            if _is_readable(edge):
                for needed in _needed_positions(network, edge):
                    users[needed].append((position, index))
    heap: list[tuple[int, int, int, int]] = [(0, 0, END, -1)]
    serial = 0
    while heap:
        value, _, position, index = heappop(heap)
        if cost[position] is not None:
            continue
        cost[position] = value
        best[position] = index if position != END else None
        for user, edge_index in users[position]:
            if cost[user] is None:
                total = edge_cost(network.edges[user][edge_index], cost, network)
                if total is not None:
                    serial += 1
                    heappush(heap, (total, serial, user, edge_index))
    return Costs(tuple(cost), tuple(best))


def _is_readable(edge: Edge) -> bool:
    match edge:
        case Token():
            return False
        case Step(chars=chars):
            return bool(chars)
        case Text(text=text):
            return all(char in MATCHABLE for char in set(text))
        case Count(body=body, minimum=minimum):
            return isinstance(body, int) or bool(body) or minimum == 0
        case Skip() | Call():
            return True
        case _:
            assert_never(edge)


def _needed_positions(network: Network, edge: Edge) -> tuple[int, ...]:
    match edge:
        case Call(frame=frame, target=target):
            return (network.entries[frame], target)
        case Count(body=int(frame), minimum=minimum, target=target) if minimum:
            return (network.entries[frame], target)
        case _:
            return (edge.target,)


def edge_cost(edge: Edge, cost: Sequence[int | None], network: Network) -> int | None:
    """Return the least number of characters from `edge` to its frame's end, given all `cost`s.

    `None`: there is no way, or not all that it needs is known.
    """
    rest = cost[edge.target]
    if rest is None:
        return None
    match edge:
        case Skip():
            return rest
        case Step():
            return rest + 1
        case Text(text=text):
            return rest + len(text)
        case Call(frame=frame):
            inner = cost[network.entries[frame]]
            return None if inner is None else rest + inner
        case Count(body=body, minimum=minimum):
            if minimum == 0:
                return rest
            each = cost[network.entries[body]] if isinstance(body, int) else 1
            return None if each is None else rest + minimum * each
        case Token():
            return None
        case _:
            assert_never(edge)
