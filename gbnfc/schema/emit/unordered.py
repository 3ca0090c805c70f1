"""Objects whose keys may stand in any order, as JSON has it, while the grammar stays small.

A grammar remembers what was written only in its states, so every key that must be remembered
doubles them. Few are remembered:

- required keys, each once: up to `MAX_TRACKED` of them in any order; more in the author's order or
  sorted, as many programs write them (where both have written the same keys, they may change over);
- the keys that tell the cases of an object apart (`alternatives`);
- the optional keys too in closed objects with up to `MAX_COUNTED` keys;
- the other optional keys and those beyond the declared ones are free: anywhere, any number of times
  (JSON readers keep one of a repeated key, RFC 8259 section 4, so what is read stays valid).

How many members there are can be told where each is remembered, and that there is one anywhere.

With the required keys `a` and `b`, and free keys, behind the opening quote of a key stands

    more    ::= free ", \\"" more | "a\\": " … ", \\"" more-a | "b\\": " … ", \\"" more-b
    more-a  ::= free ", \\"" more-a | "b\\": " … (", \\"" free)*
    more-b  ::= free ", \\"" more-b | "a\\": " … (", \\"" free)*
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from gbnfc.ir.build import EMPTY_TEXT, choice, optional, repeat, sequence
from gbnfc.ir.nodes import Expression, Literal, Rule, RuleRef
from gbnfc.schema.emit.context import NEVER
from gbnfc.schema.emit.keys import member_trie, open_member, region_key
from gbnfc.schema.emit.literals import scalar_text
from gbnfc.schema.emit.members import Member, Members, pair

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gbnfc.schema.emit.context import Context

MAX_TRACKED = 5
"""Up to this many required keys stand in any order: the states are 2 to this power."""

MAX_COUNTED = 4
"""In a closed object with up to this many keys, none is written twice."""

_FEW_STACKS = 8
"""Where more keys than this may come next, those that begin alike share a trie in each state."""


def has_free_order(members: Members) -> bool:
    """Return whether objects of `members` are written in more than one order."""
    if members.regions:
        return bool(members.declared)
    names = [member.name for member in members.declared]
    if all(member.is_required for member in members.declared):
        return len(names) > 1 and (len(names) <= MAX_TRACKED or names != sorted(names))
    return len(names) > 1


def can_count(members: Members) -> bool:
    """Return whether the number of members is held while they stand in any order."""
    if members.maximum == 0:
        return False
    least_is_told = members.minimum <= max(1, sum(m.is_required for m in members.declared))
    return _is_small(members) or (members.maximum is None and least_is_told)


def _is_small(members: Members) -> bool:
    """Return whether every key that there may be is remembered."""
    names = {member.name for member in members.declared}
    return not members.regions and len(names) <= MAX_COUNTED


def unordered_members(members: Members, hint: str, depth: int, context: Context) -> Expression:
    """Return the expression of objects of `members` in any order, braces included."""
    return _Writer(members, hint, depth, context).expression()


_State: TypeAlias = tuple[int, int]
"""What was written: tracked keys, and the cases that are left; a bit for each."""


class _Writer:
    """Writes one object, from the states in which all tracked keys are written to the first."""

    def __init__(self, members: Members, hint: str, depth: int, context: Context) -> None:
        self._context = context
        self._hint = hint
        self._depth = depth
        self._opening = sequence([context.layout.comma(depth), Literal('"')])
        self._minimum = members.minimum
        self._maximum = members.maximum
        is_closed = not members.regions
        is_small = _is_small(members)
        in_cases = frozenset[str]().union(*members.cases) if members.cases else ()
        self._tracked = [
            m
            for m in members.declared
            if is_small or m.is_required or m.cases is not None or m.name in in_cases
        ]
        names = dict.fromkeys(member.name for member in self._tracked)
        self._bits = {name: 1 << number for number, name in enumerate(names)}
        is_in_order = len(names) > MAX_TRACKED and not members.cases
        self._next = _orders([*names]) if is_in_order else None
        cases = members.cases or (frozenset(m.name for m in self._tracked if m.is_required),)
        self._needs = [sum(self._bits.get(name, 0) for name in case) for case in cases]
        self._allowing = [_case_bits(member, len(cases)) for member in self._tracked]
        bits = [self._bits[member.name] for member in self._tracked]
        self._choices = list(zip(bits, self._allowing, strict=True))
        self._start = (0, sum(self._is_possible(n, c) << n for n, c in enumerate(cases)))
        self._pairs = [self._tracked_pair(member) for member in self._tracked]
        free = [member for member in members.declared if member.name not in names]
        self._free = free_member(free, members, hint, context)
        self._listed_free = {member.name: member for member in free} if is_closed else {}
        self._after: dict[_State, list[tuple[int, _State]]] = {}
        self._states: dict[_State, RuleRef] = {}
        self._tails: dict[_State, Expression] = {}

    def expression(self) -> Expression:
        """Return the whole object."""
        start = self._start
        if not start[1]:
            return NEVER
        for state in self._states_from_the_end():
            self._states[state] = self._rule(state)
        is_rule = self._free is not None and self._after[start]
        keys = self._rule(start) if is_rule else self._keys(start)
        inside = sequence([Literal('"'), keys])
        may_be_empty = not self._minimum and self._may_end(start)
        layout = self._context.layout
        return layout.container("{}", inside, may_be_empty=may_be_empty, depth=self._depth)

    # --- states ---------------------------------------------------------------------------------

    def _states_from_the_end(self) -> Iterable[_State]:
        """Return the states between the first and the last ones, what follows before what leads."""
        self._after[self._start] = list(self._following(self._start))
        found, waiting = [], [self._start]
        for state in waiting:
            for _, after in self._after[state]:
                if after not in self._after:
                    self._after[after] = list(self._following(after))
                    waiting.append(after)
                    if self._after[after]:
                        found.append(after)
        return sorted(found, reverse=True)  # every key makes `written` greater

    def _following(self, state: _State) -> Iterator[tuple[int, _State]]:
        """Yield the number of each tracked key that may come next, and the state behind it."""
        written, cases = state
        if self._maximum is not None and written.bit_count() >= self._maximum:
            return
        open_bits = ~written if self._next is None else self._next.get(written, 0)
        for number, (bit, allowing) in enumerate(self._choices):
            if open_bits & bit and (left := cases & allowing):
                yield number, (written | bit, left)

    def _may_end(self, state: _State) -> bool:
        """Return whether the object may end in `state`, with one member at least."""
        written, cases = state
        if self._minimum > max(1, written.bit_count()):
            return False
        for number, need in enumerate(self._needs):
            if cases >> number & 1 and written & need == need:
                return True
        return False

    def _is_possible(self, number: int, case: frozenset[str]) -> bool:
        """Return whether every key that the case `number` needs can be written in it."""
        return case <= {
            member.name
            for member, cases in zip(self._tracked, self._allowing, strict=True)
            if cases >> number & 1
        }

    # --- what is written ------------------------------------------------------------------------

    def _rule(self, state: _State) -> RuleRef:
        if self._free is None:
            return self._context.rule(f"{self._hint}-more", self._keys(state))
        name = RuleRef(self._context.names.allocate(f"{self._hint}-more"))
        self._states[state] = name
        self._context.add([Rule(name.name, self._keys(state))])
        return name

    def _keys(self, state: _State) -> Expression:
        """Return what may stand behind the opening quote of the next key."""
        shared = self._shared_starts(state)
        free = self._free_without(shared)
        branches = [] if free is None else [sequence([free, self._tail(state)])]
        for number, after in self._after[state]:
            if not shared or _first(self._tracked[number].name) not in shared:
                branches.append(sequence([self._pairs[number], self._tail(after)]))
        branches += [self._trie(start, state) for start in shared]
        return choice(branches, are_distinct=True)  # each begins with another key

    def _tail(self, state: _State) -> Expression:
        """Return what may follow a value in `state`."""
        known = self._tails.get(state)
        if known is None:
            known = self._tails[state] = self._made_tail(state)
        return known

    def _made_tail(self, state: _State) -> Expression:
        if not self._after[state]:
            if self._free is None:
                return EMPTY_TEXT if self._may_end(state) else NEVER
            return repeat(sequence([self._opening, self._free]), 0, None)
        more = sequence([self._opening, self._states[state]])
        return optional(more) if self._may_end(state) else more

    def _tracked_pair(self, member: Member) -> Expression:
        written = pair(member.key, member.value, self._context)
        is_short = isinstance(written, Literal) or isinstance(member.value, RuleRef)
        if is_short or len(self._tracked) == 1:
            return written
        return self._context.rule(f"{self._hint}-{member.name}-pair", written)

    # --- keys that begin alike ------------------------------------------------------------------

    def _shared_starts(self, state: _State) -> tuple[str, ...]:
        """Return the characters that several of the next keys begin with, where it matters.

        Beside each other such keys are a stack each. In a trie they share one, but it has to stand
        in every state.
        """
        after = self._after[state]
        has_variants = len(self._bits) < len(self._tracked)
        if not has_variants and len(after) + len(self._listed_free) <= _FEW_STACKS:
            return ()
        starts = [_first(self._tracked[number].name) for number, _ in after]
        several = {start for start in starts if starts.count(start) > 1}
        several.update(set(map(_first, self._listed_free)).intersection(starts))
        return tuple(start for start in dict.fromkeys(starts) if start in several)

    def _trie(self, start: str, state: _State) -> Expression:
        """Return all keys that begin with `start`, each with what follows it in `state`."""
        written: dict[str, list[Expression]] = {}
        for number, after in self._after[state]:
            member = self._tracked[number]
            written.setdefault(member.name, []).append(self._value(member, after))
        for member in self._listed_free.values():
            written[member.name] = [self._value(member, state)]
        colon = self._context.layout.colon()
        return member_trie(
            {
                name: sequence([colon, choice(values)])
                for name, values in written.items()
                if _first(name) == start
            }
        )

    def _value(self, member: Member, after: _State) -> Expression:
        value = member.value
        if not isinstance(value, RuleRef | Literal):  # it stands in several states
            value = self._context.rule(f"{self._hint}-{member.name}", value)
        return sequence([value, self._tail(after)])

    def _free_without(self, starts: tuple[str, ...]) -> Expression | None:
        """Return the keys that may stand anywhere, without those that begin with `starts`."""
        if not starts or not self._listed_free:
            return self._free
        colon = self._context.layout.colon()
        rest = {
            name: sequence([colon, member.value])
            for name, member in self._listed_free.items()
            if _first(name) not in starts
        }
        return self._context.rule(f"{self._hint}-member", member_trie(rest)) if rest else None


def _orders(names: list[str]) -> dict[int, int]:
    """Return the keys that may come next behind each set of keys: in this order, or sorted.

    A set has the bit 1 << number for each of `names`.
    """
    following: dict[int, int] = {}
    for order in (range(len(names)), sorted(range(len(names)), key=names.__getitem__)):
        written = 0
        for number in order:
            following[written] = following.get(written, 0) | 1 << number
            written |= 1 << number
    return following


def _case_bits(member: Member, count: int) -> int:
    """Return the cases, of `count`, that allow `member`, a bit for each."""
    if member.cases is None:
        return (1 << count) - 1
    return sum(1 << number for number in member.cases)


def _first(name: str) -> str:
    """Return the first character behind the opening quote of the key `name`."""
    return scalar_text(name)[1]


def free_member(
    free: list[Member], members: Members, hint: str, context: Context
) -> Expression | None:
    """Return a rule for one member that may stand anywhere; `None` when there is none.

    Behind the opening quote stands one trie of the keys of `free` and, where any other key may
    stand too, of those: one stack of the engine follows each key.
    """
    values = {member.name: member.value for member in free}
    branches: list[Expression] = []
    for region in members.regions:
        if region.allowed is None:
            return open_member(values, region.excluded, region.value, hint, context)
        branches.append(pair(region_key(region, hint, context), region.value, context))
    if values:
        colon = context.layout.colon()
        ends = {name: sequence([colon, value]) for name, value in values.items()}
        branches.insert(0, member_trie(ends))
    return context.rule(f"{hint}-member", choice(branches)) if branches else None
