"""Smaller grammars of the same language: a tuple of passes, run until nothing changes.

In: a `Grammar`. Out: a `Grammar` that accepts the same texts, with the same root, and that
llama.cpp loads if it loads the given one. Rebuilt nodes have no spans. No pass knows of the others.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gbnfc.charset import ANY, CharSet
from gbnfc.ir import build
from gbnfc.ir.analysis import definitions, engine_refusal, reachable
from gbnfc.ir.equal import equal_rules, signature
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
from gbnfc.ir.walk import rebuild

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_MAX_ROUNDS = 50
"""Chains of rules that become equal one after the other are cut here; the result is still right."""


def simplify(grammar: Grammar) -> Grammar:
    """Return `grammar` after all of `PASSES`, repeated until they change nothing.

    Raises: `LimitExceeded` for an expression higher than `MAX_DEPTH`.
    """
    simpler = grammar
    for _ in range(_MAX_ROUNDS):
        before = simpler
        for change in PASSES:
            simpler = change(simpler)
        if simpler == before:
            break
    # A rule that is plainly empty may come to stand where llama.cpp overlooked one that was empty
    # through another rule, and then it finds a left recursion.
    if engine_refusal(simpler) is not None and engine_refusal(grammar) is None:
        return grammar
    return simpler


def drop_replaced_rules(grammar: Grammar) -> Grammar:
    """`a ::= "x"`, `a ::= "y"` → `a ::= "y"`: the last definition counts."""
    rules = tuple(definitions(grammar).values())
    return grammar if rules == grammar.rules else replace(grammar, rules=rules)


def flatten(grammar: Grammar) -> Grammar:
    """`("a" "b") ("c" | ("d" | "c"))` → `"ab" ("c" | "d")`: no nesting that says nothing."""

    def change(node: Expression) -> Expression:
        match node:
            case Sequence(items=items):
                return build.sequence(items)
            case Choice(alternatives=alternatives) if alternatives:
                return build.choice(alternatives)
            case _:
                return node

    return _change_bodies(grammar, lambda body: rebuild(body, change))


def merge_characters(grammar: Grammar) -> Grammar:
    """`"a" | "x" y | [b-d]` → `[a-d] | "x" y`: alternatives of one character are one class."""

    def change(node: Expression) -> Expression:
        if not isinstance(node, Choice):
            return node
        sets = [_single_character(part) for part in node.alternatives]
        members = [chars for chars in sets if chars is not None]
        if len(members) < 2:
            return node
        merged = build.chars(CharSet.of(r for chars in members for r in chars.ranges))
        first = next(index for index, chars in enumerate(sets) if chars is not None)
        return build.choice(
            merged if index == first else part
            for index, part in enumerate(node.alternatives)
            if index == first or sets[index] is None
        )

    return _change_bodies(grammar, lambda body: rebuild(body, change))


def _single_character(expression: Expression) -> CharSet | None:
    """Return the characters of an expression that matches exactly one, else None."""
    match expression:
        case Literal(text=text) if len(text) == 1:
            return CharSet.single(ord(text))
        case CharClass() if not expression.matches_empty_text:
            return expression.chars
        case AnyChar():
            return ANY
        case _:
            return None


def merge_repeats(grammar: Grammar) -> Grammar:
    """`(x+)?` → `x*`, `x{1}` → `x`, `""*` → `""`: one repetition where two say no more."""

    def change(node: Expression) -> Expression:
        if not isinstance(node, Repeat) or _is_reversed(node):
            return node
        inner = node.body
        if isinstance(inner, Repeat) and not _is_reversed(inner):
            merged = _merge(inner, node)
            return node if merged is None else merged
        return build.repeat(inner, node.minimum, node.maximum)

    return _change_bodies(grammar, lambda body: rebuild(body, change))


def _is_reversed(repeat: Repeat) -> bool:
    return repeat.maximum is not None and repeat.maximum < repeat.minimum


def _merge(inner: Repeat, outer: Repeat) -> Expression | None:
    """Return `inner` repeated as `outer` says as one of `?`, `*`, `+`; None when it is none.

    Only these: a product of bounds might be one that llama.cpp refuses, or reads as no bound.
    """
    if not {inner.maximum, outer.maximum} <= {1, None} or max(inner.minimum, outer.minimum) > 1:
        return None
    minimum = inner.minimum * outer.minimum
    maximum = 1 if (inner.maximum, outer.maximum) == (1, 1) else None
    return build.repeat(inner.body, minimum, maximum)


def inline_aliases(grammar: Grammar) -> Grammar:
    """`a ::= b`, `root ::= a` → `root ::= b`: a rule that is only another name is passed over."""
    rules = definitions(grammar)
    targets = {
        name: rule.body.name
        for name, rule in rules.items()
        if isinstance(rule.body, RuleRef) and name != grammar.root
    }
    ends = _ends_of_chains(targets)
    renamed = {name: end for name, end in ends.items() if end in rules and end != name}
    return _rename(grammar, renamed)


def _ends_of_chains(targets: Mapping[str, str]) -> dict[str, str]:
    """Return for each name the last name that following `targets` leads to, itself in a circle."""
    ends: dict[str, str] = {}
    for start in targets:
        path: dict[str, None] = {}
        name = start
        while name in targets and name not in ends and name not in path:
            path[name] = None
            name = targets[name]
        in_circle = name in path
        ends.update((step, step if in_circle else ends.get(name, name)) for step in path)
    return ends


def merge_equal_rules(grammar: Grammar) -> Grammar:
    """`a ::= "x" a | "y"`, `b ::= "x" b | "y"` → all say `a`: rules that unfold alike are one."""
    signatures = {name: signature(rule.body) for name, rule in definitions(grammar).items()}
    return _rename(grammar, equal_rules(signatures, grammar.root))


def drop_unreachable_rules(grammar: Grammar) -> Grammar:
    """Leave out the rules that the root does not need."""
    needed = frozenset(reachable(grammar))
    if not needed or all(rule.name in needed for rule in grammar.rules):
        return grammar
    return replace(grammar, rules=tuple(rule for rule in grammar.rules if rule.name in needed))


PASSES: tuple[Callable[[Grammar], Grammar], ...] = (
    drop_replaced_rules,
    flatten,
    merge_characters,
    merge_repeats,
    inline_aliases,
    merge_equal_rules,
    drop_unreachable_rules,
)


def _rename(grammar: Grammar, names: Mapping[str, str]) -> Grammar:
    if not names:
        return grammar
    return _change_bodies(grammar, lambda body: with_names(body, names))


def with_names(body: Expression, names: Mapping[str, str]) -> Expression:
    """Return `body` with every reference to a key of `names` leading to its value.

    Alternatives that become equal are one then, and `x y` goes beside `x y?`.
    """

    def change(node: Expression) -> Expression:
        match node:
            case RuleRef(name=name) if name in names:
                return RuleRef(names[name])
            case Choice(alternatives=alternatives):
                contained = _contained(alternatives)
                if contained or len(set(alternatives)) < len(alternatives):
                    return build.choice(part for part in alternatives if part not in contained)
                return node
            case _:
                return node

    return rebuild(body, change)


def _contained(alternatives: tuple[Expression, ...]) -> set[Expression]:
    """Return the texts that those of `alternatives` with an optional end match with and without."""
    found: set[Expression] = set()
    for part in alternatives:
        match part:
            case Sequence(items=(*start, Repeat(body=end, minimum=0, maximum=1))):
                found |= {build.sequence(start), build.sequence([*start, end])}
    return found


def _change_bodies(grammar: Grammar, change: Callable[[Expression], Expression]) -> Grammar:
    rules: list[Rule] = []
    for rule in grammar.rules:
        body = change(rule.body)
        rules.append(rule if body is rule.body else replace(rule, body=body))
    return replace(grammar, rules=tuple(rules))
