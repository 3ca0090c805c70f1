"""Fixes: what becomes of a text, that the language stays, that a second run changes nothing."""

from __future__ import annotations

import itertools
import string

import pytest

from gbnfc.gbnf.parse import parse_gbnf
from gbnfc.lint import lint_text
from gbnfc.lint.analysis.automata import Automaton
from gbnfc.lint.diagnostic import Diagnostic, Edit, Fix, Severity
from gbnfc.lint.edits import fix
from gbnfc.lint.edits.fix import apply_edits, fix_text
from gbnfc.lint.edits.proof import prove_same_language
from gbnfc.match import compile_matcher, match_text
from gbnfc.source import Source, Span

UNCHANGED = [
    'root ::= "a"? "b"? "c"?',
    'root ::= "#" [a-z]? # why\n',
    'root ::= ("a" | "b") "c"',
    'root ::= (\n  "a" |\n  # kept\n  "a"\n)',
    # What takes too long to prove is left, and said.
    'root ::= [a-z]{0,2500}{2}+ | "none"',
]
SAFE = [
    ("root ::= [a-f]? [a-f]? [a-f]?", "root ::= [a-f]{0,3}"),
    ("root ::= [a-f]? [a-f]*", "root ::= [a-f]*"),
    ('root ::= "#" ("ab"?) (("ab"? ) )', 'root ::= "#" "ab"{0,2}'),
    ('root ::= ("#" ("ab"?) "ab"?) | "x"', 'root ::= ("#" "ab"{0,2}) | "x"'),
    ("root ::= [a-f]+ [a-f]+", "root ::= [a-f]{2,}"),
    ('root ::= ("a" | "") ("a" | "")', 'root ::= "a"{0,2}'),
    ('root ::= "#" o o o "."\no ::= [a-z]?', 'root ::= "#" [a-z]{0,3} "."\no ::= [a-z]?'),
    ('root ::= "#" ws ws "."\nws ::= [ \\t]*', 'root ::= "#" ws "."\nws ::= [ \\t]*'),
    ('root ::= ("ab")? ("ab")?', 'root ::= "ab"{0,2}'),
    ('root ::= ([a-z]+)+ "."', 'root ::= [a-z]+ "."'),
    ('root ::= "#" ((([a-z]+)+)*)+ "."', 'root ::= "#" [a-z]* "."'),
    ('root ::= "#" (("a"{2})+)? (("a"{2})+)?', 'root ::= "#" (("a"{2})+){0,2}'),
    ('root ::= ((("a" | "b")?) (("c"+)?))* "."', 'root ::= (("a" | "b") | "c"+)* "."'),
    ('root ::= (([a-c] | ""))+ "."', 'root ::= [a-c]* "."'),
    ('root ::= ( "a"* )* "."', 'root ::= "a"* "."'),
    ('root ::= ("a"? "b"*)* "."', 'root ::= ("a" | "b")* "."'),
    ('root ::= "yes" | "no" | "yes"', 'root ::= "yes" | "no"'),
    ('root ::= "none" | [a-z]+', "root ::= [a-z]+"),
    ("root ::= [\\-a-z]+", "root ::= [a-z-]+"),
    ("root ::= my_rule # my_rule\nmy_rule ::= [a-z]",
     "root ::= my-rule # my_rule\nmy-rule ::= [a-z]"),
    ('root ::= a_b a-b\na_b ::= "x"\na-b ::= "y"',
     'root ::= a-b-2 a-b\na-b-2 ::= "x"\na-b ::= "y"'),
    ('root ::= "#" [a-z]{0,2500}',
     'root ::= "#" root-block{0,49} [a-z]{0,50}\nroot-block ::= [a-z]{50}'),
    ('root ::= "#" [a-z]{0,2500}{2}',
     'root ::= "#" (root-block{0,49} [a-z]{0,50}){2}\nroot-block ::= [a-z]{50}'),
    ('root ::= "#" ([a-z]{0,50} " "){1,100} "."\n',
     'root ::= "#" root-part{1,100} "."\nroot-part ::= [a-z]{0,50} " "\n'),
    ('root ::= (\n  "A" | [a-z]{0,50}\n){100}',
     'root ::= root-part{100}\nroot-part ::= (\n  "A" | [a-z]{0,50}\n)'),
    ('root ::= "x" [a-z]? [a-z]? # note',
     'root ::= "x" [a-z]{0,2} # note'),
]  # fmt: skip
UNSAFE = [
    ("root = 'yes'", 'root ::= "yes"'),
    ('root ::= "a";\n', 'root ::= "a"\n'),
    ('root ::= "a"\nlost ::= "b"\n', 'root ::= "a"\n'),
    ("root ::= mvoe\nmove ::= [a-h]", "root ::= move\nmove ::= [a-h]"),
]


