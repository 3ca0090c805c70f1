"""How dear a grammar can become for llama.cpp: the text that leaves it with the most live stacks.

In: a `Grammar`. Out: a `Cost`: the worst number of stacks and a text that reaches it; on request a
`MaskEstimate`: what masking a vocabulary costs there. The search walks the exact
stacks of `machine.py`, dearest first and breadth first in turn, within a budget of steps.

The estimate replays `llama_grammar_reject_candidates` over `REFERENCE_TOKENS`: each stack is tried
against each token that the stacks before it refused, character by character. Its weights were
fitted to measured mask times; `tests/bench/mask_cost.py` prints the rank correlation.
"""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from gbnfc.charset import CharSet, partition
from gbnfc.errors import LimitExceeded
from gbnfc.lint.analysis.machine import EMPTY_STACK, StackMachine, build_machine
from gbnfc.lint.analysis.vocabulary import REFERENCE_TOKENS

if TYPE_CHECKING:
    from collections.abc import Sequence as Seq

    from gbnfc.ir.nodes import Grammar

SEARCH_STEPS = 1_500
_MAX_ANSWERS = 300_000
_CANDIDATES = 2

# Nanoseconds of one try of a token against a terminal, and of one stack that is copied.
_NS_PER_TRY, _NS_PER_RANGE, _NS_PER_VISIT, _NS_PER_TOKEN = 8, 2, 150, 60

_READABLE = (
    CharSet.of([(0x61, 0x7A)]),
    CharSet.of([(0x41, 0x5A)]),
    CharSet.of([(0x30, 0x39)]),
    CharSet.of([(0x20, 0x7E)]),
    CharSet.of([(0xA1, 0xD7FF)]),
)


@dataclass(frozen=True, slots=True)
class Cost:
    """What a grammar can cost.

    `stacks` is the worst number of live stacks found, reached by `witness`. `complete` tells that
    every reachable state was seen; else the search stopped at its budget. `rules` and `elements`
    count what llama.cpp expands the grammar to.
    """

    stacks: int
    witness: str
    rules: int
    elements: int
    complete: bool


@dataclass(frozen=True, slots=True)
class MaskEstimate:
    """The dearest mask found: `nanoseconds` for 49k tokens, behind the text `prefix`."""

    nanoseconds: int
    prefix: str

    @property
    def factor(self) -> float:
        """The cost relative to a grammar that holds one stack and accepts any text."""
        return self.nanoseconds / _PLAIN_NS


_PLAIN_NS = sum(
    weight * (_NS_PER_TOKEN + len(text) * (_NS_PER_TRY + _NS_PER_RANGE))
    for text, weight in REFERENCE_TOKENS
)


class Survey:
    """One search of a grammar: its `cost`, and on request the estimate of its dearest mask."""

    def __init__(self, grammar: Grammar, steps: int = SEARCH_STEPS) -> None:
        """Search `grammar`; one step is one stack that reads one character.

        Raises: `LimitExceeded` when the grammar cannot be expanded (too large, left recursion).
        """
        machine = self._machine = build_machine(grammar)
        search = _Search(machine, steps)
        found = search.run()
        stacks, witness = found[0]
        rules, elements = len(machine.alternatives), len(machine.kinds)
        self.cost = Cost(len(stacks), witness, rules, elements, search.complete)
        self._priciest = [*found[:_CANDIDATES], (machine.start(), "")]

    def estimate_mask(self, *, every: int = 1) -> MaskEstimate:
        """Return what the dearest mask costs, of those at the start and where most stacks live.

        With `every` above 1 only each so manyth reference token is tried: rougher, and faster.

        Raises: `LimitExceeded` beyond `_MAX_ANSWERS` different pairs of stack and token.
        """
        tally = _Tally(self._machine, every)
        priced = [(tally.mask_ns(held), text) for held, text in self._priciest]
        return MaskEstimate(*max(priced, key=lambda pair: (pair[0], -len(pair[1]))))


def measure_cost(grammar: Grammar, steps: int = SEARCH_STEPS) -> Cost:
    """Search `grammar` for the text that leaves llama.cpp with the most stacks; see `Survey`."""
    return Survey(grammar, steps).cost


def estimate_mask(grammar: Grammar, steps: int = SEARCH_STEPS) -> MaskEstimate:
    """Return what the dearest mask of `grammar` costs; see `Survey`."""
    return Survey(grammar, steps).estimate_mask()


