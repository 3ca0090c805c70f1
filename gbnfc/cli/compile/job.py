"""One schema of a `gbnfc compile` run, compiled.

In: a schema as given and the options. Out: its grammar and report, with the JSON Pointers of the
file, whatever part of it was compiled; or an error that names the place in the file.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from gbnfc.errors import LimitExceeded, SchemaError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gbnfc.cli.inputs.schema_argument import SchemaInput
    from gbnfc.documents.json_positions import PositionedJson
    from gbnfc.schema import Compiled, CompileOptions, ReportEntry
    from gbnfc.source import Position, Span

_YAML = (".yaml", ".yml")


@dataclass(frozen=True)
class CompiledSchema:
    """A schema, how it was compiled, and the `entries` that a report shows of it."""

    given: SchemaInput
    compiled: Compiled
    options: CompileOptions
    draft: str | None = None
    entries: tuple[ReportEntry, ...] = ()

    @cached_property
    def positions(self) -> PositionedJson | None:
        """Where each value stands in the text; `None` when there is no text."""
        return _positions(self.given)

    def span_of(self, entry: ReportEntry) -> Span | None:
        """Return where the keyword of `entry` stands; `None` in another document."""
        if self.positions is None or (entry.pointer and not entry.pointer.startswith("/")):
            return None
        from gbnfc.documents.pointer import join_pointer

        return self.positions.key_span(join_pointer(entry.pointer, entry.keyword))


def compile_given(
    given: SchemaInput,
    draft: str | None,
    registry: Mapping[str, Any],
    options: CompileOptions,
) -> CompiledSchema:
    """Compile `given`; `registry` maps further URIs to documents.

    Raises:
        GbnfcError: as `compile_schema` does, pointers and places being those of the file.
    """
    from gbnfc.schema import compile_schema

    given = replace(given, registry={**registry, **given.registry})
    try:
        compiled = compile_schema(given.schema, draft, given.registry, options)
    except SchemaError as error:
        raise placed(error, given) from None
    except LimitExceeded:
        _check_shown(given, draft)
        raise
    return CompiledSchema(given, compiled, options, draft)


def file_pointer(given: SchemaInput, label: str) -> str:
    """Return the pointer of the file for `label`, a pointer as the compiler's report has it."""
    from gbnfc.cli.inputs.schema_argument import document_uri

    for pointer, base in given.homes.items():
        if f"{label}/".startswith(f"{pointer}/"):
            return base + label.removeprefix(pointer)
    if given.source is not None and given.registry:
        home = document_uri(given.source)
        if home in given.registry and label.startswith(f"{home}#"):
            return label.removeprefix(f"{home}#")
    return given.base + label if not label or label.startswith("/") else label


def _check_shown(given: SchemaInput, draft: str | None) -> None:
    """Tell what is wrong with a part of a document, which the compiler knows by reference only."""
    from gbnfc.cli.inputs.schema_argument import document_uri
    from gbnfc.documents.pointer import follow_pointer
    from gbnfc.schema.read.canonical import check_schema

    if given.shown is not None and given.source is not None:
        document = given.registry[document_uri(given.source)]
        try:
            check_schema(follow_pointer(document, given.base), draft)
        except SchemaError as error:
            raise placed(error, given) from None


def placed(error: SchemaError, given: SchemaInput) -> SchemaError:
    """Return `error` with the pointer and the place that it has in the file."""
    found = replace(error, pointer=file_pointer(given, error.pointer))
    if given.source is None:
        return found
    position = _position(found, given)
    place = f"{given.name}:{position}" if position else given.name
    return replace(found, message=f"{found.message} ({place})")


def _position(error: SchemaError, given: SchemaInput) -> Position | None:
    positions = _positions(given)
    if given.source is None or positions is None or error.pointer[:1] not in ("", "/"):
        return None
    span = positions.key_span(error.pointer)
    return given.source.position(span.start) if span else None


def _positions(given: SchemaInput) -> PositionedJson | None:
    if given.source is None:
        return None
    from gbnfc.documents.json_positions import read_json, read_yaml

    is_yaml = PurePath(given.source.name).suffix.lower() in _YAML
    return (read_yaml if is_yaml else read_json)(given.source)
