"""What `gbnfc extract` is asked: the options, read.

In: options. Out: a `Request`: the target, what is wished of each answer, how records are laid out,
and the documents, none of them read yet. The order matters: mistakes are told before anything slow
begins.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gbnfc.cli.extract.files import check_stdin, document_paths, has_journal
from gbnfc.cli.extract.options import AnswerSpec
from gbnfc.cli.extract.target import Target, read_target
from gbnfc.cli.io.texts import STDIN, check_encoding, read_text, stream_stdin
from gbnfc.errors import InputError, UsageError
from gbnfc.extract.answer_options import AnswerOptions
from gbnfc.extract.chunks import read_chunking
from gbnfc.extract.documents import (
    Cut,
    Cutting,
    Document,
    NoColumn,
    csv_header,
    read_documents,
    read_shard,
)
from gbnfc.extract.journal import journal_path
from gbnfc.extract.output import Format, RecordOptions, check_pluck, data_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gbnfc.cli.extract.options import DocumentSpec, ExtractOptions, ResultSpec


@dataclass(frozen=True, slots=True)
class Request:
    """What a run has to do. `single`: one document, named as such, whose answer stands alone.

    `documents` are numbered; `total` is their number where it is known. `is_live`: they come from a
    stdin that may have to be waited for.
    """

    options: ExtractOptions
    target: Target
    answer_options: AnswerOptions
    layout: RecordOptions
    documents: Iterator[tuple[int, Document]]
    single: bool
    total: int | None
    is_live: bool


def read_request(options: ExtractOptions) -> Request:
    """Return what `options` ask for.

    Raises:
        GbnfcError: they contradict each other, or what they name cannot be read.
    """
    _check_schema_options(options.answer)
    check_stdin(options)
    check_encoding(options.documents.encoding)
    target = read_target(options.answer, options.diagnostics.voice)
    answer_options = _read_answer_options(options)
    cutting = _read_cutting(options.documents)
    paths = document_paths(options)
    # A folder or a pattern stands for many, though it may hold one today.
    is_named = paths == tuple(options.documents.files or (STDIN,))
    single = len(paths) == 1 and is_named and cutting.cut is Cut.WHOLE
    layout = _read_layout(options.results, target, single=single)
    if cutting.cut is Cut.CSV and STDIN not in paths:
        _check_column(paths, cutting.field, options.documents.encoding)
    documents = _documents(paths, cutting, options.documents.encoding)
    if single and not layout.envelope:
        # The only document: its error is the command's.
        documents = iter([_only(paths[0], options.documents.encoding)])
    if not options.diagnostics.dry_run:
        _check_resume(options, single=single)
    return Request(
        options,
        target,
        answer_options,
        layout,
        _numbered(documents, options.documents.shard),
        single=single,
        total=_count_documents(paths, options.documents.shard)
        if cutting.cut is Cut.WHOLE
        else None,
        is_live=STDIN in paths and (not single or layout.envelope),
    )


def _check_schema_options(spec: AnswerSpec) -> None:
    if spec.schema is None and spec != replace(
        AnswerSpec(), grammar=spec.grammar, regex=spec.regex, choice=spec.choice
    ):
        raise UsageError(
            "--draft, --whitespace, --additional, --order and --missing are about schemas",
            hint="leave them out, or give a schema with -s",
        )


def _read_answer_options(options: ExtractOptions) -> AnswerOptions:
    from gbnfc.engine.base import Think

    review = options.results.review_below
    return AnswerOptions(
        max_tokens=options.decoding.max_tokens,
        retries=options.decoding.retries,
        is_greedy=options.decoding.temp == 0,
        on_length=options.decoding.on_length,
        stop_repeats=options.decoding.stop_repeats,
        chunking=read_chunking(options.documents.chunk),
        think=Think(options.prompt.think) if options.prompt.think else None,
        confidence=options.results.field_confidence or review is not None,
        review_below=review,
    )


def _read_cutting(spec: DocumentSpec) -> Cutting:
    wanted = {
        Cutting(Cut.LINES): spec.lines,
        Cutting(Cut.NULLS): spec.null,
        Cutting(Cut.JSONL, spec.jsonl_field or ""): spec.jsonl_field,
        Cutting(Cut.CSV, spec.csv_column or ""): spec.csv_column,
    }
    chosen = [cutting for cutting, given in wanted.items() if given]
    if len(chosen) > 1:
        raise UsageError("--lines, -0, --jsonl-field and --csv-column exclude each other")
    return chosen[0] if chosen else Cutting()


def _read_layout(spec: ResultSpec, target: Target, *, single: bool) -> RecordOptions:
    suffix = Path(spec.output).suffix.lstrip(".").lower() if spec.output else ""
    if spec.format is not None:
        format = spec.format
    elif suffix in ("json", "jsonl", "csv"):
        format = Format(suffix)
    else:
        format = Format.JSON if single else Format.JSONL
    lone = single and format is Format.JSON and spec.pluck is None
    has_scores = spec.field_confidence or spec.review_below is not None
    envelope = spec.envelope if spec.envelope is not None else has_scores or not lone
    if has_scores and (not envelope or format is Format.CSV):
        raise UsageError(
            "--field-confidence and --review-below are written into the record around the data",
            hint="use --format json or jsonl, and not --no-envelope",
        )
    if spec.pluck is not None:
        if not target.is_json:
            raise UsageError("--pluck needs a schema (-s)")
        check_pluck(target.output_schema, spec.pluck)
    if spec.guard_cells and format is not Format.CSV:
        raise UsageError("--guard-cells is about CSV", hint="use --format csv, or -o FILE.csv")
    return RecordOptions(
        format,
        envelope=envelope,
        pluck=spec.pluck,
        columns=data_columns(target.output_schema, spec.pluck),
        guards_cells=spec.guard_cells,
    )


# --- documents -----------------------------------------------------------------------------------


def _check_column(paths: tuple[str, ...], column: str, encoding: str) -> None:
    """Raise `UsageError` where no file has the column; one without it among others is told later.

    That is a word mistyped, to be told before a model is loaded.
    """
    missing: NoColumn | None = None
    for path in paths:
        try:
            text = read_text(path, encoding, keeps_bad_bytes=True).text
        except InputError:
            continue
        names = csv_header(text, column)
        if column in names:
            return
        missing = missing or (NoColumn(path, column, names) if names else None)
    if missing is not None:
        raise missing


def _documents(paths: tuple[str, ...], cutting: Cutting, encoding: str) -> Iterator[Document]:
    # One bad byte must not take the other records of its file with it.
    is_cut = cutting.cut is not Cut.WHOLE
    read = partial(read_text, encoding=encoding, keeps_bad_bytes=is_cut)
    stream = partial(stream_stdin, encoding=encoding)
    return read_documents(paths, cutting, lambda path: read(path).text, stream)


def _only(path: str, encoding: str) -> Document:
    source = read_text(path, encoding)
    if not source.text.strip():
        hint = "pipe a text into it, or name a file" if path == "-" else None
        raise InputError(f"{source.name}: the document is empty", hint=hint)
    return Document(source.name, source.text)


def _numbered(documents: Iterable[Document], shard: str | None) -> Iterator[tuple[int, Document]]:
    index, count = read_shard(shard) if shard else (1, 1)
    mine = (doc for number, doc in enumerate(documents) if number % count == index - 1)
    return iter(enumerate(mine))


def _count_documents(paths: tuple[str, ...], shard: str | None) -> int:
    index, count = read_shard(shard) if shard else (1, 1)
    return len(range(index - 1, len(paths), count))


def _check_resume(options: ExtractOptions, *, single: bool) -> None:
    """Raise `UsageError` when `--resume` is given and there can be nothing to go on with."""
    if not options.resuming.resume:
        return
    if not has_journal(options, single=single):
        raise UsageError("--resume needs -o FILE and several documents")
    if options.resuming.fresh:
        raise UsageError("--resume goes on with the earlier run, --fresh forgets it: give one")
    output = Path(options.results.output or "")
    journal = journal_path(output)
    if not journal.exists() and output.is_file() and output.stat().st_size > 0:
        raise UsageError(
            f"{output}: cannot be gone on with: its journal, {journal}, is not there, so nothing "
            "tells by which schema, model and options it was written",
            hint="begin again with --fresh, or write to another file",
        )
