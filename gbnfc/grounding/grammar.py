"""The spans of a document as a grammar: input-dependent grammars (Geng et al. 2023).

In: a `Document`. Out: an expression for the contents of a JSON string, and its rules: every text
that a grounded field may have, nothing else. The spans are a minimal deterministic automaton over
characters, with runs of characters as one literal: the suffix automaton (Blumer et al. 1985) of
those suffixes that begin where values begin, accepting where values end. Deterministic means that
llama.cpp holds two stacks at a time at most where a span may end, and one elsewhere.

S. Geng, M. Josifoski, M. Peyrard, R. West: "Grammar-Constrained Decoding for Structured NLP Tasks
without Finetuning", EMNLP 2023, section 3.2.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from gbnfc.errors import LimitExceeded, Unsatisfiable
from gbnfc.grounding.candidates import escape_text
from gbnfc.ir.build import choice, optional, sequence
from gbnfc.ir.nodes import Expression, Literal, Rule, RuleRef

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gbnfc.grounding.document import Document
    from gbnfc.ir.names import NameAllocator

MAX_STEPS = 5_000_000
"""Bound on the work for texts that repeat themselves over and over."""

_END = "\0"
"""What ends a segment: no grammar reads it, and no document holds it."""

_State: TypeAlias = tuple[bool, tuple[tuple[str, int], ...]]
"""Whether a span may end, and what may follow: literal and number of the next state."""


def span_grammar(
    document: Document, names: NameAllocator, hint: str = "span", max_chars: int | None = None
) -> tuple[Expression, tuple[Rule, ...]]:
    """Return an expression for the spans of `document`, as contents of a JSON string, and rules.

    With `max_chars` no span is longer, and none of at most half that length is missing: the text
    is cut into windows of `max_chars` that begin at every half of it, so that the grammar stays
    linear in the text.

    Raises:
        Unsatisfiable: the document holds no span (of that length).
        LimitExceeded: the text repeats itself too often.
    """
    segments = _Segments()
    for start, end in _windows(document, max_chars):
        segments.add(document, start, end)
    return _emit(segments, names, hint)


def choice_grammar(
    values: Iterable[str], names: NameAllocator, hint: str = "choice"
) -> tuple[Expression, tuple[Rule, ...]]:
    """Return an expression for exactly `values`, JSON texts as they stand in an answer, and rules.

    Raises:
        Unsatisfiable: there are none.
    """
    segments = _Segments()
    for value in dict.fromkeys(values):
        segments.add_text(value, {0}, {len(value)})
    return _emit(segments, names, hint)


def _windows(document: Document, max_chars: int | None) -> list[tuple[int, int]]:
    length = len(document.text)
    if max_chars is None or length <= max_chars:
        return [(0, length)]
    step = max(1, max_chars // 2)
    return [(at, min(at + max_chars, length)) for at in range(0, length - max_chars + step, step)]


class _Segments:
    """Escaped texts one behind the other, with the places where spans begin and end in them."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.length = 0
        self.starts: list[int] = []
        self.ends: set[int] = set()

    def add(self, document: Document, start: int, end: int) -> None:
        """Add what is between two offsets: a text for every level of brackets."""
        levels: dict[int | None, tuple[list[int], list[int]]] = {}
        for index, offsets in enumerate((document.starts, document.ends)):
            for offset in offsets:
                if start <= offset <= end:
                    level = document.bracket_around(offset)
                    levels.setdefault(level, ([], []))[index].append(offset)
        for starts, ends in levels.values():
            if not starts or not ends or starts[0] >= ends[-1]:
                continue
            self._add_level(document.text, starts, ends)

    def _add_level(self, text: str, starts: list[int], ends: list[int]) -> None:
        first, last = starts[0], ends[-1]
        starts = [at for at in starts if at < last]
        ends = [at for at in ends if at > first]
        places: dict[int, int] = {}
        pieces: list[str] = []
        at, length = first, 0
        for offset in sorted({*starts, *ends}):
            pieces.append(escape_text(text[at:offset]))
            length += len(pieces[-1])
            places[offset] = length
            at = offset
        self.add_text("".join(pieces), {places[o] for o in starts}, {places[o] for o in ends})

    def add_text(self, text: str, starts: set[int], ends: set[int]) -> None:
        """Add a text that stands in an answer as it is; lone surrogates part it."""
        shown = "".join(_END if "\ud800" <= c <= "\udfff" else c for c in text)
        self.starts += sorted(self.length + at for at in starts)
        self.ends |= {self.length + at for at in ends if at}
        self.pieces += (shown, _END)
        self.length += len(shown) + 1