class _Search:
    """Walks states (sets of stacks) best first and breadth first in turn."""

    def __init__(self, machine: StackMachine, steps: int) -> None:
        self._machine = machine
        self._left = steps
        self._letters: dict[frozenset[int] | int, tuple[int, ...]] = {}
        self.complete = True

    def run(self) -> list[tuple[tuple[int, ...], str]]:
        """Return the states that were seen with the text that reaches each, most stacks first."""
        start = self._machine.start()
        seen = {_state(start): (start, "")}
        dearest = [(-len(start), 0, start, "")]
        oldest = deque([(start, "")])
        expanded: set[frozenset[int] | int] = set()
        while dearest and self._left > 0:
            by_cost = len(expanded) % 2 == 0 or not oldest
            stacks, text = heapq.heappop(dearest)[2:] if by_cost else oldest.popleft()
            key = _state(stacks)
            if key in expanded:
                continue
            expanded.add(key)
            try:
                reached = self._expand(stacks, text)
            except LimitExceeded:
                break
            for after, longer in reached:
                state = _state(after)
                if state not in seen:
                    seen[state] = (after, longer)
                    heapq.heappush(dearest, (-len(after), len(seen), after, longer))
                    oldest.append((after, longer))
        self.complete = len(expanded) == len(seen) and self._left > 0
        return sorted(seen.values(), key=lambda pair: (-len(pair[0]), len(pair[1]), pair[1]))

    def _expand(self, stacks: tuple[int, ...], text: str) -> list[tuple[tuple[int, ...], str]]:
        found = []
        for letter in self._letters_of(stacks):
            self._left -= len(stacks)
            if self._left <= 0:
                break
            after = self._machine.step(stacks, letter)
            if after:
                found.append((after, text + chr(letter)))
        return found

    def _letters_of(self, stacks: tuple[int, ...]) -> tuple[int, ...]:
        machine = self._machine
        # One stack is the usual case. Stack 0 is the empty one, and has nothing on top.
        tops: frozenset[int] | int = (
            machine.tops[stacks[0]]
            if len(stacks) == 1 and stacks[0] != EMPTY_STACK
            else frozenset(machine.tops[stack] for stack in stacks if stack != EMPTY_STACK)
        )
        known = self._letters.get(tops)
        if known is None:
            each = (tops,) if isinstance(tops, int) else sorted(tops)
            sets = [chars for top in each if (chars := machine.chars[top]) is not None]
            self._left -= len(sets)
            known = tuple(readable_member(piece) for piece in partition(sets))
            self._letters[tops] = known
        return known


def _state(stacks: tuple[int, ...]) -> frozenset[int] | int:
    """Return what tells a set of stacks from others; of one stack, as it mostly is, its number."""
    return stacks[0] if len(stacks) == 1 else frozenset(stacks)


@lru_cache(maxsize=4_096)
def readable_member(chars: CharSet) -> int:
    """Return a code point of `chars` that reads well in a message. `chars` is not empty."""
    for preferred in _READABLE:
        if found := chars & preferred:
            return found.lowest
    return chars.lowest


class _Tally:
    """Counts the work of `llama_grammar_reject_candidates`.

    Stacks are tried in turn until one accepts the token; a stack that reads its next character
    tries all stacks it then expands to. Without memory that is exponential in the length of the
    token, and llama.cpp has none; here equal questions (stack, rest of token) are answered once.
    """

    def __init__(self, machine: StackMachine, every: int) -> None:
        self._machine = machine
        self._tokens = [(text, every * weight) for text, weight in REFERENCE_TOKENS[::every]]
        self._known: dict[tuple[int, str], tuple[bool, int, int]] = {}

    def mask_ns(self, stacks: Seq[int]) -> int:
        """Return the estimated nanoseconds of masking 49k tokens at `stacks`."""
        tries = visits = 0
        for text, stands_for in self._tokens:
            _, tried, visited = self._offer(stacks, text)
            tries += stands_for * (_NS_PER_TOKEN + tried)
            # All tokens go through the engine together: a stack is copied once, not per token.
            visits = max(visits, visited)
        return tries + visits

    def _offer(self, stacks: Seq[int], text: str) -> tuple[bool, int, int]:
        tries = visits = 0
        for stack in stacks:
            accepted, tried, visited = self._try(stack, text)
            tries += tried
            visits += visited
            if accepted:
                return True, tries, visits
        return False, tries, visits

    def _try(self, stack: int, text: str) -> tuple[bool, int, int]:
        """Return whether `stack` accepts `text`, and the nanoseconds of tries and of copies."""
        if not text:
            return True, _NS_PER_TRY, 0
        known = self._known.get((stack, text))
        if known is None:
            known = self._known[stack, text] = self._tried(stack, text)
            if len(self._known) > _MAX_ANSWERS:
                raise LimitExceeded(f"more than {_MAX_ANSWERS:,} pairs of stack and token")
        return known

    def _tried(self, stack: int, text: str) -> tuple[bool, int, int]:
        chars = self._machine.accepts(stack)
        if chars is None:
            return False, _NS_PER_TRY, 0
        behind = self._machine.behind(stack)
        after = self._machine.advance(behind)
        cost = _NS_PER_TRY + _NS_PER_RANGE * len(chars.ranges)
        copies = _NS_PER_VISIT * self._machine.visits[behind] + len(after) * len(after)
        if text[0] not in chars:
            return False, cost, copies
        accepted, tries, visits = self._offer(after, text[1:])
        return accepted, cost + tries, copies + visits
