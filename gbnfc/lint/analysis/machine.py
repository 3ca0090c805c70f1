"""llama.cpp's view of a grammar: its expanded rules and the stacks it keeps while a text grows.

In: a `Grammar`. Out: a `StackMachine` whose `start` and `step` give exactly the set of stacks that
`llama_grammar_advance_stack` and `llama_grammar_accept` (src/llama-grammar.cpp as vendored by
llama-cpp-python 0.3.36) hold after each character. The number of live stacks drives the time that
masking a vocabulary takes, because each stack is tried against each token that the ones before
refused. `cost.py` searches this machine for the worst text.

A stack is an integer: a node of a shared linked list `(top element, rest)`, so that equal stacks
are equal numbers and copying one costs nothing.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING

from gbnfc.charset import ANY, CharSet
from gbnfc.errors import LimitExceeded
from gbnfc.ir.nodes import (
    MAX_REPETITION,
    AnyChar,
    CharClass,
    Choice,
    Expression,
    Grammar,
    Literal,
    Repeat,
    RuleRef,
    Sequence,
    TokenTerminal,
)

if TYPE_CHECKING:
    from collections.abc import Sequence as Seq

MAX_ELEMENTS = 400_000
MAX_VISITS = 300_000
MAX_DEPTH = 300

END = 0
"""Element kinds: end of an alternative, reference, character terminal, token terminal."""
REFERENCE, CHARACTERS, TOKEN = 1, 2, 3
EMPTY_STACK = 0


_END: tuple[int, CharSet | int | None] = (END, None)


@lru_cache(maxsize=1_024)
def _character(char: str) -> tuple[int, CharSet | int | None]:
    return CHARACTERS, CharSet.single(ord(char))


class StackMachine:
    """The expanded rules of one grammar. Elements are positions in flat lists.

    `kinds[e]` tells what element `e` is, `chars[e]` its characters, `targets[e]` the starts of the
    alternatives of the rule it refers to. The element behind `e` is `e + 1`.
    """

    def __init__(self) -> None:
        self.kinds: list[int] = []
        self.chars: list[CharSet | None] = []
        self.rule_of: list[int] = []
        self.alternatives: list[tuple[int, ...]] = []
        self.tops: list[int] = [0]
        self.rests: list[int] = [0]
        self.depths: list[int] = [0]
        self._nodes: dict[tuple[int, int], int] = {}
        self._advanced: dict[int, tuple[int, ...]] = {}
        self.visits: dict[int, int] = {}
        self.root = 0
        self._visited = 0

    def push(self, element: int, rest: int) -> int:
        """Return the stack with `element` on top of `rest` (just `rest` when nothing follows)."""
        if self.kinds[element] == END:
            return rest
        new = len(self.tops)
        node = self._nodes.setdefault((element, rest), new)
        if node == new:
            self.tops.append(element)
            self.rests.append(rest)
            self.depths.append(self.depths[rest] + 1)
        return node

    def start(self) -> tuple[int, ...]:
        """Return the stacks before the first character."""
        found: dict[int, None] = {}
        for first in self.alternatives[self.root]:
            found.update(dict.fromkeys(self.advance(self.push(first, EMPTY_STACK))))
        return tuple(found)

    def advance(self, stack: int) -> tuple[int, ...]:
        """Return the stacks with a terminal on top (or empty) that `stack` expands to.

        Raises: `LimitExceeded` for left recursion, where the engine would not come back.
        """
        known = self._advanced.get(stack)
        if known is not None:
            return known
        if stack == EMPTY_STACK or self.kinds[self.tops[stack]] != REFERENCE:
            self._visited += 1
            self.visits[stack] = 1
            self._advanced[stack] = (stack,)
            return self._advanced[stack]
        limit = self.depths[stack] + MAX_DEPTH + len(self.alternatives)
        max_seen = MAX_VISITS - self._visited
        kinds, tops, push = self.kinds, self.tops, self.push
        seen: set[int] = set()
        found: list[int] = []
        todo = [stack]
        while todo:
            current = todo.pop()
            if current in seen:
                continue
            seen.add(current)
            element = tops[current]
            if current == EMPTY_STACK or kinds[element] != REFERENCE:
                found.append(current)
                continue
            if self.depths[current] > limit:
                raise LimitExceeded("the stacks grow without reading a character")
            if len(seen) > max_seen:
                raise LimitExceeded(f"more than {MAX_VISITS:,} stacks had to be expanded")
            behind = push(element + 1, self.rests[current])
            todo += [push(at, behind) for at in self.alternatives[self.rule_of[element]]]
        self._visited += len(seen)
        self.visits[stack] = len(seen)
        self._advanced[stack] = tuple(found)
        return self._advanced[stack]

    def behind(self, stack: int) -> int:
        """Return `stack` with its terminal read, before it is advanced."""
        return self.push(self.tops[stack] + 1, self.rests[stack])

    def accepts(self, stack: int) -> CharSet | None:
        """Return the characters on top of `stack`; `None` when it is empty or a token terminal."""
        return None if stack == EMPTY_STACK else self.chars[self.tops[stack]]

    def step(self, stacks: Seq[int], code_point: int) -> tuple[int, ...]:
        """Return the stacks that are left after one more character; none when it is refused."""
        reached = [
            self.advance(self.behind(stack))
            for stack in stacks
            if (chars := self.accepts(stack)) is not None and code_point in chars
        ]
        if len(reached) == 1:
            return reached[0]
        return tuple(dict.fromkeys(chain.from_iterable(reached)))


def build_machine(grammar: Grammar) -> StackMachine:
    """Expand `grammar` as llama.cpp's parser does; of duplicate rules the last one counts.

    Undefined rules have no alternatives. Raises: `LimitExceeded` when the expansion passes
    `MAX_ELEMENTS` or groups nest deeper than `MAX_DEPTH`.
    """
    return _Expansion(grammar).machine


class _Expansion:
    """Writes rules into a machine: one `_open` rule at a time, generated rules in between."""

    def __init__(self, grammar: Grammar) -> None:
        self.machine = StackMachine()
        self._ids: dict[str, int] = {}
        self._pending: list[list[list[tuple[int, CharSet | int | None]]]] = []
        for name in dict.fromkeys(rule.name for rule in grammar.rules):
            self._id(name)
        for rule in {rule.name: rule for rule in grammar.rules}.values():
            self._pending[self._id(rule.name)] = self._alternatives(rule.body, 0)
        self.machine.root = self._id(grammar.root)
        self._lay_out()

    def _id(self, name: str) -> int:
        if name not in self._ids:
            self._ids[name] = self._new_rule([])
        return self._ids[name]

    def _new_rule(self, alternatives: list[list[tuple[int, CharSet | int | None]]]) -> int:
        self._pending.append(alternatives)
        return len(self._pending) - 1

    def _alternatives(
        self, body: Expression, depth: int
    ) -> list[list[tuple[int, CharSet | int | None]]]:
        members = body.alternatives if isinstance(body, Choice) else (body,)
        return [self._sequence(member, depth) for member in members]

    def _sequence(self, body: Expression, depth: int) -> list[tuple[int, CharSet | int | None]]:
        items = body.items if isinstance(body, Sequence) else (body,)
        elements: list[tuple[int, CharSet | int | None]] = []
        for item in items:
            elements.extend(self._symbol(item, depth))
        return elements

    def _symbol(self, item: Expression, depth: int) -> list[tuple[int, CharSet | int | None]]:
        if depth > MAX_DEPTH:
            raise LimitExceeded(f"groups nest deeper than {MAX_DEPTH}")
        match item:
            case Literal(text) if len(text) > MAX_ELEMENTS:
                raise LimitExceeded(f"a literal has more than {MAX_ELEMENTS:,} characters")
            case Literal(text):
                return [_character(char) for char in text]
            case CharClass(ranges):
                return [(CHARACTERS, item.chars)] if ranges else []
            case AnyChar():
                return [(CHARACTERS, ANY)]
            case TokenTerminal():
                return [(TOKEN, None)]
            case RuleRef(name):
                return [(REFERENCE, self._id(name))]
            case Repeat(inner, minimum, maximum):
                return self._repeat(self._symbol(inner, depth + 1), minimum, maximum)
            case Choice() | Sequence():
                return [(REFERENCE, self._new_rule(self._alternatives(item, depth + 1)))]

    def _repeat(
        self, body: list[tuple[int, CharSet | int | None]], minimum: int, maximum: int | None
    ) -> list[tuple[int, CharSet | int | None]]:
        """Write `S{m,n}` as `S S … S'` with the chain of optional rules that llama.cpp makes."""
        if maximum is not None and maximum > MAX_REPETITION:
            maximum = None
        copies = minimum if maximum is None else max(maximum, minimum)
        if copies * max(1, len(body)) > MAX_ELEMENTS:
            raise LimitExceeded(f"repetition expands to more than {MAX_ELEMENTS:,} elements")
        tail: list[tuple[int, CharSet | int | None]] = []
        if maximum is None:
            loop = self._new_rule([])
            self._pending[loop] = [[*body, (REFERENCE, loop)], []]
            tail = [(REFERENCE, loop)]
        else:
            for _ in range(maximum - minimum):
                tail = [(REFERENCE, self._new_rule([[*body, *tail], []]))]
        return body * minimum + tail

    def _lay_out(self) -> None:
        machine = self.machine
        elements: list[tuple[int, CharSet | int | None]] = []
        for alternatives in self._pending:
            starts = []
            for alternative in alternatives:
                starts.append(len(elements))
                elements += alternative
                elements.append(_END)
                if len(elements) > MAX_ELEMENTS:
                    raise LimitExceeded(f"grammar expands to more than {MAX_ELEMENTS:,} elements")
            machine.alternatives.append(tuple(starts))
        machine.kinds = [kind for kind, _ in elements]
        machine.chars = [value if isinstance(value, CharSet) else None for _, value in elements]
        machine.rule_of = [value if isinstance(value, int) else 0 for _, value in elements]
