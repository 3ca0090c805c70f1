"""Numerals of a text as JSON numbers, with their places.

In: a `Document`. Out: readings. A numeral is a run of digits of any script with its separators
(`1,234.50`, `1.234,50`, `1 234,50`, `1'234`), sign, brackets (`(12)` is negative, as in accounts),
currency (`RM51.30`, `-$12`), per cent and exponent. What can be read in two ways has two readings:
`1,234` is 1234 and 1.234, `12%` is 12 and 0.12, `1 234` is 1234 and two numbers. A date, a time, a
version or a list is no numeral as a whole, but its parts are.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import TYPE_CHECKING

from gbnfc.grounding.currencies import CURRENCY_CODES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.grounding.document import Document

_MAX_DIGITS = 400
"""Longer runs of digits are no numbers; as many digits may a number of `compile_schema` have."""
_MAX_EXPONENT = 30
_EXACT = Context(prec=2 * _MAX_DIGITS)

_SEPARATORS = ".,'’٫٬"
_RUN = re.compile(
    rf"(?<![{_SEPARATORS}\d])[.٫]?\d+(?:[{_SEPARATORS}]\d+|(?<=\d) (?=\d{{3}}(?!\d))\d+)*"
)
_EXPONENT = re.compile(r"[eE]([+-]?[0-9]{1,2})(?![\w])")
_GROUPED = re.compile(r"\d{1,3}(?:(?P<mark>[.,'’٬ ])\d{3})(?:(?P=mark)\d{3})*")
_INDIAN = re.compile(r"\d{1,2}(?:,\d{2})+,\d{3}")
_PER_CENT = re.compile(r" ?[%٪]")
_MINUS = frozenset("-−")
_LETTERS_BEFORE = re.compile(r"([^\W\d_]+)\.? ?\Z")


@dataclass(frozen=True, slots=True)
class Numeral:
    """A reading of a numeral: `number` as JSON writes it, without exponent, and its place.

    `start` and `end` are offsets of the folded text: sign, brackets and per cent are inside where
    the reading depends on them, a currency before the digits only between sign and digits.
    """

    number: str
    start: int
    end: int

    @property
    def as_integer(self) -> str | None:
        """The number without fraction (`12.00` is 12); `None` where that would change it."""
        whole, _, fraction = self.number.partition(".")
        return None if fraction.strip("0") else ("0" if whole == "-0" else whole)


def numerals(document: Document) -> tuple[Numeral, ...]:
    """Return every reading of every numeral, by place; the likelier reading of a place first.

    >>> [found.number for found in numerals(Document("RM1,234.50, (12), 5%"))]
    ['1234.50', '-12', '12', '5', '0.05']
    """
    found: dict[Numeral, None] = {}
    for run in _RUN.finditer(document.text):
        for number, start, end in _readings(run[0], run.start()):
            for numeral in _with_signs(document.text, number, start, end):
                found[numeral] = None
    return tuple(sorted(found, key=lambda numeral: numeral.end))


def _readings(run: str, at: int) -> Iterator[tuple[Decimal, int, int]]:
    """Yield number and place of each reading of a run of digits and separators."""
    digits = "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in run)
    digits = digits.replace("٫", ".").replace("٬", ",")
    whole = tuple(_whole_readings(digits)) if len(digits) <= _MAX_DIGITS else ()
    for number in whole:
        yield number, at, at + len(run)
    if whole and " " not in digits:
        return
    # A list, a date, a version: its parts, cut at blanks before commas before points.
    mark = next((mark for mark in " '’,." if mark in digits.lstrip(".")), None)
    if mark is None:
        return
    start = 0
    for part in digits.split(mark):
        if part:
            yield from _readings(part, at + start)
        start += len(part) + 1


def _whole_readings(digits: str) -> Iterator[Decimal]:
    marks = [char for char in digits if not char.isdigit()]
    if not marks:
        yield Decimal(digits)
        return
    last = marks[-1]
    whole, _, fraction = digits.rpartition(last)
    is_decimal = last in ".," and marks.count(last) == 1 and _is_grouped(whole, last)
    if _is_grouped(digits, None):
        grouped = Decimal("".join(filter(str.isdigit, digits)))
        pointed = Decimal(f"{_plain(whole) or 0}.{fraction}") if is_decimal else None
        readings = (pointed, grouped) if last == "." else (grouped, pointed)
        yield from (number for number in readings if number is not None)
    elif is_decimal:
        yield Decimal(f"{_plain(whole) or 0}.{fraction}")


def _is_grouped(digits: str, decimal_mark: str | None) -> bool:
    """Return whether `digits` are a whole number, in groups unless `decimal_mark` follows."""
    if decimal_mark is not None and (not digits or digits.isdigit()):
        return True
    found = _GROUPED.fullmatch(digits)
    if found:
        return found["mark"] != decimal_mark and not digits.startswith("0")
    return decimal_mark != "," and _INDIAN.fullmatch(digits) is not None


def _plain(digits: str) -> str:
    return "".join(filter(str.isdigit, digits))


def _with_signs(text: str, number: Decimal, start: int, end: int) -> Iterator[Numeral]:
    if not _may_begin(text, start):
        return
    exponent = _EXPONENT.match(text, end)
    if exponent and abs(int(exponent[1])) <= _MAX_EXPONENT:
        number = number.scaleb(int(exponent[1]), _EXACT)
        end = exponent.end()
    first, is_negative = _signed(text, start)
    if is_negative:
        yield Numeral(_json(number.copy_negate()), first, end)
    elif text[first - 1 : first] == "(" and text[end : end + 1] == ")" and first > 0:
        yield Numeral(_json(number.copy_negate()), first - 1, end + 1)
        yield Numeral(_json(number), start, end)
    else:
        yield Numeral(_json(number), start, end)
    per_cent = _PER_CENT.match(text, end)
    if per_cent:
        share = number.scaleb(-2, _EXACT)
        written = _json(share.copy_negate() if is_negative else share)
        yield Numeral(written, first, per_cent.end())


def _may_begin(text: str, start: int) -> bool:
    """Return whether digits at `start` are a number: no letters before but a short code."""
    before = start
    while before > 0 and text[before - 1].isalpha() and start - before <= 3:
        before -= 1
    if before == start:
        return True
    return start - before <= 3 and not (before and (text[before - 1].isalnum()))


def _signed(text: str, start: int) -> tuple[int, bool]:
    """Return where sign and currency before `start` begin, and whether the sign is minus."""
    code = _LETTERS_BEFORE.search(text, max(0, start - 6), start)
    at = start
    if code and code[1].upper() in CURRENCY_CODES:
        at = code.start()
    else:
        while at > 0 and unicodedata.category(text[at - 1]) == "Sc":
            at -= 1
    if at > 0 and text[at - 1] in _MINUS and not (at > 1 and text[at - 2].isalnum()):
        return at - 1, True
    return at, False


def _json(number: Decimal) -> str:
    written = format(number, "f")
    return "0" if written == "-0" else written
