"""A run over many documents: what is done already, the order of records, when to stop, the counts.

In: numbered documents, an `Extraction` and, for runs that can be taken up again, a journal. Out:
events, one for each document as its turn comes; whoever asked for them writes and prints.

    session = Session(extraction, SessionOptions(max_failures=3))
    for event in session.run(enumerate(documents)):
        ...
    outcome = session.conclude()
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from gbnfc.extract.output import in_order
from gbnfc.extract.read_ahead import ReadAhead

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gbnfc.extract.documents import Document
    from gbnfc.extract.journal import Journal
    from gbnfc.extract.record import Record
    from gbnfc.extract.run import Extraction

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """`max_failures`: so many failed documents end the run. `in_order`: records come in the order
    of their documents, else as soon as they are ready. `is_live`: documents may have to be waited
    for, which is done in a thread of its own.
    """

    max_failures: int | None = None
    in_order: bool = True
    is_live: bool = False


@dataclass(frozen=True, slots=True)
class Tally:
    """How many documents were done (`total`) and `failed`; `answered`, not taken from the journal.

    Those that are answered may be more than those that were passed on in order.
    """

    total: int = 0
    failed: int = 0
    answered: int = 0


class StopReason(Enum):
    """Why a run stopped before all its documents were done."""

    FAILURES = "failures"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Done:
    """A document has an answer that is valid."""

    record: Record


@dataclass(frozen=True, slots=True)
class Failed:
    """A document has no answer, or one that the schema refuses."""

    record: Record


@dataclass(frozen=True, slots=True)
class Stopped:
    """The run has stopped, and documents are left. Nothing comes after it."""

    reason: StopReason
    tally: Tally


Event: TypeAlias = Done | Failed | Stopped


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run came to. `stopped` tells why, where documents are left; `unclaimed` is the number
    of the journal's records whose documents were changed or not given.
    """

    tally: Tally
    stopped: StopReason | None
    unclaimed: int


class Interruption:
    """What may end a run from outside. This one never does."""

    @property
    def came(self) -> bool:
        """Whether the run is to end behind the engine's current step."""
        return False

    @property
    def broke_off(self) -> bool:
        """Whether it has ended within a step, whose documents are lost."""
        return False

    def ending(self, results: Iterable[_T]) -> Iterator[_T]:
        """Yield `results` until they are broken off."""
        return iter(results)


class Session:
    """One run. `journal` stays the caller's to close; `checked` has the last word on a record."""

    def __init__(
        self,
        extraction: Extraction,
        options: SessionOptions | None = None,
        *,
        journal: Journal | None = None,
        interruption: Interruption | None = None,
        checked: Callable[[Record], Record] = lambda record: record,
    ) -> None:
        self._extraction, self._options = extraction, options or SessionOptions()
        self._journal, self._checked = journal, checked
        self._interruption = interruption or Interruption()
        self._tally = Tally()
        self._answered_failures = 0
        """Among the answered, whether passed on yet or not."""
        self._read = 0
        self._digests: dict[int, str] = {}
        self._recovered: deque[tuple[int, Record]] = deque()
        self._stopped: StopReason | None = None

    def run(self, documents: Iterable[tuple[int, Document]]) -> Iterator[Event]:
        """Yield an event for each of `documents`, numbered from 0, and one more if it stops early.

        Raises:
            GbnfcError: the documents cannot be read any further, or the engine fails.
        """
        numbered = iter(documents)
        undone = self._undone(numbered)
        source = ReadAhead(undone) if self._options.is_live else undone
        ready = self._extraction.run(source, should_stop=self._should_stop)
        pairs = self._noted(self._interruption.ending(ready))
        ordered = in_order(pairs) if self._options.in_order else (record for _, record in pairs)
        for record in ordered:
            yield self._count(self._checked(record))
        is_over = source.is_over if isinstance(source, ReadAhead) else None
        if self._is_cut_short(numbered, is_over=is_over):
            self._stopped = (
                StopReason.INTERRUPTED if self._interruption.came else StopReason.FAILURES
            )
            yield Stopped(self._stopped, self._tally)

    def conclude(self) -> Outcome:
        """Return what the run came to. To be called when all its records are safe where they go.

        Only then the journal may say that nothing is left to do.
        """
        if self._journal is not None and not self._should_stop():
            self._journal.complete()
        unclaimed = self._journal.left if self._journal is not None else 0
        return Outcome(self._tally, self._stopped, unclaimed)

    # --- what is done already -------------------------------------------------------------------

    def _undone(self, documents: Iterator[tuple[int, Document]]) -> Iterator[tuple[int, Document]]:
        for number, document in documents:
            self._read += 1
            digest = document.digest if self._journal is not None else ""
            done = self._journal.take(digest) if self._journal is not None else None
            if done is not None:
                self._recovered.append((number, done))
                continue
            self._digests[number] = digest
            yield number, document

    def _noted(self, pairs: Iterable[tuple[int, Record]]) -> Iterator[tuple[int, Record]]:
        for number, record in pairs:
            digest = self._digests.pop(number)
            self._tally = replace(self._tally, answered=self._tally.answered + 1)
            self._answered_failures += record.failed
            # Failures are tried again by a resumed run.
            if self._journal is not None and record.error is None:
                self._journal.append(digest, record)
            yield from self._take_recovered()
            yield number, record
        yield from self._take_recovered()

    def _take_recovered(self) -> Iterator[tuple[int, Record]]:
        while self._recovered:  # another thread may add to them
            yield self._recovered.popleft()

    # --- how far it is --------------------------------------------------------------------------

    def _count(self, record: Record) -> Event:
        done = self._tally
        self._tally = replace(done, total=done.total + 1, failed=done.failed + record.failed)
        return Failed(record) if record.failed else Done(record)

    def _should_stop(self) -> bool:
        limit = self._options.max_failures
        failed = max(self._tally.failed, self._answered_failures)
        return self._interruption.came or (limit is not None and failed >= limit)

    def _is_cut_short(
        self, documents: Iterator[tuple[int, Document]], *, is_over: bool | None
    ) -> bool:
        """Return whether documents are left. `is_over`: those that are live have come to an end."""
        if not self._should_stop():
            return False
        if self._interruption.broke_off:  # the documents may have died of it
            return True
        if self._tally.total < self._read:
            return True
        return next(documents, None) is not None if is_over is None else not is_over
