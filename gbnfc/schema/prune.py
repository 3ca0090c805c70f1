"""Parts of a grammar that match nothing, taken out.

An optional property that can never exist leaves the object, an impossible branch its choice. What
needs an impossible part is impossible itself; an impossible root is for the caller to report.
"""

from __future__ import annotations

from gbnfc.ir.analysis import is_productive
from gbnfc.ir.build import choice, repeat, sequence
from gbnfc.ir.nodes import Choice, Expression, Grammar, Repeat, Rule, RuleRef, Sequence
from gbnfc.ir.walk import fold, walk

NOTHING = Choice(())
"""The expression that matches no text."""


def prune(grammar: Grammar) -> Grammar | None:
    """Return `grammar` without what matches nothing or is never reached; `None` when all of it is.

    The language stays the same; rules come in the order in which the root needs them. Only rules
    that hold or use such a part are written anew.
    """
    bodies = {rule.name: rule.body for rule in grammar.rules}
    uses, with_dead_parts = _needed(bodies, grammar.root)
    alive = _productive(bodies, uses, with_dead_parts)
    if grammar.root not in alive:
        return None
    changed = [
        name
        for name, names in uses.items()
        if name in alive and (name in with_dead_parts or not alive.issuperset(names))
    ]
    if changed:
        bodies |= {name: _without(bodies[name], alive) for name in changed}
        uses, _ = _needed(bodies, grammar.root)
    return Grammar(tuple(Rule(name, bodies[name]) for name in uses), root=grammar.root)


def _needed(
    bodies: dict[str, Expression], root: str
) -> tuple[dict[str, tuple[str, ...]], set[str]]:
    """Return the rules that the root needs, nearest first, with the names that each refers to, and
    those of them that hold a part that matches nothing."""
    needed: dict[str, tuple[str, ...]] = {}
    with_dead_parts: set[str] = set()
    found = {root: None}
    pending = [root]
    for name in pending:
        names: dict[str, None] = {}
        for node in walk(bodies[name]):
            if isinstance(node, RuleRef):
                names[node.name] = None
            elif isinstance(node, Choice) and not node.alternatives:
                with_dead_parts.add(name)
        needed[name] = tuple(names)
        pending += [n for n in names if n not in found]
        found.update(names)
    return needed, with_dead_parts


def _productive(
    bodies: dict[str, Expression], uses: dict[str, tuple[str, ...]], with_dead_parts: set[str]
) -> set[str]:
    """Return the rules that match some text.

    Only bodies on a circle or with dead parts, and what stands above those, are looked into.
    """
    waiting_for = {name: len(names) for name, names in uses.items()}
    users: dict[str, list[str]] = {}
    for name, names in uses.items():
        for used in names:
            users.setdefault(used, []).append(name)
    alive: set[str] = set()

    def add(name: str) -> None:
        alive.add(name)
        settled = [name]
        for found in settled:
            for user in users.get(found, ()):
                waiting_for[user] -= 1
                if not waiting_for[user] and user not in with_dead_parts and user not in alive:
                    alive.add(user)
                    settled.append(user)

    for name, count in waiting_for.items():
        if not count and name not in with_dead_parts and name not in alive:
            add(name)
    while True:
        before = len(alive)
        for name in reversed(uses):  # what is used comes first
            if name not in alive and is_productive(bodies[name], alive):
                add(name)
        if len(alive) == before:
            return alive


def _without(expression: Expression, alive: set[str]) -> Expression:
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
