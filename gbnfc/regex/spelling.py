"""How characters are spelled in the output: raw, or as the content of a JSON string.

JSON has one spelling per character here, the one that `json.dumps(text, ensure_ascii=False)`
writes: quote, backslash and controls as `\\" \\\\ \\b \\f \\n \\r \\t` or `\\u00xx`, all else raw.
One spelling keeps the grammar deterministic; a model that is masked by it cannot write another.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from gbnfc.charset import SCALARS, CharSet
from gbnfc.ir.build import EMPTY_TEXT, choice, sequence
from gbnfc.ir.nodes import AnyChar, CharClass, Expression, Literal, Rule, RuleRef

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gbnfc.ir.names import NameAllocator


class Content(Enum):
    """Where the text will stand."""

    JSON = "inside the quotes of a JSON string"
    RAW = "as it is"


ESCAPED = CharSet.of([(0, 0x1F), (0x22, 0x22), (0x5C, 0x5C)])
"""The characters that a JSON string cannot hold raw (RFC 8259 section 7)."""

_MAX_RANGES_IN_PLACE = 16

_SHORT = {'"': '"', "\\": "\\", "\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t"}


def escape_suffix(code_point: int) -> str:
    """Return what follows the backslash where JSON escapes a character: `n`, `u001f`."""
    return _SHORT.get(chr(code_point)) or f"u{code_point:04x}"


def class_expression(members: CharSet) -> Expression:
    """Return an expression for one raw character of a set of scalar values.

    A set that lacks only ASCII characters is written `[^…]`. Others are written as ranges, never
    negated: on a token that ends inside a UTF-8 sequence llama.cpp (as of llama-cpp-python
    0.3.36) refuses `[^é]` for every character that shares the first bytes of `é`.
    """
    missing = SCALARS - members
    if not missing:
        return AnyChar()
    if len(members) == 1:
        return Literal(chr(members.lowest))
    if missing.ranges[-1][1] < 0x80:
        return CharClass(missing.ranges, negated=True)
    return CharClass(members.ranges)


def has_escapes(members: CharSet, mode: Content) -> bool:
    """Return whether some member is spelled with a backslash."""
    if mode is Content.JSON:
        for first, last in members.ranges:
            if first > 0x5C:
                return False
            if first <= 0x1F or first <= 0x22 <= last or last >= 0x5C:
                return True
    return False


def share_beginnings(words: Iterable[tuple[str, Expression]]) -> Expression:
    """Return a choice of words, each with what follows it, whose common beginnings are shared.

    No word is the beginning of another. Characters that go on alike are joined into a class.
    """
    ordered = sorted(words, key=lambda item: (len(item[0]), item[0]))
    follows = ordered[0][1]
    if follows != EMPTY_TEXT and all(rest == follows for _, rest in ordered):
        return sequence([share_beginnings((word, EMPTY_TEXT) for word, _ in ordered), follows])
    by_first: dict[str, list[tuple[str, Expression]]] = {}
    for word, rest in ordered:
        by_first.setdefault(word[0], []).append((word[1:], rest))
    alike: dict[tuple[tuple[str, Expression], ...], list[str]] = {}
    for first, rests in by_first.items():
        alike.setdefault(tuple(rests), []).append(first)
    alternatives = []
    for group, firsts in alike.items():
        rest = group[0][1] if group[0][0] == "" else share_beginnings(group)
        alternatives.append(sequence([class_expression(CharSet.from_chars(firsts)), rest]))
    return choice(alternatives)


class CharRules:
    """Spells single characters, and names a rule for each set whose spelling is not one class.

    Share one among several strings of a grammar, and they share those rules. `rules` are the rules
    made so far, in order; `known` are sets that the grammar has rules for already.
    """

    def __init__(
        self, names: NameAllocator, mode: Content, known: Mapping[CharSet, RuleRef] | None = None
    ) -> None:
        self.mode = mode
        self.rules: list[Rule] = []
        self._names = names
        self._named: dict[CharSet, RuleRef] = dict(known or {})

    def unit(self, members: CharSet, hint: str) -> Expression:
        """Return an expression for one character of `members`; `hint` resembles the new rule."""
        escapes = has_escapes(members, self.mode)
        if len(members) == 1:
            text = "\\" + escape_suffix(members.lowest) if escapes else chr(members.lowest)
            return Literal(text)
        if not escapes and len(members.ranges) <= _MAX_RANGES_IN_PLACE:
            return class_expression(members)
        named = self._named.get(members)
        if named is None:
            wanted = "char" if members == SCALARS else f"{hint}-char"
            named = self._named[members] = RuleRef(self._names.allocate(wanted))
            body = _spelled(members) if escapes else class_expression(members)
            self.rules.append(Rule(named.name, body))
        return named


def _spelled(members: CharSet) -> Expression:
    raw = members - ESCAPED
    suffixes = [(escape_suffix(code_point), EMPTY_TEXT) for code_point in members & ESCAPED]
    escaped = sequence([Literal("\\"), share_beginnings(suffixes)])
    return choice([class_expression(raw), escaped]) if raw else escaped
