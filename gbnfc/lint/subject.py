"""What lint rules look at: a text that does not parse, a grammar, a schema.

Each bundles a value with the questions that several rules ask of it, answered once. Spans point
into `source`; a grammar that was built, not parsed, has neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

from gbnfc.errors import GbnfSyntaxError, LimitExceeded
from gbnfc.gbnf.recover import recover
from gbnfc.ir.analysis import Facts, first_of, is_nullable
from gbnfc.ir.loading import Refusal, engine_refusals
from gbnfc.ir.nodes import (
    MAX_REPETITION,
    Choice,
    Expression,
    Grammar,
    Literal,
    Repeat,
    Rule,
    RuleRef,
)
from gbnfc.ir.walk import fold, walk
from gbnfc.lint.text.lexemes import Lexeme, cut_lexemes
from gbnfc.lint.text.spelling import full_span
from gbnfc.source import Span

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gbnfc.charset import CharSet
    from gbnfc.lint.analysis.cost import Survey
    from gbnfc.lint.analysis.json_regions import JsonRegions
    from gbnfc.lint.analysis.overlap import Overlap
    from gbnfc.lint.rule import Budget
    from gbnfc.source import Source


_SURELY_LOADED = MAX_REPETITION // 5
"""Repetitions of fewer rules than that load however many parentheses are around them."""


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


class Tokenizer(Protocol):
    """What the token rules ask a model's vocabulary."""

    def tokenize(self, text: str) -> tuple[int, ...]:
        """Return the token ids of `text`, special tokens by their text."""

    @property
    def size(self) -> int:
        """The number of tokens."""


