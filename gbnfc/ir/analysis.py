"""Pure questions about a grammar: what is needed, what ends, what may be empty, what comes first.

In: a `Grammar`. Out: names, sets of characters, cycles. As in llama.cpp the last definition of a
name counts. A reference to an undefined rule is neither productive nor nullable and starts with no
character; token terminals (`<…>`) consume a token, never characters.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from gbnfc.charset import ANY, EMPTY, SCALARS, CharSet, Range
from gbnfc.ir.graph import components, shortest_cycle
from gbnfc.ir.loading import Refusal, RefusalKind, engine_refusal, widened_repeats
from gbnfc.ir.nodes import (
    AnyChar,
    CharClass,
    Choice,
    Expression,
    Grammar,
    Literal,
    Repeat,
    Rule,
    RuleRef,
    Sequence,
)
from gbnfc.ir.walk import children, holds, references

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

__all__ = [
    "Facts",
    "Refusal",
    "RefusalKind",
    "definitions",
    "engine_refusal",
    "first_characters",
    "first_of",
    "is_nullable",
    "left_recursive_cycles",
    "left_references",
    "nullable",
    "productive",
    "reachable",
    "references",
    "undefined",
    "widened_repeats",
]


def definitions(grammar: Grammar) -> dict[str, Rule]:
    """Return the rule that counts for each name, in the order of first definition."""
    return {rule.name: rule for rule in grammar.rules}


def undefined(grammar: Grammar) -> tuple[str, ...]:
    """Return the names that are referred to but not defined, in source order."""
    defined = definitions(grammar)
    names = dict.fromkeys(name for rule in grammar.rules for name in references(rule.body))
    return tuple(name for name in names if name not in defined)


def reachable(grammar: Grammar) -> tuple[str, ...]:
    """Return the defined rules that the root needs, itself included, nearest first."""
    return Facts(grammar).reachable


def nullable(grammar: Grammar) -> frozenset[str]:
    """Return the names of the rules that match the empty text."""
    return Facts(grammar).nullable


def productive(grammar: Grammar) -> frozenset[str]:
    """Return the names of the rules that match some text at all; the others never finish."""
    return Facts(grammar).productive


def is_nullable(expression: Expression, nullable_rules: Collection[str]) -> bool:
    """Return whether `expression` matches the empty text, given the rules that do."""

    def matches_empty_text(leaf: Expression) -> bool:
        match leaf:
            case Literal(text=text):
                return text == ""
            case RuleRef(name=name):
                return name in nullable_rules
            case CharClass():
                return leaf.matches_empty_text
            case _:
                return False

    return holds(expression, matches_empty_text)


def is_productive(expression: Expression, productive_rules: Collection[str]) -> bool:
    """Return whether `expression` matches some text, given the rules that do."""

    def matches_some_text(leaf: Expression) -> bool:
        match leaf:
            case RuleRef(name=name):
                return name in productive_rules
            case CharClass():
                return leaf.matches_empty_text or _has_scalars(leaf.ranges, leaf.negated)
            case _:
                return True

    return holds(expression, matches_some_text)


@lru_cache(maxsize=1_024)
def _has_scalars(ranges: tuple[Range, ...], negated: bool) -> bool:
    return bool(CharClass(ranges, negated).chars & SCALARS)


def left_references(expression: Expression, nullable_rules: Collection[str]) -> tuple[str, ...]:
    """Return the rules that `expression` may start with, also behind parts that may be empty."""
    return tuple(
        dict.fromkeys(
            node.name
            for node in _left_leaves(expression, nullable_rules)
            if isinstance(node, RuleRef)
        )
    )


def _left_leaves(expression: Expression, nullable_rules: Collection[str]) -> list[Expression]:
    """Return the leaves with which a text of `expression` may begin, in source order."""
    found: list[Expression] = []
    pending = [expression]
    while pending:
        node = pending.pop()
        match node:
            case Sequence(items=items):
                pending.extend(reversed(_left_items(items, nullable_rules)))
            case Repeat(maximum=0):
                pass
            case Choice() | Repeat():
                pending.extend(reversed(children(node)))
            case _:
                found.append(node)
    return found


def _left_items(
    items: tuple[Expression, ...], nullable_rules: Collection[str]
) -> tuple[Expression, ...]:
    for index, item in enumerate(items):
        if not is_nullable(item, nullable_rules):
            return items[: index + 1]
    return items


def left_recursive_cycles(grammar: Grammar) -> tuple[tuple[str, ...], ...]:
    """Return cycles of rules each of which may start with the next, the last with the first.

    Direct, indirect, and hidden behind parts that may be empty. Every rule that is left-recursive
    is in at least one of the cycles, which are as short as can be.
    """
    return Facts(grammar).left_recursive_cycles


def first_characters(grammar: Grammar) -> dict[str, CharSet]:
    """Return for each rule the characters with which a text of it may begin."""
    return Facts(grammar).first_characters


class Facts:
    """The answers to these questions about one grammar, each found once, when it is asked for."""

    def __init__(self, grammar: Grammar) -> None:
        """Ask nothing yet."""
        self._root = grammar.root
        self.definitions = definitions(grammar)

    @cached_property
    def references(self) -> dict[str, tuple[str, ...]]:
        """For each rule the names that it refers to, in source order."""
        return {name: references(rule.body) for name, rule in self.definitions.items()}

    @cached_property
    def components(self) -> list[list[str]]:
        """The rules in groups that refer to each other, used ones before those that use them."""
        return components(self.references)

    @cached_property
    def reachable(self) -> tuple[str, ...]:
        """See the function `reachable`."""
        found = dict.fromkeys([self._root] if self._root in self.definitions else [])
        pending = list(found)
        for name in pending:
            for after in self.references[name]:
                if after in self.definitions and after not in found:
                    found[after] = None
                    pending.append(after)
        return tuple(found)

    @cached_property
    def nullable(self) -> frozenset[str]:
        """See the function `nullable`."""
        return self._least_fixpoint(is_nullable)

    @cached_property
    def productive(self) -> frozenset[str]:
        """See the function `productive`."""
        return self._least_fixpoint(is_productive)

    def _least_fixpoint(
        self, holds: Callable[[Expression, Collection[str]], bool]
    ) -> frozenset[str]:
        """Return the least set S of names with: a rule is in S when its body `holds`, given S."""
        found: set[str] = set()
        # Used rules first: but for recursion, one round is enough.
        pending = [name for component in self.components for name in component]
        while pending:
            changed = []
            for name in pending:
                if name not in found and holds(self.definitions[name].body, found):
                    found.add(name)
                    changed.append(name)
            again = (user for name in changed for user in self._used_by.get(name, ()))
            pending = [name for name in dict.fromkeys(again) if name not in found]
        return frozenset(found)

    @cached_property
    def _used_by(self) -> dict[str, list[str]]:
        used_by: dict[str, list[str]] = {}
        for name, names in self.references.items():
            for used in names:
                used_by.setdefault(used, []).append(name)
        return used_by

    @cached_property
    def _left_leaves(self) -> dict[str, list[Expression]]:
        empty = self.nullable
        return {name: _left_leaves(rule.body, empty) for name, rule in self.definitions.items()}

    @cached_property
    def left_references(self) -> dict[str, tuple[str, ...]]:
        """For each rule the rules that it may start with; see the function `left_references`."""
        return {
            name: tuple(dict.fromkeys(node.name for node in leaves if isinstance(node, RuleRef)))
            for name, leaves in self._left_leaves.items()
        }

    @cached_property
    def _left_components(self) -> list[list[str]]:
        return components(self.left_references)

    @cached_property
    def left_recursive_cycles(self) -> tuple[tuple[str, ...], ...]:
        """See the function `left_recursive_cycles`."""
        graph = self.left_references
        component_of = {
            name: part for part in map(frozenset, self._left_components) for name in part
        }
        covered: set[str] = set()
        cycles = []
        for name in graph:
            if name in covered or (len(component_of[name]) == 1 and name not in graph[name]):
                continue
            cycle = shortest_cycle(graph, name, component_of[name])
            if cycle is not None:
                cycles.append(cycle)
                covered.update(cycle)
        return tuple(cycles)

    @cached_property
    def first_characters(self) -> dict[str, CharSet]:
        """See the function `first_characters`."""
        leaves, graph = self._left_leaves, self.left_references
        found: dict[str, CharSet] = {}
        for component in self._left_components:
            parts = [_own_first(node) for name in component for node in leaves[name]]
            after = dict.fromkeys(user for name in component for user in graph[name])
            parts.extend(found.get(name, EMPTY) for name in after)
            chars = CharSet.of([r for part in parts for r in part.ranges])
            found.update(dict.fromkeys(component, chars))
        return {name: found[name] for name in graph}


def first_of(
    expression: Expression, firsts: dict[str, CharSet], nullable_rules: Collection[str]
) -> CharSet:
    """Return the characters a text of `expression` may begin with, given those of the rules."""
    ranges: list[Range] = []
    for node in _left_leaves(expression, nullable_rules):
        chars = firsts.get(node.name, EMPTY) if isinstance(node, RuleRef) else _own_first(node)
        ranges.extend(chars.ranges)
    return CharSet.of(ranges)


def _own_first(node: Expression) -> CharSet:
    match node:
        case Literal(text=text) if text:
            return CharSet.single(ord(text[0]))
        case CharClass() if not node.matches_empty_text:
            return node.chars
        case AnyChar():
            return ANY
        case _:
            return EMPTY
