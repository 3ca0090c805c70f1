"""What a user may choose about the texts that a schema's grammar allows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from gbnfc.errors import UsageError

_WITH_NUMBER = re.compile(r"(pretty|bounded):([0-9]{1,2})")


_MAX_DIGITS = 400


class Additional(Enum):
    """What becomes of keys that an object schema neither declares nor forbids."""

    SCHEMA = "schema"
    CLOSED = "closed"


class Order(Enum):
    """The order in which an object's keys are written.

    `any`: as JSON has it, no order, as far as a small grammar can say it (`schema.unordered`).
    `schema`: the declared ones in the author's order, then the others. `required-first`: as
    `schema`, with the required ones before the optional ones.
    """

    ANY = "any"
    SCHEMA = "schema"
    REQUIRED_FIRST = "required-first"


class Missing(Enum):
    """How an optional property without a value is written: left out, or as `null`."""

    SCHEMA = "schema"
    NULL = "null"


class Formats(Enum):
    """Whether `format` constrains: as the declared dialect says, always, or never.

    From 2019-09 on, `format` is an annotation by default (2020-12 validation, section 7.2.1). A
    schema that declares no dialect is taken to mean its formats.
    """

    DIALECT = "dialect"
    ASSERT = "assert"
    ANNOTATE = "annotate"


@dataclass(frozen=True, slots=True)
class CompileOptions:
    """Options of `compile_schema`; plain strings are accepted for the enums.

    `whitespace` is `compact` (`{"a":1}`), `spaced` (`{"a": 1}`, as `json.dumps` writes with
    `ensure_ascii=False`), `pretty:N` (a line per member, N blanks per level; values that nothing is
    said of are spaced) or `bounded:N` (up to N blanks or line ends anywhere).

    `digits` is the most digits before a number's point, and behind it (`None`: any number). A
    small model may write zeros without end; 15 digits are what a double holds.

    Raises:
        UsageError: for a value that is none of these.
    """

    whitespace: str = "spaced"
    additional: Additional = Additional.SCHEMA
    order: Order = Order.ANY
    missing: Missing = Missing.SCHEMA
    formats: Formats = Formats.DIALECT
    digits: int | None = None

    def __post_init__(self) -> None:
        _coerce(self, "additional", Additional)
        _coerce(self, "order", Order)
        _coerce(self, "missing", Missing)
        _coerce(self, "formats", Formats)
        whitespace = str(self.whitespace)
        if whitespace not in ("compact", "spaced") and not _WITH_NUMBER.fullmatch(whitespace):
            raise UsageError(
                f"whitespace {self.whitespace!r} is unknown",
                hint="use compact, spaced, pretty:N or bounded:N (N: 0 to 99)",
            )
        if self.digits is not None and self.digits not in range(1, _MAX_DIGITS + 1):
            raise UsageError(
                f"digits {self.digits!r} is out of range", hint=f"use 1 to {_MAX_DIGITS}"
            )

    @property
    def style(self) -> tuple[str, int]:
        """The whitespace option as its name and number, `("pretty", 2)`."""
        name, _, number = self.whitespace.partition(":")
        return name, int(number or 0)


def _coerce(options: CompileOptions, name: str, kind: type[Enum]) -> None:
    value = getattr(options, name)
    try:
        object.__setattr__(options, name, kind(value))
    except ValueError:
        allowed = ", ".join(member.value for member in kind)
        raise UsageError(f"{name} {value!r} is unknown", hint=f"use one of: {allowed}") from None
