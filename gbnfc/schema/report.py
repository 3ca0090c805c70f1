"""What the grammar does not hold: entries with a JSON Pointer, a keyword and a direction."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from gbnfc.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable


class Effect(Enum):
    """How the grammar relates to one keyword of the schema."""

    ENFORCED = "enforced"
    WIDER = "wider"
    """The grammar accepts texts that this keyword refuses."""
    NARROWER = "narrower"
    """The grammar refuses texts that this keyword allows."""
    IGNORED = "ignored"
    """The keyword is an annotation: it constrains nothing."""

    __hash__ = object.__hash__  # Enum's is written in Python


_GRAVEST_FIRST = (Effect.WIDER, Effect.NARROWER, Effect.IGNORED, Effect.ENFORCED)


@frozen
class ReportEntry:
    """One keyword occurrence of the source schema and what became of it.

    `pointer` is the JSON Pointer (RFC 6901) of the subschema that holds `keyword`; entries in
    another document start with its URI and `#`. `witness` is, where it was cheap to find, a text
    that shows the difference. `is_slip` tells that the author most likely meant something else.
    """

    pointer: str
    keyword: str
    effect: Effect
    message: str
    witness: str | None = None
    is_slip: bool = False


class Reporter:
    """Collects entries while a schema is compiled; each (pointer, keyword, effect) once."""

    def __init__(self) -> None:
        self._entries: dict[tuple[str, str, Effect], ReportEntry] = {}

    def add(self, entry: ReportEntry) -> None:
        """Record `entry` unless its place, keyword and direction are already known."""
        self._entries.setdefault((entry.pointer, entry.keyword, entry.effect), entry)

    def entries(self) -> tuple[ReportEntry, ...]:
        """Return the entries, gravest direction first, then by pointer."""
        return tuple(
            sorted(
                self._entries.values(),
                key=lambda e: (_GRAVEST_FIRST.index(e.effect), e.pointer, e.keyword),
            )
        )


def has_effect(report: Iterable[ReportEntry], effect: Effect) -> bool:
    """Return whether any entry of `report` has this `effect`."""
    return any(entry.effect is effect for entry in report)
