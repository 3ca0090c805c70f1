"""Where a grammar writes JSON: its strings and its numbers.

In: a grammar. Out: a `JsonRegions`, or `None` when the grammar is not JSON-shaped: its texts start
like JSON values and it has a literal that opens an object, an array or a string.

A string is what a sequence holds between a quote that opens and the next that closes. A number is a
longest run of parts, outside strings, that hold only digits, signs, points and `e`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gbnfc.charset import CharSet
from gbnfc.ir.nodes import AnyChar, CharClass, Choice, Literal, Repeat, RuleRef, Sequence
from gbnfc.ir.walk import references, walk
from gbnfc.lint.analysis.quotes import ESCAPED, INSIDE, OUTSIDE, STATES, STILL_INSIDE, QuoteFlow
from gbnfc.source import Span

if TYPE_CHECKING:
    from gbnfc.ir.nodes import Expression
    from gbnfc.lint.subject import LintedGrammar

WHITESPACE = CharSet.from_chars(" \t\n\r")
DIGITS = CharSet.from_chars("0123456789")
_VALUE_STARTS = CharSet.from_chars('{["-0123456789tfn') | WHITESPACE
_ONE_STATE = (OUTSIDE, INSIDE, ESCAPED)
_STILL_INSIDE_AT = STATES.index(STILL_INSIDE)
_NUMBER_TEXT = "0123456789+-.eE"
_BESIDE_NUMBERS = frozenset(" \t\n\r:,[]}")
"""What a text may have beside a number; the `e` of `true` is none."""
_NUMBER_LETTERS = frozenset(_NUMBER_TEXT)
_NUMBER_CHARS = CharSet.from_chars(_NUMBER_LETTERS)


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


@dataclass(slots=True)
class JsonRegions:
    """The contents of strings and the numbers of a JSON-shaped grammar, each once.

    `quoted` are the names of the rules that are used inside strings.
    """

    strings: list[Piece] = field(default_factory=list)
    numbers: list[Piece] = field(default_factory=list)
    quoted: set[str] = field(default_factory=set)


def find_json_regions(grammar: LintedGrammar) -> JsonRegions | None:
    """Return the strings and numbers of `grammar`, or `None` when it is not JSON-shaped."""
    root = grammar.definitions.get(grammar.grammar.root)
    if root is None or not grammar.sound or not _looks_like_json(grammar, root.body):
        return None
    search = _Search(grammar)
    search.run()
    return search.shape


def _looks_like_json(grammar: LintedGrammar, body: Expression) -> bool:
    starts = grammar.first_of(body)
    if not starts or starts - _VALUE_STARTS or grammar.may_be_empty(body):
        return False
    return any(
        isinstance(place.expression, Literal) and place.expression.text[:1] in ("{", "[", '"')
        for place in grammar.used_places
    )


class _Search:
    """Walks from the root through every part, knowing whether it stands inside a string."""

    def __init__(self, grammar: LintedGrammar) -> None:
        self._grammar = grammar
        self._flow = QuoteFlow(grammar.definitions)
        self._numeric = _numeric_rules(grammar)
        self._todo: list[tuple[Expression, int]] = [(RuleRef(grammar.grammar.root), OUTSIDE)]
        self._entered: set[tuple[str, int]] = set()
        self.shape = JsonRegions()

    def run(self) -> None:
        """Fill `shape`."""
        while self._todo:
            self._visit(*self._todo.pop())

    def _visit(self, part: Expression, state: int) -> None:
        if state == OUTSIDE and self._is_number(part):
            if not isinstance(part, RuleRef):
                self.shape.numbers.append(Piece((part,)))
                return
            if (part.name, state) not in self._entered:
                self._entered.add((part.name, state))
                body = self._grammar.definitions[part.name].body
                items = body.items if isinstance(body, Sequence) and body.items else (body,)
                self.shape.numbers.append(Piece(items))
            return
        match part:
            case RuleRef(name):
                if (name, state) not in self._entered and name in self._grammar.definitions:
                    self._entered.add((name, state))
                    self._todo.append((self._grammar.definitions[name].body, state))
            case Choice(alternatives):
                self._todo.extend((member, state) for member in reversed(alternatives))
            case Repeat(body):
                self._todo.append((body, state))
            case Sequence(items):
                self._visit_items(items, state)

    def _is_number(self, part: Expression) -> bool:
        numeric = all(_is_numeric(node, self._numeric) for node in walk(part))
        return numeric and not self._grammar.first_of(part).isdisjoint(_NUMBER_CHARS)

    def _visit_items(self, items: tuple[Expression, ...], state: int) -> None:
        run: list[Expression] = []
        for item in items:
            transfer = self._flow.transfer(item)
            if state == OUTSIDE and self._is_number(item):
                run.append(item)
                continue
            if state == INSIDE and transfer[_STILL_INSIDE_AT] == STILL_INSIDE:
                run.append(item)
                continue
            if run and state == OUTSIDE:
                run += _number_part(item, at_end=False)
            self._end_run(run, state, closed=isinstance(item, Literal))
            self._todo.append((item, state))
            after = transfer[STATES.index(state)]
            if after not in _ONE_STATE:
                # Where a string may or may not be open nothing more can be said.
                return
            state = after
            run = _number_part(item, at_end=True) if state == OUTSIDE else []
        self._end_run(run, state, closed=False)

    def _end_run(self, run: list[Expression], state: int, *, closed: bool) -> None:
        if not run:
            return
        if state == OUTSIDE:
            if len(run) == 1:
                self._visit(run[0], state)
            else:
                self.shape.numbers.append(Piece(tuple(run)))
            return
        self.shape.quoted |= _names_below(self._grammar, run)
        if closed:
            self.shape.strings.append(Piece(tuple(run)))


def _number_part(item: Expression, *, at_end: bool) -> list[Expression]:
    """Return what a literal has of the number beside it: `": 2"` before `"." [0-9]` has the `2`."""
    if not isinstance(item, Literal):
        return []
    if not at_end:
        rest = item.text.lstrip(_NUMBER_TEXT)
        part = item.text[: len(item.text) - len(rest)]
        return [Literal(part, item.span)] if part and rest[:1] in _BESIDE_NUMBERS else []
    rest = item.text.rstrip(_NUMBER_TEXT)
    part = item.text[len(rest) :]
    return [Literal(part, item.span)] if part and rest[-1:] in _BESIDE_NUMBERS else []


def _names_below(grammar: LintedGrammar, items: list[Expression]) -> set[str]:
    found: set[str] = set()
    todo = [name for item in items for name in references(item)]
    while todo:
        name = todo.pop()
        if name not in found and name in grammar.definitions:
            found.add(name)
            todo.extend(grammar.references_of(grammar.definitions[name]))
    return found


def _numeric_rules(grammar: LintedGrammar) -> frozenset[str]:
    """Return the rules that write only characters of numbers."""
    nodes = {name: list(walk(grammar.definitions[name].body)) for name in grammar.reachable}
    numeric = set(nodes)
    while True:
        bad = {n for n in numeric if not all(_is_numeric(node, numeric) for node in nodes[n])}
        if not bad:
            return frozenset(numeric)
        numeric -= bad


def _is_numeric(node: Expression, numeric: set[str] | frozenset[str]) -> bool:
    match node:
        case Literal(text):
            return _NUMBER_LETTERS.issuperset(text)
        case CharClass(ranges):
            return bool(ranges) and not node.chars - _NUMBER_CHARS
        case RuleRef(name):
            return name in numeric
        case AnyChar():
            return False
        case _:
            return True
