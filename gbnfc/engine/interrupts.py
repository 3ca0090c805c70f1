"""Ctrl-C while llama.cpp is at work, and calls back into Python.

In: a call of the library. Out: `KeyboardInterrupt` once it has returned.
"""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def holding_interrupts(tell: Callable[[], object] = lambda: None) -> Iterator[None]:
    """Keep Ctrl-C until the library has returned, and `tell` at once that it came.

    Python would raise it in whatever runs next, our callbacks: there it is lost. A handler that
    someone else has installed stays, and is theirs to mind.
    """
    came: list[int] = []

    def note(number: int, _: object) -> None:
        came.append(number)
        tell()

    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if came:
        raise KeyboardInterrupt
