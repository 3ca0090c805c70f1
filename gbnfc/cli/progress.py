"""A progress bar on stderr, only when that is a terminal. In: one call per record. Out: the bar."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def showing_progress(total: int | None, *, quiet: bool) -> Iterator[Callable[[], None]]:
    """Give a function to call once per finished document, of `total` where that is known."""
    if quiet or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.progress import TimeRemainingColumn as Remaining

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        Remaining(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("documents", total=total, rate="")

        def advance() -> None:
            bar.advance(task)
            done = bar.tasks[0]
            if done.elapsed:
                bar.update(task, rate=f"{done.completed / done.elapsed:.2f}/s")

        yield advance
