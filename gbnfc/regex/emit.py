"""Automaton → grammar: right-linear rules in which every choice is made by the next character.

Out comes an expression for the content of the string, without surrounding quotes, and the rules it
refers to. A state that is reached from one place is written in place; a loop on one state becomes
`x*`, a chain of equal states (a length bound) becomes `x{m,n}`; the others are rules of their own.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from gbnfc.charset import CharSet
from gbnfc.errors import Unsatisfiable
from gbnfc.ir.build import EMPTY_TEXT, choice, optional, sequence
from gbnfc.ir.nodes import Expression, Literal, Repeat, Rule, RuleRef
from gbnfc.regex.counted import Repetitions
from gbnfc.regex.spelling import (
    ESCAPED,
    CharRules,
    Content,
    class_expression,
    escape_suffix,
    has_escapes,
    share_beginnings,
)

if TYPE_CHECKING:
    from gbnfc.ir.names import NameAllocator
    from gbnfc.regex.dfa import Dfa

_MAX_DEPTH = 8
"""How deep groups nest in one rule before the rest becomes a rule of its own."""

Edge: TypeAlias = tuple[CharSet, int]
Exits: TypeAlias = tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """`members` repeated up to `maximum` times (`None`: without bound), then the `exits` of
    any state on the way, which are the same for all."""

    members: CharSet
    maximum: int | None
    exits: Exits
    absorbed: tuple[int, ...] = ()


def emit_string(
    dfa: Dfa,
    names: NameAllocator,
    hint: str,
    mode: Content = Content.JSON,
    chars: CharRules | None = None,
) -> tuple[Expression, tuple[Rule, ...]]:
    """Return an expression for the strings of `dfa`, and the new rules it needs.

    The expression is the content only: quotes around it are the caller's. The names of the rules
    resemble `hint`. Pass the same `chars` for several strings of a grammar and they share the rules
    for single characters (which are returned with the first string that needs them).

    Raises:
        Unsatisfiable: `dfa` accepts no string, which no grammar can say.
    """
    if dfa.is_empty():
        raise Unsatisfiable("no string can satisfy all of these conditions")
    chars = chars or CharRules(names, mode)
    known = len(chars.rules)
    emitter = _Emitter(dfa, names, hint, chars)
    expression = emitter.emit()
    return expression, (*emitter.rules, *chars.rules[known:])


@dataclass
class _Emitter:
    dfa: Dfa
    names: NameAllocator
    hint: str
    chars: CharRules
    rules: list[Rule] = field(default_factory=list)
    runs: dict[int, Run] = field(init=False)
    references: dict[int, int] = field(init=False)
    named: dict[int, RuleRef] = field(default_factory=dict)
    waiting: deque[int] = field(default_factory=deque)
    blocks: Repetitions = field(init=False)

    def __post_init__(self) -> None:
        self.edges = [self.dfa.edges(state) for state in range(self.dfa.state_count)]
        self.runs = find_runs(self.dfa, self.edges, self.chars.mode)
        self.references = self._count_references()
        self.blocks = Repetitions(self.names, [])

    def emit(self) -> Expression:
        expression = self._rest(0, 0) if self.references[0] == 0 else self._rule(0)
        while self.waiting:
            state = self.waiting.popleft()
            self.rules.append(Rule(self.named[state].name, self._body(state, 0)))
        self.rules += self.blocks.rules
        return expression

    def _count_references(self) -> dict[int, int]:
        """Return how often each state is continued to, states inside runs left out."""
        found = {0: 0}
        pending = [0]
        for state in pending:
            for _, target in self._exits(state):
                if target not in found:
                    found[target] = 0
                    pending.append(target)
                found[target] += 1
        if found[0]:
            found[0] += 1  # The caller's own reference to the start.
        return found

    def _exits(self, state: int) -> Exits:
        run = self.runs.get(state)
        return run.exits if run else self.edges[state]

    def _rest(self, state: int, depth: int) -> Expression:
        """Return what is still to come in `state`: in place where it is short or used once."""
        if not self._exits(state):
            return self._body(state, depth)
        if self.references[state] > 1 or depth > _MAX_DEPTH:
            return self._rule(state)
        return self._body(state, depth)

    def _rule(self, state: int) -> RuleRef:
        if state not in self.named:
            self.named[state] = RuleRef(self.names.allocate(f"{self.hint}-rest"))
            self.waiting.append(state)
        return self.named[state]

    def _body(self, state: int, depth: int) -> Expression:
        parts: list[Expression] = []
        while True:
            run = self.runs.get(state)
            if run:
                unit = self.chars.unit(run.members, self.hint)
                parts.append(Repeat(unit, 0, run.maximum))
            exits = self._exits(state)
            if len(exits) != 1 or self.dfa.accepting[state]:
                parts.append(self._choice(state, exits, depth))
                break
            members, state = exits[0]
            parts.append(self.chars.unit(members, self.hint))
            if self.references[state] > 1 and self._exits(state):
                parts.append(self._rule(state))
                break
        return self.blocks.join(parts, self.hint)

    def _choice(self, state: int, exits: Exits, depth: int) -> Expression:
        """Return the alternatives of `exits`, told apart by the first character of each."""
        if not exits:
            return EMPTY_TEXT
        mode = self.chars.mode
        escaping = [edge for edge in exits if has_escapes(edge[0], mode)]
        if len(escaping) > 1:
            alternatives = self._share_backslash(exits, escaping, depth)
        else:
            alternatives = [self._branch(edge, depth) for edge in exits]
        found = choice(alternatives)
        return optional(found) if self.dfa.accepting[state] else found

    def _branch(self, edge: Edge, depth: int) -> Expression:
        members, target = edge
        rest = self._rest(target, depth + 1)
        return self.blocks.join([self.chars.unit(members, self.hint), rest], self.hint)

    def _share_backslash(self, exits: Exits, escaping: list[Edge], depth: int) -> list[Expression]:
        """Return the alternatives of `exits` where several begin with a backslash.

        What they share is written once: `"\\" ("\"" one | "n" other)`. What follows stands in
        several places then, so it is a rule of its own unless it is short.
        """
        rests = {
            target: self._rule(target) if self._exits(target) else self._body(target, depth)
            for _, target in escaping
        }
        alternatives = []
        for members, target in exits:
            if target not in rests:
                alternatives.append(self._branch((members, target), depth))
            elif raw := members - ESCAPED:
                alternatives.append(sequence([class_expression(raw), rests[target]]))
        suffixes = [
            (escape_suffix(code_point), rests[target])
            for members, target in escaping
            for code_point in members & ESCAPED
        ]
        return [*alternatives, sequence([Literal("\\"), share_beginnings(suffixes)])]


def find_runs(dfa: Dfa, edges: list[Exits], mode: Content) -> dict[int, Run]:
    """Return the run that begins at each state that has one; states inside runs have none."""
    sources = [0] * dfa.state_count
    for state_edges in edges:
        for _, target in state_edges:
            sources[target] += 1
    runs: dict[int, Run] = {}
    absorbed: set[int] = set()
    hopeless: set[tuple[int, CharSet]] = set()
    for state in range(dfa.state_count):
        if state in absorbed:
            continue
        run = _loop(edges, state, mode)
        for edge in edges[state] if run is None else ():
            run = _chain(dfa, edges, sources, state, edge, mode, hopeless)
            if run:
                break
        if run:
            runs[state] = run
            absorbed.update(run.absorbed)
    return runs


def _without(edges: Exits, target: int) -> Exits:
    return tuple(edge for edge in edges if edge[1] != target)


def _clear(members: CharSet, exits: Exits, mode: Content) -> bool:
    """Return whether the spelling of `members` begins unlike that of every exit."""
    return not (has_escapes(members, mode) and any(has_escapes(other, mode) for other, _ in exits))


def _loop(edges: list[Exits], state: int, mode: Content) -> Run | None:
    for members, target in edges[state]:
        exits = _without(edges[state], state)
        if target == state and _clear(members, exits, mode):
            return Run(members, None, exits)
    return None


def _chain(
    dfa: Dfa,
    edges: list[Exits],
    sources: list[int],
    start: int,
    edge: Edge,
    mode: Content,
    hopeless: set[tuple[int, CharSet]],
) -> Run | None:
    """Follow equal states along one set: all accept alike and leave alike, none is entered from
    elsewhere, and the last one either loops on the set or has no transition on it."""
    members, state = edge
    exits = _without(edges[start], state)
    accepted = dfa.accepting[start]
    if not (exits or accepted) or not _clear(members, exits, mode) or state == start:
        return None
    if (start, members) in hopeless:
        return None
    walked: list[int] = []
    while True:
        onward = next((target for found, target in edges[state] if found == members), None)
        rest = edges[state] if onward is None else _without(edges[state], onward)
        if sources[state] != 1 or state == 0 or dfa.accepting[state] != accepted or rest != exits:
            hopeless.update((passed, members) for passed in walked)
            return None
        walked.append(state)
        if onward is None:
            return Run(members, len(walked), exits, tuple(walked))
        state = onward
