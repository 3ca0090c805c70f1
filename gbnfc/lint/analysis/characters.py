"""Expressions that are always exactly one character."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.charset import ANY, EMPTY, CharSet
from gbnfc.ir.nodes import AnyChar, CharClass, Choice, Expression, Literal, RuleRef

if TYPE_CHECKING:
    from gbnfc.lint.subject import LintedGrammar

_MAX_DEPTH = 12
_BLANKS = CharSet.from_chars(" \t\n\r\x0b\x0c\xa0\u2028\u2029")


def characters_of(grammar: LintedGrammar, expression: Expression, depth: int = 0) -> CharSet:
    """Return the characters of an expression that is always one character; else the empty set."""
    if depth > _MAX_DEPTH:
        return EMPTY
    match expression:
        case CharClass(ranges):
            return expression.chars if ranges else EMPTY
        case AnyChar():
            return ANY
        case Literal(text) if len(text) == 1:
            return CharSet.single(ord(text))
        case RuleRef(name) if name in grammar.definitions:
            return characters_of(grammar, grammar.definitions[name].body, depth + 1)
        case Choice(alternatives):
            sets = [characters_of(grammar, part, depth + 1) for part in alternatives]
            return CharSet.of(r for s in sets for r in s.ranges) if all(sets) else EMPTY
        case _:
            return EMPTY


def is_blank(grammar: LintedGrammar, expression: Expression) -> bool:
    """Return whether `expression` is always one blank or line break."""
    chars = characters_of(grammar, expression)
    return bool(chars) and not chars - _BLANKS