@dataclass
class _Automaton:
    """Determinisation on demand; equal states are one, found from the ends backwards."""

    text: str
    ends: set[int]
    steps: int = 0
    numbers: dict[_State, int] = field(default_factory=dict)
    states: list[_State | None] = field(default_factory=list)
    known: dict[tuple[int, ...], int | None] = field(default_factory=dict)

    def build(self, root: tuple[int, ...]) -> int | None:
        """Return the number of the state that is all of the places `root` at once."""
        # Children first, without recursion: chains are as long as the text.
        todo = [root]
        branches: dict[tuple[int, ...], list[tuple[str, tuple[int, ...]]]] = {}
        while todo:
            places = todo[-1]
            if places in self.known:
                todo.pop()
            elif places not in branches:
                branches[places] = self._branches(places)
                todo += [after for _, after in branches[places] if after not in self.known]
            else:
                todo.pop()
                self.known[places] = self._number(places, branches.pop(places), root)
        return self.known[root]

    def _number(
        self,
        places: tuple[int, ...],
        branches: list[tuple[str, tuple[int, ...]]],
        root: tuple[int, ...],
    ) -> int | None:
        may_end = places is not root and any(place in self.ends for place in places)
        edges = []
        for label, after in branches:
            target = self.known[after]
            if target is not None:
                edges.append((label, target))
        if not may_end and not edges:
            return None
        state = (may_end, tuple(edges))
        if state not in self.numbers:
            self.numbers[state] = len(self.states)
            self.states.append(state)
        return self.numbers[state]

    def _branches(self, places: tuple[int, ...]) -> list[tuple[str, tuple[int, ...]]]:
        found = []
        for char, after in self._by_char(places):
            label = [char]
            # Go on while nothing can be told apart.
            while not any(place in self.ends for place in after):
                groups = self._by_char(after)
                if len(groups) != 1:
                    break
                char, after = groups[0]
                label.append(char)
            found.append(("".join(label), after))
        return found

    def _by_char(self, places: tuple[int, ...]) -> list[tuple[str, tuple[int, ...]]]:
        self.steps += len(places)
        if self.steps > MAX_STEPS:
            raise LimitExceeded(
                "the document repeats itself too often for a grammar of its spans",
                hint="give a part of it",
            )
        text = self.text
        if len(places) == 1:
            (place,) = places
            return [] if text[place] == _END else [(text[place], (place + 1,))]
        groups: dict[str, list[int]] = {}
        for place in places:
            groups.setdefault(text[place], []).append(place + 1)
        groups.pop(_END, None)
        return [(char, tuple(after)) for char, after in sorted(groups.items())]


def _emit(
    segments: _Segments, names: NameAllocator, hint: str
) -> tuple[Expression, tuple[Rule, ...]]:
    automaton = _Automaton("".join(segments.pieces), segments.ends)
    root = automaton.build(tuple(segments.starts)) if segments.starts else None
    if root is None:
        raise Unsatisfiable("the document holds no piece that could be a value")
    states = [state for state in automaton.states if state is not None]
    uses = [0] * len(states)
    for _, edges in states:
        for _, target in edges:
            uses[target] += 1
    is_rule = [count > 1 for count in uses]
    _break_chains(states, root, is_rule)
    return _written(states, root, is_rule, names, hint)


_MAX_NESTING = 6


def _break_chains(states: Sequence[_State], root: int, is_rule: list[bool]) -> None:
    """Make a rule of every state that would be nested too deeply in another; children are first."""
    heights = [0] * len(states)
    for number, (_, edges) in enumerate(states):
        inner = [0 if is_rule[target] else heights[target] for _, target in edges]
        heights[number] = 1 + max(inner, default=0)
        if heights[number] > _MAX_NESTING and number != root:
            is_rule[number] = True


def _written(
    states: Sequence[_State], root: int, is_rule: list[bool], names: NameAllocator, hint: str
) -> tuple[Expression, tuple[Rule, ...]]:
    references: list[Expression] = []
    rules: list[Rule] = []
    for number, (may_end, edges) in enumerate(states):
        body = (
            choice(
                (sequence([Literal(label), references[target]]) for label, target in edges),
                are_distinct=True,
            )
            if edges
            else Literal("")
        )
        if may_end and edges:
            body = optional(body)
        if is_rule[number] and edges and number != root:
            rule = Rule(names.allocate(hint), body)
            rules.append(rule)
            references.append(RuleRef(rule.name))
        else:
            references.append(body)
    return references[root], tuple(reversed(rules))
