"""The body of `gbnfc extract`: options in, results on stdout or in a file, an exit code out."""

from __future__ import annotations

import hashlib
import json
import sys
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from gbnfc.cli.extract.engine import open_engine, prompt_parts
from gbnfc.cli.extract.files import has_journal
from gbnfc.cli.extract.interrupts import Interrupts
from gbnfc.cli.extract.request import Request, read_request
from gbnfc.cli.io.progress import Bar, showing_progress, wants_bar
from gbnfc.cli.io.streams import counted, print_error, print_note
from gbnfc.cli.io.texts import STDIN
from gbnfc.cli.io.writing import write_file
from gbnfc.errors import InputError
from gbnfc.extract.journal import Journal, journal_path, open_journal
from gbnfc.extract.output import (
    Format,
    RecordWriter,
    with_array,
    written_records,
)
from gbnfc.extract.run import Extraction
from gbnfc.extract.session import Done, Failed, Session, SessionOptions, Stopped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from gbnfc.cli.extract.options import ExtractOptions
    from gbnfc.engine.base import Engine
    from gbnfc.extract.prompt import PromptText
    from gbnfc.extract.record import Record
    from gbnfc.extract.session import Outcome, Tally
    from gbnfc.extract.template import ChatTemplate

EXIT_ALL_FAILED = 5
EXIT_SOME_FAILED = 6
EXIT_INTERRUPTED = 130

_ABOUT_CONFIDENCE = (
    "confidence: probability is that of the value among what the grammar allowed; pressure the "
    "largest share of the model's wish that the grammar took away (near 1: it wanted something "
    "else)"
)


def run_extract(options: ExtractOptions) -> int:
    """Do what `options` ask and return the exit code. Raises `GbnfcError` for what stops it all."""
    request = read_request(options)
    return _show_plan(request) if options.diagnostics.dry_run else _Job(request).run()


def _fingerprint(options: ExtractOptions, about: tuple[object, ...]) -> str:
    """Return what tells runs apart whose records must not be mixed: all that forms an answer."""
    model, how = options.model, options.decoding
    decoding = {
        **{"temp": how.temp, "top_k": how.top_k, "top_p": how.top_p, "min_p": how.min_p},
        **{"seed": how.seed, "context": model.context, "forced_text": how.forced_text},
        "weights": model.weights.value,
    }
    parts = (*about, decoding, options.results.pluck, options.documents.shard)
    return hashlib.sha256("\n".join(map(str, parts)).encode("utf-8", "replace")).hexdigest()


def _show_plan(request: Request) -> int:
    failed = total = 0
    options, target = request.options, request.target
    with open_engine(options, target.constraint, weights=False) as opened:
        template, prompt_text = prompt_parts(options, target, opened)
        extraction = Extraction(
            opened.engine, template, prompt_text, target.validator, request.answer_options
        )
        for _, document in request.documents:
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


