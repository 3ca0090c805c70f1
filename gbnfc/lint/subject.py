"""What lint rules look at: a text that does not parse, a grammar, a schema.

Each bundles a value with the questions that several rules ask of it, answered once. Spans point
into `source`; a grammar that was built, not parsed, has neither.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from gbnfc.errors import GbnfSyntaxError, LimitExceeded
from gbnfc.ir import analysis
from gbnfc.ir.nodes import Choice, Expression, Grammar, Repeat, Rule, Sequence
from gbnfc.lint.lexemes import Lexeme, cut_lexemes
from gbnfc.source import Source, Span

if TYPE_CHECKING:
    from gbnfc.lint.cost import Cost
    from gbnfc.lint.shape import JsonShape


@dataclass(frozen=True)
class LintedText:
    """A grammar text with its syntax errors."""

    source: Source
    errors: tuple[GbnfSyntaxError, ...]

    @cached_property
    def lexemes(self) -> tuple[Lexeme, ...]:
        """The text in pieces, in order."""
        return cut_lexemes(self.source.text)

    def lexeme_at(self, offset: int) -> Lexeme | None:
        """Return the piece that covers `offset`."""
        return next((piece for piece in self.lexemes if offset < piece.span.end), None)


class Place(NamedTuple):
    """An expression and the rule it stands in."""

    rule: Rule
    expression: Expression


@dataclass(frozen=True)
class LintedGrammar:
    """A grammar, with its text when it was parsed from one."""

    grammar: Grammar
    source: Source | None = None
    tokenizer: Tokenizer | None = None

    @cached_property
    def definitions(self) -> Mapping[str, Rule]:
        """Each name's definition; of several the last, as the engine has it."""
        return analysis.definitions(self.grammar)

    @cached_property
    def reachable(self) -> frozenset[str]:
        """The names of the rules that the root uses."""
        return frozenset(analysis.reachable(self.grammar))

    @cached_property
    def nullable(self) -> frozenset[str]:
        """The names of the rules that accept the empty text."""
        return frozenset(analysis.nullable(self.grammar))

    @cached_property
    def productive(self) -> frozenset[str]:
        """The names of the rules that can end."""
        return frozenset(analysis.productive(self.grammar))

    @cached_property
    def left_recursive(self) -> bool:
        """Whether a rule can come back to itself without reading a character."""
        return bool(analysis.left_recursive_cycles(self.grammar))

    @cached_property
    def sound(self) -> bool:
        """Whether the engine loads it: a root, no left recursion, every name defined and ending."""
        defined = self.definitions
        return (
            self.grammar.root in defined
            and not self.left_recursive
            and self.grammar.root in self.productive
            and all(
                name in defined for rule in defined.values() for name in self.references_of(rule)
            )
        )

    @cached_property
    def _references(self) -> dict[str, frozenset[str]]:
        return {
            name: frozenset(analysis.references(rule.body))
            for name, rule in self.definitions.items()
        }

    def references_of(self, rule: Rule) -> frozenset[str]:
        """Return the names that `rule` (a used definition) refers to."""
        return self._references[rule.name]

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Every expression of every rule, outer before inner, in source order."""
        return tuple(
            Place(rule, expression)
            for rule in self.grammar.rules
            for expression in walk(rule.body)
        )

    @cached_property
    def used_places(self) -> tuple[Place, ...]:
        """The places of rules that the root uses."""
        return tuple(
            place
            for place in self.places
            if place.rule.name in self.reachable
            and self.definitions[place.rule.name] is place.rule
        )

    @cached_property
    def cost(self) -> Cost | LimitExceeded:
        """What the grammar can cost the engine, or why that could not be measured."""
        from gbnfc.lint.cost import measure_cost

        try:
            return measure_cost(self.grammar)
        except LimitExceeded as error:
            return error

    @cached_property
    def json_shape(self) -> JsonShape | None:
        """Where this grammar writes JSON strings and numbers; `None` when it is no JSON."""
        from gbnfc.lint.shape import find_json_shape

        return find_json_shape(self)

    def text_of(self, span: Span) -> str:
        """Return the source text of `span`; empty for a grammar without a text."""
        return "" if self.source is None else self.source.text[span.start : span.end]


def children(expression: Expression) -> tuple[Expression, ...]:
    """Return the direct parts of `expression`."""
    match expression:
        case Sequence(items):
            return items
        case Choice(alternatives):
            return alternatives
        case Repeat(body):
            return (body,)
        case _:
            return ()


def walk(expression: Expression) -> Iterator[Expression]:
    """Yield `expression` and all its parts, outer before inner, in source order."""
    todo = [expression]
    while todo:
        current = todo.pop()
        yield current
        todo.extend(reversed(children(current)))
