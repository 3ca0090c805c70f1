"""Where documents come from. In: files, folders, globs, stdin; whole, or cut into records. Out: a
stream of documents, each with the text or with the reason why there is none.

One unreadable document is a document with an error: the others are still read.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, TypeAlias

from gbnfc.errors import GbnfcError, InputError, UsageError

STDIN = "-"


class Cut(Enum):
    """How a file is cut into documents."""

    WHOLE = "whole"
    LINES = "lines"
    NULLS = "nulls"
    JSONL = "jsonl"
    CSV = "csv"


@dataclass(frozen=True, slots=True)
class Document:
    """A text to extract from, or why there is none. `source` names it in the output."""

    source: str
    text: str = ""
    error: str | None = None

    @property
    def digest(self) -> str:
        """What tells this document from others in a journal."""
        return hashlib.sha256(f"{self.source}\0{self.text}".encode("utf-8", "replace")).hexdigest()


@dataclass(frozen=True, slots=True)
class Cutting:
    """A cut and, for JSONL and CSV, the field that holds the text."""

    cut: Cut = Cut.WHOLE
    field: str = ""


TextReader: TypeAlias = Callable[[str], str]
"""Returns the text of a path, or of stdin for `-`. Raises `InputError`."""


def expand_paths(arguments: tuple[str, ...]) -> tuple[str, ...]:
    """Return the files that `arguments` name: folders are walked, globs are matched, sorted.

    Hidden files and folders inside a folder are left out. No argument means stdin.

    Raises:
        InputError: a folder without files, or a glob that matches nothing.
    """
    found: list[str] = []
    for argument in arguments or (STDIN,):
        if argument == STDIN:
            found.append(argument)
        elif Path(argument).is_dir():
            found += _files_below(Path(argument))
        elif any(char in argument for char in "*?[") and not Path(argument).exists():
            found += _matching(argument)
        else:
            found.append(argument)
    return tuple(found)


def _files_below(folder: Path) -> list[str]:
    files = [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]
    if not files:
        raise InputError(f"{folder}: is a directory without files")
    return [str(path) for path in files]


def _matching(pattern: str) -> list[str]:
    import glob

    # Not Path.glob, which refuses absolute patterns.
    paths = glob.glob(pattern, recursive=True)  # noqa: PTH207
    files = sorted(path for path in paths if Path(path).is_file())
    if not files:
        raise InputError(f"{pattern}: matches no file")
    return files


def read_documents(
    paths: tuple[str, ...], cutting: Cutting, read_text: TextReader
) -> Iterator[Document]:
    """Yield the documents of `paths` in order, reading each file when its turn comes."""
    for path in paths:
        # A file's name may be no text; its document has one all the same.
        name = "<stdin>" if path == STDIN else path.encode("utf-8", "replace").decode()
        try:
            text = read_text(path)
            yield from _cut(name, text, cutting)
        except GbnfcError as error:
            yield Document(name, error=str(error))


def _cut(name: str, text: str, cutting: Cutting) -> Iterator[Document]:
    match cutting.cut:
        case Cut.WHOLE:
            yield _document(name, text)
        case Cut.LINES:
            yield from _pieces(name, text.splitlines())
        case Cut.NULLS:
            yield from _pieces(name, text.split("\0"))
        case Cut.JSONL:
            yield from _json_lines(name, text, cutting.field)
        case Cut.CSV:
            yield from _csv_rows(name, text, cutting.field)


def _document(source: str, text: str) -> Document:
    if not text.strip():
        return Document(source, error=f"{source}: the document is empty")
    return Document(source, text)


def _pieces(name: str, pieces: list[str]) -> Iterator[Document]:
    for number, piece in enumerate(pieces, 1):
        if piece.strip():
            yield Document(f"{name}:{number}", piece)


def _json_lines(name: str, text: str, field: str) -> Iterator[Document]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        source = f"{name}:{number}"
        try:
            yield _document(source, _field_text(json.loads(line), field))
        except (ValueError, RecursionError) as error:
            yield Document(source, error=f"{source}: not JSON: {error}")
        except InputError as error:
            yield Document(source, error=f"{source}: {error.message}")


def _field_text(record: Any, field: str) -> str:
    if not isinstance(record, dict) or field not in record:
        raise InputError(f"the record has no field {field!r}")
    value = record[field]
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _csv_rows(name: str, text: str, column: str) -> Iterator[Document]:
    rows = csv.DictReader(io.StringIO(text, newline=""))
    try:
        names = rows.fieldnames or ()
        if column not in names:
            raise InputError(
                f"{name}: has no column {column!r}", hint=f"there are: {', '.join(names)}"
            )
        for row in rows:
            yield _document(f"{name}:{rows.line_num}", row[column] or "")
    except csv.Error as error:
        raise InputError(f"{name}:{rows.line_num}: not CSV: {error}") from None


def read_shard(text: str) -> tuple[int, int]:
    """Read `I/N` (1-based): which of N processes this one is.

    Raises:
        UsageError: not of that form, or I outside 1..N.
    """
    index, slash, count = text.partition("/")
    if not (slash and index.isdigit() and count.isdigit() and 1 <= int(index) <= int(count)):
        raise UsageError(f"--shard {text!r} is not I/N", hint="for example 1/4 … 4/4")
    return int(index), int(count)
