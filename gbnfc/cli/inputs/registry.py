"""`--registry DIR`: the documents that references may lead to.

In: a folder. Out: its documents by their URIs; nothing is ever fetched.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from gbnfc.cli.io.streams import print_warning
from gbnfc.cli.io.texts import read_text
from gbnfc.errors import GbnfcError, InputError, UsageError
from gbnfc.folders import list_folder
from gbnfc.schema.source.uris import DEFAULT_BASE, join_uri, spelled_as_uri, without_fragment

if TYPE_CHECKING:
    from collections.abc import Iterator

_SUFFIXES = (".json", ".yaml", ".yml")


def read_registry(folder: str) -> dict[str, Any]:
    """Return the JSON and YAML documents below `folder` by their `$id` (or draft 4's `id`).

    Those without one are registered by their path: `json-schema:///common/name.json`, which is what
    a reference `common/name.json` means in a schema without `$id`. Of several with the same `$id`
    the first by path counts, which is told when they differ. Symbolic links are passed over.

    Raises:
        InputError: a file that cannot be read; `UsageError`: no such folder.
    """
    found: dict[str, Any] = {}
    files: dict[str, PurePath] = {}
    for path in _registry_files(folder):
        document = _read_registered(path)
        if not isinstance(document, dict | bool):
            raise InputError(f"{path}: not a JSON Schema", hint="--registry takes schemas only")
        own = document.get("$id", document.get("id")) if isinstance(document, dict) else None
        named = isinstance(own, str) and without_fragment(own)
        uri = join_uri(DEFAULT_BASE, spelled_as_uri(named or path.relative_to(folder).as_posix()))
        if uri not in found:
            files[uri], found[uri] = path, document
        elif found[uri] != document:
            print_warning(f"{files[uri]} and {path} have the same $id, {uri}: the first is taken")
    return found


def _registry_files(folder: str) -> Iterator[PurePath]:
    if not Path(folder).is_dir():
        raise UsageError(f"--registry: {folder} is not a folder")
    found = list_folder(Path(folder))
    links = [path for path in found.links if path.suffix.lower() in _SUFFIXES]
    if links:
        print_warning(f"--registry: {links[0]}: a symbolic link, passed over as all of them are")
    yield from (path for path in found.files if path.suffix.lower() in _SUFFIXES)


def _read_registered(path: PurePath) -> Any:
    from gbnfc.cli.inputs.schema_argument import read_document

    try:
        return read_document(read_text(str(path)))
    except GbnfcError as error:
        if str(path) not in str(error):
            raise replace(error, message=f"{path}: {error.message}") from None
        raise
