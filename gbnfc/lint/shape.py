"""Where a grammar writes JSON: its strings and its numbers.

In: a grammar. Out: a `JsonShape`, or `None` when the grammar is not JSON-shaped: its texts start
like JSON values and it has a literal that opens an object, an array or a string.

A string is what a sequence holds between a quote that opens and the next that closes. A number is a
longest run of parts, outside strings, that hold only digits, signs, points and `e`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gbnfc.charset import CharSet
from gbnfc.ir.nodes import AnyChar, CharClass, Choice, Expression, Literal, RuleRef, Sequence
from gbnfc.ir.walk import references, walk
from gbnfc.source import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.subject import LintedGrammar

WHITESPACE = CharSet.from_chars(" \t\n\r")
DIGITS = CharSet.from_chars("0123456789")
_VALUE_STARTS = CharSet.from_chars('{["-0123456789tfn') | WHITESPACE
_NUMBER_CHARS = DIGITS | CharSet.from_chars("+-.eE")


@dataclass(frozen=True, slots=True)
class Piece:
    """Some neighbouring items of a sequence: the content of a string, or a number."""

    items: tuple[Expression, ...]

    @property
    def expression(self) -> Expression:
        """The items as one expression."""
        return self.items[0] if len(self.items) == 1 else Sequence(self.items)

    @property
    def span(self) -> Span | None:
        """From the first item to the last."""
        first, last = self.items[0].span, self.items[-1].span
        return Span(first.start, last.end) if first and last else None


@dataclass(frozen=True, slots=True)
class JsonShape:
    """The contents of strings and the numbers of a JSON-shaped grammar, in source order.

    `quoted` are the names of the rules that are used inside strings.
    """

    strings: tuple[Piece, ...]
    numbers: tuple[Piece, ...]
    quoted: frozenset[str]


def find_json_shape(grammar: LintedGrammar) -> JsonShape | None:
    """Return the strings and numbers of `grammar`, or `None` when it is not JSON-shaped."""
    root = grammar.definitions.get(grammar.grammar.root)
    if root is None or not grammar.sound or not _looks_like_json(grammar, root.body):
        return None
    strings: list[Piece] = []
    outside: list[tuple[Expression, ...]] = []
    for items in _sequences(grammar):
        inner, outer = _split(items)
        strings += inner
        outside += outer
    quoted = _used_inside(grammar, strings)
    numeric = _numeric_rules(grammar)
    numbers = [
        Piece(run)
        for items in outside
        for run in _number_runs(items, numeric)
        if not _names_of(run) & quoted
    ]
    return JsonShape(tuple(strings), tuple(_whole_numbers(grammar, numbers, quoted)), quoted)


def _looks_like_json(grammar: LintedGrammar, body: Expression) -> bool:
    starts = grammar.first_of(body)
    if not starts or starts - _VALUE_STARTS or grammar.may_be_empty(body):
        return False
    return any(
        isinstance(place.expression, Literal) and place.expression.text[:1] in ("{", "[", '"')
        for place in grammar.used_places
    )


def _sequences(grammar: LintedGrammar) -> Iterator[tuple[Expression, ...]]:
    """Yield the items of each sequence, and single items that stand alone as such."""
    for name in grammar.reachable:
        yield from _sequences_of(grammar.definitions[name].body)


def _sequences_of(body: Expression) -> Iterator[tuple[Expression, ...]]:
    members = body.alternatives if isinstance(body, Choice) else (body,)
    yield from ((member,) for member in members if not isinstance(member, Sequence))
    yield from (node.items for node in walk(body) if isinstance(node, Sequence) and node.items)


def _split(items: tuple[Expression, ...]) -> tuple[list[Piece], list[tuple[Expression, ...]]]:
    """Return the contents of strings, and the stretches outside of them, in one sequence."""
    strings: list[Piece] = []
    outside: list[tuple[Expression, ...]] = []
    open_quote = False
    held: list[Expression] = []
    for item in items:
        quotes = _quotes(item.text) if isinstance(item, Literal) else 0
        if not quotes:
            held.append(item)
            continue
        if open_quote and held:
            strings.append(Piece(tuple(held)))
        elif held:
            outside.append(tuple(held))
        held = []
        open_quote = open_quote != (quotes % 2 == 1)
    if held and not open_quote:
        outside.append(tuple(held))
    return strings, outside


def _quotes(text: str) -> int:
    """Return the number of quotes in `text` that no backslash escapes."""
    return text.replace("\\\\", "").replace('\\"', "").count('"')


def _used_inside(grammar: LintedGrammar, strings: list[Piece]) -> frozenset[str]:
    found: set[str] = set()
    todo = [name for piece in strings for name in references(piece.expression)]
    while todo:
        name = todo.pop()
        if name not in found and name in grammar.definitions:
            found.add(name)
            todo.extend(grammar.references_of(grammar.definitions[name]))
    return frozenset(found)


def _numeric_rules(grammar: LintedGrammar) -> frozenset[str]:
    """Return the rules that write only characters of numbers, and some digit."""
    allowed = {name: list(walk(grammar.definitions[name].body)) for name in grammar.reachable}
    numeric = set(allowed)
    changed = True
    while changed:
        bad = {n for n in numeric if not all(_is_numeric(node, numeric) for node in allowed[n])}
        numeric -= bad
        changed = bool(bad)
    return frozenset(numeric)


def _is_numeric(node: Expression, numeric: set[str] | frozenset[str]) -> bool:
    match node:
        case Literal(text):
            return not CharSet.from_chars(text) - _NUMBER_CHARS
        case CharClass(ranges):
            return bool(ranges) and not node.chars - _NUMBER_CHARS
        case RuleRef(name):
            return name in numeric
        case AnyChar():
            return False
        case _:
            return True


def _number_runs(
    items: tuple[Expression, ...], numeric: frozenset[str]
) -> Iterator[tuple[Expression, ...]]:
    """Yield the longest runs of numeric items."""
    run: list[Expression] = []
    for item in [*items, None]:
        if item is not None and all(_is_numeric(node, numeric) for node in walk(item)):
            run.append(item)
        elif run:
            yield tuple(run)
            run = []


def _names_of(items: tuple[Expression, ...]) -> set[str]:
    return {name for item in items for name in references(item)}


def _whole_numbers(
    grammar: LintedGrammar, numbers: list[Piece], quoted: frozenset[str]
) -> Iterator[Piece]:
    """Yield the numbers that are no part of another, each rule in its own place."""
    parts = {
        name
        for piece in numbers
        for name in _names_of(piece.items)
        if len(piece.items) > 1 or not isinstance(piece.items[0], RuleRef)
    }
    inside: set[int] = set()
    for name in sorted(parts):
        inside |= _nodes_below(grammar, name)
    seen: set[str] = set()
    for piece in numbers:
        first = piece.items[0]
        if id(first) in inside:
            continue
        inside.update(id(node) for item in piece.items for node in walk(item))
        if len(piece.items) == 1 and isinstance(first, RuleRef):
            if first.name in seen or first.name in quoted or first.name not in grammar.definitions:
                continue
            seen.add(first.name)
            inside |= _nodes_below(grammar, first.name)
            body = grammar.definitions[first.name].body
            piece = Piece(body.items if isinstance(body, Sequence) and body.items else (body,))
        yield piece


def _nodes_below(grammar: LintedGrammar, name: str) -> set[int]:
    found: set[int] = set()
    names = [name]
    seen: set[str] = set()
    while names:
        current = names.pop()
        if current in seen or current not in grammar.definitions:
            continue
        seen.add(current)
        body = grammar.definitions[current].body
        found |= {id(node) for node in walk(body)}
        names += references(body)
    return found
