"""One schema of a `gbnfc compile` run, compiled.

In: a schema as given and the options. Out: its grammar and report, with the JSON Pointers of the
file, whatever part of it was compiled; or an error that names the place in the file.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from gbnfc.cli.common import print_warning, read_text
from gbnfc.errors import GbnfcError, InputError, LimitExceeded, SchemaError, UsageError
from gbnfc.folders import list_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gbnfc.cli.common import SchemaInput
    from gbnfc.lint.json_positions import PositionedJson
    from gbnfc.schema import Compiled, CompileOptions, ReportEntry
    from gbnfc.source import Position, Span

_YAML = (".yaml", ".yml")
_SCHEMAS = (".json", *_YAML)


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
        from gbnfc.schema.pointer import join_pointer

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
        raise _placed(error, given) from None
    except LimitExceeded:
        _check_shown(given, draft)
        raise
    return CompiledSchema(given, compiled, options, draft)


def file_pointer(given: SchemaInput, label: str) -> str:
    """Return the pointer of the file for `label`, a pointer as the compiler's report has it."""
    from gbnfc.cli.compile_input import document_uri

    if given.source is not None and given.registry:
        home = document_uri(given.source)
        if home in given.registry and label.startswith(f"{home}#"):
            return label.removeprefix(f"{home}#")
    return given.base + label if not label or label.startswith("/") else label


def _check_shown(given: SchemaInput, draft: str | None) -> None:
    """Tell what is wrong with a part of a document, which the compiler knows by reference only."""
    from gbnfc.cli.compile_input import document_uri
    from gbnfc.schema.canonical import check_schema
    from gbnfc.schema.pointer import follow_pointer

    if given.shown is not None and given.source is not None:
        document = given.registry[document_uri(given.source)]
        try:
            check_schema(follow_pointer(document, given.base), draft)
        except SchemaError as error:
            raise _placed(error, given) from None


def _placed(error: SchemaError, given: SchemaInput) -> SchemaError:
    error.pointer = file_pointer(given, error.pointer)
    position = _position(error, given)
    if given.source is not None:
        place = f"{given.name}:{position}" if position else given.name
        error.message += f" ({place})"
    return error


def _position(error: SchemaError, given: SchemaInput) -> Position | None:
    positions = _positions(given)
    if given.source is None or positions is None or error.pointer[:1] not in ("", "/"):
        return None
    span = positions.key_span(error.pointer)
    return given.source.position(span.start) if span else None


def _positions(given: SchemaInput) -> PositionedJson | None:
    if given.source is None:
        return None
    from gbnfc.lint.json_positions import read_json, read_yaml

    is_yaml = PurePath(given.source.name).suffix.lower() in _YAML
    return (read_yaml if is_yaml else read_json)(given.source)


# --- registered documents ------------------------------------------------------------------------


def read_registry(folder: str) -> dict[str, Any]:
    """Return the JSON and YAML documents below `folder` by their `$id` (or draft 4's `id`).

    Symbolic links are passed over. Documents without an `$id` are registered by their path:
    `json-schema:///common/name.json`, which is what a reference `common/name.json` means in a
    schema without `$id`.

    Raises:
        InputError: no such folder, a file that cannot be read, or two with the same `$id`.
    """
    found: dict[str, Any] = {}
    files: dict[str, str] = {}
    for path in _registry_files(folder):
        document = _read_registered(path)
        if not isinstance(document, dict | bool):
            raise InputError(f"{path}: not a JSON Schema", hint="--registry takes schemas only")
        own = document.get("$id", document.get("id")) if isinstance(document, dict) else None
        uri = own if isinstance(own, str) and own else f"json-schema:///{_below(path, folder)}"
        if uri in files:
            raise InputError(f"{files[uri]} and {path} have the same $id, {uri}")
        files[uri], found[uri] = str(path), document
    return found


def _registry_files(folder: str) -> Iterator[PurePath]:
    if not Path(folder).is_dir():
        raise UsageError(f"--registry: {folder} is not a folder")
    found = list_folder(Path(folder))
    links = [path for path in found.links if path.suffix.lower() in _SCHEMAS]
    if links:
        print_warning(f"--registry: {links[0]}: a symbolic link, passed over as all of them are")
    yield from (path for path in found.files if path.suffix.lower() in _SCHEMAS)


def _below(path: PurePath, folder: str) -> str:
    from urllib.parse import quote

    return quote(path.relative_to(folder).as_posix())


def _read_registered(path: PurePath) -> Any:
    from gbnfc.cli.compile_input import read_document

    try:
        return read_document(read_text(str(path)))
    except GbnfcError as error:
        if str(path) not in str(error):
            error.message = f"{path}: {error.message}"
        raise
