"""Constructors that keep expressions small: what the compilers use to put grammars together.

Each returns an equivalent expression in its simplest local form; none looks beyond its arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.charset import ANY, MAX_CODE_POINT, CharSet
from gbnfc.ir.nodes import AnyChar, CharClass, Choice, Expression, Literal, Repeat, Sequence

if TYPE_CHECKING:
    from collections.abc import Iterable

EMPTY_TEXT = Sequence()
NOTHING = CharClass(ANY.ranges, negated=True)
"""What no text matches. (`[]` will not do: llama.cpp reads it as the empty text.)"""

_FIRST_BEYOND_ASCII = 0x80


def chars(members: CharSet) -> Expression:
    """Return an expression for one character of `members`, as `[…]` or, often shorter, `[^…]`.

    `[^…]` is used for ASCII exclusions only. Where a token ends inside a character, llama.cpp
    (0.3.36, `llama_grammar_match_partial_char`) refuses it if any excluded character begins with
    the same bytes: `[^é]` refuses `è` there. `[…]` has no such flaw.
    """
    if members == ANY:
        return AnyChar()
    if not members:
        return NOTHING
    if len(members) == 1 and not 0xD800 <= members.lowest <= 0xDFFF:
        return Literal(chr(members.lowest))
    excluded = ~members
    if members.ranges[-1][1] == MAX_CODE_POINT and excluded.ranges[-1][1] < _FIRST_BEYOND_ASCII:
        return CharClass(excluded.ranges, negated=True)
    return CharClass(members.ranges)


def sequence(items: Iterable[Expression]) -> Expression:
    """Return `items` in sequence: flattened, neighbouring literals joined, empty texts dropped."""
    parts: list[Expression] = []
    for item in items:
        if type(item) is Sequence:
            parts += item.items
        else:
            parts.append(item)
    flat: list[Expression] = []
    before: Expression | None = None
    for part in parts:
        if type(part) is Literal:
            if type(before) is Literal:
                part = flat[-1] = Literal(before.text + part.text)
            elif part.text:
                flat.append(part)
            else:
                continue
        else:
            flat.append(part)
        before = part
    return flat[0] if len(flat) == 1 else Sequence(tuple(flat))


def choice(alternatives: Iterable[Expression], *, are_distinct: bool = False) -> Expression:
    """Return a choice: flattened, exact duplicates dropped; one alternative is just itself.

    To look for duplicates takes time, and is left out where they `are_distinct`.
    """
    alternatives = tuple(alternatives)
    if len(alternatives) == 1:
        return alternatives[0]
    flat: list[Expression] = []
    for alternative in alternatives:
        if isinstance(alternative, Choice):
            flat += alternative.alternatives
        else:
            flat.append(alternative)
    members = tuple(flat if are_distinct else dict.fromkeys(flat))
    return members[0] if len(members) == 1 else Choice(members)


def repeat(body: Expression, minimum: int, maximum: int | None) -> Expression:
    """Return `body` repeated; `{1}` is the body, `{0}` the empty text."""
    if maximum == 0 or (isinstance(body, Sequence) and not body.items):
        return EMPTY_TEXT
    if (minimum, maximum) == (1, 1):
        return body
    return Repeat(body, minimum, maximum)


def optional(body: Expression) -> Expression:
    """Return `body?`."""
    return repeat(body, 0, 1)
