"""The body of `gbnfc extract`: options in, results on stdout or in a file, an exit code out.

The order matters: schema, options and documents' names first, the model after, so that mistakes are
told before anything slow begins.
"""

from __future__ import annotations

import hashlib
import json
import signal
import sys
from collections import deque
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from gbnfc.cli.common import STDIN, print_error, print_note, print_warning, read_text, stream_stdin
from gbnfc.cli.extract_engine import open_engine, prompt_parts
from gbnfc.cli.extract_files import check_stdin, document_paths, has_journal
from gbnfc.cli.extract_target import Target, read_target
from gbnfc.cli.writing import write_file
from gbnfc.errors import InputError, UsageError
from gbnfc.extract.chunks import read_chunking
from gbnfc.extract.documents import SEPARATORS, Cut, Cutting, Document, read_documents, read_shard
from gbnfc.extract.journal import Journal, journal_path, open_journal
from gbnfc.extract.live import Live
from gbnfc.extract.output import (
    Format,
    Layout,
    RecordWriter,
    check_pluck,
    data_columns,
    in_order,
    with_array,
    written_records,
)
from gbnfc.extract.run import Extraction, Wishes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gbnfc.cli.extract_options import ExtractOptions
    from gbnfc.extract.record import Record

EXIT_ALL_FAILED = 5
EXIT_SOME_FAILED = 6
EXIT_INTERRUPTED = 130


def run_extract(options: ExtractOptions) -> int:
    """Do what `options` ask and return the exit code. Raises `GbnfcError` for what stops it all."""
    _check_schema_options(options)
    check_stdin(options)
    target = read_target(options)
    wishes = _read_wishes(options)
    cutting = _read_cutting(options)
    paths = document_paths(options)
    # A folder or a pattern stands for many, though it may hold one today.
    is_named = paths == tuple(options.files or (STDIN,))
    single = len(paths) == 1 and is_named and cutting.cut is Cut.WHOLE
    layout = _read_layout(options, target, single=single)
    documents = _documents(paths, cutting, options)
    if single and not layout.envelope:
        # The only document: its error is the command's.
        documents = iter([_only(paths[0], options)])
    numbered = _numbered(documents, options.shard)
    if options.dry_run:
        return _show_plan(options, target, wishes, numbered)
    _check_resume(options, single=single)
    total = _count_documents(paths, options.shard) if cutting.cut is Cut.WHOLE else None
    return _Job(
        options,
        target,
        wishes,
        layout,
        single=single,
        total=total,
        documents=numbered,
        is_live=STDIN in paths and cutting.cut in SEPARATORS,
    ).run()


# --- reading the options -------------------------------------------------------------------------


def _check_schema_options(options: ExtractOptions) -> None:
    chosen = (options.additional.value, options.order.value, options.missing.value)
    is_plain = (options.draft, options.whitespace, chosen) == (
        None,
        "spaced",
        ("closed", "schema", "schema"),
    )
    if options.schema is None and not is_plain:
        raise UsageError(
            "--draft, --whitespace, --additional, --order and --missing are about schemas",
            hint="leave them out, or give a schema with -s",
        )


def _read_wishes(options: ExtractOptions) -> Wishes:
    from gbnfc.engine.base import Think

    review = options.review_below
    return Wishes(
        max_tokens=options.max_tokens,
        retries=options.retries,
        is_greedy=options.temp == 0,
        close_on_length=options.on_length.value == "close",
        chunking=read_chunking(options.chunk),
        think=Think(options.think) if options.think else None,
        confidence=options.field_confidence or review is not None,
        review_below=review,
    )


def _read_cutting(options: ExtractOptions) -> Cutting:
    wanted = {
        Cutting(Cut.LINES): options.lines,
        Cutting(Cut.NULLS): options.null,
        Cutting(Cut.JSONL, options.jsonl_field or ""): options.jsonl_field,
        Cutting(Cut.CSV, options.csv_column or ""): options.csv_column,
    }
    chosen = [cutting for cutting, given in wanted.items() if given]
    if len(chosen) > 1:
        raise UsageError("--lines, -0, --jsonl-field and --csv-column exclude each other")
    return chosen[0] if chosen else Cutting()


