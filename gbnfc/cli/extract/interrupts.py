"""Ctrl-C while documents are answered: once ends the run behind the current step, twice at once.

In: SIGINT. Out: a run that ends early, with all that was finished written. Twice does not wait for
llama.cpp to decode a long prompt to its end.
"""

from __future__ import annotations

import signal
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

from gbnfc.cli.io.streams import print_warning
from gbnfc.extract.session import Interruption

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_T = TypeVar("_T")


class Interrupts(Interruption):
    """The interrupts of one run. `break_off` ends what the engine does, if it does something."""

    def __init__(self) -> None:
        self._count = 0
        self._is_at_work = False

    @property
    def came(self) -> bool:
        """Whether the run is to end."""
        return self._count > 0

    @property
    def broke_off(self) -> bool:
        """Whether it is to end at once."""
        return self._count > 1

    @contextmanager
    def catching(self, break_off: Callable[[], bool]) -> Iterator[None]:
        """Note interrupts instead of dying of them."""

        def note(*_: object) -> None:
            self._count += 1
            if self._count == 1:
                with suppress(RuntimeError):  # it interrupted the very writing of a message
                    print_warning("interrupted: finishing the current step (again to stop at once)")
            elif not break_off() and (self._is_at_work or self._count > 2):
                raise KeyboardInterrupt

        try:
            before = signal.signal(signal.SIGINT, note)
        except ValueError:  # not in the main thread: whoever runs us handles interrupts
            yield
            return
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def ending(self, results: Iterable[_T]) -> Iterator[_T]:
        """Yield `results` up to a second interrupt, which cannot break off their being written."""
        source = iter(results)
        while True:
            self._is_at_work = True
            try:
                found = next(source)
            except StopIteration:
                return
            except KeyboardInterrupt:
                self._count = max(self._count, 2)
                return
            finally:
                self._is_at_work = False
            yield found
