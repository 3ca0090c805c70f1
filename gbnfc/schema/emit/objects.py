"""Objects → grammar: in any order (`unordered`), or a chain over the declared properties.

In: an `ObjectSchema` and the source places it came from. Out: the expression of the whole object.

In the chain, which keeps the author's order and ends with the other keys, behind the opening quote
of a key at position i stands

    keys-i ::= pair-i tail-i | keys-(i+1)          (the second only when property i is optional)
    tail-i ::= (", \\"" keys-(i+1))?               (without the ? while a required one is missing)

so the chain is linear in the number of properties and never has two optional parts in a row. Where
`minProperties`, `maxProperties` or a negated object keyword bite, the position is joined by a count
and by the obligations met so far (`object_states`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from gbnfc.errors import LimitExceeded, PatternError
from gbnfc.ir.build import choice, optional, repeat, sequence
from gbnfc.ir.nodes import Expression, Literal
from gbnfc.regex import Dfa
from gbnfc.schema.emit.context import NEVER, Context, is_never
from gbnfc.schema.emit.key_parts import KeyPart, cut_by_first, cut_keys
from gbnfc.schema.emit.keys import AllowedNames, allowed_names, region_key
from gbnfc.schema.emit.members import Member, Members, Region, pair
from gbnfc.schema.emit.object_states import counted_members
from gbnfc.schema.emit.strings import pattern_language
from gbnfc.schema.emit.unordered import can_count, has_free_order, unordered_members
from gbnfc.schema.options import Additional, Missing, Order
from gbnfc.schema.read.schemas import ObjectSchema, TypeSchema, ValueSchema
from gbnfc.schema.report import Effect
from gbnfc.schema.time_limit import TOO_LONG

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from gbnfc.schema.read.canonical import Node
    from gbnfc.schema.source.source_map import Place, Places

_MAX_REPEATED = 6
"""What follows an optional property is written twice when it has no more parts than this."""

_MAX_INLINED = 3
"""Optional properties are written in place to this depth; deeper ones get a rule."""


def object_expression(
    shape: ObjectSchema, places: Places, hint: str, depth: int, context: Context
) -> Expression:
    """Return the expression of the objects of `shape`, braces included."""
    members = _Reader(shape, places, hint, depth, context).members()
    if members is None:
        return NEVER
    is_free = members.cases or (context.options.order is Order.ANY and has_free_order(members))
    needs_states = _needs_states(shape, members)
    if needs_states and is_free and not shape.violations:
        counted = replace(members, minimum=shape.minimum, maximum=shape.maximum)
        if can_count(counted):
            return unordered_members(counted, hint, depth, context)
    if needs_states:
        try:
            return counted_members(shape, members, places, hint, depth, context)
        except LimitExceeded as error:
            bounds = {"minProperties": shape.minimum, "maxProperties": shape.maximum is not None}
            biting = [keyword for keyword, bites in bounds.items() if bites]
            for keyword in ["not"] if shape.violations else biting:
                said = "" if error.message == TOO_LONG else "not held: "
                context.report(places, keyword, Effect.WIDER, said + error.message)
    if is_free:
        return unordered_members(members, hint, depth, context)
    return _chain(members, hint, depth, context)


def _needs_states(shape: ObjectSchema, members: Members) -> bool:
    least = sum(member.is_required for member in members.declared)
    most = None if members.regions else len(members.declared)
    too_few = shape.minimum > least
    too_many = shape.maximum is not None and (most is None or shape.maximum < most)
    return too_few or too_many or bool(shape.violations)


def _chain(members: Members, hint: str, depth: int, context: Context) -> Expression:
    """Return the object of `members`, built from its end.

    `keys` is what may stand behind the opening quote of the next key, `tail` what may follow a
    value. Both stay flat lists while properties are required, so a closed object whose keys are all
    required is one sequence.
    """
    layout = context.layout
    opening = sequence([layout.comma(depth), Literal('"')])
    keys, tail = _beyond(members.regions, opening, hint, context)
    may_end, inlined = True, 0
    for index in range(len(members.declared) - 1, -1, -1):
        member = members.declared[index]
        written = [member.key, layout.colon(), member.value, *tail]
        if member.is_required:
            keys, may_end = written, False
        else:
            if len(keys) > _MAX_REPEATED:  # it stands twice below
                keys = [context.rule(f"{hint}-after-{member.name}", sequence(keys))]
            body = choice([sequence(written), *([sequence(keys)] if keys else [])])
            # Two places refer to `keys` when the property before may be left out as well.
            is_shared = index > 0 and not members.declared[index - 1].is_required
            inlined = 0 if is_shared or inlined >= _MAX_INLINED else inlined + 1
            keys = [body if inlined else context.rule(f"{hint}-from-{member.name}", body)]
        tail = [optional(sequence([opening, *keys]))] if may_end else [opening, *keys]
    if not keys:
        return layout.container("{}", None, may_be_empty=True, depth=depth)
    inside = sequence([Literal('"'), *keys])
    return layout.container("{}", inside, may_be_empty=may_end, depth=depth)


def _beyond(
    regions: tuple[Region, ...], opening: Expression, hint: str, context: Context
) -> tuple[list[Expression], list[Expression]]:
    """Return what the keys beyond the declared ones put behind a quote, and behind a value."""
    if not regions:
        return [], []
    extra = choice(
        pair(region_key(region, hint, context), region.value, context) for region in regions
    )
    extra = context.rule(f"{hint}-extra", extra)
    more = repeat(sequence([opening, extra]), 0, None)
    return [extra, more], [more]


@dataclass(slots=True)
class _Reader:
    """Finds the members of one object shape."""

    shape: ObjectSchema
    places: Places
    hint: str
    depth: int
    context: Context
    _declared: dict[str, Node] = field(init=False)
    _required: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self._declared = dict(self.shape.properties)
        self._required = frozenset(self.shape.required)

    def members(self) -> Members | None:
        """Return the members, or `None` when a required key is not possible."""
        shape, context = self.shape, self.context
        allowed = self._allowed_names()
        declared: list[Member] = []
        settled: dict[str, None] = {}
        for name in self._names(allowed):
            settled.setdefault(name)
            is_required = name in self._required
            if allowed is not None and not allowed.accepts(name):
                if is_required:
                    return None
                continue
            found = self._members_of(name, is_required)
            if is_required and not found:
                return None
            declared += found
        is_closed = self._is_closed(allowed)
        regions = tuple(self._regions(allowed, settled, is_closed=is_closed))
        if context.options.order is Order.REQUIRED_FIRST:
            declared.sort(key=lambda member: not member.is_required)
        return Members(tuple(declared), regions, shape.cases)

    def _members_of(self, name: str, is_required: bool) -> list[Member]:
        """Return the ways to write the key `name`: one, or one for each variant of its value."""
        variants = [variant for variant in self.shape.variants if variant.name == name]
        if not variants:
            return self._member(name, is_required, self._declared.get(name))
        return [
            replace(member, cases=variant.cases)
            for variant in variants
            for member in self._member(name, is_required, variant.node)
        ]

    def _member(self, name: str, is_required: bool, declared: Node | None) -> list[Member]:
        """Return the member of the key `name`; nothing when it has no value."""
        node, places = self._node_of(name, declared), self._child_places(name)
        below = self.context.layout.below(self.depth)
        value = self.context.value(node, places, f"{self.hint}-{name}", below)
        if is_never(value):
            return []
        if is_required or self.context.options.missing is Missing.SCHEMA:
            return [Member(name, is_required, node, places, value)]
        message = (
            f"objects without the optional property {name!r} are left out (option missing=null)"
        )
        self.context.report(self.places, "properties", Effect.NARROWER, message)
        atoms = self.context.atoms(node, ())
        if not any(atom in (TypeSchema("null"), ValueSchema("null", None)) for atom in atoms):
            message = f"the optional property {name!r} is written as null when it is missing"
            self.context.report(places, "type", Effect.WIDER, message)
            value = choice([value, Literal("null")])
        return [Member(name, True, node, places, value)]

    def _names(self, allowed: AllowedNames | None) -> Iterable[str]:
        """Return the declared names in the author's order, then those only listed or required."""
        names: dict[str, None] = {}
        for place in self.places:
            if not isinstance(place.schema, dict):
                continue
            if isinstance(properties := place.schema.get("properties"), dict):
                names |= dict.fromkeys(properties)
            names |= dict.fromkeys(_dependent_names(place.schema))
        listed = {} if allowed is None else dict.fromkeys(allowed.listed)
        known = {*self._declared, *self.shape.required, *listed}
        names |= dict.fromkeys(name for name in self._listed_in_order() if name in known)
        names |= dict.fromkeys(self._required_in_order())
        names |= dict.fromkeys(self._declared)
        for case in self.shape.cases:
            names |= dict.fromkeys(sorted(case))
        names |= dict.fromkeys(variant.name for variant in self.shape.variants)
        return names | listed

    def _listed_in_order(self) -> Iterator[str]:
        """Yield the names that the source lists under `propertyNames`, in its order."""
        source_map = self.context.source_map
        for place in self.places:
            if isinstance(place.schema, dict) and "propertyNames" in place.schema:
                for inner in source_map.flatten((source_map.child(place, "propertyNames"),)):
                    said = inner.schema if isinstance(inner.schema, dict) else {}
                    listed = said.get("enum", [said.get("const")])
                    yield from (name for name in listed if isinstance(name, str))

    def _required_in_order(self) -> list[str]:
        """Return the required names, those that the source lists in its order first."""
        written = [
            name
            for place in self.places
            if isinstance(place.schema, dict)
            and isinstance(listed := place.schema.get("required"), list)
            for name in listed
            if name in self._required
        ]
        return [*written, *self.shape.required]

    def _allowed_names(self) -> AllowedNames | None:
        """Return what `propertyNames` allows; `None` when it allows every name."""
        if self.shape.names is None:
            return None
        return allowed_names(self.shape.names, self.places, self.context)

    def _node_of(self, name: str, declared: Node | None) -> Node | None:
        """Return what the value of the key `name` must satisfy; `None` is anything."""
        nodes = [node for pattern, node in self.shape.patterns if self._matches(pattern, name)]
        if declared is not None:
            nodes.insert(0, declared)
        elif not nodes:
            return self.shape.additional
        return self.context.conjunction(nodes, self.places)

    def _matches(self, pattern: str, name: str) -> bool:
        language = self._pattern(pattern)
        return language is not None and language.accepts(name)

    def _pattern(self, pattern: str) -> Dfa | None:
        try:
            return pattern_language(pattern, self.context)
        except (PatternError, LimitExceeded) as error:
            said = "" if error.message == TOO_LONG else f"the pattern {pattern!r} is not held: "
            message = said + error.message
            self.context.report(self.places, "patternProperties", Effect.WIDER, message)
            return None

    def _child_places(self, name: str) -> Places:
        found = _property_places(self.places, name, self.context)
        return found or _property_places(
            self.context.source_map.flatten(self.places), name, self.context
        )

    def _is_closed(self, allowed: AllowedNames | None) -> bool:
        """Return whether the option closes this object, which says what keys it has."""
        shape = self.shape
        says_keys = shape.properties or shape.patterns or shape.required
        if self.context.options.additional is not Additional.CLOSED or not says_keys:
            return False
        if allowed is not None and allowed.language is None:
            return False  # it is closed already
        says_so = any(
            isinstance(place.schema, dict) and "additionalProperties" in place.schema
            for place in self.places
        )
        if says_so or shape.additional is not None:
            return False
        message = "keys beyond the declared ones are left out (option additional=closed)"
        self.context.report(self.places, "additionalProperties", Effect.NARROWER, message)
        return True

    def _regions(
        self, allowed: AllowedNames | None, settled: Iterable[str], *, is_closed: bool
    ) -> Iterable[Region]:
        """Return the keys that are not `settled`, cut by which patterns they match.

        Those that match none are left out where the option closes the object.
        """
        excluded = tuple(settled)
        if not self.shape.patterns and (is_closed or allowed is None):
            return [] if is_closed else self._region(None, excluded, [])
        if allowed is not None and allowed.language is None:
            return []  # every name that is allowed is a declared one
        languages: dict[Node, Dfa] = {}
        for pattern, node in self.shape.patterns:
            language = self._pattern(pattern)
            if language is None:
                return self._region_of_anything(allowed, excluded)
            languages[node] = language | languages[node] if node in languages else language
        cut = self._cut(tuple(languages.values()))
        if cut is None:
            return self._region_of_anything(allowed, excluded)
        nodes = list(languages)
        found: list[Region] = []
        for keys, numbers in cut:
            if is_closed and not numbers:
                continue
            if allowed is not None:
                keys &= allowed.beyond_listed
            names = tuple(name for name in excluded if keys.accepts(name))
            found += self._cut_region(keys, names, [nodes[number] for number in numbers])
        return found

    def _cut(self, languages: tuple[Dfa, ...]) -> tuple[KeyPart, ...] | None:
        """Return the keys cut by which of `languages` they match; `None`, reported: that is too
        much. Before that, keys that match several are held to one."""
        try:
            if not self.context.resolver.limit.is_short:
                return cut_keys(languages)
            message = TOO_LONG
        except LimitExceeded as error:
            message = error.message
        try:
            cut = cut_by_first(languages)
            message = f"a key that matches several is held to one of them: {message}"
        except LimitExceeded as error:
            cut = None
            message = f"not held for keys beyond the declared ones: {error.message}"
        self.context.report(self.places, "patternProperties", Effect.WIDER, message)
        return cut

    def _region_of_anything(
        self, allowed: AllowedNames | None, excluded: tuple[str, ...]
    ) -> list[Region]:
        """Return any value under each allowed key: all that is known where a pattern is not held.

        To leave such keys to `additional` might refuse what the pattern allows.
        """
        if self.shape.additional is not None:
            message = "not held: which keys match no pattern cannot be told"
            self.context.report(self.places, "additionalProperties", Effect.WIDER, message)
        keys = None if allowed is None else _without_names(allowed.beyond_listed, excluded)
        if keys is not None and keys.is_empty():
            return []
        below = self.context.layout.below(self.depth)
        value = self.context.value(None, (), f"{self.hint}-value", below)
        return [Region(keys, excluded if keys is None else (), None, (), value)]

    def _cut_region(self, keys: Dfa, excluded: tuple[str, ...], nodes: list[Node]) -> list[Region]:
        """Return the region of `keys` without `excluded`, where there are such keys and values."""
        if not nodes and self._region(None, (), []) == []:
            return []  # before their automaton is made
        keys = _without_names(keys, excluded) if excluded else keys
        return [] if keys.is_empty() else self._region(keys, (), nodes)

    def _region(
        self, keys: Dfa | None, excluded: tuple[str, ...], nodes: list[Node]
    ) -> list[Region]:
        node = self.context.conjunction(nodes, self.places) if nodes else self.shape.additional
        places = self._extra_places(keys if nodes else None)
        below = self.context.layout.below(self.depth)
        value = self.context.value(node, places, f"{self.hint}-value", below)
        return [] if is_never(value) else [Region(keys, excluded, node, places, value)]

    def _extra_places(self, keys: Dfa | None) -> Places:
        witness = None if keys is None else keys.shortest()
        if witness is not None:
            return _property_places(self.places, witness, self.context)
        source_map = self.context.source_map
        return tuple(
            source_map.child(place, keyword)
            for place in self.places
            if isinstance(place.schema, dict)
            for keyword in ("additionalProperties", "unevaluatedProperties")
            if isinstance(place.schema.get(keyword), dict)
        )


