"""Documents that come in while others are being answered: `tail -f log | gbnfc extract --lines`.

In: an iterator that may have to wait for its next item. Out: the same items, and the answer that
there is none yet.
"""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

_T = TypeVar("_T")

_READ_AHEAD = 2
"""Items that are kept: what is read is in memory, and an interrupted run has read it in vain."""


class ReadAhead(Generic[_T]):
    """Reads `items` ahead in a thread of its own, so that nobody has to wait for them."""

    def __init__(self, items: Iterable[_T]) -> None:
        self._items = items
        self._ready: queue.Queue[tuple[_T] | BaseException | None] = queue.Queue(_READ_AHEAD)
        self.is_over = False
        """Whether the last item was given."""
        threading.Thread(target=self._read, name="gbnfc-read", daemon=True).start()

    def poll(self, patience_s: float) -> _T | None:
        """Return the next item, or `None` when there is none within `patience_s` seconds, or ever.

        What the items' own reading raises is raised here.
        """
        if self.is_over:
            return None
        try:
            found = self._ready.get(timeout=patience_s) if patience_s else self._ready.get_nowait()
        except queue.Empty:
            return None
        if isinstance(found, tuple):
            return found[0]
        self.is_over = True
        if found is not None:
            raise found
        return None

    def _read(self) -> None:
        try:
            for item in self._items:
                self._ready.put((item,))
        except BaseException as error:  # noqa: BLE001 - it is raised where the item was awaited
            self._ready.put(error)
        else:
            self._ready.put(None)
