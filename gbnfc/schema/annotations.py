"""Keywords that constrain nothing: listed as `ignored`, so that a misspelt one is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gbnfc.documents.pointer import join_pointer
from gbnfc.schema.oversights import SlipFinder
from gbnfc.schema.read.canonical import DIALECTS
from gbnfc.schema.report import Effect, ReportEntry
from gbnfc.schema.source.source_map import Place
from gbnfc.schema.source.unknown_formats import is_unknown_format
from gbnfc.schema.vocabulary import ANNOTATIONS, ASSERTIONS, IDENTIFIERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.schema.source.source_map import SourceMap

_MEANT = ASSERTIONS | IDENTIFIERS

_ONE = frozenset(
    [
        "additionalProperties",
        "propertyNames",
        "items",
        "additionalItems",
        "contains",
        "unevaluatedItems",
        "unevaluatedProperties",
        "not",
        "if",
        "then",
        "else",
    ]
)
_MANY = frozenset({"allOf", "anyOf", "oneOf", "prefixItems", "items"})
_NAMED = frozenset(
    {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
)


def subschemas(place_pointer: str, schema: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each object subschema below `schema`, itself included, with its JSON Pointer."""
    stack = [(place_pointer, schema)]
    while stack:
        pointer, current = stack.pop()
        if not isinstance(current, dict):
            continue
        yield pointer, current
        for keyword, value in current.items():
            if isinstance(value, str):
                continue  # most values are
            if keyword in _ONE and isinstance(value, dict):
                stack.append((join_pointer(pointer, keyword), value))
            elif keyword in _MANY and isinstance(value, list):
                below = join_pointer(pointer, keyword)
                stack += [(join_pointer(below, i), inner) for i, inner in enumerate(value)]
            elif keyword in _NAMED and isinstance(value, dict):
                below = join_pointer(pointer, keyword)
                stack += [(join_pointer(below, name), inner) for name, inner in value.items()]


def ignored_keywords(
    source_map: SourceMap, draft: str, *, asserts_formats: bool
) -> Iterator[ReportEntry]:
    """Yield an entry for each keyword that constrains nothing: annotations, and unknown ones.

    What was most likely meant to constrain comes first, marked so. Of other documents than the root
    only what references lead to is looked at.
    """
    finders: dict[str, SlipFinder] = {}
    seen: set[tuple[str, str]] = set()
    pending = [source_map.root]
    has_others = source_map.has_others
    for place in pending:
        home = source_map.document(place)
        finder = finders.setdefault(place.document, SlipFinder(home.schema, draft))
        for pointer, schema in subschemas(place.pointer, place.schema):
            if (place.document, pointer) in seen:
                continue
            seen.add((place.document, pointer))
            inner = Place(place.document, pointer, place.base, schema)
            if pointer and "$schema" in schema:
                yield from _unread_dialect(inner, home, draft)
            for slip in finder.find(pointer, schema):
                effect = Effect.ENFORCED if slip.keyword == "required" else Effect.IGNORED
                yield ReportEntry(inner.label, slip.keyword, effect, slip.message, is_slip=True)
            yield from _ignored(inner, draft, asserts_formats=asserts_formats)
            if not has_others or "$ref" not in schema:
                continue
            target = source_map.resolve(inner, schema["$ref"])
            if target is not None and target.document and isinstance(target.schema, dict):
                pending.append(target)


def _ignored(place: Place, draft: str, *, asserts_formats: bool) -> Iterator[ReportEntry]:
    for keyword in place.schema:
        if keyword in _MEANT:
            if keyword != "format":
                continue
            if not asserts_formats:
                message = f"an annotation in draft {draft}; option formats=assert holds it"
            elif is_unknown_format(place.schema[keyword]):
                shown = place.schema[keyword]
                message = f"the format {shown!r} is unknown and constrains nothing"
            else:
                continue
        elif keyword in ANNOTATIONS:
            message = "an annotation"
        else:
            message = f"not a keyword of draft {draft}"
        yield ReportEntry(place.label, keyword, Effect.IGNORED, message)


def _unread_dialect(place: Place, root: Place, draft: str) -> Iterator[ReportEntry]:
    """Yield what follows from a dialect in the middle of a document, which validators may obey.

    Only a document, or a part with an identifier, has one (2020-12 core, section 8.1.1).
    """
    schema = place.schema
    around = root.schema.get("$schema") if isinstance(root.schema, dict) else None
    known = (_plain(around or DIALECTS[draft]), _plain(DIALECTS[draft]))
    if _plain(schema["$schema"]) in known or not schema.keys().isdisjoint({"$id", "id"}):
        return
    message = (
        f"{schema['$schema']!r} is not obeyed: a part without an $id has no dialect of its own"
    )
    for effect in (Effect.WIDER, Effect.NARROWER):
        yield ReportEntry(place.label, "$schema", effect, message)


def _plain(dialect: Any) -> str:
    return str(dialect).rstrip("#").replace("hyper-schema", "schema").replace("https:", "http:")
