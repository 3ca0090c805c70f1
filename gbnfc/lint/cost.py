"""How dear a grammar can become for llama.cpp: the text that leaves it with the most live stacks.

In: a `Grammar`. Out: a `Cost`: the worst number of stacks, a text that reaches it, and what masking
a vocabulary costs there compared with a grammar that holds one stack. The search walks the exact
stacks of `machine.py`, dearest first and breadth first in turn, within a budget of steps.

The estimate replays `llama_grammar_reject_candidates` over `REFERENCE_TOKENS`: each stack is tried
against each token that the stacks before it refused, character by character. Its weights were
fitted to measured mask times; `tests/bench/mask_cost.py` prints the rank correlation.
"""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gbnfc.charset import CharSet, partition
from gbnfc.lint.machine import EMPTY_STACK, Machine, build_machine
from gbnfc.lint.vocabulary import REFERENCE_TOKENS

if TYPE_CHECKING:
    from collections.abc import Sequence as Seq

    from gbnfc.ir.nodes import Grammar

SEARCH_STEPS = 4_000
_WORK_STEPS = 400_000
_CANDIDATES = 3

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

    `stacks` is the worst number of live stacks found, reached by `witness`; `mask_ns` the
    estimated nanoseconds of one full mask over 49k tokens behind `dearest`, the dearest prefix.
    `complete` tells that every reachable state was seen; else the search stopped at its budget.
    """

    stacks: int
    witness: str
    mask_ns: int
    dearest: str
    rules: int
    elements: int
    complete: bool

    @property
    def factor(self) -> float:
        """The mask cost relative to a grammar that holds one stack and accepts any text."""
        return self.mask_ns / _PLAIN_NS


_PLAIN_NS = sum(
    weight * (_NS_PER_TOKEN + len(text) * (_NS_PER_TRY + _NS_PER_RANGE))
    for text, weight in REFERENCE_TOKENS
)


def measure_cost(grammar: Grammar, steps: int = SEARCH_STEPS) -> Cost:
    """Search `grammar` for the text that makes llama.cpp slowest.

    `steps` bounds the search: one step is one stack that reads one character.

    Raises: `LimitExceeded` when the grammar cannot be expanded (too large, left recursion).
    """
    machine = build_machine(grammar)
    search = _Search(machine, steps)
    found = search.run()
    stacks, witness = found[0]
    priced = [(mask_work(machine, held), text) for held, text in found[:_CANDIDATES]]
    priced.append((mask_work(machine, machine.start()), ""))
    mask_ns, dearest = max(priced, key=lambda pair: (pair[0], -len(pair[1])))
    return Cost(
        len(stacks),
        witness,
        mask_ns,
        dearest,
        len(machine.alternatives),
        len(machine.kinds),
        search.complete,
    )


class _Search:
    """Walks states (sets of stacks) best first and breadth first in turn."""

    def __init__(self, machine: Machine, steps: int) -> None:
        self._machine = machine
        self._left = steps
        self._letters: dict[frozenset[int], tuple[int, ...]] = {}
        self.complete = True

    def run(self) -> list[tuple[tuple[int, ...], str]]:
        """Return the states that were seen with the text that reaches each, most stacks first."""
        start = self._machine.start()
        seen = {frozenset(start): (start, "")}
        dearest = [(-len(start), 0, start, "")]
        oldest = deque([(start, "")])
        expanded: set[frozenset[int]] = set()
        while dearest and self._left > 0:
            by_cost = len(expanded) % 2 == 0 or not oldest
            stacks, text = heapq.heappop(dearest)[2:] if by_cost else oldest.popleft()
            key = frozenset(stacks)
            if key in expanded:
                continue
            expanded.add(key)
            for after, longer in self._expand(stacks, text):
                if frozenset(after) not in seen:
                    seen[frozenset(after)] = (after, longer)
                    heapq.heappush(dearest, (-len(after), len(seen), after, longer))
                    oldest.append((after, longer))
        self.complete = len(expanded) == len(seen)
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
        tops = frozenset(machine.tops[stack] for stack in stacks if stack != EMPTY_STACK)
        known = self._letters.get(tops)
        if known is None:
            sets = [chars for top in sorted(tops) if (chars := machine.chars[top]) is not None]
            self._left -= len(sets)
            known = tuple(readable_member(piece) for piece in partition(sets))
            self._letters[tops] = known
        return known


def readable_member(chars: CharSet) -> int:
    """Return a code point of `chars` that reads well in a message. `chars` is not empty."""
    for preferred in _READABLE:
        if found := chars & preferred:
            return found.lowest
    return chars.lowest


def mask_work(machine: Machine, stacks: Seq[int]) -> int:
    """Return the estimated nanoseconds of masking a vocabulary of 49k tokens at `stacks`.

    Beyond a bound of work the rest is taken to cost as much as what was seen of it.
    """
    tally = _Tally(machine)
    everything = tuple(range(len(REFERENCE_TOKENS)))
    tally.work += _NS_PER_TOKEN * sum(weight for _, weight in REFERENCE_TOKENS)
    tally.refused(stacks, everything, 0)
    return tally.work


class _Tally:
    """Counts the work of `llama_grammar_reject_candidates`; tokens are indices."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._steps = _WORK_STEPS
        self.work = 0

    def refused(self, stacks: Seq[int], tokens: tuple[int, ...], at: int) -> tuple[int, ...]:
        """Return the `tokens` that no stack accepts from their character `at` on."""
        for done, stack in enumerate(stacks):
            if not tokens:
                break
            if self._steps <= 0:
                self.work += self.work * (len(stacks) - done) // max(1, done)
                break
            tokens = self._refused_by(stack, tokens, at)
        return tokens

    def _refused_by(self, stack: int, tokens: tuple[int, ...], at: int) -> tuple[int, ...]:
        self._steps -= len(tokens)
        chars = self._machine.accepts(stack)
        if chars is None:
            self.work += sum(REFERENCE_TOKENS[token][1] for token in tokens) * _NS_PER_TRY
            return tuple(token for token in tokens if len(REFERENCE_TOKENS[token][0]) > at)
        going_on: list[int] = []
        refused: list[int] = []
        weight = 0
        for token in tokens:
            text, stands_for = REFERENCE_TOKENS[token]
            weight += stands_for
            if len(text) > at:
                (going_on if text[at] in chars else refused).append(token)
        self.work += weight * (_NS_PER_TRY + _NS_PER_RANGE * len(chars.ranges))
        behind = self._machine.behind(stack)
        after = self._machine.advance(behind)
        self.work += _NS_PER_VISIT * self._machine.visits[behind] + len(after) * len(after)
        if going_on:
            refused += self.refused(after, tuple(going_on), at + 1)
        return tuple(refused)
