"""The texts that a command reads, from files or stdin, in whatever encoding.

In: a command-line argument. Out: a named text (`Source`), or an `InputError` that says which file,
which byte, and what to do.
"""

from __future__ import annotations

import codecs
import sys
from contextlib import suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from gbnfc.cli.io.streams import print_note
from gbnfc.errors import InputError, UsageError
from gbnfc.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

STDIN = "-"
STDIN_NAME = "<stdin>"
_MARKS = {  # the longer ones first: UTF-32's begins with UTF-16's
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}

_ONE_READ = 1 << 20
_MAX_BYTES = 1 << 30
"""No text that is meant to be read here is larger; `/dev/zero` is."""


def decode(
    data: bytes, name: str, encoding: str | None = None, *, keeps_bad_bytes: bool = False
) -> str:
    """Return `data` as text; a byte order mark is dropped.

    `encoding` is what the option --encoding says; `None` (UTF-8) where a command has none. Where it
    says UTF-8, a text that begins with UTF-16's or UTF-32's mark, as no UTF-8 can, is that. Bytes
    that are not of it can be kept as lone surrogates (PEP 383), for a reader of many records to
    find the bad ones; a file that is something else altogether is refused all the same.

    Raises:
        InputError: naming the 0-based byte offset of the first byte that is not `encoding`.
        UsageError: for an encoding that Python does not know.
    """
    named = "utf-8" if encoding is None else encoding
    check_encoding(named)
    marked = _marked(data)
    if marked is not None and encoding is not None and _is_utf8(named):
        named = marked
    codec = "utf-8-sig" if _is_utf8(named) else named
    try:
        return data.decode(codec)
    except UnicodeError as error:
        if not isinstance(error, UnicodeDecodeError):  # of codecs for other things than files
            raise InputError(f"{name}: not {named.upper()}: {error}") from None
        is_binary = b"\0" in data[:8192] and marked is None
        if keeps_bad_bytes and not (marked or is_binary):
            with suppress(UnicodeError):
                return data.decode(codec, "surrogateescape")
        kind = "a binary file" if is_binary else f"not {named.upper()}"
        raise InputError(
            f"{name}: {kind}: byte 0x{data[error.start]:02x} at offset {error.start}",
            hint=None if is_binary or named == marked else _encoding_hint(encoding),
        ) from None


def _encoding_hint(encoding: str | None) -> str:
    if encoding is None:
        return "save it as UTF-8"
    return "name the encoding, for example --encoding cp1252"


def _is_utf8(encoding: str) -> bool:
    return codecs.lookup(encoding).name == "utf-8"


def _marked(data: bytes) -> str | None:
    """Return the encoding whose byte order mark `data` begins with, except UTF-8."""
    return next((name for mark, name in _MARKS.items() if data.startswith(mark)), None)


def check_encoding(encoding: str) -> None:
    """Raise `UsageError` for what Python knows no text encoding by."""
    try:
        with suppress(UnicodeError):
            "a".encode(encoding)
    except LookupError:
        raise UsageError(f"unknown encoding {encoding!r}") from None


def read_bytes(argument: str) -> tuple[bytes, str]:
    """Return the bytes of the file `argument` (`-`: stdin) and the name to call them by."""
    if argument == STDIN:
        if sys.stdin is None:
            raise InputError("stdin is closed", hint="name a file")
        if sys.stdin.isatty():
            print_note("reading from the terminal; end with Ctrl-D (Windows: Ctrl-Z, Enter)")
        return _read_all(_raw_stdin(), STDIN_NAME), STDIN_NAME
    if not argument:
        raise InputError("a file's name is empty", hint="is a variable of the shell not set?")
    path = Path(argument)
    try:
        with path.open("rb") as stream:
            return _read_all(stream, argument), argument
    except FileNotFoundError:
        raise InputError(f"{argument}: no such file", hint=similar_file(path)) from None
    except IsADirectoryError:
        raise InputError(f"{argument}: is a directory, not a file") from None
    except PermissionError:
        kind = "is a directory, not a file" if path.is_dir() else "permission denied"
        raise InputError(f"{argument}: {kind}") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{argument[:100]}: cannot be read: {error}") from None


def stream_stdin(separator: str, encoding: str | None = None) -> Iterator[str]:
    """Yield the texts between the separators in stdin, each as soon as it is there.

    Bytes that are not of the encoding are kept, see `decode`.

    Raises:
        InputError: stdin is not of the encoding at all, or binary.
        UsageError: for an encoding that Python does not know.
    """
    named = "utf-8" if encoding is None else encoding
    check_encoding(named)
    stream = _raw_stdin()
    head = _read_head(stream)
    if _is_utf8(named):
        named = _marked(head) or "utf-8-sig"
    if named == "utf-8-sig":
        decode(head, STDIN_NAME, encoding, keeps_bad_bytes=True)  # for what it refuses
    decoder = codecs.getincrementaldecoder(named)("surrogateescape")
    parts: list[str] = []
    try:
        for chunk in chain((head,), iter(partial(stream.read, _ONE_READ), b"")):
            first, *others = decoder.decode(chunk).split(separator)
            parts.append(first)
            for other in others:
                yield "".join(parts)
                parts = [other]
        parts.append(decoder.decode(b"", final=True))
    except UnicodeError as error:
        raise InputError(f"{STDIN_NAME}: not {named.upper()}: {error}") from None
    yield "".join(parts)


def _read_head(stream: BinaryIO) -> bytes:
    """Return what `stream` has first: if it may be a byte order mark, the whole of that."""
    head = stream.read(_ONE_READ)
    while any(mark.startswith(head) and mark != head for mark in _MARKS if head):
        more = stream.read(_ONE_READ)
        if not more:
            break
        head += more
    return head


def _raw_stdin() -> BinaryIO:
    # Not through the buffer: a thread that waits in it holds up, or kills, the ending process.
    raw: BinaryIO = getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)
    return raw


def _read_all(stream: BinaryIO, name: str) -> bytes:
    """Return the rest of `stream`, which may be a device without an end."""
    pieces: list[bytes] = []
    size = 0
    while piece := stream.read(_ONE_READ):
        size += len(piece)
        if size > _MAX_BYTES:
            raise InputError(
                f"{name}: longer than {_MAX_BYTES >> 20:,} MiB",
                hint="cut it into several files",
            )
        pieces.append(piece)
    return b"".join(pieces)


def similar_file(path: Path) -> str | None:
    """Return a question that names a file of the same folder spelled almost like `path`."""
    import difflib

    try:
        names = [entry.name for entry in path.parent.iterdir() if entry.name != path.name]
    except OSError:
        return None
    near = difflib.get_close_matches(path.name, names, n=1)
    return f"did you mean {path.parent / near[0]}?" if near else None


def read_text(
    argument: str, encoding: str | None = None, *, keeps_bad_bytes: bool = False
) -> Source:
    """Return the text of the file `argument` (`-`: stdin), options as those of `decode`.

    Raises:
        InputError: the file is missing, a directory, unreadable, or not `encoding`.
    """
    data, name = read_bytes(argument)
    return Source(decode(data, name, encoding, keeps_bad_bytes=keeps_bad_bytes), name)
