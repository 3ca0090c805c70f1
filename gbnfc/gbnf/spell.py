"""How each expression is spelled on one line, with no parentheses but those the tree needs.

In: an `Expression` and where it stands. Out: GBNF text.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import assert_never

from gbnfc.errors import GbnfcError, LimitExceeded
from gbnfc.gbnf.escapes import encode_class, encode_literal
from gbnfc.ir.build import NOTHING
from gbnfc.ir.nodes import (
    MAX_DEPTH,
    AnyChar,
    CharClass,
    Choice,
    Expression,
    Literal,
    Repeat,
    RuleRef,
    Sequence,
    TokenTerminal,
)

_NAME = re.compile(r"[a-zA-Z0-9-]+\Z")
_TOKEN = re.compile(r"(?!\[)[^>\0]*\Z")


class Precedence(IntEnum):
    """Where an expression stands, which decides whether it needs parentheses."""

    BODY = 0
    ALTERNATIVE = 1
    ITEM = 2
    REPEATED = 3


def spell_name(name: str) -> str:
    """Return `name`. Raises: `GbnfcError` when it is no legal rule name."""
    if not _NAME.match(name):
        raise GbnfcError(
            f"{name!r} cannot be a rule name", hint="names are letters, digits and dashes"
        )
    return name


def spell(
    expression: Expression,
    place: Precedence = Precedence.BODY,
    height: int = 0,
    known: dict[int, str] | None = None,
    *,
    chained: bool = False,
) -> str:
    """Return `expression` on one line, in parentheses if it needs them at `place`.

    `known` keeps the texts of nodes by their identity, for a caller that asks for parts of parts.
    With `chained`, `expression` comes from `parse_spelling`: `x{2}{3}` stays without parentheses.
    """
    return _spell(expression, place, height, {} if known is None else known, chained)


def _spell(
    expression: Expression, place: Precedence, height: int, known: dict[int, str], chained: bool
) -> str:
    # The kinds are told apart by identity, most frequent first: half the time of writing a grammar
    # went into matching them.
    kind = type(expression)
    text = known.get(id(expression))
    if text is None:
        if height > MAX_DEPTH:
            raise LimitExceeded(
                f"an expression is nested deeper than {MAX_DEPTH} levels",
                hint="give inner expressions rules of their own",
            )
        text = known[id(expression)] = _spell_bare(expression, height + 1, known, chained)
    if not text:  # an empty sequence
        return "()" if place is Precedence.REPEATED else '""'
    if (
        kind is RuleRef
        or place is Precedence.BODY
        or (kind is Literal and place < Precedence.REPEATED)
    ):
        return text
    return f"({text})" if needs_parentheses(expression, place, chained=chained) else text


def _spell_bare(expression: Expression, height: int, known: dict[int, str], chained: bool) -> str:
    match expression:
        case Sequence(items=parts):
            item = Precedence.ITEM
            return " ".join([_spell(part, item, height, known, chained) for part in parts])
        case Choice(alternatives=()):
            return spell_atom(NOTHING)
        case Choice(alternatives=parts):
            alternative = Precedence.ALTERNATIVE
            return " | ".join([_spell(part, alternative, height, known, chained) for part in parts])
        case Repeat(body=body):
            return _spell(body, Precedence.REPEATED, height, known, chained) + spell_bounds(
                expression
            )
        case _:
            return spell_atom(expression)


def needs_parentheses(expression: Expression, place: Precedence, *, chained: bool = False) -> bool:
    """Return whether `expression` needs parentheses at `place`; `chained` as for `spell`."""
    match expression:
        case Choice(alternatives=alternatives):
            return place > Precedence.BODY and bool(alternatives)
        case Sequence():
            return place > Precedence.ALTERNATIVE
        case Repeat():
            return place == Precedence.REPEATED and not chained
        # llama.cpp has nothing to repeat behind an empty literal or class.
        case Literal(text=""):
            return place == Precedence.REPEATED
        case CharClass():
            return place == Precedence.REPEATED and expression.matches_empty_text
        case _:
            return False


def spell_atom(expression: Literal | CharClass | AnyChar | TokenTerminal | RuleRef) -> str:
    """Return an expression without parts."""
    match expression:
        case Literal(text=text):
            return f'"{encode_literal(text)}"'
        case CharClass(ranges=ranges, negated=negated):
            return encode_class(ranges, negated=negated)
        case AnyChar():
            return "."
        case RuleRef(name=name):
            return spell_name(name)
        case TokenTerminal(token=token, negated=negated):
            return ("!" if negated else "") + _spell_token(token)
        case _:
            assert_never(expression)


def _spell_token(token: str | int) -> str:
    if isinstance(token, int):
        return f"<[{token}]>"
    if not _TOKEN.match(token):
        raise GbnfcError(f"the token {token!r} cannot be written", hint="give its id instead")
    return f"<{token}>"


def spell_bounds(repeat: Repeat) -> str:
    """Return the sign behind a repeated expression, in its shortest form."""
    match repeat.minimum, repeat.maximum:
        case 0, 1:
            return "?"
        case 0, None:
            return "*"
        case 1, None:
            return "+"
        case low, None:
            return f"{{{low},}}"
        case low, high if low == high:
            return f"{{{low}}}"
        case low, high:
            return f"{{{low},{high}}}"
        case _ as never:
            assert_never(never)
