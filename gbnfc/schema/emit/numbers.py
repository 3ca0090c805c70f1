"""Number constraints → automata over JSON number texts (RFC 8259, section 6).

In: a `NumberSchema`. Out: a `Dfa` of the texts of exactly those numbers, written plainly: no
leading zeros, no `-0`, nor `-0.0` where a bound applies, exponents only where no divisor and no
bound but zero applies. All arithmetic is on `Fraction`, and a bound is compared digit by digit, so
its size does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import cache, lru_cache
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from gbnfc.charset import CharSet
from gbnfc.errors import LimitExceeded
from gbnfc.regex import Dfa, compile_pattern
from gbnfc.regex.tables import Table

if TYPE_CHECKING:
    from gbnfc.schema.read.schemas import NumberSchema

MAX_STATES = 4_000
"""Divisors and bounds together may need this many states."""

MAX_DIGITS = 2_000
"""Bounds with more digits than this are refused."""

MAX_DIVISOR = 2_500
"""A divisor's part without factors of ten may be this large: one state for each remainder."""

_DIGITS = "0123456789"
_ALPHABET = tuple(sorted((*_DIGITS, "-", ".")))
_INTEGER = r"^(0|-?[1-9][0-9]*)$"
_DECIMAL = r"^(-?[1-9][0-9]*(\.[0-9]+)?|0(\.[0-9]+)?|-0\.[0-9]+)$"
_SCIENTIFIC = r"^(-?[1-9][0-9]*(\.[0-9]+)?|0(\.[0-9]+)?|-0\.[0-9]+)([eE][+-]?[0-9]+)?$"

State = TypeVar("State", bound=Hashable)
Compared: TypeAlias = tuple[str, int, int]
"""Part of the number (`int`, `frac`), digits read of it, their order (-1, 0, 1) to the bound's."""


@lru_cache(maxsize=256)
def number_language(shape: NumberSchema) -> Dfa:
    """Return the texts of the numbers of `shape`.

    Raises:
        LimitExceeded: a bound or divisor needs too many states.
    """
    if _only_the_sign_counts(shape):
        return _signed(shape)
    language = _pattern(_INTEGER if shape.is_integer else _DECIMAL)
    if shape.minimum is not None:
        language &= _at_least(shape.minimum, exclusive=shape.exclusive_minimum)
    if shape.maximum is not None:
        language &= _at_most(shape.maximum, exclusive=shape.exclusive_maximum)
    for divisor in _independent(shape.multiple_of):
        language = language.intersection(_multiples(divisor), max_states=MAX_STATES)
    for divisor in shape.not_multiple_of:
        language = language.difference(_multiples(divisor), max_states=MAX_STATES)
    return language


def _independent(divisors: tuple[Fraction, ...]) -> list[Fraction]:
    """Return `divisors` without those that a larger one implies."""

    def is_implied(divisor: Fraction) -> bool:
        return any(d != divisor and (d / divisor).denominator == 1 for d in divisors)

    return [divisor for divisor in dict.fromkeys(divisors) if not is_implied(divisor)]


def _only_the_sign_counts(shape: NumberSchema) -> bool:
    divided = shape.multiple_of or shape.not_multiple_of
    return (
        not shape.is_integer
        and not divided
        and shape.minimum in (None, 0)
        and shape.maximum in (None, 0)
    )


def _signed(shape: NumberSchema) -> Dfa:
    """Return numbers with exponents, bounded by zero at most: an exponent keeps the sign."""
    language = _pattern(_SCIENTIFIC)
    zero = _pattern(r"^-?[0.]+([eE].*)?$")
    if shape.minimum is not None:
        language &= _pattern("^[^-]")
    if shape.maximum is not None:
        language &= _pattern("^-") | zero
    if (shape.minimum is not None and shape.exclusive_minimum) or (
        shape.maximum is not None and shape.exclusive_maximum
    ):
        language -= zero
    return language


@cache
def _pattern(pattern: str) -> Dfa:
    return compile_pattern(pattern)


def _at_least(bound: Fraction, *, exclusive: bool) -> Dfa:
    orders = (1,) if exclusive else (0, 1)
    if bound < 0:
        below = (-1,) if exclusive else (-1, 0)
        return _compared(None) | _negative(_compared(-bound, below))
    return _compared(bound, orders)


def _at_most(bound: Fraction, *, exclusive: bool) -> Dfa:
    orders = (1,) if exclusive else (0, 1)
    if bound < 0:
        return _negative(_compared(-bound, orders))
    below = (-1,) if exclusive else (-1, 0)
    negative = _negative(_compared(None))
    if bound == 0 and exclusive:
        negative -= _negative(_zero())
    return negative | _compared(bound, below)


def _negative(magnitude: Dfa) -> Dfa:
    return Dfa.of_strings(["-"]).then(magnitude)


@cache
def _zero() -> Dfa:
    return _compared(Fraction(0), (0,))