def fixed(text: str, *, unsafe: bool) -> str:
    return fix_text(Source(text), lint_text, unsafe=unsafe).text


@pytest.mark.parametrize("text", UNCHANGED)
def test_left_alone(text: str) -> None:
    assert fixed(text, unsafe=False) == text


@pytest.mark.parametrize(("before", "after"), SAFE)
def test_safe_fix(before: str, after: str) -> None:
    assert fixed(before, unsafe=False) == after
    assert fixed(after, unsafe=False) == after


@pytest.mark.parametrize(("before", "after"), UNSAFE)
def test_unsafe_fix(before: str, after: str) -> None:
    assert fixed(before, unsafe=False) == before
    assert fixed(before, unsafe=True) == after


@pytest.mark.parametrize("safe", [True, False])
def test_no_fix_writes_what_llama_cpp_refuses(safe: bool, judge) -> None:
    before, after = 'root ::= (("a" | ""))* "."', 'root ::= ("a" | "")* "."'
    assert judge.loads(before)
    assert not judge.loads(after)
    assert prove_same_language(before, after) is not None

    def lint(source: Source) -> tuple[Diagnostic, ...]:
        fix = Fix("Take out the parentheses", (Edit(Span(0, len(before)), after),), safe=safe)
        found = Diagnostic("X", "x", Severity.WARNING, "", span=Span(0, 1), fix=fix, source=source)
        return (found,) if source.text == before else ()

    done = fix_text(Source(before), lint, unsafe=True)
    assert done.text == before
    assert [diagnostic.code for diagnostic in done.unproved] == ["X"]


UNROLLED = [
    ('e ::= e "+" t | t', 'e ::= t ("+" t)*'),
    ('e ::= t | e "+" t | e "-" (t | "z") | "y"', 'e ::= (t | "y") ("+" t | "-" (t | "z"))*'),
    ('e ::= e e | "a"', 'e ::= ("a")+'),
    ('e ::= e e | e "+" | "a"', 'e ::= ("a" ("+")*)+'),
    ('e ::= e "(" e ")" | "a"', 'e ::= "a" ("(" e ")")*'),
    ('e ::= (e "+" t | t) # sum', 'e ::= (t ("+" t)*) # sum'),
]
NOT_UNROLLED = [
    'e ::= e "+" t',
    "e ::= e | t",
    'e ::= e "+"? | t',
    'e ::= e "+" t | t?',
    'e ::= d | t\nd ::= e "-" t',
    'e ::= (e "+" t | # why\n t)',
]


@pytest.mark.parametrize(("before", "after"), UNROLLED)
def test_direct_left_recursion_becomes_a_repetition(before: str, after: str, judge) -> None:
    old, new = (f'root ::= e\n{text}\nt ::= "x"' for text in (before, after))
    (found,) = [d for d in lint_text(Source(old)) if d.code == "STR005"]
    assert found.fix is not None
    assert not found.fix.safe
    assert apply_edits(old, found.fix.edits) == new
    assert not judge.loads(old)
    assert judge.loads(new)
    programs = [compile_matcher(parse_gbnf(text)) for text in (old, new)]
    for length in range(4):
        for letters in itertools.product("a+xy-()", repeat=length):
            text = "".join(letters)
            verdicts = {match_text(g, text).verdict for g in programs}
            assert len(verdicts) == 1, text


