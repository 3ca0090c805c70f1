"""Where documents come from. In: files, folders, globs, stdin; whole, or cut into records. Out: a
stream of documents, each with the text or with the reason why there is none.

One unreadable document is a document with an error: the others are still read.
"""

from __future__ import annotations

import csv
import difflib
import hashlib
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, TypeAlias

from gbnfc.errors import GbnfcError, InputError, UsageError
from gbnfc.folders import list_folder

STDIN = "-"

_BAD_BYTE = re.compile("[\udc80-\udcff]")
"""How Python keeps a byte that it could not decode (PEP 383)."""

_MAX_FIELD_LENGTH = (1 << 31) - 1
_DELIMITERS = ",;\t|"


class Cut(Enum):
    """How a file is cut into documents."""

    WHOLE = "whole"
    LINES = "lines"
    NULLS = "nulls"
    JSONL = "jsonl"
    CSV = "csv"


SEPARATORS = {Cut.LINES: "\n", Cut.JSONL: "\n", Cut.NULLS: "\0"}
"""Not `str.splitlines`: a JSON string may hold U+2028, and a line a form feed."""


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


class NoColumn(UsageError):
    """A CSV text called `name` whose first line, `names`, does not name `column`."""

    def __init__(self, name: str, column: str, names: Sequence[str]) -> None:
        near = difflib.get_close_matches(column, names, n=1)
        guess = f"did you mean {near[0]}? " if near else ""
        hint = f"{guess}there are: {', '.join(names)}"
        super().__init__(f"{name}: has no column {column!r}", hint=hint)


TextReader: TypeAlias = Callable[[str], str]
"""Returns the text of a path, or of stdin for `-`. Raises `InputError`."""

PieceReader: TypeAlias = Callable[[str], Iterator[str]]
"""Yields what stands between the separators it is given, as it comes. Raises `InputError`."""


def _nobody(_: str) -> None:
    return


def expand_paths(
    arguments: tuple[str, ...], tell: Callable[[str], None] = _nobody
) -> tuple[str, ...]:
    """Return the files that `arguments` name: folders are walked, globs are matched, sorted.

    Hidden files and folders inside a folder are left out, and so are symbolic links, which `tell`
    is told. No argument means stdin.

    Raises:
        InputError: a folder without files, or a glob that matches nothing.
    """
    found: list[str] = []
    for argument in arguments or (STDIN,):
        if argument == STDIN:
            found.append(argument)
        elif Path(argument).is_dir():
            found += _files_below(Path(argument), tell)
        elif any(char in argument for char in "*?[") and not Path(argument).exists():
            found += _matching(argument)
        else:
            found.append(argument)
    return tuple(found)


def _files_below(folder: Path, tell: Callable[[str], None]) -> list[str]:
    found = list_folder(folder, lambda name: name.startswith("."))
    if found.links:
        number = len(found.links)
        links = "a symbolic link is" if number == 1 else f"{number:,} symbolic links are"
        tell(f"{folder}: {links} passed over; name what it leads to, or write {folder / '*'}")
    if not found.files:
        raise InputError(f"{folder}: is a directory without files")
    return [str(path) for path in found.files]


def _matching(pattern: str) -> list[str]:
    import glob

    # Not Path.glob, which refuses absolute patterns.
    paths = glob.glob(pattern, recursive=True)  # noqa: PTH207
    # By `**` and a link to a folder around it one file has many names.
    named = [path for path in sorted(paths, reverse=True) if Path(path).is_file()]
    files = sorted({Path(path).resolve(): path for path in named}.values())
    if not files:
        raise InputError(f"{pattern}: matches no file")
    return files


def read_documents(
    paths: tuple[str, ...],
    cutting: Cutting,
    read_text: TextReader,
    stream_stdin: PieceReader | None = None,
) -> Iterator[Document]:
    """Yield the documents of `paths` in order, reading each file when its turn comes.

    With `stream_stdin` the lines of stdin are documents as soon as they are there.

    Raises:
        NoColumn: the only text is CSV without the column; of several, one without it is a document
            with an error.
    """
    for path in paths:
        # A file's name may be no text; its document has one all the same.
        name = "<stdin>" if path == STDIN else path.encode("utf-8", "replace").decode()
        separator = SEPARATORS.get(cutting.cut)
        try:
            if path == STDIN and stream_stdin is not None and separator is not None:
                pieces: Iterable[str] = stream_stdin(separator)
            elif separator is not None:
                pieces = read_text(path).split(separator)
            else:
                pieces = (read_text(path),)
            yield from _cut(name, pieces, cutting)
        except NoColumn as error:
            if len(paths) == 1:
                raise
            yield Document(name, error=str(error))
        except GbnfcError as error:
            yield Document(name, error=str(error))


