"""A form: an answer in JSON of which all but some scalars is given.

In: the parts around the blanks, and the answer as it is written. Out: what stands behind a blank,
once that is filled. What is given costs no decoding of its own: it is read with the prompt.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_BLANK = " \t\r\n"
_SCALAR = re.compile(
    rf'[{_BLANK}]*(?:"(?:[^"\\]|\\.)*"|[^{_BLANK}",\]}}]+(?=[{_BLANK},\]}}]))', re.DOTALL
)


@dataclass(slots=True)
class Form:
    """Follows an answer that is written into a form.

    `parts` stand before the first blank, between each two, and behind the last.
    """

    parts: tuple[str, ...]
    _given: int = field(default=0, init=False)
    blank_at: int = field(default=0, init=False)
    """Where the part that was given last ends."""

    @property
    def is_full(self) -> bool:
        """Whether all parts are given."""
        return self._given == len(self.parts)

    def continued(self, written: str) -> str | None:
        """Return what is to stand instead of `written`: it ends with the next part.

        `None` while a blank is not filled, or where nothing is left to give.
        """
        if self.is_full:
            return None
        end = 0
        if self._given:
            filled = _SCALAR.match(written, self.blank_at)
            if filled is None:
                return None
            end = filled.end()
        # The blanks before a value are left to the model, which may merge them with it.
        return written[:end] + self.parts[self._given].rstrip(_BLANK)

    def give(self, written: str) -> None:
        """Take note that `written`, what `continued` returned, is written."""
        self._given += 1
        self.blank_at = len(written)


def fits(parts: tuple[str, ...], text: str) -> bool:
    """Return whether `text` is the form of `parts` with a scalar in each blank."""
    form, ended = Form(parts), f"{text} "
    while (wanted := form.continued(ended)) is not None:
        if not ended.startswith(wanted):
            return False
        form.give(wanted)
    return form.is_full and form.blank_at == len(text)
