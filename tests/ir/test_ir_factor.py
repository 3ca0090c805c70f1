"""Left factoring: the same language, with what alternatives begin with written once."""

from __future__ import annotations

import itertools
import random

import pytest

from gbnfc.gbnf.parse import parse_gbnf
from gbnfc.gbnf.spell import spell
from gbnfc.ir.factor import MAX_OPENED, factor
from gbnfc.ir.nodes import Choice, Grammar, Rule, RuleRef
from gbnfc.match import Verdict, compile_matcher, match_text

TEXTS = ["".join(chars) for size in range(7) for chars in itertools.product("ab", repeat=size)]


def factored(text):
    """Return the grammar of `text` with its root factored, and the root's new body."""
    grammar = parse_gbnf(text)
    bodies = {rule.name: rule.body for rule in grammar.rules}
    root = bodies["root"]

    def new_rule(body):
        reference = RuleRef(f"new-{len(bodies)}")
        bodies[reference.name] = body
        return reference

    alternatives = root.alternatives if isinstance(root, Choice) else (root,)
    bodies["root"] = factor(alternatives, bodies, new_rule)
    return Grammar(tuple(Rule(name, body) for name, body in bodies.items()))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('root ::= "ab" | "ac"', '"a" ("b" | "c")'),
        ('root ::= "a" | "ab"', '"a" "b"?'),
        ('root ::= "ab" x | "ab" y\nx ::= [0-9]\ny ::= [a-f]', '"ab" (x | y)'),
        # References are opened only where that shows a shared start.
        ('root ::= x | y\nx ::= "{a" [0-9]\ny ::= "{b"', '"{" ("a" [0-9] | "b")'),
        ('root ::= x | y\nx ::= "a" [0-9]\ny ::= "b"', "x | y"),
        ('root ::= x "1" | x "2"\nx ::= [a-z]+', 'x ("1" | "2")'),
        ('root ::= [a-z] "1" | "b" "1"?', '[a-z] "1" | "b" "1"?'),
        # What one alternative holds twice over is written once.
        (
            'root ::= "(" x ")" | "(" ("k" | "l" | "m") ")"\nx ::= "k" | "l"',
            '"(" ("k" | "l" | "m") ")"',
        ),
        # A recursive rule is opened once.
        ('root ::= x | "[]"\nx ::= "[" x "]" | "x"', '"[" x? "]" | "x"'),
    ],
)
def test_what_is_shared_is_written_once(text, wanted):
    assert spell(factored(text).rules[0].body) == wanted


def random_grammar(rng):
    def expression(depth):
        kind = rng.random()
        if depth == 0 or kind < 0.4:
            return f'"{"".join(rng.choices("ab", k=rng.randint(1, 3)))}"'
        if kind < 0.6:
            return rng.choice(["x", "y", "z"])
        if kind < 0.75:
            return f"({expression(depth - 1)} | {expression(depth - 1)})"
        if kind < 0.85:
            return f"{expression(depth - 1)} {expression(depth - 1)}"
        if kind < 0.9:
            return "[ab]"
        return f"({expression(depth - 1)}){rng.choice('?*')}"

    def body(size):
        return " | ".join(
            " ".join(expression(2) for _ in range(rng.randint(1, 3))) for _ in range(size)
        )

    # Rules refer to later ones only, or behind a character: nothing is left recursive.
    return (
        f"root ::= {body(rng.randint(2, 5))}\n"
        f'x ::= "a" ({body(2)}) | "b"\n'
        f'y ::= "ab" | "b" ({body(1)})\n'
        f'z ::= "a" z | "b"\n'
    )


@pytest.mark.parametrize("seed", range(100))
def test_the_language_is_the_same(seed):
    text = random_grammar(random.Random(seed))
    before = compile_matcher(parse_gbnf(text))
    after = compile_matcher(factored(text))
    for word in TEXTS:
        verdicts = [match_text(p, word).verdict is Verdict.ACCEPTED for p in (before, after)]
        assert verdicts[0] == verdicts[1], (text, word)


def test_factoring_stops_in_time():
    # Each rule opens into both of the next: two to the power of forty rows.
    rules = [f"r{n} ::= r{n + 1} | r{n + 1} r{n + 1}" for n in range(40)]
    text = "\n".join(["root ::= r0 | r1 | r2", *rules, 'r40 ::= "a" | "ab"'])
    grammar = factored(text)
    assert len(grammar.rules) < 2 * MAX_OPENED
