"""Repetitions that llama.cpp would refuse, because one copy of what they repeat makes many rules.

A reference to a named rule makes one, so what is repeated gets a name:

    list ::= "[" (char{0,1500} ("," char{0,1500})?)? "]"
    list ::= "[" list-part? "]"              list-part ::= char{0,1500} ("," char{0,1500})?

That no rule is left-recursive needs no look: what refers to itself does so within brackets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.errors import LimitExceeded
from gbnfc.ir.equal import signature
from gbnfc.ir.loading import RefusalKind, refused_repeats
from gbnfc.ir.names import NameAllocator
from gbnfc.ir.nodes import MAX_REPETITION, Expression, Grammar, Repeat, Rule, RuleRef
from gbnfc.ir.walk import rebuild

if TYPE_CHECKING:
    from gbnfc.ir.equal import Signature


def loadable(grammar: Grammar) -> Grammar:
    """Return `grammar` with names for what is repeated too often.

    Raises:
        LimitExceeded: a repetition is refused for its bounds alone.
    """
    names = NameAllocator(tuple(rule.name for rule in grammar.rules))
    rules = [loadable_rules(rule, signature(rule.body), names) for rule in grammar.rules]
    return Grammar(tuple(rule for parts in rules for rule in parts), root=grammar.root)


def loadable_rules(rule: Rule, made: Signature, names: NameAllocator) -> list[Rule]:
    """Return `rule`, whose outline is `made`, and rules that it needs so that llama.cpp loads it.

    Raises:
        LimitExceeded: a repetition is refused for its bounds alone.
    """
    if made.copies * len(made.form) <= MAX_REPETITION:  # more than all that it can make
        return [rule]
    rules = [rule]
    for number, current in enumerate(rules):  # grows while it is walked
        while refusals := refused_repeats(current):
            repeat, kind = refusals[0].repeat, refusals[0].kind
            if kind is not RefusalKind.REPETITION or repeat is None or _is_named(repeat):
                raise LimitExceeded(refusals[0].message)
            part = Rule(names.allocate(f"{rule.name}-part"), repeat.body)
            rules.append(part)
            current = Rule(current.name, _with_name(current.body, repeat, part.name))
        rules[number] = current
    return rules


def _is_named(repeat: Repeat) -> bool:
    return isinstance(repeat.body, RuleRef)


def _with_name(body: Expression, repeat: Repeat, name: str) -> Expression:
    """Return `body` with `name` for what `repeat` repeats."""
    named = Repeat(RuleRef(name), repeat.minimum, repeat.maximum)
    return rebuild(body, lambda node: named if node == repeat else node)