def _compared(bound: Fraction | None, orders: tuple[int, ...] = ()) -> Dfa:
    """Return unsigned decimals whose order to `bound` is one of `orders` (`None`: all decimals).

    The longer integer part is the larger one; equally long parts compare digit by digit, and the
    fractions do when the integer parts are equal. Leading zeros are for the caller to exclude.
    """
    if bound is None:
        return _pattern(r"^(0|[1-9][0-9]*)(\.[0-9]+)?$")
    whole, fraction = _decimal_digits(bound)

    def step(state: Compared, char: str) -> Compared | None:
        part, count, order = state
        if char == ".":
            if part != "int" or count == 0:
                return None
            return ("point", 0, _order_of_whole(count, order, len(whole)))
        if char == "-":
            return None
        digit = int(char)
        if part == "int":
            if count >= len(whole):
                return ("int", len(whole) + 1, 1)
            return ("int", count + 1, order or _sign(digit - int(whole[count])))
        target = int(fraction[count]) if count < len(fraction) else 0
        order = order or _sign(digit - target)
        return ("frac", min(count + 1, len(fraction)), order)

    def accepts(state: Compared) -> bool:
        part, count, order = state
        if part == "point" or (part == "int" and count == 0):
            return False
        if part == "int":
            order = _order_of_whole(count, order, len(whole))
            count = 0
        if order == 0 and count < len(fraction):
            order = -1  # what the bound has beyond is not zero: trailing zeros were cut
        return order in orders

    return build_automaton(("int", 0, 0), step, accepts, limit=4 * MAX_DIGITS)


def _order_of_whole(count: int, order: int, length: int) -> int:
    if count != length:
        return -1 if count < length else 1
    return order


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def _decimal_digits(bound: Fraction) -> tuple[str, str]:
    """Return the digits of a non-negative finite decimal before and after the point, zeros cut."""
    shift = _decimal_places(bound)
    scaled = str(int(bound * 10**shift)).rjust(shift + 1, "0")
    if len(scaled) > MAX_DIGITS:
        raise LimitExceeded(f"a numeric bound has more than {MAX_DIGITS} digits")
    whole = scaled[: len(scaled) - shift]
    return whole, scaled[len(scaled) - shift :].rstrip("0")


def _decimal_places(number: Fraction) -> int:
    """Return how many decimal places a finite decimal has: its denominator is 2^a 5^b."""
    places, denominator = 0, number.denominator
    while denominator != 1:
        denominator //= next(factor for factor in (10, 2, 5) if denominator % factor == 0)
        places += 1
        if places > MAX_DIGITS:
            raise LimitExceeded(f"a number has more than {MAX_DIGITS} decimal places")
    return places


@cache
def _multiples(divisor: Fraction) -> Dfa:
    """Return signed decimals that are multiples of `divisor`, by a remainder automaton."""
    places = _decimal_places(divisor)
    core = int(divisor * 10**places)
    zeros = 0
    while core % 10 == 0:
        core, zeros = core // 10, zeros + 1
    if core > MAX_DIVISOR:
        raise LimitExceeded(f"multipleOf with the digits {core} needs over {MAX_DIVISOR} states")
    magnitude = _integer_multiples(core, zeros) if zeros else _scaled_multiples(core, places)
    return magnitude | _negative(magnitude)


def _integer_multiples(core: int, zeros: int) -> Dfa:
    """Return the multiples of `core` times ten to the power `zeros`, with or without `.000`."""

    def step(remainder: int, char: str) -> int | None:
        return (remainder * 10 + int(char)) % core if char in _DIGITS else None

    prefix = build_automaton(0, step, lambda remainder: remainder == 0, limit=MAX_DIVISOR + 1)
    tail = Dfa.of_strings(["0" * zeros])
    whole = prefix.then(tail) | Dfa.of_strings(["0"])
    return whole.then(_pattern(r"^(\.0+)?$"))


def _scaled_multiples(core: int, places: int) -> Dfa:
    """Return the decimals that are multiples of `core` / 10^`places`."""

    def step(state: tuple[int, int], char: str) -> tuple[int, int] | None:
        seen, remainder = state  # seen: decimal places read, -1 before the point
        if char == ".":
            return (0, remainder) if seen < 0 else None
        if char == "-" or (seen >= places and char != "0"):
            return None
        if seen >= places:
            return state
        remainder = (remainder * 10 + int(char)) % core
        return (seen + 1 if seen >= 0 else seen, remainder)

    def accepts(state: tuple[int, int]) -> bool:
        seen, remainder = state
        return int(remainder * 10 ** (places - max(seen, 0))) % core == 0

    return build_automaton((-1, 0), step, accepts, limit=MAX_DIVISOR * (places + 2) + 2)


def build_automaton(
    start: State,
    step: Callable[[State, str], State | None],
    accepts: Callable[[State], bool],
    *,
    limit: int,
) -> Dfa:
    """Return the automaton that `step` spans from `start` over digits, `-` and `.` (`None`: dead).

    Raises:
        LimitExceeded: more than `limit` states.
    """
    numbers: dict[State, int] = {start: 0}
    queue = [start]
    rows: list[dict[int, int]] = []
    for state in queue:
        row: dict[int, int] = {}
        for symbol, char in enumerate(_ALPHABET):
            target = step(state, char)
            if target is None:
                continue
            if target not in numbers:
                if len(numbers) >= limit:
                    raise LimitExceeded(f"a number needs more than {limit} states")
                numbers[target] = len(numbers)
                queue.append(target)
            row[symbol] = numbers[target]
        rows.append(row)
    alphabet = tuple(map(CharSet.from_chars, _ALPHABET))
    return Dfa.of_table(Table(alphabet, rows, [accepts(state) for state in queue]))


@cache
def short_numbers(digits: int) -> Dfa:
    """Return the numbers with at most `digits` before and behind the point, 3 in the exponent."""
    up_to = f"[0-9]{{1,{digits}}}"
    return compile_pattern(f"^-?{up_to}(\\.{up_to})?([eE][+-]?[0-9]{{1,3}})?$")
