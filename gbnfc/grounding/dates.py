"""Dates and times that stand in a text, as JSON Schema writes them (RFC 3339, section 5.6).

In: a `Document`. Out: readings with their places. The pieces are found here and read by
python-dateutil (extra `dates`), with the names of months in seven languages. `03/04/2018` has two
readings, and so has `21-11-16`; years of two digits are those from 1969 to 2068, as POSIX has it.
RFC 3339 wants an offset: a time that says none is read as Z and, for schemas that take it, without;
a date alone is read as its midnight where both are wanted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time
from importlib import import_module
from typing import TYPE_CHECKING, Any

from gbnfc.errors import UsageError
from gbnfc.extras import Extra, install_hint
from gbnfc.grounding.fields import FieldKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.grounding.document import Document

_MONTH_NAMES = (
    "jan january januar janvier enero gennaio janeiro januari",
    "feb february februar février fevrier febrero febbraio fevereiro februari",
    "mar march märz maerz mars marzo março marco maart",
    "apr april avril abril aprile",
    "may mai mayo maggio maio mei",
    "jun june juni juin junio giugno junho",
    "jul july juli juillet julio luglio julho",
    "aug august août aout agosto augustus",
    "sep sept september septembre septiembre settembre setembro",
    "oct october oktober okt octobre octubre ottobre outubro",
    "nov november novembre noviembre novembro",
    "dec december dezember dez décembre decembre diciembre dicembre dezembro",
)
_MONTH = "|".join(
    sorted((name for names in _MONTH_NAMES for name in names.split()), key=len, reverse=True)
)
_DAY = r"[0-9]{1,2}(?:st|nd|rd|th|er|\.|º)?"
_YEAR = r"(?:'?[0-9]{2}|[0-9]{4})(?![0-9])"
_DATE = re.compile(
    rf"""(?<![0-9])(?<![0-9][./])(?:
        (?P<numeric>[0-9]{{1,4}}(?P<mark>[-/.])[0-9]{{1,2}}(?P=mark)(?:[0-9]{{4}}|[0-9]{{1,2}}))
        (?![0-9]|[./-][0-9])
      | (?P<compact>(?:19|20)[0-9]{{6}})(?![0-9])
      | (?P<day_first>{_DAY}[\ /-]*(?:of\ |de\ )?\b(?:{_MONTH})\b\.?[\ ,/-]*(?:de\ )?{_YEAR})
      | (?P<year_first>[0-9]{{4}}[\ /-](?:{_MONTH})\.?[\ /-][0-9]{{1,2}}(?![0-9]))
      | (?P<month_first>\b(?:{_MONTH})\b\.?[\ /-]?{_DAY},?[\ /-]?'?[0-9]{{4}}(?![0-9]))
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_FILLING = re.compile(r"(?<=[0-9])(?:st|nd|rd|th|er|º)|'|\bof\b|\bde\b|,", re.IGNORECASE)
_TIME = re.compile(
    r"""(?<![0-9:.,])(?P<hour>[0-9]{1,2})
    (?: (?: : | h (?=[0-9]) | \. (?=[0-9]{2}\ ?(?:uhr|[ap]\.?m)) ) (?P<minute>[0-5][0-9])
        (?: : (?P<second>[0-5][0-9]) (?:[.,](?P<fraction>[0-9]{1,6}))? )?
        (?: \ ?(?P<half>[ap])\.?m\b\.? )?
      | \ ?(?P<half_alone>[ap])\.?m\b\.? )
    (?P<offset> \ ?(?: Z\b | UTC\b | GMT\b | [+-](?:[01][0-9]|2[0-3]):?[0-5][0-9] ) )?
    (?![0-9:])""",
    re.IGNORECASE | re.VERBOSE,
)
_BEFORE_TIME = re.compile(r"T|,? (?:(?:at|um|à) |[-–|] )?", re.IGNORECASE)
_BEFORE_DATE = re.compile(r",? (?:(?:on|am|le) |[-–|] )?", re.IGNORECASE)
_MAX_GAP = 6
_CENTURY_TURNS = 69


@dataclass(frozen=True, slots=True)
class DateReading:
    """A reading of a date or time: `text` as RFC 3339 writes it, and its place, folded offsets."""

    text: str
    start: int
    end: int


def read_dates(document: Document, kind: FieldKind) -> tuple[DateReading, ...]:
    """Return every reading of `kind` (DATE, DATE_TIME or TIME) in `document`, by place.

    >>> [found.text for found in read_dates(Document("due 03/04/2018"), FieldKind.DATE)]
    ['2018-03-04', '2018-04-03']

    Raises:
        UsageError: python-dateutil is missing.
        ValueError: another kind.
    """
    parser = _parser()
    match kind:
        case FieldKind.DATE:
            found = _dates(document.text, parser)
        case FieldKind.TIME:
            found = _times(document.text, parser)
        case FieldKind.DATE_TIME:
            dates = tuple(_dates(document.text, parser))
            found = _together(document.text, dates, tuple(_times(document.text, parser)))
        case _:
            raise ValueError(f"{kind.value} is no date and no time")
    return tuple(dict.fromkeys(found))


def _parser() -> Any:
    try:
        module = import_module("dateutil.parser")
    except ImportError:
        raise UsageError(
            "reading dates needs python-dateutil", hint=install_hint(Extra.DATES)
        ) from None

    base: Any = module.parserinfo

    class Names(base):  # type: ignore[misc]  # made here: dateutil is an extra
        MONTHS = [tuple(names.split()) for names in _MONTH_NAMES]  # noqa: RUF012 - dateutil's

        def convertyear(self, year: int, century_specified: bool = False) -> int:
            if year < 100 and not century_specified:
                return year + (1900 if year >= _CENTURY_TURNS else 2000)
            return year

    return module.parser(Names())


def _dates(text: str, parser: Any) -> Iterator[DateReading]:
    for piece in _DATE.finditer(text):
        plain = " ".join(_FILLING.sub(" ", piece[0]).split())
        if piece["numeric"] is None:
            orders = [(False, False)]
        elif re.match(r"[0-9]{3,4}", plain):
            orders = [(False, True)]
        else:
            orders = [(False, False), (True, False), (False, True)]
        for day_first, year_first in orders:
            read = _read(parser, plain, dayfirst=day_first, yearfirst=year_first)
            if read is not None:
                yield DateReading(read.date().isoformat(), piece.start(), piece.end())


def _times(text: str, parser: Any) -> Iterator[DateReading]:
    for piece in _TIME.finditer(text):
        half = piece["half"] or piece["half_alone"]
        clock = f"{piece['hour']}:{piece['minute'] or '00'}:{piece['second'] or '00'}"
        fraction = f".{piece['fraction']}" if piece["fraction"] else ""
        read = _read(parser, clock + (f" {half}m" if half else ""))
        if read is None:
            continue
        shown = read.time().isoformat("seconds") + fraction
        offsets = [_offset(piece["offset"].strip())] if piece["offset"] else ["Z", ""]
        for offset in offsets:
            yield DateReading(shown + offset, piece.start(), piece.end())


def _offset(written: str) -> str:
    if written[0] not in "+-":
        return "Z"
    return written if ":" in written else f"{written[:3]}:{written[3:]}"


def _read(parser: Any, piece: str, **order: bool) -> datetime | None:
    """Return what dateutil reads in a piece that says all of a date, or of a time."""
    try:
        found = parser.parse(piece, default=datetime.combine(date(2000, 1, 1), time()), **order)
    except (ValueError, OverflowError):  # the 31st of June
        return None
    return found if isinstance(found, datetime) else None


def _together(
    text: str, dates: tuple[DateReading, ...], times: tuple[DateReading, ...]
) -> Iterator[DateReading]:
    by_start: dict[int, list[DateReading]] = {}
    by_end: dict[int, list[DateReading]] = {}
    for each in times:
        by_start.setdefault(each.start, []).append(each)
        by_end.setdefault(each.end, []).append(each)
    for day in dates:
        behind = [
            found
            for at in range(day.end, day.end + _MAX_GAP)
            if _BEFORE_TIME.fullmatch(text, day.end, at)
            for found in by_start.get(at, ())
        ]
        before = [
            found
            for at in range(max(0, day.start - _MAX_GAP), day.start)
            if _BEFORE_DATE.fullmatch(text, at, day.start)
            for found in by_end.get(at, ())
        ]
        for found in behind or before:
            start, end = min(day.start, found.start), max(day.end, found.end)
            yield DateReading(f"{day.text}T{found.text}", start, end)
        if not behind and not before:
            for offset in ("Z", ""):
                yield DateReading(f"{day.text}T00:00:00{offset}", day.start, day.end)
