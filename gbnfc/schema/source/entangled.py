"""Where a schema is too entangled for the canonical form, and the schema made wider only there.

The library says of a whole document that it cannot model it, not of which place. So the parts are
read apart, what is referred to and what is within before what is around it: the first that it
cannot model is the place. Its keywords are given up one kind after the other (`rewrite`), and the
search goes on around it.

In: a schema, and what tells whether one can be modelled. Out: a wider schema and what it has lost;
`None` where no place could be made out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gbnfc.documents.pointer import follow_pointer, fragment_pointer, join_pointer, split_pointer
from gbnfc.errors import InputError
from gbnfc.schema.source.rewrite import Loss, Scope, references_in, weaker_within

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gbnfc.schema.time_limit import TimeLimit

MAX_READ = 2_000_000
"""So many characters are read in all; what is nested is read with each level around it."""

_DEFINITIONS = ("definitions", "$defs")
_BRANCHING = frozenset(
    {
        *("not", "oneOf", "anyOf", "if", "dependencies", "dependentSchemas", "dependentRequired"),
        *("unevaluatedItems", "unevaluatedProperties", "patternProperties"),
    }
)
_ONE = ("items", "additionalProperties", "additionalItems", "contains", "propertyNames")
_NAMED = ("properties", "patternProperties")
_IN_PLACE = ("not", "if", "then", "else")
_LISTS = ("allOf", "anyOf", "oneOf", "items", "prefixItems")


def wider_where_entangled(
    schema: Any, source: Any, is_modelled: Callable[[Any], bool], limit: TimeLimit | None
) -> tuple[Any, tuple[Loss, ...]] | None:
    """Return `schema` wider in the places that cannot be modelled, and what is lost there.

    `is_modelled` reads a schema; to find that one cannot be modelled takes it about a second. The
    losses speak of `source`, the schema as its author wrote it.
    """
    losses: tuple[Loss, ...] = ()
    left = MAX_READ
    for pointer in places_apart(schema):
        apart = _apart(schema, pointer)
        left -= len(str(apart))
        if left < 0 or (limit is not None and limit.is_over):
            return None
        if is_modelled(apart):
            continue
        found = _weaker_at(schema, source, pointer, is_modelled, limit)
        if found is None:
            return None
        schema, more = found
        losses += more
    return (schema, losses) if losses and is_modelled(schema) else None


def _weaker_at(
    schema: Any,
    source: Any,
    pointer: str,
    is_modelled: Callable[[Any], bool],
    limit: TimeLimit | None,
) -> tuple[Any, tuple[Loss, ...]] | None:
    leading = leading_to(schema, pointer)
    for is_deep in (False, True):
        spellings = weaker_within(schema, Scope(pointer, leading, is_deep), source)
        for weaker, losses in spellings:
            if limit is not None and limit.is_short:  # the weakest is the likeliest to be modelled
                *_, (weaker, losses) = (weaker, losses), *spellings
            if is_modelled(_apart(weaker, pointer)):
                return weaker, losses
    return None


def _apart(schema: Any, pointer: str) -> Any:
    """Return the subschema at `pointer` as a document, with the definitions it refers to.

    What was given up with something around it is no longer there, and any value.
    """
    try:
        part = follow_pointer(schema, pointer)
    except InputError:
        return True
    if not isinstance(part, dict) or not pointer:
        return part
    found: dict[tuple[str, str], None] = {}
    pending: list[Any] = [part]
    for value in pending:
        for reference in sorted(references_in(value)):
            segments = split_pointer(fragment_pointer(reference.partition("#")[2]))
            if len(segments) > 1 and segments[0] in _DEFINITIONS:
                key = segments[0], segments[1]
                definitions = schema.get(key[0], {})
                if key not in found and key[1] in definitions:
                    found[key] = None
                    pending.append(definitions[key[1]])
    document = {key: value for key, value in schema.items() if key == "$schema"} | part
    for keyword, name in found:
        document[keyword] = {**document.get(keyword, {}), name: schema[keyword][name]}
    return document


def places_apart(schema: Any) -> Iterator[str]:
    """Yield the pointers of subschemas that may be entangled, inner ones first."""
    order: list[tuple[str, Any]] = []
    pending: list[tuple[str, Any, bool]] = [("", schema, True)]
    while pending:
        pointer, part, is_apart = pending.pop()
        if not isinstance(part, dict):
            continue
        if is_apart:
            order.append((pointer, part))
        pending += _inner(pointer, part)
    for pointer, part in reversed(order):  # of one subschema, definitions are the last in it
        if any(not _BRANCHING.isdisjoint(inner) for inner in _in_place(part)):
            yield pointer


def _inner(pointer: str, part: dict[str, Any]) -> Iterator[tuple[str, Any, bool]]:
    """Yield what is directly below a subschema, and whether it is of other values."""
    for keyword in _DEFINITIONS + _NAMED:
        if isinstance(named := part.get(keyword), dict):
            for name, inner in named.items():
                yield join_pointer(pointer, keyword, name), inner, True
    for keyword in _ONE:
        if isinstance(inner := part.get(keyword), dict):
            yield join_pointer(pointer, keyword), inner, True
    for keyword in _IN_PLACE:
        if isinstance(inner := part.get(keyword), dict):
            yield join_pointer(pointer, keyword), inner, False
    for keyword in _LISTS:
        if isinstance(listed := part.get(keyword), list):
            for number, inner in enumerate(listed):
                is_apart = keyword in ("items", "prefixItems")
                yield join_pointer(pointer, keyword, number), inner, is_apart


def _in_place(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a subschema and those in it that apply to the same values."""
    pending: list[Any] = [part]
    for value in pending:
        if isinstance(value, dict):
            yield value
            pending += [inner for _, inner, is_apart in _inner("", value) if not is_apart]


def leading_to(schema: Any, pointer: str) -> frozenset[str]:
    """Return the references in `schema` that may lead to `pointer`, directly or by others.

    What is no pointer into this document may lead anywhere.
    """
    within: dict[str, set[str]] = {}
    leading: set[str] = set()
    for reference in references_in(schema):
        target = fragment_pointer(reference[1:])
        try:
            if not reference.startswith("#"):
                raise InputError(reference)
            within[reference] = references_in(follow_pointer(schema, target))
        except InputError:
            leading.add(reference)
            continue
        if f"{pointer}/".startswith(f"{target}/") or f"{target}/".startswith(f"{pointer}/"):
            leading.add(reference)
    while True:
        more = {r for r, inner in within.items() if r not in leading and inner & leading}
        if not more:
            return frozenset(leading)
        leading |= more