def _read_layout(options: ExtractOptions, target: Target, *, single: bool) -> Layout:
    suffix = Path(options.output).suffix.lstrip(".").lower() if options.output else ""
    if options.format is not None:
        format = Format(options.format.value)
    elif suffix in ("json", "jsonl", "csv"):
        format = Format(suffix)
    else:
        format = Format.JSON if single else Format.JSONL
    lone = single and format is Format.JSON and options.pluck is None
    has_scores = options.field_confidence or options.review_below is not None
    envelope = options.envelope if options.envelope is not None else has_scores or not lone
    if has_scores and (not envelope or format is Format.CSV):
        raise UsageError(
            "--field-confidence and --review-below are written into the record around the data",
            hint="use --format json or jsonl, and not --no-envelope",
        )
    if options.pluck is not None:
        if not target.is_json:
            raise UsageError("--pluck needs a schema (-s)")
        check_pluck(target.shown_schema, options.pluck)
    columns = data_columns(target.shown_schema, options.pluck)
    return Layout(format, envelope=envelope, pluck=options.pluck, columns=columns)


# --- documents -----------------------------------------------------------------------------------


def _documents(
    paths: tuple[str, ...], cutting: Cutting, options: ExtractOptions
) -> Iterator[Document]:
    # One bad byte must not take the other records of its file with it.
    is_cut = cutting.cut is not Cut.WHOLE
    read = partial(read_text, encoding=options.encoding, keeps_bad_bytes=is_cut)
    stream = partial(stream_stdin, encoding=options.encoding)
    return read_documents(paths, cutting, lambda path: read(path).text, stream)


def _only(path: str, options: ExtractOptions) -> Document:
    source = read_text(path, options.encoding)
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
    if not options.resume:
        return
    if not has_journal(options, single=single):
        raise UsageError("--resume needs -o FILE and several documents")
    if options.fresh:
        raise UsageError("--resume goes on with the earlier run, --fresh forgets it: give one")
    output = Path(options.output or "")
    journal = journal_path(output)
    if not journal.exists() and output.is_file() and output.stat().st_size > 0:
        raise UsageError(
            f"{output}: cannot be gone on with: its journal, {journal}, is not there, so nothing "
            "tells by which schema, model and options it was written",
            hint="begin again with --fresh, or write to another file",
        )


def _fingerprint(options: ExtractOptions, about: tuple[object, ...]) -> str:
    """Return what tells runs apart whose records must not be mixed: all that forms an answer."""
    decoding = {
        name: getattr(options, name)
        for name in ("temp", "top_k", "top_p", "min_p", "seed", "context", "forced_text", "weights")
    }
    text = "\n".join(map(str, (*about, decoding, options.pluck)))
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _show_plan(
    options: ExtractOptions,
    target: Target,
    wishes: Wishes,
    documents: Iterable[tuple[int, Document]],
) -> int:
    failed = total = 0
    with open_engine(options, target.constraint, weights=False) as opened:
        template, prompt_text = prompt_parts(options, target, opened)
        extraction = Extraction(opened.engine, template, prompt_text, target.validator, wishes)
        for _, document in documents:
            total += 1
            row: dict[str, Any] = {"source": document.source, "window": opened.engine.window}
            try:
                if document.error is not None:
                    raise InputError(document.error)
                needed, pieces = extraction.plan(document)
                row |= {"tokens": needed, "pieces": len(pieces)}
            except InputError as error:
                row["error"] = str(error)
                failed += 1
            print(json.dumps(row, ensure_ascii=False))
    return _exit_code(total, failed)


# --- the run -------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Tally:
    total: int = 0
    failed: int = 0
    answered: int = 0
    """Those that were not taken from the journal, whether written yet or not."""
    failures: int = 0
    """Of these, those that failed."""


