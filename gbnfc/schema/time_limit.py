"""How long one schema may take. In: the moment a compilation begins. Out: what it can afford.

Counted limits (states, products, cases) come first, for they are the same on every machine. The
clock is what is left where none of them tells: a place that is reached when the time is short is
written wider than it is, which is reported there, and the rest of the schema is kept.
"""

from __future__ import annotations

import time

SHORT_AFTER_SECONDS = 5
"""After this much processor time nothing is multiplied out any more: branches are kept whole, and
conjunctions, patterns and counts that are costly are not enforced. The slowest of 5,605 real
schemas takes 3.4 s; where kinds refer to each other through `oneOf`, what has to be intersected
grows with every turn, and neither its number nor its size tells such schemas from real ones."""

OVER_AFTER_SECONDS = 5.5
"""After this much, what is still to be written is any object, any array, any string."""

TOO_LONG = "not enforced: the schema takes too long"


class TimeLimit:
    """The processor time of one compilation, which begins now, in this thread."""

    def __init__(self) -> None:
        now = time.thread_time()
        self._short = now + SHORT_AFTER_SECONDS
        self._over = now + OVER_AFTER_SECONDS

    @property
    def is_short(self) -> bool:
        """Whether only what is cheap should still be done."""
        return time.thread_time() > self._short

    @property
    def is_over(self) -> bool:
        """Whether nothing should be done any more but to end."""
        return time.thread_time() > self._over