@pytest.mark.parametrize("text", NOT_UNROLLED)
def test_left_recursion_that_is_left(text: str) -> None:
    found = lint_text(Source(f'root ::= e\n{text}\nt ::= "x"'))
    assert [d.fix for d in found if d.code == "STR005"] == [None]


def test_literal_alternation_becomes_a_tree() -> None:
    words = [f'"{a}{b}{c}"' for a in "ab" for b in "cde" for c in "fghi"]
    text = fixed(f"root ::= {' | '.join(words)}\n", unsafe=False)
    assert text.startswith('root ::= "a" (')
    assert fixed(text, unsafe=False) == text


@pytest.mark.parametrize(
    ("before", "after", "equal"),
    [
        ("root ::= [a-z]? [a-z]?", "root ::= [a-z]{0,2}", True),
        ("root ::= [a-z]? [a-z]?", "root ::= [a-z]{0,3}", False),
        ('root ::= "(" root ")" | "x"', 'root ::= "x" | "(" root ")"', True),
        ('root ::= "(" root ")" | "x"', 'root ::= "(" root ")" | "x" | "()"', False),
        ('root ::= a\na ::= "x" a | "y"', 'root ::= "x"* "y"', True),
        ('root ::= a "z"\na ::= "(" a ")" | ""', 'root ::= b "z"\nb ::= "" | "(" b ")"', True),
        ('root ::= a "z"\na ::= "(" a ")" | ""', 'root ::= "("* ")"* "z"', False),
        ("root ::= a_b\na_b ::= [a]", "root ::= c\nc ::= [a]", True),
        ("root ::= a_b a-b", "root ::= c c", False),
    ],
)
def test_proof(before: str, after: str, equal: bool) -> None:
    assert (prove_same_language(before, after) is not None) is equal


WORDS = [f'[a-z]* "{letter}" [a-z]{{12}}' for letter in string.ascii_lowercase]
HARD = '([a-z]* "a" [a-z]{30})? ([a-z]* "a" [a-z]{30})?'
"""What takes more than one file may spend to be shown."""
COSTLY = {
    "many letters": f"root ::= ({' | '.join(WORDS)})? ({' | '.join(WORDS)})?",
    "many rules": f"root ::= {' '.join(f'r{i}' for i in range(40))}\n"
    + "".join(f"r{i} ::= {HARD.replace('30', str(20 + i))} # {i}\n" for i in range(40)),
    "many long rules": f"root ::= {' '.join(f'r{i}' for i in range(9))}\n"
    + "".join(f'r{i} ::= ("{i}" ([a-z]{{999}} "b"?){{19}})? ("{i}" ([a-z]{{999}} "b"?){{19}})?\n'
              for i in range(9)),
}  # fmt: skip


@pytest.mark.parametrize("name", COSTLY)
def test_what_the_proofs_of_a_file_look_at_is_bounded(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at = 0
    step, new_state = Automaton.step, Automaton.new_state

    def counted_step(self: Automaton, states: frozenset[int], letter: int) -> frozenset[int]:
        nonlocal looked_at
        looked_at += len(states)
        return step(self, states, letter)

    def counted_state(self: Automaton) -> int:
        nonlocal looked_at
        looked_at += 1
        return new_state(self)

    most = 600_000  # less than the true limit, so that the test is quick
    monkeypatch.setattr(fix, "FILE_STEPS", most)
    found = lint_text(Source(COSTLY[name]))
    monkeypatch.setattr(Automaton, "step", counted_step)
    monkeypatch.setattr(Automaton, "new_state", counted_state)
    done = fix_text(Source(COSTLY[name]), lambda _: found, unsafe=False)
    assert done.unproved
    assert most / 20 < looked_at <= most


def test_what_is_quickly_proved_is_fixed_beside_what_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fix, "FILE_STEPS", 600_000)
    count = 12
    rules = "".join(f'e{i} ::= "#" "a{i}"? "a{i}"?\n' for i in range(count))
    text = f"root ::= {' '.join(f'e{i}' for i in range(count))} h\n{rules}h ::= {HARD}\n"
    done = fix_text(Source(text), lint_text, unsafe=False)
    assert (len(done.applied), len(done.unproved)) == (count, 1)