def _cut(name: str, pieces: Iterable[str], cutting: Cutting) -> Iterator[Document]:
    match cutting.cut:
        case Cut.LINES | Cut.NULLS:
            yield from _pieces(name, pieces)
        case Cut.JSONL:
            yield from _json_lines(name, pieces, cutting.field)
        case Cut.CSV:
            for text in pieces:
                yield from _csv_rows(name, text, cutting.field)
        case Cut.WHOLE:
            for text in pieces:
                yield _document(name, text)


def _document(source: str, text: str) -> Document:
    if not text.strip():
        return Document(source, error=f"{source}: the document is empty")
    if bad := _BAD_BYTE.search(text):
        error = InputError(
            f"{source}: byte 0x{ord(bad[0]) - 0xDC00:02x} is not of the encoding",
            hint="name the encoding, for example --encoding cp1252",
        )
        return Document(source, error=str(error))
    return Document(source, text)


def _pieces(name: str, pieces: Iterable[str]) -> Iterator[Document]:
    for number, piece in enumerate(pieces, 1):
        if piece.strip():
            yield _document(f"{name}:{number}", piece.removesuffix("\r"))


def _json_lines(name: str, lines: Iterable[str], field: str) -> Iterator[Document]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        source = f"{name}:{number}"
        try:
            yield _document(source, _field_text(json.loads(line), field))
        except (ValueError, RecursionError) as error:
            hint = "each line must be a JSON object of its own"
            yield Document(source, error=str(InputError(f"{source}: not JSON: {error}", hint=hint)))
        except InputError as error:
            yield Document(source, error=f"{source}: {error.message}")


def _field_text(record: Any, field: str) -> str:
    if not isinstance(record, dict) or field not in record:
        raise InputError(f"the record has no field {field!r}")
    value = record[field]
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    if not isinstance(value, str):
        raise InputError(f"the field {field!r} is {json.dumps(value)}, not a text")
    return value


def _csv_rows(name: str, text: str, column: str) -> Iterator[Document]:
    csv.field_size_limit(_MAX_FIELD_LENGTH)
    delimiter = _delimiter(text, column)
    # Strict: what follows a quote that is not closed, or closed too early, would be lost.
    # Line ends of old Macs too; those inside quotes become line feeds.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        names = rows.fieldnames
        if not names:
            raise InputError(f"{name}: is empty", hint="its first line must name the columns")
        if column not in names:
            raise NoColumn(name, column, names)
        for row in rows:
            source = f"{name}:{rows.line_num}"
            if None in row:
                error = InputError(
                    f"{source}: has more fields than the first line names",
                    hint="quote fields that hold the delimiter",
                )
                yield Document(source, error=str(error))
            else:
                yield _document(source, row[column] or "")
    except csv.Error as error:
        raise InputError(
            f"{name}:{rows.reader.line_num}: not CSV: {error}; the rows from here on are not read",
            hint='a quote is closed by a quote before the delimiter, and written "" inside quotes',
        ) from None


def csv_header(text: str, column: str) -> list[str]:
    """Return the names in the first line of the CSV `text`, of which `column` should be one."""
    csv.field_size_limit(_MAX_FIELD_LENGTH)
    lines = io.StringIO(text.replace("\r\n", "\n").replace("\r", "\n"), newline="")
    try:
        return next(csv.reader(lines, delimiter=_delimiter(text, column)), [])
    except csv.Error:
        return []


def _delimiter(text: str, column: str) -> str:
    """Return what separates the columns: of the usual characters the one that finds `column`.

    Where none does, the one that finds the most columns: the names are told to whoever mistyped.
    """
    first = re.split(r"\r?\n|\r", text, maxsplit=1)[0]
    rows = {char: next(csv.reader([first], delimiter=char), []) for char in _DELIMITERS}
    return max(rows, key=lambda char: (column in rows[char], len(rows[char])))


def read_shard(text: str) -> tuple[int, int]:
    """Read `I/N` (1-based): which of N processes this one is.

    Raises:
        UsageError: not of that form, or I outside 1..N.
    """
    index, slash, count = text.partition("/")
    if not (slash and index.isdigit() and count.isdigit() and 1 <= int(index) <= int(count)):
        raise UsageError(f"--shard {text!r} is not I/N", hint="for example 1/4 … 4/4")
    return int(index), int(count)
