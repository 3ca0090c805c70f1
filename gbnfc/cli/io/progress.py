"""A progress bar on stderr, only where that is a terminal which nothing else writes to unseen.

In: one call per record, and what the engine is at. Out: the bar. Data on the same terminal is
written above it. A pipe may end anywhere (`| tee` shows what it passes on), so beside one there is
a bar only when it is asked for.
"""

from __future__ import annotations

import os
import stat
import sys
from contextlib import contextmanager, nullcontext
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from gbnfc.engine.base import Progress as InFlight


class Bar:
    """The bar as the writer of records sees it; this one shows nothing."""

    def advance(self) -> None:
        """Count one finished document."""

    def aside(self) -> AbstractContextManager[None]:
        """Take the bar away for as long as something is written to its terminal."""
        return nullcontext()


class _RichBar(Bar):
    def __init__(self, bar: Any, task: Any) -> None:
        self._bar, self._task = bar, task

    def advance(self) -> None:
        self._bar.advance(self._task)
        done = self._bar.tasks[0]
        if done.elapsed:
            self._bar.update(self._task, rate=f"{done.completed / done.elapsed:.2f}/s")

    @contextmanager
    def aside(self) -> Iterator[None]:
        self._bar.stop()
        try:
            yield
        finally:
            self._bar.start()


def wants_bar(*, wanted: bool | None, data_to_stdout: bool) -> bool:
    """Return whether to show a bar: as `wanted`, else where it disturbs nothing."""
    if wanted is not None:
        return wanted
    return sys.stderr.isatty() and not (data_to_stdout and _is_pipe(sys.stdout))


def _is_pipe(stream: IO[str]) -> bool:
    try:
        mode = os.fstat(stream.fileno()).st_mode
    except (OSError, ValueError, AttributeError):  # no file of the system's
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


@contextmanager
def showing_progress(total: int | None, in_flight: Callable[[], InFlight]) -> Iterator[Bar]:
    """Give a bar for `total` documents, where that is known.

    `in_flight` is asked from another thread, some times a second.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class InFlightColumn(ProgressColumn):
        """What is known of documents that are not done yet."""

        def render(self, _: Any) -> Text:
            return Text(describe(in_flight()))

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        InFlightColumn(),
    )
    console = Console(stderr=True)
    if not console.is_interactive:  # a terminal that cannot take a line back
        yield Bar()
        return
    with Progress(*columns, console=console, transient=True, redirect_stdout=False) as bar:
        yield _RichBar(bar, bar.add_task("documents", total=total, rate=""))


def describe(in_flight: InFlight) -> str:
    """Return on few columns how far the documents in flight are."""
    if in_flight.read < in_flight.prompt:
        return f"read {in_flight.read:,} of {in_flight.prompt:,} tokens"
    return f"{in_flight.written:,} tokens written" if in_flight.prompt else ""
