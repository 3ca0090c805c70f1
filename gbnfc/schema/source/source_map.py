"""Where a canonical node came from: the author's property order and the report's JSON Pointers.

The canonical form sorts properties and forgets keywords. So the compiler walks the *source* beside
it: to each canonical node belong the source subschemas (`Place`s) that apply to the same instance.
`SourceMap.flatten` follows the in-place applicators (`$ref`, `allOf`, `anyOf`, `if`, …; JSON Schema
2020-12 core, section 10.2) from places; `select` picks, for one object of a union, the branches it
came from; `child` descends to a property or an item.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import field
from typing import TYPE_CHECKING, Any, TypeAlias

from gbnfc.documents.pointer import follow_pointer, fragment_pointer, join_pointer
from gbnfc.errors import InputError
from gbnfc.frozen import frozen
from gbnfc.ir.graph import components
from gbnfc.schema.source.uris import DEFAULT_BASE, join_uri, without_fragment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

_CHOICES = ("anyOf", "oneOf")
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_BRANCHING = frozenset((*_CHOICES, "if", "dependentSchemas", "dependencies"))
_IN_PLACE = _BRANCHING.union(_REFERENCES, ("allOf", "then", "else"))
APPLIED_IN_PLACE = _IN_PLACE | {"not"}
LOOKING_BACK = frozenset({"unevaluatedItems", "unevaluatedProperties"})
_NOTED = frozenset({"$id", "id", "$anchor", "$dynamicAnchor", "$ref"}.union(LOOKING_BACK))
"""Keywords for which the place of a subschema is noted when its document is indexed."""


@frozen
class Place:
    """A subschema of a source document: `base` is its base URI, `pointer` a JSON Pointer.

    Two places are equal when they are the same spot of the same document.
    """

    document: str
    pointer: str
    base: str = field(compare=False)
    schema: Any = field(compare=False, repr=False)

    @property
    def label(self) -> str:
        """The pointer as a report shows it: bare in the root document, with its URI elsewhere."""
        return f"{self.document}#{self.pointer}" if self.document else self.pointer


@frozen
class Alternatives:
    """Branches of which an instance may follow some: `anyOf`, `oneOf`, `then`/`else`."""

    branches: tuple[Place, ...]


Places: TypeAlias = tuple[Place, ...]

_Trail: TypeAlias = "tuple[_Trail | None, str | int]"
"""How a subschema is reached: the trail to what is around it, and the segment from there."""


class SourceMap:
    """The source documents of one compilation, indexed by URI."""

    def __init__(self, root: Any, registry: Mapping[str, Any], *, siblings_of_ref: bool) -> None:
        """`siblings_of_ref` tells whether keywords beside `$ref` count (2019-09 and later)."""
        self._siblings_of_ref = siblings_of_ref
        self._by_uri: dict[str, Place] = {}
        self._documents: dict[str, Place] = {}
        self._parts: dict[Place, tuple[Place | Alternatives, ...]] = {}
        self._flat: dict[Places, Places] = {}
        self._referring: list[Place] = []
        self._looking_back: list[Place] = []
        self.root = Place("", "", DEFAULT_BASE, root)
        self._index("", DEFAULT_BASE, root)
        for uri, document in registry.items():
            self._index(uri, join_uri(DEFAULT_BASE, uri), document)

    def parts(self, place: Place) -> tuple[Place | Alternatives, ...]:
        """Return what applies to the same instance by the keywords of `place`, in source order."""
        known = self._parts.get(place)
        if known is None:
            is_alone = not isinstance(place.schema, dict) or _IN_PLACE.isdisjoint(place.schema)
            known = self._parts[place] = () if is_alone else tuple(self._parts_of(place))
        return known

    def flatten(self, places: Places) -> Places:
        """Return all places that apply in place with any of `places`, once, in source order."""
        known = self._flat.get(places)
        if known is None:
            known = self._flat[places] = self._select(places, lambda part: part.branches)
        return known

    def select(
        self,
        places: Places,
        score: Callable[[Places], int],
        may_apply: Callable[[Places], bool],
        chosen: dict[Place, Places],
    ) -> Places:
        """Return the places that apply, of alternatives only the branch that `score`s best.

        `score` rates the places that a branch applies unconditionally. A lone branch (`then`,
        `else`) is left out where `may_apply` says of them that it does not apply. `chosen` keeps,
        by the first branch of some alternatives, what was chosen; it is for these two alone.
        """

        def best(part: Alternatives) -> Places:
            if not part.branches:
                return ()
            known = chosen.get(part.branches[0])
            if known is None:
                known = chosen[part.branches[0]] = best_of(part.branches)
            return known

        def best_of(branches: Places) -> Places:
            applied = [self._select((branch,), _none_of) for branch in branches]
            if len(branches) == 1:
                return branches if may_apply(applied[0]) else ()
            rates = [*map(score, applied)]
            return (branches[rates.index(max(rates))],)

        return self._select(places, best)

    def _select(self, places: Places, choose: Callable[[Alternatives], Places]) -> Places:
        """Return what applies with `places`, of alternatives the branches that `choose` returns.

        What is reached again, by another way or in a circle, adds nothing.
        """
        found: dict[Place, None] = {}
        pending: list[Place | Alternatives] = [*reversed(places)]
        while pending:
            part = pending.pop()
            if isinstance(part, Alternatives):
                pending += reversed(choose(part))
            elif part not in found:
                found[part] = None
                pending += reversed(self.parts(part))
        return tuple(found)

    def endless_references(self) -> list[Place]:
        """Return the places whose references lead back to them without any content.

        Only what always applies counts (`$ref`, `allOf`): a validator would not come to an end.
        """
        return self._circles(self._always)

    def self_dependent(self) -> list[Place]:
        """Return the places that lead back to themselves without any content, in whatever way.

        Whether a value is valid there depends on whether it is valid there: `{"not": {"$ref":
        "#"}}`, and `{"dependentSchemas": {"a": {"$ref": "#"}}}` for objects with that key. That has
        no meaning (JSON Schema 2020-12 core, section 9.4.1), and validators differ.
        """
        return self._circles(self._applied)

    def _circles(self, following: Callable[[Place], Iterable[Place]]) -> list[Place]:
        """Return the places from which `following` leads back to them, from references on."""
        found: dict[Place, None] = {}
        done: set[Place] = set()
        for start in self._referring:
            path: dict[Place, None] = {}
            stack = [(start, False)]
            while stack:
                place, is_left = stack.pop()
                if is_left:
                    path.pop(place, None)
                    done.add(place)
                elif place in path:
                    found.setdefault(place)
                elif place not in done:
                    path[place] = None
                    stack.append((place, True))
                    stack += [(inner, False) for inner in following(place)]
        return list(found)

    def longest_chain(self) -> tuple[int, Place]:
        """Return the most references that lead from one to the next, and where the last one is.

        Of a circle all its references count: a way through it may take each of them once.
        """
        spots = sorted(self._referring, key=lambda place: (place.document, f"{place.pointer}/"))
        order = [(place.document, f"{place.pointer}/") for place in spots]
        graph: dict[Place, list[Place]] = {}
        pending = [self.root]
        for place in pending:
            # What is within `place` stands together in `order`.
            start = bisect_left(order, (place.document, f"{place.pointer}/"))
            end = bisect_left(order, (place.document, f"{place.pointer}0"))  # 0 comes behind /
            targets = (self.resolve(spot, spot.schema["$ref"]) for spot in spots[start:end])
            graph[place] = [target for target in dict.fromkeys(targets) if target is not None]
            for target in graph[place]:
                if target not in graph:
                    graph[target] = []
                    pending.append(target)
        lengths: dict[Place, int] = {}
        for circle in components(graph):  # what is referred to comes first
            below = [lengths[t] for place in circle for t in graph[place] if t in lengths]
            lengths |= dict.fromkeys(circle, len(circle) + max(below, default=-1))
        longest = max(lengths, key=lengths.__getitem__)
        return lengths[longest], longest

    def endless_unevaluated(self) -> list[Place]:
        """Return the places whose `unevaluated…` keywords look, by reference, at what holds them.

        What was evaluated there is known when the reference is written out; the copy holds the
        keywords again, and so on.
        """
        holds: dict[Place, list[Place]] = {}
        for place in self._looking_back:
            reached = {place: None}
            pending = [place]
            for current in pending:
                for inner in self._in_place_and_referred(current):
                    if inner not in reached:
                        reached[inner] = None
                        pending.append(inner)
            if any(_has_branches(inner) for inner in reached):
                around = [inner for inner in reached if inner != place]
                holds[place] = [
                    other
                    for other in self._looking_back
                    if any(_is_within(other, inner) for inner in around)
                ]
        circles = (c for c in components(holds) if len(c) > 1 or c[0] in holds[c[0]])
        return [place for circle in circles for place in circle]

    def _in_place_and_referred(self, place: Place) -> Iterator[Place]:
        if not isinstance(place.schema, dict):
            return
        if (target := self.resolve(place, place.schema.get("$ref"))) is not None:
            yield target
        for keyword, value in place.schema.items():
            yield from self._in_place(place, keyword, value)

    def always(self, place: Place) -> set[Place]:
        """Return what applies wherever `place` does, through `$ref` and `allOf`; itself too."""
        found = {place}
        pending = [place]
        for current in pending:
            for inner in self._always(current):
                if inner not in found:
                    found.add(inner)
                    pending.append(inner)
        return found

    def _always(self, place: Place) -> Iterator[Place]:
        if not isinstance(place.schema, dict):
            return
        if (target := self.resolve(place, place.schema.get("$ref"))) is not None:
            yield target
        if self._siblings_of_ref or target is None:
            yield from self._in_place(place, "allOf", place.schema.get("allOf"))

    def _applied(self, place: Place) -> Iterator[Place]:
        """Yield what is asked about the same instance, whether or not it must hold."""
        for part in self.parts(place):
            yield from part.branches if isinstance(part, Alternatives) else (part,)
        if not isinstance(place.schema, dict) or not isinstance(place.schema.get("not"), dict):
            return
        if self._siblings_of_ref or "$ref" not in place.schema:
            yield self.child(place, "not")

    def _parts_of(self, place: Place) -> Iterator[Place | Alternatives]:
        if "$ref" in place.schema and not self._siblings_of_ref:
            keywords: Mapping[str, Any] = {"$ref": place.schema["$ref"]}
        else:
            keywords = place.schema
        for keyword, value in keywords.items():
            if keyword in _REFERENCES:
                target = self.resolve(place, value)
                if target is not None:
                    yield target
                continue
            found = self._in_place(place, keyword, value)
            if keyword in _CHOICES or keyword in ("then", "else"):
                yield Alternatives(tuple(found))
            else:
                yield from found

    def _in_place(self, place: Place, keyword: str, value: Any) -> list[Place]:
        match keyword, value:
            case (("allOf" | "anyOf" | "oneOf"), list()):
                return [self.child(place, keyword, index) for index in range(len(value))]
            case (("if" | "then" | "else"), dict()):
                return [self.child(place, keyword)]
            case (("dependentSchemas" | "dependencies"), dict()):
                names = [name for name, schema in value.items() if isinstance(schema, dict)]
                return [self.child(place, keyword, name) for name in names]
            case _:
                return []

    def child(self, place: Place, *segments: str | int) -> Place:
        """Return the subschema at `segments` below `place`; the path must exist."""
        schema = place.schema
        for segment in segments:
            schema = schema[segment]
        base = self._base(place.base, schema)
        return Place(place.document, join_pointer(place.pointer, *segments), base, schema)

    def document(self, place: Place) -> Place:
        """Return the root of the document that `place` is in."""
        return self._documents[place.document]

    @property
    def has_others(self) -> bool:
        """Whether there are documents beside the root, which references may lead to."""
        return len(self._documents) > 1

    def resolve(self, place: Place, reference: Any) -> Place | None:
        """Return where `reference` leads from `place`; `None`: to none of our documents."""
        if not isinstance(reference, str):
            return None
        uri, _, fragment = join_uri(place.base, reference).partition("#")
        home = self._by_uri.get(uri)
        if home is None:
            return None
        if fragment and not fragment.startswith("/"):
            return self._by_uri.get(f"{uri}#{fragment}")
        for pointer in dict.fromkeys((fragment_pointer(fragment), fragment)):
            try:
                schema = follow_pointer(home.schema, pointer)
            except InputError:
                continue
            base = self._base(home.base, schema) if pointer else home.base
            return Place(home.document, home.pointer + pointer, base, schema)
        return None

    def _base(self, base: str, schema: Any) -> str:
        """Return the base URI within `schema`, which stands where it is `base`."""
        own = _identifier(schema) if isinstance(schema, dict) else None
        is_silenced = not self._siblings_of_ref and "$ref" in schema if own is not None else False
        return join_uri(base, own) if isinstance(own, str) and not is_silenced else base

    def _index(self, document: str, base: str, root: Any) -> None:
        """Enter the document and every embedded `$id` and `$anchor` below it."""
        start = self._documents[document] = Place(document, "", base, root)
        self._by_uri.setdefault(without_fragment(base), start)
        # Few subschemas are named or refer, so a pointer is written when one does.
        stack: list[tuple[Any, str, _Trail | None]] = [(root, base, None)]
        while stack:
            value, base, trail = stack.pop()
            inner: Iterable[tuple[str | int, Any]]
            if isinstance(value, dict):
                if not _NOTED.isdisjoint(value):
                    place = self._enter(Place(document, _pointer(trail), base, value))
                    base = place.base
                inner = value.items()
            else:
                inner = enumerate(value) if isinstance(value, list) else ()
            for segment, part in inner:
                if isinstance(part, (dict, list)) and segment not in ("enum", "const"):
                    stack.append((part, base, (trail, segment)))

    def _enter(self, place: Place) -> Place:
        own = _identifier(place.schema)
        # In the older drafts a `$ref` silences what stands beside it; at a root Ajv reads it.
        base = join_uri(place.base, own) if not place.pointer and isinstance(own, str) else ""
        base = base or self._base(place.base, place.schema)
        if isinstance(own, str) and not own.startswith("#") and base != place.base:
            place = Place(place.document, place.pointer, base, place.schema)
            self._by_uri.setdefault(without_fragment(base), place)
            if not place.pointer and not place.document:
                self.root = place
        if isinstance(place.schema.get("$ref"), str):
            self._referring.append(place)
        if not LOOKING_BACK.isdisjoint(place.schema):
            self._looking_back.append(place)
        for keyword in ("$anchor", "$dynamicAnchor", "$id", "id"):
            name = place.schema.get(keyword)
            if isinstance(name, str) and (keyword.endswith("nchor") or name.startswith("#")):
                self._by_uri.setdefault(f"{without_fragment(place.base)}#{name.lstrip('#')}", place)
        return place


def _pointer(trail: _Trail | None) -> str:
    segments: list[str | int] = []
    while trail is not None:
        trail, segment = trail
        segments.append(segment)
    return join_pointer("", *reversed(segments))


def _identifier(schema: Mapping[str, Any]) -> Any:
    return schema.get("$id", schema.get("id"))


def _none_of(_: Alternatives) -> Places:
    return ()


def _has_branches(place: Place) -> bool:
    return isinstance(place.schema, dict) and not _BRANCHING.isdisjoint(place.schema)


def _is_within(place: Place, outer: Place) -> bool:
    return place.document == outer.document and f"{place.pointer}/".startswith(f"{outer.pointer}/")
