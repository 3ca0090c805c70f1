"""What every command needs: reading texts, schemas and grammars, and writing to the two streams.

In: a command-line argument. Out: a named text (`Source`), a parsed schema, or an `InputError` that
says which file, which byte, and what to do. Data goes to stdout, everything else to stderr.
"""

from __future__ import annotations

import codecs
import importlib
import importlib.util
import json
import os
import sys
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, NoReturn

from gbnfc.cli.io.shown import shown
from gbnfc.errors import InputError, JsonSyntaxError, LimitExceeded, UsageError
from gbnfc.library import library_files
from gbnfc.source import Source, Span
from gbnfc.user_code import running

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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


# --- streams -------------------------------------------------------------------------------------


def use_color(stream: IO[str]) -> bool:
    """Return whether to colour `stream`: NO_COLOR, FORCE_COLOR, then whether it is a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def print_shown(text: str) -> None:
    """Write `text` on stdout for people to read."""
    print(shown(text))


def _print_marked(mark: str, color: int, message: str) -> None:
    marked = f"\x1b[1;{color}m{mark}\x1b[0m" if use_color(sys.stderr) else mark
    print(f"{marked} {shown(message)}", file=sys.stderr)


def print_error(message: str) -> None:
    """Write `error: message` on stderr."""
    _print_marked("error:", 31, message)


def print_warning(message: str) -> None:
    """Write `warning: message` on stderr."""
    _print_marked("warning:", 33, message)


def print_note(message: str) -> None:
    """Write `message` on stderr without a mark."""
    print(shown(message), file=sys.stderr)


def counted(number: int, noun: str) -> str:
    """Return `1 rule`, `2,000 rules`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


# --- texts ---------------------------------------------------------------------------------------


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
        raise InputError(f"{argument}: no such file", hint=_similar_file(path)) from None
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
        parts.append(decoder.decode(b"", True))
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


def _similar_file(path: Path) -> str | None:
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


# --- JSON ----------------------------------------------------------------------------------------


def parse_json(source: Source) -> Any:
    """Return the JSON value of `source`.

    Raises:
        JsonSyntaxError: with line and column; also for `NaN`, `Infinity`, an empty text, and an
            object with the same key twice.
        LimitExceeded: nested beyond what Python's JSON reader can hold.
    """

    def refuse(constant: str) -> NoReturn:
        at = max(source.text.find(constant), 0)
        raise _json_error(source, f"{constant} is not JSON", at)

    repeated: list[dict[str, Any]] = []

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            repeated.append(found)
        return found

    try:
        value = json.loads(source.text, parse_constant=refuse, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise _json_error(source, _lower_first(error.msg), error.pos) from None
    except RecursionError:
        raise LimitExceeded(f"{source.name}: the JSON is nested too deeply") from None
    except ValueError as error:  # an integer of more digits than Python reads
        raise LimitExceeded(f"{source.name}: {error}") from None
    if repeated:
        from gbnfc.documents.json_positions import check_keys, read_json

        check_keys(source, read_json(source))
    return value


def _json_error(source: Source, message: str, at: int) -> JsonSyntaxError:
    hint = "the text is empty" if not source.text.strip() else None
    return JsonSyntaxError(f"not JSON: {message}", source=source, span=Span(at, at + 1), hint=hint)


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]


# --- schemas -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SchemaInput:
    """A schema as given. `name` is what messages call it; `model` is the Python type behind it.

    `source` is the text it was read from, `base` the JSON Pointer of the schema there, `title` the
    name of the tool it belongs to, `bare_tools` the names of those beside it that take nothing.
    `registry` holds the document, by URI, where the schema is a reference into it; `shown` is then
    what the reference leads to, with `$defs` of its own. `homes` tells of a schema that was put
    together where its parts, by their JSON Pointers, are in the text.
    """

    schema: Any
    name: str
    model: Any = None
    source: Source | None = None
    base: str = ""
    title: str | None = None
    bare_tools: tuple[str, ...] = ()
    registry: Mapping[str, Any] = field(default_factory=dict)
    shown: Any = None
    is_tool: bool = False
    homes: Mapping[str, str] = field(default_factory=dict)


def read_schema(argument: str) -> SchemaInput:
    """Read the one JSON Schema that `argument` stands for; `read_schemas` tells what it may be.

    Raises:
        InputError: nothing of that name, or it cannot be read.
        JsonSyntaxError: with line and column.
        UsageError: there are several, of tools.
    """
    from gbnfc.cli.inputs.schema_argument import only_schema, read_schemas

    return only_schema(read_schemas(argument))


def load_object(module_name: str, name: str) -> Any:
    """Import `module_name` (a module, or a `.py` file) and return its attribute `name` (dotted).

    Raises:
        InputError: the module has no such name.
        UserCodeError: it cannot be imported.
    """
    module = _import(module_name)
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            raise InputError(f"{module_name} has no {name}", hint=_similar_class(module, name))
        found = getattr(found, part)
    return found


def _import(module_name: str) -> Any:
    """Import a module of the user's, from the current folder too."""
    hint = "give a schema file, '-', inline JSON, module:Class or file.py:Class"
    with running(f"{module_name}: cannot be imported", hint=hint), _importing_from(Path.cwd()):
        return _load_module(module_name)


@contextmanager
def _importing_from(folder: Path) -> Iterator[None]:
    # A console script does not have the current folder on its path; `python -m` would.
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        if str(folder) in sys.path:  # the module may have changed it
            sys.path.remove(str(folder))


def _load_module(name: str) -> Any:
    if not name.endswith(".py"):
        return importlib.import_module(name)
    path = Path(name)
    if not path.is_file():
        raise InputError(f"{name}: no such file", hint=_similar_file(path))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise InputError(f"{name}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    with _importing_from(path.resolve().parent):
        spec.loader.exec_module(module)
    return module


def _similar_class(module: Any, name: str) -> str | None:
    import difflib

    near = difflib.get_close_matches(name, list(vars(module)), n=1)
    return f"did you mean {near[0]}?" if near else None


def schema_of(model: Any, name: str, *, is_written: bool = False) -> Any:
    """Return the JSON Schema of a Pydantic model or any type that `TypeAdapter` takes.

    `is_written`: of the values that are to be written for it, which are fewer than it reads.

    Raises:
        UserCodeError: Pydantic has none for it. `name` is what the message calls it.
    """
    if isinstance(model, (dict, bool)):
        return model
    from gbnfc.schema.models import schema_to_read, schema_to_write

    make = schema_to_write if is_written else schema_to_read
    with running(f"{name}: no JSON Schema can be made of it"):
        return make(model)


# --- grammars ------------------------------------------------------------------------------------


def read_grammar(argument: str) -> Source:
    """Read a grammar: a file, `-`, inline GBNF, or the name of one of the shipped grammars.

    Raises:
        InputError: nothing of that name, or it cannot be read.
    """
    if "::=" in argument:
        return Source(argument, "<grammar>")
    if argument != STDIN and not Path(argument).exists():
        shipped = library_files().get(argument)
        if shipped is not None:
            return Source(shipped.read_text(encoding="utf-8"), argument)
    try:
        return read_text(argument)
    except InputError as error:
        if error.hint is None and "no such file" in error.message:
            names = ", ".join(library_files())
            error.hint = f"give a file, '-', GBNF text with ::=, or a shipped grammar ({names})"
        raise
