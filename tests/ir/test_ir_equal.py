"""Rules that unfold alike, against the definition: equal bodies, round by round."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from gbnfc.ir.analysis import definitions
from gbnfc.ir.equal import equal_rules, signature
from gbnfc.ir.nodes import Choice, Expression, Grammar, Literal, Rule, RuleRef, Sequence
from gbnfc.ir.walk import rebuild

if TYPE_CHECKING:
    import random


def with_classes(body: Expression, classes: dict[str, str]) -> Expression:
    def change(node: Expression) -> Expression:
        return RuleRef(classes.get(node.name, node.name)) if isinstance(node, RuleRef) else node

    return rebuild(body, change)


def by_definition(grammar: Grammar) -> dict[str, str]:
    """Tell rules apart by their bodies with classes for names, until nothing changes."""
    rules = definitions(grammar)
    classes = dict.fromkeys(rules, "0")
    for _ in range(len(rules) + 1):
        bodies = {name: with_classes(rule.body, classes) for name, rule in rules.items()}
        numbers: dict[Expression, int] = {}
        classes = {n: str(numbers.setdefault(body, len(numbers))) for n, body in bodies.items()}
    ordered = sorted(rules, key=lambda name: name != grammar.root)
    first: dict[str, str] = {}
    for name in ordered:
        first.setdefault(classes[name], name)
    return {name: first[classes[name]] for name in rules if first[classes[name]] != name}


@given(st.randoms(use_true_random=False), st.integers(1, 14), st.integers(1, 3))
def test_as_defined(rng: random.Random, count: int, letters: int) -> None:
    names = [f"r{number}" for number in range(count)] + ["undefined"]
    rules = [
        Rule(
            name if name != "r0" else "root",
            Choice(
                (
                    Literal("ab"[rng.randrange(letters) % 2]),
                    Sequence((Literal("x"), *(RuleRef(rng.choice(names)) for _ in range(letters)))),
                )
            ),
        )
        for name in names[:-1]
    ]
    rng.shuffle(rules)
    grammar = Grammar(tuple(rules))
    signatures = {rule.name: signature(rule.body) for rule in grammar.rules}
    assert equal_rules(signatures, grammar.root) == by_definition(grammar)