@lru_cache(maxsize=256)
def _without_names(keys: Dfa, names: tuple[str, ...]) -> Dfa:
    """Return `keys` without `names`; the many forms of one object ask for the same."""
    return keys - Dfa.of_strings(names)


def _dependent_names(schema: dict[str, Any]) -> Iterator[str]:
    """Yield each key that others depend on, then those that it requires, in source order."""
    for keyword in ("dependentRequired", "dependentSchemas", "dependencies"):
        entries = schema.get(keyword)
        for name, wanted in entries.items() if isinstance(entries, dict) else ():
            yield name
            if isinstance(wanted, list):  # of anything, in a draft that has no such keyword
                yield from (other for other in wanted if isinstance(other, str))


def _property_places(places: Places, name: str, context: Context) -> Places:
    """Return the source subschemas that apply to the value of the key `name`."""
    source_map = context.source_map
    found: dict[Place, None] = {}
    for place in places:
        schema = place.schema
        if not isinstance(schema, dict):
            continue
        is_declared = False
        if isinstance(inner := schema.get("properties"), dict) and name in inner:
            found.setdefault(source_map.child(place, "properties", name))
            is_declared = True
        if isinstance(patterns := schema.get("patternProperties"), dict):
            for pattern in patterns:
                if _seems_to_match(pattern, name):
                    found.setdefault(source_map.child(place, "patternProperties", pattern))
                    is_declared = True
        if not is_declared and isinstance(schema.get("additionalProperties"), dict):
            found.setdefault(source_map.child(place, "additionalProperties"))
    return tuple(found)


def _seems_to_match(pattern: str, name: str) -> bool:
    # Only names and pointers depend on this, so Python's dialect is near enough.
    try:
        return re.search(pattern, name) is not None
    except re.error:
        return False
