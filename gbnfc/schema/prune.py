"""Parts of a grammar that match nothing, taken out.

An optional property that can never exist leaves the object, an impossible branch its choice. What
needs an impossible part is impossible itself; an impossible root is for the caller to report.
"""

from __future__ import annotations

from gbnfc.ir.analysis import definitions, productive, reachable, references
from gbnfc.ir.build import choice, repeat, sequence
from gbnfc.ir.nodes import Choice, Expression, Grammar, Repeat, Rule, RuleRef, Sequence
from gbnfc.ir.walk import fold

NOTHING = Choice(())
"""The expression that matches no text."""


def prune(grammar: Grammar) -> Grammar | None:
    """Return `grammar` without what matches nothing or is never reached; `None` when all of it is.

    The language stays the same; rules come in the order in which the root needs them.
    """
    alive = productive(grammar)
    if grammar.root not in alive:
        return None
    if len(alive) < len(grammar.rules) or any(_has_dead_part(rule, alive) for rule in grammar.rules):
        rules = [Rule(r.name, _without(r.body, alive)) for r in grammar.rules if r.name in alive]
        grammar = Grammar(tuple(rules), root=grammar.root)
    rules_by_name = definitions(grammar)
    return Grammar(tuple(rules_by_name[name] for name in reachable(grammar)), root=grammar.root)


def _has_dead_part(rule: Rule, alive: frozenset[str]) -> bool:
    def combine(node: Expression, parts: tuple[bool, ...]) -> bool:
        return any(parts) or node == NOTHING

    return any(name not in alive for name in references(rule.body)) or fold(rule.body, combine)


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
