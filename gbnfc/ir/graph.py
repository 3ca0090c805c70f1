"""Two questions about directed graphs, answered without recursion.

In: successors by node. Out: strongly connected components, shortest cycles. Nodes and successors
are visited in the order given, so the same graph gives the same answer.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable, Mapping

_N = TypeVar("_N", bound="Hashable")


def components(graph: Mapping[_N, Iterable[_N]]) -> list[list[_N]]:
    """Return the strongly connected components, each before those that lead to it.

    R. Tarjan, "Depth-first search and linear graph algorithms", 1972. Successors that are no key of
    `graph` are passed over.
    """
    index: dict[_N, int] = {}
    lowest: dict[_N, int] = {}
    path: list[_N] = []
    on_path: set[_N] = set()
    found: list[list[_N]] = []
    for root in graph:
        if root in index:
            continue
        index[root] = lowest[root] = len(index)
        path.append(root)
        on_path.add(root)
        pending = [(root, iter(graph[root]))]
        while pending:
            node, successors = pending[-1]
            for after in successors:
                if after not in graph:
                    continue
                if after not in index:
                    index[after] = lowest[after] = len(index)
                    path.append(after)
                    on_path.add(after)
                    pending.append((after, iter(graph[after])))
                    break
                if after in on_path:
                    lowest[node] = min(lowest[node], index[after])
            else:
                pending.pop()
                if pending:
                    above = pending[-1][0]
                    lowest[above] = min(lowest[above], lowest[node])
                if lowest[node] == index[node]:
                    found.append(_pop_component(path, on_path, node))
    return found


def _pop_component(path: list[_N], on_path: set[_N], first: _N) -> list[_N]:
    at = len(path) - 1
    while path[at] != first:
        at -= 1
    component = path[at:]
    del path[at:]
    on_path.difference_update(component)
    return component


def shortest_cycle(
    graph: Mapping[_N, Iterable[_N]], start: _N, within: Collection[_N]
) -> tuple[_N, ...] | None:
    """Return a shortest way from `start` back to it through nodes of `within`, `start` first."""
    before: dict[_N, _N] = {}
    pending = deque([start])
    while pending:
        node = pending.popleft()
        for after in graph[node]:
            if after == start:
                return _way(before, start, node)
            if after in within and after not in before:
                before[after] = node
                pending.append(after)
    return None


def _way(before: Mapping[_N, _N], start: _N, end: _N) -> tuple[_N, ...]:
    way = [end]
    while way[-1] != start:
        way.append(before[way[-1]])
    return tuple(reversed(way))
