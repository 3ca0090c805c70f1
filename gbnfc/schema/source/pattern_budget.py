"""How many cases the patterns of a schema multiply out to.

`jsonschema_rs` (0.61) brings what is said of strings into a union of conjunctions, whatever its
size: eight `anyOf` of six patterns each take it hours. So the size is estimated beforehand, from
above, where a schema holds so many patterns that it could be large.

In: the map of the source. Out: nothing, or `LimitExceeded`.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, TypeAlias

from gbnfc.errors import LimitExceeded
from gbnfc.frozen import frozen
from gbnfc.schema.source.source_map import Alternatives, Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gbnfc.schema.source.source_map import SourceMap

FEWEST_PATTERNS = 8
"""Each pattern is there, or its complement, or neither: fewer cannot make `MAX_CASES`."""

MAX_CASES = 5_000
"""So many take the library a second, and the time grows with the square."""

_MAX_POSITIONS = 10_000
"""So many parts of values are looked at; real schemas have fewer."""

_MEMBER, _ITEM, _NAME = "member", "item", "name"
_Part: TypeAlias = "tuple[str, str | int | None]"
"""A part of a value: a named member, a numbered item; without one: any other. Or the keys."""

_Formula: TypeAlias = "Place | _Together | _Either"


@frozen
class _Together:
    """All `parts` apply to the same value."""

    parts: tuple[_Formula, ...]


@frozen
class _Either:
    """One of `parts` applies, by a choice made around the value: each is a case of its own."""

    parts: tuple[_Formula, ...]


def check_cases(source_map: SourceMap) -> None:
    """Raise `LimitExceeded` where the patterns for one string come to over `MAX_CASES` cases."""
    estimate = _Estimate(source_map)
    pending: list[_Formula] = [source_map.root]
    for formula in pending:
        if estimate.cases(formula) > MAX_CASES:
            place = next(_places(formula), source_map.root)
            raise LimitExceeded(
                f"at {place.label or '/'}: its patterns come to over {MAX_CASES:,} cases",
                hint="combine fewer anyOf, oneOf and not of patterns",
            )
        if len(pending) < _MAX_POSITIONS:
            pending += estimate.below(formula)


class _Estimate:
    def __init__(self, source_map: SourceMap) -> None:
        self._source_map = source_map
        self._seen: set[_Formula] = set()
        self._cases: dict[tuple[Place, bool], int] = {}
        self._names: dict[Place, dict[_Part, list[tuple[str | int, ...]]]] = {}
        self._below: dict[tuple[Place, _Part], _Formula | None] = {}

    def cases(self, formula: _Formula) -> int:
        """Return the number of conjunctions of patterns in `formula`; 0 without any."""
        match formula:
            case Place():
                return self._cases_at(formula, is_negated=False)
            case _Together(parts=parts):
                return _all(map(self.cases, parts))
            case _Either(parts=parts):
                return _any(map(self.cases, parts))

    def _cases_at(self, place: Place, *, is_negated: bool) -> int:
        """Return the same of a place, or of its complement: there, all is any, and any is all."""
        key = place, is_negated
        if key not in self._cases:
            self._cases[key] = 0  # what leads back to itself adds nothing
            both, either = (_any, _all) if is_negated else (_all, _any)
            found = [
                either(self._cases_at(b, is_negated=is_negated) for b in part.branches)
                if isinstance(part, Alternatives)
                else self._cases_at(part, is_negated=is_negated)
                for part in self._source_map.parts(place)
            ]
            schema = place.schema if isinstance(place.schema, dict) else {}
            if "pattern" in schema:
                found.append(1)
            if "not" in schema:
                inner = self._source_map.child(place, "not")
                found.append(self._cases_at(inner, is_negated=not is_negated))
            if "if" in schema:  # with `then`, or its complement with `else`
                found.append(2 * max(found, default=0))
            self._cases[key] = both(found)
        return self._cases[key]

    def below(self, formula: _Formula) -> Iterator[_Formula]:
        """Yield what applies to each part of a value, where that was not yielded before.

        Alternatives that nothing stands beside are looked at one by one: where nothing is combined
        with them, what is below one is not combined with what is below another.
        """
        alone = self._alone(formula)
        if alone is None:
            parts: dict[_Part, None] = dict.fromkeys(_OTHERS_OF)
            for place in self._source_map.flatten(tuple(_places(formula))):
                parts |= dict.fromkeys(self._named(place))
            found = [self._at(formula, part) for part in parts]
        else:
            found = [*alone]
        for inner in found:
            if inner is not None and inner not in self._seen:
                self._seen.add(inner)
                yield inner

    def _alone(self, formula: _Formula) -> tuple[_Formula, ...] | None:
        """Return the alternatives that `formula` is and nothing else; `None`: it is more."""
        if isinstance(formula, _Either):
            return formula.parts
        if not isinstance(formula, Place) or self._says_more(formula):
            return None
        match self._source_map.parts(formula):
            case (Place() as part,):
                return (part,)
            case (Alternatives(branches=branches),):
                return branches
            case _:
                return None

    def _says_more(self, place: Place) -> bool:
        """Return whether `place` itself speaks of parts of a value."""
        return bool(self._named(place)) or any(
            True for part in _OTHERS_OF for _ in _paths(place, part)
        )

    def _named(self, place: Place) -> dict[_Part, list[tuple[str | int, ...]]]:
        """Return where the subschemas are of the members and items that `place` names."""
        known = self._names.get(place)
        if known is None:
            known = self._names[place] = {}
            for kind, name, keyword in _named(place):
                known.setdefault((kind, name), []).append((keyword, name))
        return known

    def _at(self, formula: _Formula, part: _Part) -> _Formula | None:
        """Return what `formula` says of `part`; what leads back to itself adds nothing."""
        match formula:
            case _Together(parts=parts):
                return _joined(self._at(inner, part) for inner in parts)
            case _Either(parts=parts):
                return _chosen(self._at(inner, part) for inner in parts)
        key = formula, part
        if key not in self._below:
            self._below[key] = None
            self._below[key] = self._at_place(formula, part)
        return self._below[key]

    def _at_place(self, place: Place, part: _Part) -> _Formula | None:
        named = self._named(place).get(part, [])
        paths = [*named, *_paths(place, part, is_named=bool(named))]
        found: list[_Formula | None] = [self._source_map.child(place, *path) for path in paths]
        for inner in self._source_map.parts(place):
            if isinstance(inner, Alternatives):
                found.append(_chosen(self._at(branch, part) for branch in inner.branches))
            else:
                found.append(self._at(inner, part))
        return _joined(found)


def _all(cases: Iterable[int]) -> int:
    """Return the cases of a conjunction of what comes to `cases`; 0 says nothing of patterns."""
    told = [count for count in cases if count]
    return min(prod(told), MAX_CASES + 1) if told else 0


def _any(cases: Iterable[int]) -> int:
    counts = list(cases)
    return min(sum(counts) + (0 in counts), MAX_CASES + 1) if any(counts) else 0


def _joined(formulas: Iterable[_Formula | None]) -> _Formula | None:
    parts = tuple(dict.fromkeys(formula for formula in formulas if formula is not None))
    return _Together(parts) if len(parts) > 1 else next(iter(parts), None)


def _chosen(formulas: Iterable[_Formula | None]) -> _Formula | None:
    parts = tuple(dict.fromkeys(formula for formula in formulas if formula is not None))
    return _Either(parts) if len(parts) > 1 else next(iter(parts), None)


def _places(formula: _Formula) -> Iterator[Place]:
    if isinstance(formula, Place):
        yield formula
    else:
        for part in formula.parts:
            yield from _places(part)


def _named(place: Place) -> Iterator[tuple[str, str | int, str]]:
    """Yield the members and items that `place` speaks of by name or number, with the keyword."""
    schema = place.schema if isinstance(place.schema, dict) else {}
    if isinstance(properties := schema.get("properties"), dict):
        yield from ((_MEMBER, name, "properties") for name in properties)
    for keyword in ("items", "prefixItems"):
        if isinstance(listed := schema.get(keyword), list):
            yield from ((_ITEM, index, keyword) for index in range(len(listed)))


_OTHERS = {
    _MEMBER: ("additionalProperties", "unevaluatedProperties"),
    _ITEM: ("items", "additionalItems", "unevaluatedItems"),
    _NAME: ("propertyNames",),
}
_OTHERS_OF: tuple[_Part, ...] = tuple((kind, None) for kind in _OTHERS)


def _paths(place: Place, part: _Part, *, is_named: bool = False) -> Iterator[tuple[str | int, ...]]:
    """Yield where below `place` the subschemas are that apply to `part`, but are not of its name.

    `is_named` tells that there is one of its name.
    """
    schema = place.schema if isinstance(place.schema, dict) else {}
    if part[0] == _MEMBER and isinstance(patterns := schema.get("patternProperties"), dict):
        yield from (("patternProperties", pattern) for pattern in patterns)
    if part[0] == _ITEM and isinstance(schema.get("contains"), dict):
        yield ("contains",)
    for keyword in _OTHERS[part[0]]:
        if not is_named and isinstance(schema.get(keyword), dict):
            yield (keyword,)