class _Job:
    """One run: engine, journal, writer and counts, closed in the right order."""

    def __init__(
        self,
        options: ExtractOptions,
        target: Target,
        wishes: Wishes,
        layout: Layout,
        *,
        single: bool,
        total: int | None,
        documents: Iterator[tuple[int, Document]],
        is_live: bool,
    ) -> None:
        self._total, self._documents, self._is_live = total, documents, is_live
        self._live: Live[tuple[int, Document]] | None = None
        self._read = 0
        self._options, self._target, self._wishes = options, target, wishes
        self._layout, self._single = layout, single
        self._tally = _Tally()
        self._interrupted = False
        self._journal: Journal | None = None
        self._digests: dict[int, str] = {}
        self._recovered: deque[tuple[int, Record]] = deque()

    def run(self) -> int:
        with ExitStack() as stack:
            opened = stack.enter_context(
                open_engine(self._options, self._target.constraint, weights=True)
            )
            template, prompt_text = prompt_parts(self._options, self._target, opened)
            self._open_journal(opened.model_path, prompt_text)
            stack.callback(self._close_journal)
            stack.enter_context(self._catching_interrupts())
            extraction = Extraction(
                opened.engine,
                template,
                prompt_text,
                self._target.validator,
                self._wishes,
                is_json=self._target.is_json,
                should_stop=self._should_stop,
            )
            if self._is_live:
                self._live = Live(self._undone())
            pairs = self._noting(extraction.run(self._live or self._undone()))
            records = (
                (record for _, record in pairs) if self._options.unordered else in_order(pairs)
            )
            code = self._write_single(records) if self._single else self._write_all(records)
            self._say_what_is_gone()
            self._say_how_far_it_came()
            if self._options.stats:
                opened.show_stats(self._tally.answered)
        return EXIT_INTERRUPTED if self._interrupted else code

    # --- what is done already -------------------------------------------------------------------

    def _open_journal(self, *about: object) -> None:
        options = self._options
        if options.output is None or not has_journal(options, single=self._single):
            return
        fingerprint = _fingerprint(options, (*about, self._target.constraint.text, self._wishes))
        with self._naming_the_output():
            self._journal = open_journal(
                journal_path(Path(options.output)),
                fingerprint,
                resume=options.resume,
                fresh=options.fresh,
            )

    def _close_journal(self) -> None:
        if self._journal is not None:
            with self._naming_the_output():  # on a full disk, what is still buffered
                self._journal.close()

    def _say_what_is_gone(self) -> None:
        left = self._journal.left if self._journal is not None else 0
        if left and not (self._interrupted or self._options.quiet):
            print_note(
                f"{self._options.output} no longer holds {left} answers of the earlier run: their "
                "documents have changed or are not given any more"
            )

    def _say_how_far_it_came(self) -> None:
        if not self._is_cut_short or self._single:
            return
        why = "" if self._interrupted else f" with {_count(self._tally.failed, 'failure')}"
        how = "; --resume goes on from here" if self._journal is not None else ""
        done = _count(self._tally.total, "document")
        if self._total is not None:
            done = f"{self._tally.total:,} of {_count(self._total, 'document')}"
        print_note(f"stopped after {done}{why}{how}")

    @cached_property
    def _is_cut_short(self) -> bool:
        """Whether the run, now at its end, stopped before all its documents were done."""
        if not self._should_stop():
            return False
        if self._tally.total < self._read:
            return True
        if self._live is not None:
            return not self._live.is_over
        return next(self._documents, None) is not None

    def _undone(self) -> Iterator[tuple[int, Document]]:
        for number, document in self._documents:
            self._read += 1
            digest = document.digest if self._journal is not None else ""
            done = self._journal.take(digest) if self._journal is not None else None
            if done is not None:
                self._recovered.append((number, done))
                continue
            self._digests[number] = digest
            yield number, document

    def _noting(self, pairs: Iterable[tuple[int, Record]]) -> Iterator[tuple[int, Record]]:
        for number, record in pairs:
            digest = self._digests.pop(number)
            self._tally.answered += 1
            self._tally.failures += record.failed
            # Failures are tried again by a resumed run.
            if self._journal is not None and record.error is None:
                self._journal.append(digest, record)
            yield from self._take_recovered()
            yield number, record
        yield from self._take_recovered()

    def _take_recovered(self) -> Iterator[tuple[int, Record]]:
        while self._recovered:  # another thread may add to them
            yield self._recovered.popleft()

    # --- out ------------------------------------------------------------------------------------

    def _write_single(self, records: Iterable[Record]) -> int:
        for record in records:
            record = with_array(record, self._layout)
            self._count(record)
            if record.failed:
                self._say_failure(record)
            if record.failed and not self._layout.envelope:
                return EXIT_ALL_FAILED
            if self._layout.format is Format.JSON and self._layout.pluck is None:
                text = self._pretty(record)
            else:
                text = written_records((record,), self._layout)
            if self._options.output is None or self._options.output == STDIN:
                with self._naming_the_output():
                    sys.stdout.write(text)
                    sys.stdout.flush()
            else:
                write_file(Path(self._options.output), text)
        return EXIT_ALL_FAILED if self._tally.failed else 0

    def _pretty(self, record: Record) -> str:
        shown = record.as_dict() if self._layout.envelope else record.data
        if isinstance(shown, str) and not self._target.is_json and not self._asks_for_json():
            return f"{shown}\n"
        return json.dumps(shown, ensure_ascii=False, indent=2) + "\n"

    def _asks_for_json(self) -> bool:
        """Return whether JSON is asked for by name, so that a plain text is quoted too."""
        return self._options.format is not None or (
            Path(self._options.output or "").suffix.lower() == ".json"
        )

    def _write_all(self, records: Iterable[Record]) -> int:
        from gbnfc.cli.progress import showing_progress

        with (
            self._naming_the_output(),
            self._open_output() as stream,
            showing_progress(self._total, quiet=self._options.quiet) as advance,
        ):
            writer = RecordWriter(stream, self._layout)
            for record in records:
                record = with_array(record, self._layout)
                self._count(record)
                writer.write(record)
                advance()
                if record.failed:
                    self._say_failure(record)
            writer.finish()
        if self._journal is not None and not self._should_stop():
            self._journal.complete()
        if self._is_cut_short:
            return EXIT_SOME_FAILED
        if not self._tally.total and not self._options.quiet:
            print_note("there were no documents")
        elif self._options.resume and not self._tally.answered and not self._options.quiet:
            print_note(
                f"{self._options.output}: nothing left to do: all {self._tally.total} documents "
                "were done before (--fresh begins again)"
            )
        return _exit_code(self._tally.total, self._tally.failed)

    @contextmanager
    def _open_output(self) -> Iterator[TextIO]:
        if self._options.output is None or self._options.output == STDIN:
            yield sys.stdout
            return
        with Path(self._options.output).open("w", encoding="utf-8", newline="\n") as stream:
            yield stream

    @contextmanager
    def _naming_the_output(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            raise
        except OSError as error:
            raise InputError(
                f"{error.filename or self._options.output or '<stdout>'}: cannot be written: "
                f"{error.strerror}",
                hint="what is done is in the journal: make room and go on with --resume"
                if self._journal is not None
                else None,
            ) from None

    def _count(self, record: Record) -> None:
        self._tally.total += 1
        self._tally.failed += record.failed
        if self._options.verbose:
            print_note(f"{record.source}: {_counts(record.data)}")
        if self._options.quiet:
            return
        if record.finish == "closed":
            print_note(f"{record.source}: cut off, then closed: not all may be there")
        conflicts = record.extra.get("conflicts")
        if conflicts and not (self._layout.envelope and self._layout.format is not Format.CSV):
            differ = f"its pieces differ in {_count(len(conflicts), 'value')}"
            print_note(f"{record.source}: {differ}, the first counts; --envelope lists them")

    def _say_failure(self, record: Record) -> None:
        reason = record.error or "; ".join(record.errors)
        # A reason from reading the document names it already.
        print_error(reason if reason.startswith(record.source) else f"{record.source}: {reason}")

    # --- when to stop ---------------------------------------------------------------------------

    def _should_stop(self) -> bool:
        limit = 1 if self._options.fail_fast else self._options.max_failures
        failed = max(self._tally.failed, self._tally.failures)
        too_many = limit is not None and failed >= limit
        return self._interrupted or too_many

    @contextmanager
    def _catching_interrupts(self) -> Iterator[None]:
        def note(*_: object) -> None:
            if self._interrupted:
                raise KeyboardInterrupt
            self._interrupted = True
            print_warning("interrupted: finishing the current step (again to stop at once)")

        try:
            before = signal.signal(signal.SIGINT, note)
        except ValueError:  # not in the main thread: whoever runs us handles interrupts
            yield
            return
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _exit_code(total: int, failed: int) -> int:
    if not failed:
        return 0
    return EXIT_ALL_FAILED if failed == total else EXIT_SOME_FAILED


def _counts(data: Any) -> str:
    """Say how many elements each array holds, so that a near-empty result is noticed."""
    if not isinstance(data, dict):
        return "done" if data is not None else "no data"
    arrays = [f"{key}: {len(value)}" for key, value in data.items() if isinstance(value, list)]
    return ", ".join(arrays) or "done"
