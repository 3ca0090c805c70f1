r"""Nondeterministic automaton with guards → deterministic table: anchors and look-arounds decided.

Subset construction whose members are *threads*: a place in the pattern together with the
obligations it has taken on. A look-ahead is an obligation: the table of "its body, then anything"
(complemented when negated) runs along with the thread from here on, and the thread counts only
where the obligation holds in the end. `$` and the half of `\b` that looks right are obligations
too. What looks left (`^`, the other half of `\b`, look-behinds) is decided on the spot from the
text read so far: each look-behind is the table of "anything, then its body", which runs along from
the start of the text. Everything is exact, at any depth; only a look-ahead inside a look-behind
that reaches past it is refused.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, TypeAlias

from gbnfc.errors import LimitExceeded, PatternError
from gbnfc.regex.classes import WORD
from gbnfc.regex.minimise import Row, minimise
from gbnfc.regex.nfa import Builder, Final, Fork, Guard, Read
from gbnfc.regex.syntax import Anchor, Look
from gbnfc.regex.tables import check_limit

MAX_STEPS = 3_000_000
"""Bound on the work for one pattern, in moves of threads: a second or two."""

Obligations: TypeAlias = frozenset[tuple[int, int]]
"""What must hold for the text to the right: machines (by index) and the states they are in."""

_NO_OBLIGATIONS: Obligations = frozenset()
_AT_END, _BEFORE_WORD, _BEFORE_NO_WORD = (0, 0), (1, 0), (2, 0)


class Table(NamedTuple):
    """A minimal table over symbol classes; a missing move is a refusal.

    `universal` is the state that accepts every continuation, `None` when there is no such state.
    """

    rows: list[Row]
    accepting: list[bool]
    universal: int | None


class Thread(NamedTuple):
    """A `Read` or `Final` node that is reached, and what must still turn out true."""

    node: int
    obligations: Obligations


class LeftContext(NamedTuple):
    """What is known about the text to the left of a place.

    `after_word`: whether the last character is a word character (`None`: start of the text).
    `behind`: the state of each look-behind's machine (`None`: it can never match again).
    """

    after_word: bool | None
    behind: tuple[int | None, ...]


_AFTER_WORD, _AFTER_NO_WORD = LeftContext(True, ()), LeftContext(False, ())


class MatchEnd(Enum):
    """Where a match may end: before any rest of the text (a search), or only at its end."""

    ANYWHERE = "anywhere"
    AT_END = "at end"


_State: TypeAlias = tuple[frozenset[int], tuple[int | None, ...]]


@dataclass
class Determiniser:
    """The work on one pattern: its threads, and the machines of its look-arounds."""

    builder: Builder
    max_states: int
    final: int = field(init=False)
    machines: list[Table] = field(init=False)
    behind: list[Table] = field(default_factory=list)
    behind_index: dict[int, int] = field(default_factory=dict)
    sees_words: bool = False
    max_readers: int = 0
    _word: frozenset[int] = field(init=False)
    _threads: list[Thread] = field(default_factory=list)
    _thread_number: dict[Thread, int] = field(default_factory=dict)
    _owing: set[int] = field(default_factory=set)
    _closures: dict[tuple[int, Obligations, LeftContext], frozenset[int]] = field(
        default_factory=dict
    )
    _look_entries: dict[int, int] = field(default_factory=dict)
    _looks: dict[tuple[int, LeftContext], int] = field(default_factory=dict)
    _steps: int = 0

    def __post_init__(self) -> None:
        self.final = self.builder.add(Final())
        symbols = range(len(self.builder.alphabet.classes))
        self._word = frozenset(self.builder.symbols(WORD)) if self.sees_words else frozenset()
        anything: Row = dict.fromkeys(symbols, 1)
        before_word = [{s: 1 for s in symbols if s in self._word}, anything]
        before_no_word = [{s: 1 for s in symbols if s not in self._word}, anything]
        self.machines = [
            Table([{}], [True], None),
            Table(before_word, [False, True], 1),
            Table(before_no_word, [True, True], 1),
        ]

    def add_look_behind(self, look: Look, entry: int) -> None:
        """Follow `look` from now on; `entry` is where "anything, then its body" begins."""
        self.behind_index[id(look)] = len(self.behind)
        self.behind.append(self.run(entry, self.start_context(), MatchEnd.AT_END))

    def start_context(self) -> LeftContext:
        """Return the context of the start of the text."""
        return LeftContext(None, (0,) * len(self.behind))

    def run(self, entry: int, context: LeftContext, ending: MatchEnd) -> Table:
        """Return the minimal table of the texts that match from `entry` on, met in `context`."""
        start = self._state(self._closure(entry, _NO_OBLIGATIONS, context), context, ending)
        number = {start: 0}
        states = [start]
        rows: list[Row] = []
        for state in states:  # Grows while it is walked: the queue of the search.
            row: Row = {}
            for symbol, following in self._moves(state, ending):
                target = number.get(following)
                if target is None:
                    target = number[following] = len(states)
                    check_limit(target, self.max_states)
                    states.append(following)
                row[symbol] = target
            rows.append(row)
        return _machine(
            rows,
            [self._accepts(threads, ending) for threads, _ in states],
            len(self.builder.alphabet.classes),
        )

    # States ------------------------------------------------------------------------------------

    def _state(self, threads: frozenset[int], context: LeftContext, ending: MatchEnd) -> _State:
        if ending is MatchEnd.ANYWHERE:
            free = self._thread_number.get(Thread(self.final, _NO_OBLIGATIONS))
            if free in threads:
                return frozenset((free,)), ()
        return self._without_subsumed(threads), context.behind

    def _without_subsumed(self, threads: frozenset[int]) -> frozenset[int]:
        """Drop each thread that is at the same node as another with fewer obligations."""
        owing = threads & self._owing
        if not owing:
            return threads
        dropped: set[int] = set()
        for number in owing:
            node, mine = self._threads[number]
            free = self._thread_number.get(Thread(node, _NO_OBLIGATIONS))
            if free in threads or any(
                self._threads[other].node == node and self._threads[other].obligations < mine
                for other in owing
            ):
                dropped.add(number)
        return threads - dropped

    def _accepts(self, threads: frozenset[int], ending: MatchEnd) -> bool:
        undecided = False
        for node, obligations in (self._threads[number] for number in threads):
            if node != self.final:
                continue
            if not obligations:
                return True
            if ending is MatchEnd.AT_END:
                undecided = True
            elif all(self.machines[m].accepting[s] for m, s in obligations):
                return True
        if undecided:
            raise PatternError(
                "a look-behind whose body looks past its own end is not supported",
                hint="move the look-ahead or \\b out of the look-behind",
            )
        return False

    def _moves(self, state: _State, ending: MatchEnd) -> list[tuple[int, _State]]:
        """Return the next state for each symbol that some thread of `state` can read."""
        threads, behind = state
        readers: dict[int, list[int]] = {}
        for number in sorted(threads):
            for symbol in self._readable(self._threads[number].node, ending):
                readers.setdefault(symbol, []).append(number)
        counts = [len(numbers) for numbers in readers.values()]
        self.max_readers = max(self.max_readers, *counts, 0)
        self._count_steps(sum(counts))
        known: dict[object, _State | None] = {}
        moves: list[tuple[int, _State]] = []
        for symbol in sorted(readers):
            context = self._context_after(symbol, behind)
            numbers = readers[symbol]
            key = (tuple(numbers), context, None if self._owing.isdisjoint(numbers) else symbol)
            if key not in known:
                reached = frozenset[int]().union(
                    *[self._step(number, symbol, context) for number in numbers]
                )
                known[key] = self._state(reached, context, ending) if reached else None
            following = known[key]
            if following is not None:
                moves.append((symbol, following))
        return moves

    def _count_steps(self, steps: int) -> None:
        self._steps += steps
        if self._steps > MAX_STEPS:
            raise LimitExceeded(
                f"the pattern needs more than {MAX_STEPS} steps to become an automaton",
                hint="simplify it: nested or overlapping repetitions multiply",
            )

    def _readable(self, node: int, ending: MatchEnd) -> tuple[int, ...] | range:
        found = self.builder.nodes[node]
        if isinstance(found, Read):
            return found.symbols
        return range(len(self.builder.alphabet.classes) if ending is MatchEnd.ANYWHERE else 0)

    def _context_after(self, symbol: int, behind: tuple[int | None, ...]) -> LeftContext:
        if not behind:
            return _AFTER_WORD if symbol in self._word else _AFTER_NO_WORD
        states = tuple(
            None if state is None else machine.rows[state].get(symbol)
            for machine, state in zip(self.behind, behind, strict=False)
        )
        return LeftContext(symbol in self._word, states)

    # Threads -----------------------------------------------------------------------------------

    def _step(self, number: int, symbol: int, context: LeftContext) -> frozenset[int]:
        """Return the threads that one thread becomes by reading `symbol` into `context`."""
        node, obligations = self._threads[number]
        if obligations:
            left = self._advance(obligations, symbol)
            if left is None:
                return frozenset()
            obligations = left
        found = self.builder.nodes[node]
        if isinstance(found, Read):
            return self._closure(found.following, obligations, context)
        return frozenset((self._number(Thread(node, obligations)),))

    def _advance(self, obligations: Obligations, symbol: int) -> Obligations | None:
        """Return what is still owed after reading `symbol`; `None` when one is broken."""
        left: list[tuple[int, int]] = []
        for index, state in obligations:
            machine = self.machines[index]
            target = machine.rows[state].get(symbol)
            if target is None:
                return None
            if target != machine.universal:
                left.append((index, target))
        return frozenset(left)

    def _number(self, thread: Thread) -> int:
        number = self._thread_number.get(thread)
        if number is None:
            number = self._thread_number[thread] = len(self._threads)
            self._threads.append(thread)
            if thread.obligations:
                self._owing.add(number)
        return number

    def _closure(
        self, entry: int, obligations: Obligations, context: LeftContext
    ) -> frozenset[int]:
        """Return the threads that `entry` leads to without reading, as `context` allows."""
        key = (entry, obligations, context)
        known = self._closures.get(key)
        if known is not None:
            return known
        nodes = self.builder.nodes
        pending = [(entry, obligations)]
        seen = {(entry, obligations)}
        reached: list[int] = []
        while pending:
            place, owed = pending.pop()
            node = nodes[place]
            following: list[tuple[int, Obligations]] = []
            if isinstance(node, Fork):
                following = [(target, owed) for target in node.targets]
            elif isinstance(node, Guard):
                more = self._owed_by(node.condition, context)
                if more is not None:
                    following = [(node.following, owed | more)]
            elif isinstance(node, Final) or _AT_END not in owed:
                reached.append(self._number(Thread(place, owed)))
            for step in following:
                if step not in seen:
                    seen.add(step)
                    pending.append(step)
        self._count_steps(2 * len(seen))
        result = self._closures[key] = frozenset(reached)
        return result

    def _owed_by(self, condition: Anchor | Look, context: LeftContext) -> Obligations | None:
        """Return what passing `condition` obliges to; `None` when it fails already."""
        after_word = context.after_word is True
        match condition:
            case Anchor.START:
                return _NO_OBLIGATIONS if context.after_word is None else None
            case Anchor.END:
                return frozenset((_AT_END,))
            case Anchor.WORD_BOUNDARY:
                return frozenset((_BEFORE_NO_WORD if after_word else _BEFORE_WORD,))
            case Anchor.NO_WORD_BOUNDARY:
                return frozenset((_BEFORE_WORD if after_word else _BEFORE_NO_WORD,))
        if condition.kind.is_ahead:
            return self._owed_by_look_ahead(condition, context)
        index = self.behind_index[id(condition)]
        state = context.behind[index]
        matched = state is not None and self.behind[index].accepting[state]
        return None if matched == condition.kind.negated else _NO_OBLIGATIONS

    def _owed_by_look_ahead(self, look: Look, context: LeftContext) -> Obligations | None:
        index = self._looks.get((id(look), context))
        if index is None:
            if id(look) not in self._look_entries:
                self._look_entries[id(look)] = self.builder.build(look.body, self.final)
            machine = self.run(self._look_entries[id(look)], context, MatchEnd.ANYWHERE)
            if look.kind.negated:
                machine = _complement(machine, len(self.builder.alphabet.classes))
            index = self._looks[id(look), context] = len(self.machines)
            self.machines.append(machine)
        machine = self.machines[index]
        if machine.universal == 0:
            return _NO_OBLIGATIONS
        return frozenset(((index, 0),)) if any(machine.accepting) else None


def _machine(rows: list[Row], accepting: list[bool], symbols: int) -> Table:
    rows, accepting = minimise(rows, accepting)
    universal = None
    for state, row in enumerate(rows):
        if accepting[state] and len(row) == symbols and all(t == state for t in row.values()):
            universal = state
    return Table(rows, accepting, universal)


def _complement(machine: Table, symbols: int) -> Table:
    """Return the table of all texts that `machine` refuses."""
    sink = len(machine.rows)
    rows = [{s: row.get(s, sink) for s in range(symbols)} for row in [*machine.rows, {}]]
    return _machine(rows, [*(not accepted for accepted in machine.accepting), True], symbols)
