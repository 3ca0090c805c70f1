"""Objects whose keys may stand in any order, as JSON has it, while the grammar stays small.

A grammar remembers what was written only in its states, so every key that must be remembered
doubles them. Few are remembered:

- required keys, each once: up to `MOST_TRACKED` of them in any order, more in the author's order;
- the optional keys too in closed objects with up to `MOST_COUNTED` keys;
- the other optional keys and those beyond the declared ones are free: anywhere, any number of times
  (JSON readers keep one of a repeated key, RFC 8259 section 4, so what is read stays valid).

With the required keys `a` and `b`, and free keys, behind the opening quote of a key stands

    more    ::= free ", \\"" more | "a\\": " … ", \\"" more-a | "b\\": " … ", \\"" more-b
    more-a  ::= free ", \\"" more-a | "b\\": " … (", \\"" free)*
    more-b  ::= free ", \\"" more-b | "a\\": " … (", \\"" free)*

An object that holds required keys and nothing else keeps the author's order: its keys are then
fixed text that no model has to choose.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.ir.build import EMPTY_TEXT, choice, optional, repeat, sequence
from gbnfc.ir.nodes import Expression, Literal, Rule, RuleRef
from gbnfc.schema.keys import member_trie, open_member_trie, region_key
from gbnfc.schema.members import Member, Members, pair

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.schema.context import Context

MOST_TRACKED = 5
"""Up to this many required keys stand in any order: the states are 2 to this power."""

MOST_COUNTED = 4
"""In a closed object with up to this many keys, none is written twice."""


def has_free_order(members: Members) -> bool:
    """Return whether objects of `members` are written in any order."""
    if members.regions:
        return bool(members.declared)
    return len(members.declared) > 1 and not all(m.is_required for m in members.declared)


def unordered_members(members: Members, hint: str, depth: int, context: Context) -> Expression:
    """Return the expression of objects of `members` in any order, braces included."""
    return _Writer(members, hint, depth, context).expression()


class _Writer:
    """Writes one object, from the state in which all tracked keys are written back to the first.

    A state is an integer: the number of tracked keys written so far where their order is fixed,
    else the set of them, a bit for each. Either way it grows with every key.
    """

    def __init__(self, members: Members, hint: str, depth: int, context: Context) -> None:
        self._context = context
        self._hint = hint
        self._depth = depth
        self._opening = sequence([context.layout.comma(depth), Literal('"')])
        is_small = not members.regions and len(members.declared) <= MOST_COUNTED
        self._tracked = [m for m in members.declared if m.is_required or is_small]
        self._in_order = len(self._tracked) > MOST_TRACKED
        self._last = len(self._tracked) if self._in_order else (1 << len(self._tracked)) - 1
        self._pairs = [self._tracked_pair(member) for member in self._tracked]
        free = [] if is_small else [m for m in members.declared if not m.is_required]
        self._free = free_member(free, members, hint, context)
        self._states: dict[int, RuleRef] = {}

    def expression(self) -> Expression:
        """Return the whole object."""
        for state in range(self._last - 1, 0, -1):
            self._states[state] = self._rule(state)
        keys = self._rule(0) if self._free is not None and self._last else self._keys(0)
        inside = sequence([Literal('"'), keys])
        layout = self._context.layout
        return layout.container("{}", inside, may_be_empty=self._may_end(0), depth=self._depth)

    def _rule(self, state: int) -> RuleRef:
        if self._free is None:
            return self._context.rule(f"{self._hint}-more", self._keys(state))
        name = RuleRef(self._context.names.allocate(f"{self._hint}-more"))
        self._states[state] = name
        self._context.add([Rule(name.name, self._keys(state))])
        return name

    def _keys(self, state: int) -> Expression:
        """Return what may stand behind the opening quote of the next key."""
        branches = [] if self._free is None else [sequence([self._free, self._tail(state)])]
        for number, after in self._following(state):
            branches.append(sequence([self._pairs[number], self._tail(after)]))
        return choice(branches)

    def _following(self, state: int) -> Iterator[tuple[int, int]]:
        """Yield each tracked key that may come next, and the state behind it."""
        if self._in_order:
            if state < self._last:
                yield state, state + 1
            return
        for number in range(len(self._tracked)):
            if not state >> number & 1:
                yield number, state | 1 << number

    def _tail(self, state: int) -> Expression:
        """Return what may follow a value in `state`."""
        if state == self._last:
            if self._free is None:
                return EMPTY_TEXT
            return repeat(sequence([self._opening, self._free]), 0, None)
        more = sequence([self._opening, self._states[state]])
        return optional(more) if self._may_end(state) else more

    def _may_end(self, state: int) -> bool:
        if self._in_order:
            return state == self._last
        return all(
            state >> number & 1 for number, member in enumerate(self._tracked) if member.is_required
        )

    def _tracked_pair(self, member: Member) -> Expression:
        written = pair(member.key, member.value, self._context)
        is_short = isinstance(written, Literal) or isinstance(member.value, RuleRef)
        if is_short or len(self._tracked) == 1 or self._in_order:
            return written
        return self._context.rule(f"{self._hint}-{member.name}-pair", written)


def free_member(
    free: list[Member], members: Members, hint: str, context: Context
) -> Expression | None:
    """Return a rule for one member that may stand anywhere; `None` when there is none.

    Behind the opening quote stands one trie of the keys of `free` and, where any other key may
    stand too, of those: one stack of the engine follows each key.
    """
    colon = context.layout.colon()
    ends = {member.name: sequence([colon, member.value]) for member in free}
    branches: list[Expression] = []
    for region in members.regions:
        if region.allowed is None:
            rest = sequence([colon, region.value])
            trie = open_member_trie(ends, region.excluded, rest, f"{hint}-key", context)
            return context.new_rule(f"{hint}-member", trie)
        branches.append(pair(region_key(region, hint, context), region.value, context))
    if ends:
        branches.insert(0, member_trie(ends))
    return context.rule(f"{hint}-member", choice(branches)) if branches else None
