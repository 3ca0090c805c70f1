"""Objects whose members are counted: `minProperties`, `maxProperties`, negated object keywords.

A state is the position in the declared properties, the number of members written (capped where no
bound tells more apart), and which obligations are met. An obligation says that some member must
break a rule, which is what the negation of `properties`, `propertyNames` and their kin leaves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

from gbnfc.errors import LimitExceeded, PatternError
from gbnfc.ir.build import choice, optional, repeat, sequence
from gbnfc.ir.nodes import MAX_REPETITION, Expression, Literal, Rule, RuleRef
from gbnfc.regex import Dfa
from gbnfc.schema.emit.context import NEVER, Context, is_never
from gbnfc.schema.emit.keys import allowed_names, key_content, region_key
from gbnfc.schema.emit.members import Member, Members, Region, pair
from gbnfc.schema.emit.strings import pattern_language
from gbnfc.schema.report import Effect
from gbnfc.schema.time_limit import TOO_LONG

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gbnfc.schema.read.canonical import Node
    from gbnfc.schema.read.schemas import ObjectSchema, Violation
    from gbnfc.schema.source.source_map import Places

MAX_STATES = 12_000
"""Objects that need more states than this are compiled without their counts, which is reported."""


MAX_CASES = 200
"""Members times obligations: each pair needs a complement, an intersection and a rule."""


MAX_TOGETHER = 3
"""A member may meet up to this many obligations at once."""


@dataclass(frozen=True, slots=True)
class _State:
    position: int
    count: int
    met: frozenset[int]


@dataclass(frozen=True, slots=True)
class _Option:
    """One way to write a member: its text, and the obligations that it meets."""

    written: Expression
    meets: frozenset[int]


def counted_members(
    shape: ObjectSchema,
    members: Members,
    places: Places,
    hint: str,
    depth: int,
    context: Context,
) -> Expression:
    """Return the expression of objects whose members are counted.

    Raises:
        LimitExceeded: it needs more than `MAX_STATES` states.
    """
    cases = (len(members.declared) + len(members.regions)) * len(shape.violations)
    if cases > MAX_CASES:
        raise LimitExceeded(f"{cases} ways to break its rules are more than {MAX_CASES}")
    _report_repeated_keys(shape, members, places, context)
    return _Counter(shape, members, places, hint, depth, context).expression()


def _report_repeated_keys(
    shape: ObjectSchema, members: Members, places: Places, context: Context
) -> None:
    # A grammar cannot remember which free keys it has seen, and JSON readers keep one of a pair.
    if members.regions and shape.minimum > max(1, sum(m.is_required for m in members.declared)):
        message = "a key beyond the declared ones may be written twice, and counts twice"
        context.report(places, "minProperties", Effect.WIDER, message)


def _best(options: Iterable[_Option]) -> list[_Option]:
    """Return `options` without those that another, of the same text, meets more with."""
    found = list(options)
    return [
        option
        for option in found
        if not any(o.written == option.written and option.meets < o.meets for o in found)
    ]


class _Counter:
    def __init__(
        self,
        shape: ObjectSchema,
        members: Members,
        places: Places,
        hint: str,
        depth: int,
        context: Context,
    ) -> None:
        self._shape = shape
        self._members = members
        self._places = places
        self._hint = hint
        self._depth = depth
        self._context = context
        self._opening = sequence([context.layout.comma(depth), Literal('"')])
        self._cap = max(shape.minimum, 0 if shape.maximum is None else shape.maximum + 1)
        self._names: dict[_State, RuleRef] = {}
        self._queue: list[_State] = []
        required = [at for at, member in enumerate(members.declared) if member.is_required]
        self._last_required = max(required, default=-1)
        self._keys_breaking = [self._key_language(violation) for violation in shape.violations]
        self._declared = [_best(self._member_options(member)) for member in members.declared]
        self._extra = [option for region in members.regions for option in self._options(region)]

    @cached_property
    def _free(self) -> Expression:
        """A member with any key beyond the declared ones, whatever it meets."""
        keys = [(region_key(r, self._hint, self._context), r.value) for r in self._members.regions]
        return choice(pair(key, value, self._context) for key, value in keys)

    def expression(self) -> Expression:
        """Return the whole object."""
        start = _State(0, 0, frozenset())
        keys = self._keys(start)
        for state in self._queue:
            if self._context.resolver.limit.is_short:
                raise LimitExceeded(TOO_LONG)
            self._context.add([Rule(self._names[state].name, self._keys(state))])
        layout = self._context.layout
        if is_never(keys) and self._may_end(start):
            return layout.container("{}", None, may_be_empty=True, depth=self._depth)
        inside = sequence([Literal('"'), keys])
        return layout.container("{}", inside, may_be_empty=self._may_end(start), depth=self._depth)

    def _keys(self, state: _State) -> Expression:
        """Return what may stand behind the opening quote of the next key."""
        if self._shape.maximum is not None and state.count >= self._shape.maximum:
            return NEVER
        at = state.position
        if at == len(self._declared):
            return choice(self._written(self._extra, state, at))
        branches = self._written(self._declared[at], state, at + 1)
        if not self._members.declared[at].is_required:
            branches.append(self._reference(_State(at + 1, state.count, state.met)))
        return choice(branches)

    def _written(self, options: list[_Option], state: _State, following: int) -> list[Expression]:
        found: list[Expression] = []
        for option in options:
            after = _State(following, min(state.count + 1, self._cap), state.met | option.meets)
            found.append(sequence([option.written, self._tail(after)]))
        return found

    def _tail(self, state: _State) -> Expression:
        """Return what may follow a value in `state`."""
        if self._is_only_counting(state):
            return self._rest(state)
        may_go_on = self._shape.maximum is None or state.count < self._shape.maximum
        has_more = state.position < len(self._members.declared) or bool(self._extra)
        more = sequence([self._opening, self._reference(state)]) if may_go_on and has_more else None
        if self._may_end(state):
            return optional(more) if more is not None else sequence([])
        return more if more is not None else NEVER

    def _is_only_counting(self, state: _State) -> bool:
        limit = max(self._shape.minimum, self._shape.maximum or 0)
        is_last = state.position == len(self._members.declared)
        return is_last and len(state.met) == len(self._shape.violations) and limit <= MAX_REPETITION

    def _rest(self, state: _State) -> Expression:
        """Return the free keys that may follow when nothing but their number matters."""
        least = max(0, self._shape.minimum - state.count)
        most = None if self._shape.maximum is None else self._shape.maximum - state.count
        if not self._extra or most == 0:
            return NEVER if least else sequence([])
        body = self._context.rule(f"{self._hint}-extra", sequence([self._opening, self._free]))
        return repeat(body, least, most)

    def _may_end(self, state: _State) -> bool:
        enough = state.count >= self._shape.minimum and len(state.met) == len(
            self._shape.violations
        )
        return enough and state.position > self._last_required

    def _reference(self, state: _State) -> RuleRef:
        if state not in self._names:
            if len(self._names) >= MAX_STATES:
                raise LimitExceeded(f"counting its members needs more than {MAX_STATES} states")
            self._names[state] = RuleRef(self._context.names.allocate(f"{self._hint}-more"))
            self._queue.append(state)
        return self._names[state]

    # --- obligations -------------------------------------------------------------------------

    def _member_options(self, member: Member) -> Iterator[_Option]:
        yield _Option(pair(member.key, member.value, self._context), frozenset())
        numbers = [n for n, keys in enumerate(self._keys_breaking) if keys.accepts(member.name)]
        for broken in self._together(numbers):
            value = self._breaking(broken, member)
            yield _Option(pair(member.key, value, self._context), frozenset(broken))

    def _options(self, region: Region) -> Iterator[_Option]:
        """Yield the ways to write a member of `region`: a key that may meet more has one."""
        if not self._keys_breaking:
            key = region_key(region, self._hint, self._context)
            yield _Option(pair(key, region.value, self._context), frozenset())
            return
        ways = [(region.keys, region.value, frozenset[int]())]
        for broken in self._together(range(len(self._keys_breaking))):
            keys = region.keys
            for number in broken:
                keys &= self._keys_breaking[number]
            if not keys.is_empty():
                ways.append((keys, self._breaking(broken, region), frozenset(broken)))
                self._report_hidden(broken)
        for keys, value, meets in ways:
            left = keys
            for others, same, more in ways:
                if same == value and meets < more:
                    left -= others
            if not left.is_empty():
                key = self._region_key(region, left)
                yield _Option(pair(key, value, self._context), meets)

    def _report_hidden(self, broken: Iterable[int]) -> None:
        # Of a key that is written twice the last one counts, and it may keep to the rules.
        if any(self._shape.violations[number].schema is not None for number in broken):
            message = "a key that breaks its rules may be written again, and the last one counts"
            self._context.report(self._places, "not", Effect.WIDER, message)

    def _region_key(self, region: Region, keys: Dfa) -> Expression:
        if keys == region.keys:
            return region_key(region, self._hint, self._context)
        return key_content(keys, f"{self._hint}-key", self._context)

    def _together(self, numbers: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """Yield the obligations that one member may meet, alone and, while few, together."""
        most = len(numbers)
        if most > MAX_TOGETHER:
            most = 1
            message = f"that one member breaks more than {MAX_TOGETHER} rules is not written"
            self._context.report(self._places, "not", Effect.NARROWER, message)
        for size in range(1, most + 1):
            yield from combinations(numbers, size)

    def _breaking(self, broken: Iterable[int], place: Member | Region) -> Expression:
        """Return the values of `place` that break each of the rules `broken`."""
        context = self._context
        schemas = [self._shape.violations[number].schema for number in broken]
        nodes: list[Node] = []
        for schema in schemas:
            if schema is None:
                continue
            outside = context.resolver.negate(schema)
            if outside is None:
                message = "that some value breaks it is not held"
                context.report(self._places, "not", Effect.WIDER, message)
            else:
                nodes.append(outside)
        if not nodes:
            return place.value
        if place.node is not None:
            nodes.insert(0, place.node)
        node = context.conjunction(nodes, self._places)
        below = context.layout.below(self._depth)
        return context.value(node, place.places, f"{self._hint}-value", below)

    def _key_language(self, violation: Violation) -> Dfa:
        """Return the keys whose member may break the rule."""
        keys = Dfa.everything()
        if violation.names is not None:
            allowed = allowed_names(violation.names, self._places, self._context)
            keys = keys - allowed.everything if allowed is not None else Dfa.nothing()
        if violation.keys is not None:
            keys &= self._pattern(violation.keys)
        if violation.undeclared:
            keys -= Dfa.of_strings(violation.declared)
            for pattern in violation.patterns:
                keys -= self._pattern(pattern)
        return keys

    def _pattern(self, pattern: str) -> Dfa:
        try:
            return pattern_language(pattern, self._context)
        except PatternError as error:
            raise LimitExceeded(
                f"the pattern {pattern!r} cannot be held: {error.message}"
            ) from None
