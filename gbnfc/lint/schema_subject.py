"""What schema rules look at: a JSON Schema inside a document, with the place of each part."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from gbnfc.documents.json_positions import PositionedJson, escape_pointer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gbnfc.errors import GbnfcError
    from gbnfc.lint.schema_faults import SoundPart
    from gbnfc.schema import Compiled
    from gbnfc.schema.oversights import Slip
    from gbnfc.source import Source, Span

_SUBSCHEMA = [
    "additionalProperties",
    "additionalItems",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
]
_SUBSCHEMA_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
_SUBSCHEMA_MAPS = ("$defs", "definitions", "dependentSchemas", "patternProperties", "properties")


class Subschema(NamedTuple):
    """A schema object and its JSON Pointer inside the schema (not the document)."""

    pointer: str
    value: Mapping[str, Any]


@dataclass(frozen=True)
class LintedSchema:
    """One schema of a document. `base` is its JSON Pointer there: empty, or into a tool list.

    `registry` holds by URI the documents that references may lead to.
    """

    schema: Any
    source: Source
    document: PositionedJson
    base: str = ""
    registry: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def subschemas(self) -> tuple[Subschema, ...]:
        """Every schema object, outer before inner, in source order; data is not looked into."""
        return tuple(_walk(self.schema))

    @cached_property
    def by_pointer(self) -> dict[str, Mapping[str, Any]]:
        """The schema object at each pointer."""
        return dict(self.subschemas)

    @cached_property
    def sound_part(self) -> SoundPart:
        """Its faults, and what the compiler makes of the rest."""
        from gbnfc.lint.schema_faults import sound_part

        return sound_part(self.schema, self.registry)

    @property
    def compiled(self) -> Compiled | GbnfcError:
        """What the compiler makes of what is sound of it, or why it refuses that."""
        return self.sound_part.compiled

    @cached_property
    def slips(self) -> tuple[tuple[str, Slip], ...]:
        """What does not do what it looks like, each with the pointer of its subschema."""
        from gbnfc.schema.oversights import SlipFinder
        from gbnfc.schema.read.canonical import draft_of

        finder = SlipFinder(self.schema, draft_of(self.schema))
        return tuple(
            (pointer, slip)
            for pointer, value in self.subschemas
            for slip in finder.find(pointer, value)
        )

    def span_of(self, pointer: str) -> Span | None:
        """Return where the value at `pointer` stands, or the nearest one around it."""
        return self.document.span_of(self.base + pointer)

    def key_span(self, pointer: str) -> Span | None:
        """Return where the key of `pointer` stands."""
        return self.document.key_span(self.base + pointer)

    @cached_property
    def fields(self) -> tuple[Subschema, ...]:
        """The schemas of declared properties, in source order."""
        return tuple(
            part for part in self.subschemas if part.pointer.split("/")[-2:-1] == ["properties"]
        )


def _walk(schema: Any) -> Iterator[Subschema]:
    todo: list[tuple[str, Any]] = [("", schema)]
    while todo:
        pointer, value = todo.pop()
        if not isinstance(value, dict):
            continue
        yield Subschema(pointer, value)
        todo.extend(reversed([*_parts(pointer, value)]))


def _parts(pointer: str, schema: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for keyword, value in schema.items():
        at = f"{pointer}/{escape_pointer(keyword)}"
        if keyword in _SUBSCHEMA_LISTS and isinstance(value, list):
            yield from ((f"{at}/{index}", part) for index, part in enumerate(value))
        elif keyword in _SUBSCHEMA_MAPS and isinstance(value, dict):
            yield from ((f"{at}/{escape_pointer(str(key))}", part) for key, part in value.items())
        elif keyword in _SUBSCHEMA:
            yield at, value
