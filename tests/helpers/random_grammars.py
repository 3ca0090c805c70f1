"""GBNF texts made at random, half of them slightly broken: what the campaigns begin with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grammar_strategies import FRAGMENTS, RULE_NAMES

if TYPE_CHECKING:
    import random

ATOMS = ('"a"', '"b"', '"ab"', "[ab]", "[^a]", "[a-b]", ".", '"\\n"', "[\\]-]", "<[7]>", "!<[7]>")
ODD_ATOMS = ('""', "[]", "[^]", *RULE_NAMES, "c")
REPEATS = ("*", "+", "?", "{1}", "{2}", "{3,}", "{0,2}", "{1,2}", "{ 2 , 3 }", "{0,9}")
ODD_REPEATS = (
    *("{0}", "{44}", "{45}", "{1000}", "{667}", "{0,500}", "{0,667}", "{0,2000}", "{2000}"),
    *("{2001}", "{0,2001}", "{700,2500}", "{,2}"),
)
SPACES = ("", " ", " ", "  ", "\n", " # note\n", "\t", "\r\n")


def random_expression(rng: random.Random, depth: int, later: tuple[str, ...]) -> str:
    """Return a choice of sequences of maybe repeated items."""
    alternatives = []
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3))):
        count = rng.choice((1, 1, 2, 2, 3)) if rng.random() < 0.98 else 0
        items = [random_item(rng, depth, later) for _ in range(count)]
        alternatives.append(" ".join(items))
    return rng.choice((" | ", "|", " |\n ")).join(alternatives)


def random_item(rng: random.Random, depth: int, later: tuple[str, ...]) -> str:
    if depth and rng.random() < 0.35:
        space = rng.choice(SPACES)
        item = f"({space}{random_expression(rng, depth - 1, later)}{rng.choice(SPACES)})"
    else:
        item = rng.choice(later if rng.random() < 0.3 and later else ATOMS)
        if rng.random() < 0.02:
            item = rng.choice(ODD_ATOMS)
    while rng.random() < 0.25:
        item += rng.choice(REPEATS if rng.random() < 0.95 else ODD_REPEATS)
    return item


def random_text(rng: random.Random) -> str:
    """Return a grammar with most of its rules defined, in random order, broken half of the time."""
    names = [name for name in RULE_NAMES if rng.random() < 0.97]
    names += [rng.choice(RULE_NAMES)] * (rng.random() < 0.1)
    rules = []
    for name in names:
        later = RULE_NAMES[RULE_NAMES.index(name) + 1 :]
        rules.append(f"{name} ::= {random_expression(rng, 2, later)}")
    rng.shuffle(rules)
    text = "\n".join(rules)
    if rng.random() < 0.4:
        for _ in range(rng.randint(1, 3)):
            at = rng.randint(0, len(text))
            text = text[:at] + rng.choice(("", *FRAGMENTS)) + text[at + rng.randint(0, 3) :]
    return text