class Occurrence(NamedTuple):
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
    def facts(self) -> Facts:
        """What `gbnfc.ir.analysis` knows of it."""
        return Facts(self.grammar)

    @property
    def definitions(self) -> Mapping[str, Rule]:
        """Each name's definition; of several the last, as the engine has it."""
        return self.facts.definitions

    @cached_property
    def reachable(self) -> frozenset[str]:
        """The names of the rules that the root uses."""
        return frozenset(self.facts.reachable)

    @property
    def nullable(self) -> frozenset[str]:
        """The names of the rules that accept the empty text."""
        return self.facts.nullable

    @property
    def productive(self) -> frozenset[str]:
        """The names of the rules that can end."""
        return self.facts.productive

    @property
    def left_recursive_cycles(self) -> tuple[tuple[str, ...], ...]:
        """Cycles of rules that come back to themselves without reading a character."""
        return self.facts.left_recursive_cycles

    @cached_property
    def sound(self) -> bool:
        """Whether the engine loads it: a root, no left recursion, every name defined and ending."""
        defined = self.definitions
        return (
            self.grammar.root in defined
            and not self.left_recursive_cycles
            and self.grammar.root in self.productive
            and all(
                name in defined for rule in defined.values() for name in self.references_of(rule)
            )
        )

    @cached_property
    def _references(self) -> dict[str, frozenset[str]]:
        return {name: frozenset(names) for name, names in self.facts.references.items()}

    def references_of(self, rule: Rule) -> frozenset[str]:
        """Return the names that `rule` (a used definition) refers to."""
        return self._references[rule.name]

    @cached_property
    def places(self) -> tuple[Occurrence, ...]:
        """Every expression of every rule, outer before inner, in source order."""
        return tuple(
            Occurrence(rule, expression)
            for rule in self.grammar.rules
            for expression in walk(rule.body)
        )

    @cached_property
    def used_places(self) -> tuple[Occurrence, ...]:
        """The places of rules that the root uses."""
        return tuple(
            place
            for place in self.places
            if place.rule.name in self.reachable and self.definitions[place.rule.name] is place.rule
        )

    @cached_property
    def refusals(self) -> tuple[Refusal, ...]:
        """Why the engine would not load it: all reasons of the first stage that refuses."""
        depends_on_groups = bool(self.left_recursive_cycles) or any(
            self._may_be_refused(place.expression)
            for place in self.places
            if isinstance(place.expression, Repeat)
        )
        if self.source is None or not depends_on_groups:
            return engine_refusals(self.grammar)
        # llama.cpp counts groups when it limits repetitions, and sees only in a group of its own
        # that an alternative is empty, so the spelling decides.
        return engine_refusals(recover(self.source, keep_groups=True).grammar, as_spelled=True)

    def _may_be_refused(self, repeat: Repeat) -> bool:
        if repeat.maximum is None and self.may_be_empty(repeat.body):
            return True
        count = max(repeat.minimum, repeat.maximum or 0)
        return count > 1 and count * (self._weight(repeat.body, {}) + 4) > _SURELY_LOADED

    @cached_property
    def used_choices(self) -> tuple[Choice, ...]:
        """The choices of rules that the root uses."""
        return tuple(p.expression for p in self.used_places if isinstance(p.expression, Choice))

    def overlaps(self, choice: Choice, budget: Budget) -> tuple[Overlap, ...]:
        """Return the pairs of alternatives of `choice` that share a text, found once."""
        from gbnfc.lint.analysis.overlap import find_overlaps

        known = self._overlaps.get(id(choice))
        if known is None:
            try:
                known = tuple(find_overlaps(self, choice, budget))
            except LimitExceeded as error:
                known = error
            self._overlaps[id(choice)] = known
        if isinstance(known, LimitExceeded):
            raise known
        return known

    @cached_property
    def _overlaps(self) -> dict[int, tuple[Overlap, ...] | LimitExceeded]:
        return {}

    @cached_property
    def written(self) -> dict[tuple[Expression, object, str], str | None]:
        """What `json_language.Written` has found, by what was asked."""
        return {}

    @cached_property
    def survey(self) -> Survey | LimitExceeded:
        """What the grammar can cost the engine, or why that could not be found out."""
        from gbnfc.lint.analysis.cost import Survey

        try:
            return Survey(self.grammar)
        except LimitExceeded as error:
            return error

    @cached_property
    def json_regions(self) -> JsonRegions | None:
        """Where this grammar writes JSON strings and numbers; `None` when it is no JSON."""
        from gbnfc.lint.analysis.json_regions import find_json_regions

        return find_json_regions(self)

    def first_of(self, expression: Expression) -> CharSet:
        """Return the characters that a text of `expression` can start with."""
        return first_of(expression, self.facts.first_characters, self.nullable)

    def may_be_empty(self, expression: Expression) -> bool:
        """Return whether `expression` accepts the empty text."""
        return is_nullable(expression, self.nullable)

    @cached_property
    def simple_rules(self) -> dict[str, Rule]:
        """The definitions that are on no cycle of references, so that they can be inlined."""
        names = self._references
        alone = {part[0] for part in self.facts.components if len(part) == 1}
        return {
            name: rule
            for name, rule in self.definitions.items()
            if name in alone and name not in names[name]
        }

    @cached_property
    def _weights(self) -> dict[str, int]:
        weights: dict[str, int] = {}
        # Used rules come first, so that their weights are known.
        for component in self.facts.components:
            for name in component:
                simple = name in self.simple_rules
                weights[name] = self._weight(self.definitions[name].body, weights) if simple else 1
        return weights

    def weight_of(self, expression: Expression) -> int:
        """Return about how many states a part of the grammar has, simple rules inlined."""
        weights = self._weights
        known = self._part_weights.get(id(expression))
        if known is None:
            known = self._part_weights[id(expression)] = self._weight(expression, weights)
        return known

    @cached_property
    def _part_weights(self) -> dict[int, int]:
        return {}

    def _weight(self, expression: Expression, weights: Mapping[str, int]) -> int:
        def combine(node: Expression, parts: tuple[int, ...]) -> int:
            match node:
                case Literal(text):
                    return len(text)
                case RuleRef(name):
                    return weights.get(name, 1)
                case Repeat(_, minimum, maximum):
                    return parts[0] * max(1, minimum + 1 if maximum is None else maximum)
                case _:
                    return 1 + sum(parts)

        return fold(expression, combine)

    def whole_span(self, first: Expression, last: Expression | None = None) -> Span | None:
        """Return the span of `first` (to `last`), with the parentheses that it closes."""
        start, end = first.span, (last or first).span
        if start is None or end is None:
            return None
        span = Span(start.start, end.end)
        return span if self.source is None else full_span(self.source.text, span)

    def text_of(self, span: Span) -> str:
        """Return the source text of `span`; empty for a grammar without a text."""
        return "" if self.source is None else self.source.text[span.start : span.end]
