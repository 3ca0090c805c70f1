"""The finished grammar: parts that match nothing taken out, rules that say the same made one.

An optional property that can never exist leaves the object, an impossible branch its choice. What
needs an impossible part is impossible itself; an impossible root is for the caller to report.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.ir.analysis import is_productive
from gbnfc.ir.build import choice, repeat, sequence
from gbnfc.ir.equal import Signature, equal_rules, signature
from gbnfc.ir.nodes import Choice, Expression, Grammar, Repeat, Rule, RuleRef, Sequence
from gbnfc.ir.simplify import with_names
from gbnfc.ir.walk import fold
from gbnfc.schema.emit.loadable import loadable_rules

if TYPE_CHECKING:
    from collections.abc import Mapping, Set

    from gbnfc.ir.names import NameAllocator

NOTHING = Choice(())
"""The expression that matches no text."""


def prune(
    bodies: Mapping[str, Expression],
    root: str,
    standard: Mapping[str, Signature],
    made: Mapping[str, Signature],
    names: NameAllocator,
) -> Grammar | None:
    """Return the grammar of the rules `bodies` without what matches nothing, is never reached or
    stands twice; `None` when nothing is left.

    The language stays the same; rules come in the order in which the root needs them. Only rules
    that hold or use such a part are written anew. `standard` are rules that need no look: all of
    them match some text, and they refer to each other only. `made` are outlines of other rules,
    `names` are for rules without which llama.cpp would not load some of these.

    Raises:
        LimitExceeded: llama.cpp would not load one of the rules in any case.
    """
    signatures = _reached(bodies, {**standard, **made}, root)
    alive = _productive(bodies, signatures, standard.keys())
    if root not in alive:
        return None
    dead = [
        name
        for name, rule in signatures.items()
        if name in alive and (rule.has_dead_parts or not alive.issuperset(rule.needs))
    ]
    if dead:
        bodies = {**bodies, **{name: _without(bodies[name], alive) for name in dead}}
        signatures = _reached(bodies, _all_but(signatures, dead), root)
    same = equal_rules(signatures, root)
    if same:
        users = [
            name for name, rule in signatures.items() if not same.keys().isdisjoint(rule.needs)
        ]
        renamed = {name: with_names(bodies[name], same) for name in users if name not in same}
        bodies = {**bodies, **renamed}
        signatures = _reached(bodies, _all_but(signatures, users), root)
    rules: list[Rule] = []
    for name, rule in signatures.items():
        rules += loadable_rules(Rule(name, bodies[name]), rule, names)
    return Grammar(tuple(rules), root=root)


def _all_but(signatures: Mapping[str, Signature], changed: list[str]) -> dict[str, Signature]:
    gone = set(changed)
    return {name: rule for name, rule in signatures.items() if name not in gone}


def _reached(
    bodies: Mapping[str, Expression], known: Mapping[str, Signature], root: str
) -> dict[str, Signature]:
    """Return the outlines of the rules that the root needs, nearest first."""
    reached: dict[str, Signature] = {}
    found = {root}
    pending = [root]
    for name in pending:
        rule = reached[name] = known.get(name) or signature(bodies[name])
        for used in rule.needs:
            if used not in found:
                found.add(used)
                pending.append(used)
    return reached


def _productive(
    bodies: Mapping[str, Expression], signatures: dict[str, Signature], standard: Set[str]
) -> set[str]:
    """Return the rules that match some text; those of `standard` do.

    Only bodies on a circle or with dead parts, and what stands above those, are looked into.
    """
    alive = {*standard}
    doubtful: list[str] = []
    for name in reversed(signatures):  # what is used comes first, mostly
        rule = signatures[name]
        if alive.issuperset(rule.needs) and not rule.has_dead_parts:
            alive.add(name)
        elif name not in alive:
            doubtful.append(name)
    waiting_for: dict[str, int] = dict.fromkeys(doubtful, 0)
    users: dict[str, list[str]] = {}
    for name in doubtful:
        for used in signatures[name].needs:
            if used not in alive:
                waiting_for[name] += 1
                users.setdefault(used, []).append(name)

    def add(name: str) -> None:
        alive.add(name)
        settled = [name]
        for found in settled:
            for user in users.get(found, ()):
                waiting_for[user] -= 1
                is_settled = not waiting_for[user] and not signatures[user].has_dead_parts
                if is_settled and user not in alive:
                    alive.add(user)
                    settled.append(user)

    for name, missing in tuple(waiting_for.items()):
        if not missing and name not in alive and not signatures[name].has_dead_parts:
            add(name)
    while True:
        before = len(alive)
        for name in doubtful:
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
