"""Constructions on automaton tables: products, concatenation, word lists, joining of classes.

A `Table` is an automaton under construction: disjoint character sets ordered by lowest member, and
rows from their indices to states. It need not be minimal; `dfa.Dfa` is the finished value.
"""

from __future__ import annotations

from bisect import bisect_right
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from gbnfc.charset import CharSet, partition
from gbnfc.errors import LimitExceeded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gbnfc.regex.minimise import Row

MAX_STATES = 10_000
"""Default bound on the states of an automaton, also while it is being built."""


class Table(NamedTuple):
    """A partial deterministic automaton; state 0 is the start, a missing class is a refusal."""

    alphabet: tuple[CharSet, ...]
    rows: Sequence[Row]
    accepting: Sequence[bool]


class Operation(Enum):
    """What a product accepts."""

    AND = "&"
    OR = "|"
    MINUS = "-"


def check_limit(states: int, max_states: int) -> None:
    """Raise `LimitExceeded` when `states` is more than `max_states`."""
    if states > max_states:
        raise LimitExceeded(
            f"the automaton of this string needs more than {max_states} states",
            hint="simplify the pattern, or narrow its repetitions and length bounds",
        )


def product(left: Table, right: Table, operation: Operation, max_states: int) -> Table:
    """Run two automata side by side. States are pairs; `None` is the dead state of one side."""
    pieces = partition(left.alphabet + right.alphabet)
    left_row, right_row = _on_pieces(left, pieces), _on_pieces(right, pieces)
    number: dict[tuple[int | None, int | None], int] = {(0, 0): 0}
    pairs: list[tuple[int | None, int | None]] = [(0, 0)]
    rows: list[Row] = []
    accepting: list[bool] = []
    for mine, theirs in pairs:  # Grows while it is walked: the queue of the search.
        my_row, their_row = left_row(mine), right_row(theirs)
        row: Row = {}
        for symbol in _symbols(my_row, their_row, operation):
            pair = (my_row.get(symbol), their_row.get(symbol))
            target = number.get(pair)
            if target is None:
                target = number[pair] = len(pairs)
                check_limit(target, max_states)
                pairs.append(pair)
            row[symbol] = target
        rows.append(row)
        in_left = mine is not None and left.accepting[mine]
        in_right = theirs is not None and right.accepting[theirs]
        accepting.append(_accepts(operation, in_left, in_right))
    return Table(pieces, rows, accepting)


def _symbols(mine: Row, theirs: Row, operation: Operation) -> Iterable[int]:
    match operation:
        case Operation.AND:
            return [symbol for symbol in mine if symbol in theirs]
        case Operation.OR:
            return sorted(mine.keys() | theirs.keys())
        case Operation.MINUS:
            return mine


def _accepts(operation: Operation, in_left: bool, in_right: bool) -> bool:
    match operation:
        case Operation.AND:
            return in_left and in_right
        case Operation.OR:
            return in_left or in_right
        case Operation.MINUS:
            return in_left and not in_right


def _on_pieces(table: Table, pieces: tuple[CharSet, ...]) -> Callable[[int | None], Row]:
    """Return a function from a state to its row over the finer alphabet `pieces`."""
    inside: list[list[int]] = [[] for _ in table.alphabet]
    owner = class_finder(table.alphabet)
    for index, piece in enumerate(pieces):
        symbol = owner(piece.lowest)
        if symbol is not None:
            inside[symbol].append(index)
    known: dict[int | None, Row] = {None: {}}

    def row(state: int | None) -> Row:
        found = known.get(state)
        if found is None and state is not None:
            found = {
                piece: target
                for symbol, target in table.rows[state].items()
                for piece in inside[symbol]
            }
            known[state] = found
        return found or {}

    return row


def class_finder(alphabet: Sequence[CharSet]) -> Callable[[int], int | None]:
    """Return a function from a code point to the index of its class in `alphabet` (or `None`)."""
    bounds = sorted(
        (first, last, index)
        for index, members in enumerate(alphabet)
        for first, last in members.ranges
    )
    firsts = [first for first, _, _ in bounds]

    def find(code_point: int) -> int | None:
        at = bisect_right(firsts, code_point) - 1
        return bounds[at][2] if at >= 0 and code_point <= bounds[at][1] else None

    return find


