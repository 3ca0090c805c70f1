"""Parts of a grammar that match nothing, taken out.

An optional property that can never exist leaves the object, an impossible branch its choice. What
needs an impossible part is impossible itself; an impossible root is for the caller to report.
"""

from __future__ import annotations

from gbnfc.ir.analysis import productive
from gbnfc.ir.build import choice, repeat, sequence
from gbnfc.ir.nodes import Choice, Expression, Grammar, Repeat, Rule, RuleRef, Sequence
from gbnfc.ir.walk import fold, walk

NOTHING = Choice(())
"""The expression that matches no text."""


def prune(grammar: Grammar) -> Grammar | None:
    """Return `grammar` without what matches nothing or is never reached; `None` when all of it is.

    The language stays the same; rules come in the order in which the root needs them.
    """
    needed, has_dead_parts = _needed(grammar)
    if has_dead_parts or _may_never_end(needed):
        alive = productive(grammar)
        if grammar.root not in alive:
            return None
        bodies = {r.name: _without(r.body, alive) for r in grammar.rules if r.name in alive}
        grammar = Grammar(tuple(Rule(n, b) for n, b in bodies.items()), root=grammar.root)
        needed, _ = _needed(grammar)
    rules = {rule.name: rule for rule in grammar.rules}
    return Grammar(tuple(rules[name] for name in needed), root=grammar.root)


def _needed(grammar: Grammar) -> tuple[dict[str, tuple[str, ...]], bool]:
    """Return the rules that the root needs, nearest first, with the names that each refers to, and
    whether any of them holds a part that matches nothing."""
    bodies = {rule.name: rule.body for rule in grammar.rules}
    needed: dict[str, tuple[str, ...]] = {}
    found = {grammar.root: None}
    pending = [grammar.root]
    has_dead_parts = False
    for name in pending:
        names: dict[str, None] = {}
        for node in walk(bodies[name]):
            if isinstance(node, RuleRef):
                names[node.name] = None
            elif isinstance(node, Choice) and not node.alternatives:
                has_dead_parts = True
        needed[name] = tuple(names)
        pending += [n for n in names if n not in found]
        found.update(names)
    return needed, has_dead_parts


def _may_never_end(needed: dict[str, tuple[str, ...]]) -> bool:
    """Return whether some rule but the recursive ones of any JSON value leads back to itself."""
    open_names: dict[str, int] = dict.fromkeys(needed, 0)
    for names in needed.values():
        for name in names:
            open_names[name] += 1
    ready = [name for name, count in open_names.items() if not count]
    for name in ready:
        for inner in needed[name]:
            open_names[inner] -= 1
            if not open_names[inner]:
                ready.append(inner)
    left = set(needed) - set(ready)
    return not left <= {"value", "object", "array"} | _below_value(needed)


def _below_value(needed: dict[str, tuple[str, ...]]) -> set[str]:
    found = {"value"} & needed.keys()
    pending = list(found)
    for name in pending:
        for inner in needed[name]:
            if inner not in found:
                found.add(inner)
                pending.append(inner)
    return found


def _without(expression: Expression, alive: frozenset[str]) -> Expression:
    def combine(node: Expression, parts: tuple[Expression, ...]) -> Expression:
        match node:
            case RuleRef(name=name):
                return node if name in alive else NOTHING
            case Sequence():
                return NOTHING if NOTHING in parts else sequence(parts)
            case Choice():
                left = [part for part in parts if part != NOTHING]
                return choice(left) if left else NOTHING
            case Repeat(minimum=minimum, maximum=maximum):
                if parts[0] != NOTHING:
                    return repeat(parts[0], minimum, maximum)
                return sequence([]) if minimum == 0 else NOTHING
            case _:
                return node

    return fold(expression, combine)
