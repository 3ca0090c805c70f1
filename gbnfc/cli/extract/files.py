"""The files of a run. In: the options that name them. Out: the documents' files, once it is sure
that writing the output destroys none of what is read.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from gbnfc.cli.inputs.schema_argument import files_of
from gbnfc.cli.io.streams import print_warning
from gbnfc.cli.io.texts import STDIN
from gbnfc.cli.io.writing import is_same_file
from gbnfc.errors import UsageError
from gbnfc.extract.documents import expand_paths
from gbnfc.extract.journal import journal_path

if TYPE_CHECKING:
    from gbnfc.cli.extract.options import ExtractOptions


def check_stdin(options: ExtractOptions) -> None:
    """Raise `UsageError` where stdin is wanted more than once."""
    if [*(options.documents.files or [STDIN]), options.answer.schema, options.answer.grammar].count(
        STDIN
    ) > 1:
        raise UsageError("stdin can be read once", hint="name a file for the others")


def document_paths(options: ExtractOptions) -> tuple[str, ...]:
    """Return the files to read documents from, folders and globs expanded.

    The output and the journal of a run that was broken off are no documents, though a folder may
    hold them by now.

    Raises:
        InputError: a folder without files, or a glob that matches nothing.
        UsageError: the output or its journal is also read, or cannot be where it should.
    """
    paths = expand_paths(tuple(options.documents.files or ()), print_warning)
    if options.results.output is None or options.results.output == STDIN:
        return paths
    output = Path(options.results.output)
    _check_place(output)
    written = (output, journal_path(output))
    if written[1].exists() and written[1].resolve() not in _named(options):
        paths = tuple(path for path in paths if not _is_one_of(path, written))
        if not paths:
            raise UsageError(f"{output}: there is nothing to read but the output")
    for path in (*paths, *_other_inputs(options)):
        if _is_one_of(path, written):
            raise UsageError(
                f"{'<stdin>' if path == STDIN else path}: the output is also an input",
                hint="write to another file, in a folder that is not read",
            )
    return paths


def has_journal(options: ExtractOptions, *, single: bool) -> bool:
    """Return whether the run keeps a journal: of several documents, beside an ordinary file."""
    if single or options.results.output is None or options.results.output == STDIN:
        return False
    output = Path(options.results.output)
    return output.is_file() or not output.exists()


def _check_place(output: Path) -> None:
    # Told before a model is loaded for an output that cannot be written.
    if output.is_dir():
        raise UsageError(f"{output}: is a directory", hint="name a file with -o")
    if not output.parent.is_dir():
        raise UsageError(f"{output}: there is no folder {output.parent}", hint="make it first")


def _named(options: ExtractOptions) -> set[Path]:
    return {Path(name).resolve() for name in options.documents.files or () if name != STDIN}


def _other_inputs(options: ExtractOptions) -> list[str]:
    """Return what may be the file of a schema, grammar, model or example."""
    given = [options.answer.grammar, options.model.model, *(options.prompt.example or ())]
    found = [text for text in given if text is not None]
    for text in options.prompt.example or ():
        found += text.split("=")
    found += files_of(options.answer.schema)
    return [text for text in found if text != STDIN]


def _is_one_of(path: str, written: tuple[Path, ...]) -> bool:
    return any(_is_same(path, file) for file in written)


def _is_same(path: str, file: Path) -> bool:
    """Return whether `path` (`-`: stdin) is `file`, by whatever name or link."""
    if path != STDIN:
        return is_same_file(path, str(file))
    try:
        return os.path.samestat(os.fstat(sys.stdin.fileno()), file.stat())
    except (OSError, ValueError, AttributeError):  # not there, so nothing that could be lost
        return False
