"""Lint many files: what `gbnfc lint` does between its options and its output.

In: texts (`Source`s), each a grammar or a schema by its name. Out: diagnostics as the settings want
them, in the order of the files. Many files are shared out over processes.
"""

from __future__ import annotations

import gc
import os
import signal
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from gbnfc.errors import GbnfcError, InputError
from gbnfc.lint.check import diagnose, lint_text
from gbnfc.lint.diagnostic import Finding
from gbnfc.lint.files import SCHEMAS, YAML
from gbnfc.lint.registry import UNREADABLE_FILE
from gbnfc.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gbnfc.lint.diagnostic import Diagnostic
    from gbnfc.lint.edits.fix import Fixed
    from gbnfc.lint.settings import LintSettings
    from gbnfc.lint.subject import Tokenizer

_FILES_PER_PROCESS = 40
_CHUNK = 8
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_MAX_PROCESSES = 60
"""Windows waits for no more than 61 at once."""


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file to lint. `named` tells that the user named it, not a directory that holds it."""

    path: str
    named: bool


def relax_collector() -> None:
    """Let this process look for garbage less often: grammars and findings hold no cycles."""
    gc.set_threshold(1_000_000, 50, 100)


def read_source(path: str) -> Source:
    """Return the text of a file, line ends as they are. Raises: `InputError`."""
    try:
        text = Path(path).read_bytes().decode("utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        is_binary = b"\0" in error.object and error.object[:2] not in _UTF16_MARKS
        raise InputError(
            f"{path}: {'a binary file' if is_binary else 'not UTF-8'}: "
            f"byte 0x{error.object[error.start]:02x} at offset {error.start}",
            hint=None if is_binary else "save it as UTF-8",
        ) from None
    # In a grammar a byte order mark is a mistake, which llama.cpp refuses.
    is_schema = PurePath(path).suffix.lower() in SCHEMAS
    return Source(text.removeprefix("\ufeff") if is_schema else text, path)


def split_unread(files: Sequence[InputFile]) -> tuple[list[InputFile], list[InputFile]]:
    """Return the files to lint, and those passed over because there is no reader of YAML.

    YAML that the user named, and what is plainly meant to be a schema, is not passed over.
    """
    if not any(_is_yaml(file) for file in files) or find_spec("yaml") is not None:
        return list(files), []
    unread = [file for file in files if _is_yaml(file) and not _must_be_read(file)]
    return [file for file in files if file not in unread], unread


def _is_yaml(file: InputFile) -> bool:
    return PurePath(file.path).suffix.lower() in YAML


def _must_be_read(file: InputFile) -> bool:
    from gbnfc.schema.source.schema_files import seems_to_be_schema

    try:
        return file.named or seems_to_be_schema(read_source(file.path))
    except InputError:
        return True


def lint_source(
    source: Source,
    *,
    named: bool = True,
    tokenizer: Tokenizer | None = None,
    registry: Mapping[str, Any] | None = None,
) -> tuple[Diagnostic, ...]:
    """Return the findings in one text: a schema by the ending of its name, else a grammar.

    `registry` holds by URI what the references of a schema may lead to.
    """
    if PurePath(source.name).suffix.lower() in SCHEMAS:
        from gbnfc.lint.check_schema import lint_schema_text

        return lint_schema_text(source, named=named, registry=registry)
    return lint_text(source, tokenizer)


def lint_files(
    files: Sequence[InputFile], settings: LintSettings, tokenizer: Tokenizer | None = None
) -> tuple[Diagnostic, ...]:
    """Return the findings that `settings` want in `files`, in the order of the files.

    A file that cannot be read is a finding: one of many must not hide what the others hold.
    """
    processes = min(_usable_cores(), len(files) // _FILES_PER_PROCESS, _MAX_PROCESSES)
    if processes > 1 and tokenizer is None:
        found = _lint_in_parallel(files, settings, processes)
        if found is not None:
            return found
    return _lint_chunk(files, settings, tokenizer)


def _usable_cores() -> int:
    # A container may give fewer cores than the machine has; not every system can tell.
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def _lint_in_parallel(
    files: Sequence[InputFile], settings: LintSettings, processes: int
) -> tuple[Diagnostic, ...] | None:
    """Share `files` out over processes; `None` where the system has none to give, or ends one."""
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    chunks = [files[at : at + _CHUNK] for at in range(0, len(files), _CHUNK)]
    try:
        pool = ProcessPoolExecutor(processes, initializer=_begin_worker)
        try:
            parts = list(pool.map(_lint_chunk, chunks, [settings] * len(chunks)))
        finally:
            pool.shutdown(cancel_futures=True)
    except (BrokenProcessPool, ImportError, NotImplementedError, OSError):
        return None
    return tuple(diagnostic for part in parts for diagnostic in part)


def _begin_worker() -> None:
    # Ctrl-C reaches every process of a terminal: the first one alone answers it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    relax_collector()


def _lint_chunk(
    files: Sequence[InputFile], settings: LintSettings, tokenizer: Tokenizer | None = None
) -> tuple[Diagnostic, ...]:
    return tuple(d for file in files for d in _lint_file(file, settings, tokenizer))


def _lint_file(
    file: InputFile, settings: LintSettings, tokenizer: Tokenizer | None
) -> tuple[Diagnostic, ...]:
    try:
        source = read_source(file.path)
        found = lint_source(
            source, named=file.named, tokenizer=tokenizer, registry=settings.documents
        )
    except GbnfcError as error:
        return unreadable(file.path, error, settings)
    return tuple(settle(found, settings))


def unreadable(path: str, error: GbnfcError, settings: LintSettings) -> tuple[Diagnostic, ...]:
    """Return the finding that the file `path` cannot be read, as `settings` want it.

    It counts whatever is selected: a file that nothing looked at must not pass for a good one.
    """
    finding = Finding(error.message.removeprefix(f"{path}: "), help=error.hint)
    found = diagnose(UNREADABLE_FILE, finding, path, None)
    return tuple(settle([found], replace(settings, select=("ALL",))))


def settle(diagnostics: Iterable[Diagnostic], settings: LintSettings) -> Iterator[Diagnostic]:
    """Yield the diagnostics that `settings` want, at the severity they want."""
    for diagnostic in diagnostics:
        wanted = settings.apply(diagnostic)
        if wanted is not None:
            yield wanted


def fix_source(
    source: Source, settings: LintSettings, *, unsafe: bool, named: bool = True
) -> Fixed:
    """Return `source` with what `settings` want fixed."""
    from gbnfc.lint.edits.fix import fix_text

    def lint(text: Source) -> tuple[Diagnostic, ...]:
        return tuple(settle(lint_source(text, named=named, registry=settings.documents), settings))

    return fix_text(source, lint, unsafe=unsafe)
