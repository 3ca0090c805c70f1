"""Pure questions about a grammar: what is needed, what ends, what may be empty, what comes first.

In: a `Grammar`. Out: names, sets of characters, cycles. As in llama.cpp the last definition of a
name counts. A reference to an undefined rule is neither productive nor nullable and starts with no
character; token terminals (`<…>`) consume a token, never characters.
"""

from __future__ import annotations

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
    TokenTerminal,
)
from gbnfc.ir.walk import children, fold, references

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

__all__ = [
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
    rules = definitions(grammar)
    found = dict.fromkeys([grammar.root] if grammar.root in rules else [])
    pending = list(found)
    for name in pending:
        for after in references(rules[name].body):
            if after in rules and after not in found:
                found[after] = None
                pending.append(after)
    return tuple(found)


def nullable(grammar: Grammar) -> frozenset[str]:
    """Return the names of the rules that match the empty text."""
    return _least_fixpoint(grammar, is_nullable)


def productive(grammar: Grammar) -> frozenset[str]:
    """Return the names of the rules that match some text at all; the others never finish."""
    return _least_fixpoint(grammar, _is_productive)


def is_nullable(expression: Expression, nullable_rules: Collection[str]) -> bool:
    """Return whether `expression` matches the empty text, given the rules that do."""

    def combine(node: Expression, parts: tuple[bool, ...]) -> bool:
        match node:
            case Literal(text=text):
                return text == ""
            case CharClass():
                return node.matches_empty_text
            case RuleRef(name=name):
                return name in nullable_rules
            case _:
                return _combine(node, parts)

    return fold(expression, combine)


def _is_productive(expression: Expression, productive_rules: Collection[str]) -> bool:
    def combine(node: Expression, parts: tuple[bool, ...]) -> bool:
        match node:
            case Literal() | AnyChar() | TokenTerminal():
                return True
            case CharClass():
                return node.matches_empty_text or bool(node.chars & SCALARS)
            case RuleRef(name=name):
                return name in productive_rules
            case _:
                return _combine(node, parts)

    return fold(expression, combine)


def _combine(node: Expression, parts: tuple[bool, ...]) -> bool:
    match node:
        case Sequence():
            return all(parts)
        case Choice():
            return any(parts)
        case Repeat(minimum=minimum, maximum=maximum):
            reversed_bounds = maximum is not None and maximum < minimum
            return not reversed_bounds and (minimum == 0 or parts[0])
        case _:
            return False


def _least_fixpoint(
    grammar: Grammar, holds: Callable[[Expression, Collection[str]], bool]
) -> frozenset[str]:
    """Return the least set S of names with: a rule is in S when its body `holds`, given S."""
    rules = definitions(grammar)
    uses = {name: references(rule.body) for name, rule in rules.items()}
    used_by: dict[str, list[str]] = {}
    for name, names in uses.items():
        for used in names:
            used_by.setdefault(used, []).append(name)
    found: set[str] = set()
    # Used rules first: but for recursion, one round is enough.
    pending = [name for component in components(uses) for name in component]
    while pending:
        changed = []
        for name in pending:
            if name not in found and holds(rules[name].body, found):
                found.add(name)
                changed.append(name)
        pending = list(dict.fromkeys(user for name in changed for user in used_by.get(name, ())))
    return frozenset(found)


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
    empty = nullable(grammar)
    graph = {name: left_references(rule.body, empty) for name, rule in definitions(grammar).items()}
    component_of = {name: part for part in map(frozenset, components(graph)) for name in part}
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


def first_characters(grammar: Grammar) -> dict[str, CharSet]:
    """Return for each rule the characters with which a text of it may begin."""
    empty = nullable(grammar)
    leaves = {name: _left_leaves(rule.body, empty) for name, rule in definitions(grammar).items()}
    graph = {
        name: tuple(dict.fromkeys(node.name for node in nodes if isinstance(node, RuleRef)))
        for name, nodes in leaves.items()
    }
    found: dict[str, CharSet] = {}
    for component in components(graph):
        ranges = [r for name in component for node in leaves[name] for r in _own_first(node).ranges]
        after = dict.fromkeys(user for name in component for user in graph[name])
        ranges.extend(r for name in after for r in found.get(name, EMPTY).ranges)
        found.update(dict.fromkeys(component, CharSet.of(ranges)))
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