def concatenation(left: Table, right: Table, max_states: int) -> Table:
    """Return each word of `left` followed by one of `right`, by subset construction."""
    pieces = partition(left.alphabet + right.alphabet)
    left_row, right_row = _on_pieces(left, pieces), _on_pieces(right, pieces)

    def entered(mine: int | None, theirs: frozenset[int]) -> frozenset[int]:
        return theirs | {0} if mine is not None and left.accepting[mine] else theirs

    start = (0, entered(0, frozenset()))
    number: dict[tuple[int | None, frozenset[int]], int] = {start: 0}
    states: list[tuple[int | None, frozenset[int]]] = [start]
    rows: list[Row] = []
    for mine, theirs in states:
        my_row = left_row(mine)
        moves: dict[int, set[int]] = {symbol: set() for symbol in my_row}
        for state in theirs:
            for symbol, target in right_row(state).items():
                moves.setdefault(symbol, set()).add(target)
        row: Row = {}
        for symbol in sorted(moves):
            after = my_row.get(symbol)
            key = (after, entered(after, frozenset(moves[symbol])))
            if key not in number:
                number[key] = len(states)
                check_limit(len(states), max_states)
                states.append(key)
            row[symbol] = number[key]
        rows.append(row)
    accepting = [any(right.accepting[state] for state in theirs) for _, theirs in states]
    return Table(pieces, rows, accepting)


def word_table(words: Iterable[str]) -> Table:
    """Return the minimal automaton of a finite set of words, built in one pass.

    Incremental construction from sorted words (Daciuk, Mihov, Watson, Watson 2000): only the path
    of the last word is still open, everything to its left is already minimal.
    """
    ordered = sorted(set(words))
    letters = sorted({char for word in ordered for char in word})
    symbol_of = {char: index for index, char in enumerate(letters)}
    rows: list[Row] = [{}]
    accepting = [False]
    register: dict[tuple[bool, tuple[tuple[int, int], ...]], int] = {}
    free: list[int] = []
    path = [0]

    def close(depth: int, word: str) -> None:
        """Replace the open states below `depth` by equal states that are already known."""
        while len(path) > depth + 1:
            state = path.pop()
            key = (accepting[state], tuple(sorted(rows[state].items())))
            known = register.setdefault(key, state)
            if known != state:
                rows[path[-1]][symbol_of[word[len(path) - 1]]] = known
                free.append(state)

    previous = ""
    for word in ordered:
        shared = _common_prefix(previous, word)
        close(shared, previous)
        for char in word[shared:]:
            if free:
                state = free.pop()
                rows[state], accepting[state] = {}, False
            else:
                state = len(rows)
                rows.append({})
                accepting.append(False)
            rows[path[-1]][symbol_of[char]] = state
            path.append(state)
        accepting[path[-1]] = True
        previous = word
    close(0, previous)
    return Table(tuple(CharSet.from_chars(char) for char in letters), rows, accepting)


def _common_prefix(one: str, other: str) -> int:
    length = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        length += 1
    return length


def merge_classes(table: Table) -> Table:
    """Join the character sets that no state of a table tells apart, and drop the unused ones."""
    columns: list[list[tuple[int, int]]] = [[] for _ in table.alphabet]
    for state, row in enumerate(table.rows):
        for symbol, target in row.items():
            columns[symbol].append((state, target))
    groups: dict[tuple[tuple[int, int], ...], list[int]] = {}
    for symbol, column in enumerate(columns):
        if column:
            groups.setdefault(tuple(column), []).append(symbol)
    merged = {members[0]: new for new, members in enumerate(groups.values())}
    return Table(
        tuple(
            CharSet.of(r for symbol in members for r in table.alphabet[symbol].ranges)
            for members in groups.values()
        ),
        [{merged[c]: t for c, t in row.items() if c in merged} for row in table.rows],
        table.accepting,
    )
