"""How long one schema may take. In: the moment a compilation begins. Out: nothing, or the end."""

from __future__ import annotations

import time

from gbnfc.errors import LimitExceeded

MOST_SECONDS = 6
"""A schema that takes more processor time than this is refused; letting go of what was made takes
seconds more. The slowest of 5,605 real schemas takes 3.4. Where kinds refer to each other through
`oneOf`, what has to be intersected grows with every turn, and neither the number nor the size of it
tells such schemas from real ones."""


class TimeLimit:
    """The end of the time of one compilation, which begins now."""

    def __init__(self) -> None:
        self._end = time.thread_time() + MOST_SECONDS

    def keep(self) -> None:
        """Raise `LimitExceeded` when the time is over.

        Whether a schema is refused may so depend on the machine; what is compiled never does.
        """
        if time.thread_time() > self._end:
            raise LimitExceeded(
                f"the schema takes more than {MOST_SECONDS} s to compile",
                hint="combine fewer oneOf, allOf and not, above all in schemas that refer to "
                "themselves",
            )
