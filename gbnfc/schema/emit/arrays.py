"""Arrays → grammar: items by position, bounds, `contains` by counting, small sets kept unique.

In: an `ArraySchema` and the source places it came from. Out: the expression of the whole array.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

from gbnfc.ir.build import choice, optional, sequence
from gbnfc.ir.nodes import Expression, Rule, RuleRef
from gbnfc.schema.emit.context import NEVER, Context
from gbnfc.schema.emit.literals import value_expression
from gbnfc.schema.read.canonical import Node
from gbnfc.schema.read.finite import finite_values
from gbnfc.schema.read.schemas import ArraySchema, Contains, value_key
from gbnfc.schema.report import Effect
from gbnfc.schema.time_limit import TOO_LONG

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gbnfc.schema.source.source_map import Place, Places

MAX_UNIQUE_VALUES = 8
"""`uniqueItems` is exact when items have at most this many values: a state for each subset."""

MAX_STATES = 3_000
_TOO_MANY = f"counting needs more than {MAX_STATES} states; not held"
"""`contains` needs a state for each (position, counts); beyond this many it is not held."""

MAX_ITEMS = 500_000
"""Item bounds above this are not held."""

_INLINED_PREFIX = 16
"""Optional prefix items nest in place this deep; the next ones get a rule of their own."""

_ITEM_KEYWORDS = ("items", "prefixItems", "additionalItems", "contains", "unevaluatedItems")


def array_expression(
    shape: ArraySchema, places: Places, hint: str, depth: int, context: Context
) -> Expression:
    """Return the expression of the arrays of `shape`, brackets included."""
    shape = _within_limits(shape, places, context)
    emitter = _Arrays(shape, places, hint, depth, context)
    if shape.some_repeated:
        context.report(places, "not", Effect.WIDER, "that some item repeats is not held")
    if shape.all_distinct and (shape.maximum is None or shape.maximum > 1):
        distinct = emitter.distinct()
        if distinct is not None:
            return distinct
        message = "that items differ is held for few fixed values only"
        context.report(places, "uniqueItems", Effect.WIDER, message)
    if shape.contains:
        return emitter.containing()
    return emitter.plain()


def item_places(places: Places, index: int, context: Context) -> Places:
    """Return the source subschemas that apply to the item at `index` (0-based)."""
    found: dict[Place, None] = {}
    for place in context.source_map.flatten(places):
        if isinstance(place.schema, dict):
            for keyword in _ITEM_KEYWORDS:
                found.update(dict.fromkeys(_below(place, keyword, index, context)))
    return tuple(found)


def _below(place: Place, keyword: str, index: int, context: Context) -> Iterable[Place]:
    value = place.schema.get(keyword)
    if isinstance(value, dict):
        yield context.source_map.child(place, keyword)
    elif isinstance(value, list) and index < len(value) and isinstance(value[index], dict):
        yield context.source_map.child(place, keyword, index)


def _within_limits(shape: ArraySchema, places: Places, context: Context) -> ArraySchema:
    minimum, maximum = shape.minimum, shape.maximum
    if maximum is not None and maximum > MAX_ITEMS:
        context.report(places, "maxItems", Effect.WIDER, f"bounds above {MAX_ITEMS} are not held")
        maximum = None
    if minimum > MAX_ITEMS:
        context.report(places, "minItems", Effect.WIDER, f"bounds above {MAX_ITEMS} are not held")
        minimum = MAX_ITEMS
    return ArraySchema(
        minimum,
        maximum,
        shape.prefix,
        shape.items,
        shape.contains,
        shape.all_distinct,
        shape.some_repeated,
    )


Counts: TypeAlias = tuple[int, ...]
Splits: TypeAlias = tuple[tuple[tuple[tuple[bool, ...], Node], ...], ...]
"""For each position, item schemas and which `contains` their items match."""


@dataclass(frozen=True, slots=True)
class _State:
    """Items read (capped where no bound tells them apart) and matches of each `contains`."""

    position: int
    counts: Counts


@dataclass(slots=True)
class _Arrays:
    """Emits one array shape."""

    shape: ArraySchema
    places: Places
    hint: str
    depth: int
    context: Context
    _items: dict[int, list[Expression]] = field(default_factory=dict)

    def plain(self) -> Expression:
        """Return prefix items, then items, between the bounds."""
        shape = self.shape
        longest = (
            len(shape.prefix) if shape.maximum is None else min(len(shape.prefix), shape.maximum)
        )
        rest = self._rest(longest)
        tail = rest
        for index in range(longest - 1, -1, -1):
            item = sequence([self._item(index), tail])
            if index == 0:
                tail = item
            else:
                following = sequence([self._comma(), item])
                tail = following if index < shape.minimum else optional(following)
                if index % _INLINED_PREFIX == 0 and index >= shape.minimum:
                    tail = self.context.rule(f"{self.hint}-from-{index + 1}", tail)
        members = tail if longest else self._items_only()
        if members is None:
            return self._brackets(None, may_be_empty=True)
        return self._brackets(members, may_be_empty=shape.minimum == 0)

    def _rest(self, written: int) -> Expression:
        """Return the items behind `written` prefix items, each with its comma."""
        shape = self.shape
        least = max(0, shape.minimum - written)
        most = None if shape.maximum is None else shape.maximum - written
        if not written or most == 0 or self._has_no_items():
            return NEVER if least else sequence([])
        return self._repeated(sequence([self._comma(), self._item(len(shape.prefix))]), least, most)

    def _items_only(self) -> Expression | None:
        """Return a list without prefix: the first item, then the others with a comma."""
        shape = self.shape
        if shape.maximum == 0 or self._has_no_items():
            return NEVER if shape.minimum else None
        item = self._item(0)
        others = self._repeated(
            sequence([self._comma(), item]),
            max(0, shape.minimum - 1),
            None if shape.maximum is None else shape.maximum - 1,
        )
        return sequence([item, others])

    def _repeated(self, body: Expression, least: int, most: int | None) -> Expression:
        return self.context.repeated(body, least, most, self.hint or "items")

    def distinct(self) -> Expression | None:
        """Return arrays of pairwise different items, or `None` when items are not a small set.

        The values written so far are a state, and they tell the position as well.
        """
        shape = self.shape
        positions = self._values_by_position()
        if positions is None or shape.contains:
            return None
        values = list({value_key(v): v for listed in positions for v in listed}.values())
        numbers = {value_key(value): number for number, value in enumerate(values)}
        layout, below = self.context.layout, self._below_depth()
        texts = [value_expression(value, layout, below) for value in values]
        most = len(positions) if shape.maximum is None else min(shape.maximum, len(positions))
        states: dict[frozenset[int], Expression] = {}
        for used in _subsets_largest_first(len(values), most):
            branches = [
                sequence([texts[number], states[used | {number}]])
                for value in (positions[len(used)] if len(used) < most else ())
                if (number := numbers[value_key(value)]) not in used
            ]
            body = choice(branches)
            if used and branches:
                body = sequence([self._comma(), body])
            if used and len(used) >= shape.minimum:
                body = optional(body) if branches else sequence([])
            states[used] = self.context.rule(f"{self.hint}-rest", body) if used else body
        if most == 0:
            return self._brackets(None, may_be_empty=True)
        return self._brackets(states[frozenset()], may_be_empty=shape.minimum == 0)

    def _values_by_position(self) -> list[tuple[Any, ...]] | None:
        """Return the values that may stand at each position, as far as there can be items."""
        shape, resolver = self.shape, self.context.resolver
        listed = [finite_values(node, resolver, MAX_UNIQUE_VALUES) for node in shape.prefix]
        has_rest = shape.maximum is None or shape.maximum > len(shape.prefix)
        if has_rest:
            rest = finite_values(shape.items, resolver, MAX_UNIQUE_VALUES)
            listed += [rest] * max(1, len(rest or ()))
        found = [values for values in listed if values is not None]
        keys = {value_key(value) for values in found for value in values}
        return found if len(found) == len(listed) and len(keys) <= MAX_UNIQUE_VALUES else None

    def containing(self) -> Expression:
        """Return arrays that hold enough, and not too many, items of each `contains`.

        Items are split by which `contains` schemas they match, so that every item has one reading;
        where a complement cannot be had, a lower bound alone is held by ambiguity instead.
        """
        splits = self._splits()
        if splits is None:
            return self.plain()
        start = _State(0, (0,) * len(self.shape.contains))
        names: dict[_State, RuleRef] = {}
        queue: list[_State] = []

        def state_rule(state: _State) -> RuleRef:
            if state not in names:
                names[state] = RuleRef(self.context.names.allocate(f"{self.hint}-rest"))
                queue.append(state)
            return names[state]

        bodies = [self._step(start, splits, state_rule)]
        for state in queue:
            if len(names) > MAX_STATES:
                return self._without_contains(_TOO_MANY)
            if self.context.resolver.limit.is_short:
                return self._without_contains(TOO_LONG)
            bodies.append(self._step(state, splits, state_rule))
        self.context.add(Rule(names[s].name, b) for s, b in zip(queue, bodies[1:], strict=True))
        return self._brackets(bodies[0], may_be_empty=self._may_end(start))

    def _without_contains(self, message: str) -> Expression:
        self.context.report(self.places, "contains", Effect.WIDER, message)
        return self.plain()

    def _split_items(self, index: int, splits: Splits) -> list[Expression]:
        """Return the items of each split at `index`; many states ask for the same."""
        if index not in self._items:
            places = item_places(self.places, index, self.context)
            below = self._below_depth()
            self._items[index] = [
                self.context.value(node, places, f"{self.hint}-item", below)
                for _, node in splits[index]
            ]
        return self._items[index]

    def _step(
        self, state: _State, splits: Splits, state_rule: Callable[[_State], RuleRef]
    ) -> Expression:
        branches: list[Expression] = []
        if self.shape.maximum is None or state.position < self.shape.maximum:
            index = min(state.position, len(self.shape.prefix))
            items = self._split_items(index, splits)
            for (matched, _), item in zip(splits[index], items, strict=True):
                counts = self._add(state.counts, matched)
                if counts is not None:
                    following = _State(self._cap(state.position + 1), counts)
                    branches.append(sequence([item, state_rule(following)]))
        if state.position == 0:
            return choice(branches)
        more = sequence([self._comma(), choice(branches)]) if branches else NEVER
        if not self._may_end(state):
            return more
        return optional(more) if branches else sequence([])

    def _may_end(self, state: _State) -> bool:
        enough = all(
            count >= wanted.minimum
            for count, wanted in zip(state.counts, self.shape.contains, strict=True)
        )
        return enough and state.position >= self.shape.minimum

    def _add(self, counts: Counts, matched: tuple[bool, ...]) -> Counts | None:
        """Return the counts with one more item, capped; `None` when it is one too many."""
        result: list[int] = []
        for count, hit, wanted in zip(counts, matched, self.shape.contains, strict=True):
            count += hit
            if wanted.maximum is not None and count > wanted.maximum:
                return None
            result.append(min(count, wanted.minimum) if wanted.maximum is None else count)
        return tuple(result)

    def _cap(self, position: int) -> int:
        shape = self.shape
        bound = max(shape.minimum, len(shape.prefix), 1) if shape.maximum is None else shape.maximum
        return min(position, max(bound, 1))

    def _splits(self) -> Splits | None:
        """Return for each position the item schemas by which `contains` they match."""
        shape = self.shape
        everything = self.context.resolver.everything
        result: list[list[tuple[tuple[bool, ...], Node]]] = []
        for item in (*shape.prefix, shape.items or everything):
            regions: list[tuple[tuple[bool, ...], Node]] = [((), item)]
            for wanted in shape.contains:
                regions = [r for region in regions for r in self._split(region, wanted)]
                if len(regions) > 64:
                    self._without_contains(_TOO_MANY)
                    return None
            result.append(regions)
        return tuple(map(tuple, result))

    def _split(
        self, region: tuple[tuple[bool, ...], Node], wanted: Contains
    ) -> Iterable[tuple[tuple[bool, ...], Node]]:
        matched, node = region
        resolver = self.context.resolver
        inside = self.context.conjunction([node, wanted.schema], self.places)
        yield (*matched, True), inside
        if wanted.maximum is None:
            # A lower bound needs no complement: an item may count although it need not.
            yield (*matched, False), node
            return
        outside = resolver.negate(wanted.schema)
        if outside is not None:
            yield (*matched, False), self.context.conjunction([node, outside], self.places)
            return
        message = "the upper bound is not held: the complement cannot be expressed"
        self.context.report(self.places, "maxContains", Effect.WIDER, message)
        yield (*matched, False), node

    def _item(self, index: int) -> Expression:
        shape = self.shape
        node = shape.prefix[index] if index < len(shape.prefix) else shape.items
        places = item_places(self.places, index, self.context)
        hint = f"{self.hint}-{index + 1}" if shape.prefix else f"{self.hint}-item"
        return self.context.value(node, places, hint, self._below_depth())

    def _has_no_items(self) -> bool:
        return self.shape.items is not None and not self.context.atoms(self.shape.items, ())

    def _below_depth(self) -> int:
        return self.context.layout.below(self.depth)

    def _comma(self) -> Expression:
        return self.context.layout.comma(self.depth)

    def _brackets(self, members: Expression | None, *, may_be_empty: bool) -> Expression:
        layout = self.context.layout
        return layout.container("[]", members, may_be_empty=may_be_empty, depth=self.depth)


def _subsets_largest_first(count: int, most: int) -> Iterator[frozenset[int]]:
    for size in range(most, -1, -1):
        yield from map(frozenset, combinations(range(count), size))