class _Job:
    """One run: engine, journal, session and output, closed in the right order."""

    def __init__(self, request: Request) -> None:
        self._request, self._options = request, request.options
        self._target, self._layout = request.target, request.layout
        self._output = request.options.results.output
        self._voice = request.options.diagnostics.voice
        self._interrupts = Interrupts()
        self._journal: Journal | None = None

    def run(self) -> int:
        with ExitStack() as stack:
            opened = stack.enter_context(
                open_engine(self._options, self._target.constraint, weights=True)
            )
            template, prompt_text = prompt_parts(self._options, self._target, opened)
            if self._request.answer_options.confidence and not self._options.diagnostics.quiet:
                print_note(_ABOUT_CONFIDENCE)
            self._open_journal(opened.model_path, prompt_text)
            stack.callback(self._close_journal)
            stack.enter_context(self._interrupts.catching(opened.engine.break_off))
            session = self._session(opened.engine, template, prompt_text)
            with self._showing_progress(opened.engine) as bar:
                write = self._write_single if self._request.single else self._write_all
                outcome = write(session, bar)
            self._say_what_is_gone(outcome)
            self._say_how_far_it_came(outcome)
            if self._options.diagnostics.stats:
                opened.show_stats(outcome.tally.answered)
        return EXIT_INTERRUPTED if self._interrupts.came else self._exit_code(outcome)

    def _session(self, engine: Engine, template: ChatTemplate, prompt_text: PromptText) -> Session:
        extraction = Extraction(
            engine,
            template,
            prompt_text,
            self._target.validator,
            self._request.answer_options,
            is_json=self._target.is_json,
        )
        stops = self._options.resuming
        return Session(
            extraction,
            SessionOptions(
                max_failures=1 if stops.fail_fast else stops.max_failures,
                in_order=not self._options.results.unordered,
                is_live=self._request.is_live,
            ),
            journal=self._journal,
            interruption=self._interrupts,
            checked=lambda record: with_array(record, self._layout),
        )

    def _exit_code(self, outcome: Outcome) -> int:
        if outcome.stopped is not None and not self._request.single:
            return EXIT_SOME_FAILED
        return _exit_code(outcome.tally.total, outcome.tally.failed)

    # --- the journal ----------------------------------------------------------------------------

    def _open_journal(self, *about: object) -> None:
        options = self._options
        if options.results.output is None or not has_journal(options, single=self._request.single):
            return
        fingerprint = _fingerprint(
            options, (*about, self._target.constraint.text, self._request.answer_options)
        )
        with self._naming_the_output():
            self._journal = open_journal(
                journal_path(Path(options.results.output)),
                fingerprint,
                resume=options.resuming.resume,
                fresh=options.resuming.fresh,
            )

    def _close_journal(self) -> None:
        if self._journal is not None:
            with self._naming_the_output():  # on a full disk, what is still buffered
                self._journal.close()

    def _say_what_is_gone(self, outcome: Outcome) -> None:
        if outcome.unclaimed and not self._interrupts.came:
            self._voice.insist(
                f"{self._output} no longer holds {outcome.unclaimed} answers of the earlier run: "
                "their documents have changed or are not given any more"
            )

    def _say_how_far_it_came(self, outcome: Outcome) -> None:
        if outcome.stopped is None or self._request.single:
            return
        tally, total = outcome.tally, self._request.total
        why = "" if self._interrupts.came else f" with {counted(tally.failed, 'failure')}"
        how = "; --resume goes on from here" if self._journal is not None else ""
        done = counted(tally.total, "document")
        if total is not None:
            done = f"{tally.total:,} of {counted(total, 'document')}"
        print_note(f"stopped after {done}{why}{how}")

    # --- out ------------------------------------------------------------------------------------

    def _showing_progress(self, engine: Engine) -> AbstractContextManager[Bar]:
        options = self._options
        to_stdout = options.results.output is None or options.results.output == STDIN
        if options.diagnostics.quiet or not wants_bar(
            wanted=options.diagnostics.progress, data_to_stdout=to_stdout
        ):
            return nullcontext(Bar())
        return showing_progress(self._request.total, lambda: engine.progress)

    def _write_single(self, session: Session, bar: Bar) -> Outcome:
        for record in self._records(session):
            with bar.aside():
                self._write_lone(record)
        return session.conclude()

    def _records(self, session: Session) -> Iterator[Record]:
        for event in session.run(self._request.documents):
            match event:
                case Done(record) | Failed(record):
                    yield record
                case Stopped():  # told when all is written
                    return

    def _write_lone(self, record: Record) -> None:
        self._tell(record)
        if record.failed:
            self._say_failure(record)
        if record.failed and not self._layout.envelope:
            return
        if self._layout.format is Format.JSON and self._layout.pluck is None:
            text = self._pretty(record)
        else:
            text = written_records((record,), self._layout)
        if self._output is None or self._output == STDIN:
            with self._naming_the_output():
                sys.stdout.write(text)
                sys.stdout.flush()
        else:
            write_file(Path(self._output), text)

    def _pretty(self, record: Record) -> str:
        shown = record.as_dict() if self._layout.envelope else record.data
        if isinstance(shown, str) and not self._target.is_json and not self._asks_for_json():
            return f"{shown}\n"
        return json.dumps(shown, ensure_ascii=False, indent=2) + "\n"

    def _asks_for_json(self) -> bool:
        """Return whether JSON is asked for by name, so that a plain text is quoted too."""
        return self._options.results.format is not None or (
            Path(self._output or "").suffix.lower() == ".json"
        )

    def _write_all(self, session: Session, bar: Bar) -> Outcome:
        with self._naming_the_output(), self._open_output() as stream:
            writer = RecordWriter(stream, self._layout)
            for record in self._records(session):
                with bar.aside():
                    self._tell(record)
                    writer.write(record)
                    if record.failed:
                        self._say_failure(record)
                bar.advance()
            writer.finish()
        outcome = session.conclude()
        if outcome.stopped is None:
            self._say_if_idle(outcome.tally)
        return outcome

    def _say_if_idle(self, tally: Tally) -> None:
        if not tally.total:
            self._voice.note("there were no documents")
        elif self._options.resuming.resume and not tally.answered:
            self._voice.note(
                f"{self._output}: nothing left to do: all {tally.total} documents were done before "
                "(--fresh begins again)"
            )

    @contextmanager
    def _open_output(self) -> Iterator[TextIO]:
        if self._output is None or self._output == STDIN:
            yield sys.stdout
            return
        with Path(self._output).open("w", encoding="utf-8", newline="\n") as stream:
            yield stream

    @contextmanager
    def _naming_the_output(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            raise
        except OSError as error:
            raise InputError(
                f"{error.filename or self._output or '<stdout>'}: cannot be written: "
                f"{error.strerror}",
                hint="what is done is in the journal: make room and go on with --resume"
                if self._journal is not None
                else None,
            ) from None

    def _tell(self, record: Record) -> None:
        self._voice.detail(f"{record.source}: {_counts(record.data)}")
        if record.finish == "closed":
            self._voice.insist(f"{record.source}: cut off, then closed: not all may be there")
        pressure = record.extra.get("pressure")
        if pressure is not None:
            self._voice.insist(
                f"{record.source}: forced against the model (pressure {pressure:.2f}: the share of "
                "its wish, at one token, that was not allowed): the text may hold no such answer"
            )
        for pointer in record.extra.get("repeated", ()):
            where = f"the list {pointer}" if pointer else "the list"
            self._voice.insist(f"{record.source}: {where} began to repeat itself and was ended")
        conflicts = record.extra.get("conflicts")
        if conflicts and not (self._layout.envelope and self._layout.format is not Format.CSV):
            differ = f"its pieces differ in {counted(len(conflicts), 'value')}"
            self._voice.insist(
                f"{record.source}: {differ}, the first counts; --envelope lists them"
            )

    def _say_failure(self, record: Record) -> None:
        reason = record.error or "; ".join(record.errors)
        # A reason from reading the document names it already.
        print_error(reason if reason.startswith(record.source) else f"{record.source}: {reason}")


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
