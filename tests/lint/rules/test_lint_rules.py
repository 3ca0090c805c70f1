"""Every rule by its own manual, and by marked fixtures, near misses included."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gbnfc.lint import lint_grammar, lint_text
from gbnfc.lint.check_schema import lint_schema_text
from gbnfc.lint.diagnostic import Severity
from gbnfc.lint.manual import manual_of
from gbnfc.lint.registry import RULES
from gbnfc.source import Source

FOLDER = Path(__file__).parent
FIXTURES = sorted((FOLDER / "fixtures").glob("*.gbnf"))
_EXPECTED = re.compile(r"# expect: (?P<codes>[A-Z0-9 ]+)")


def deep_chain(length: int) -> str:
    lines = [f"r{i} ::= r{i + 1}" for i in range(length)]
    return "root ::= r0\n" + "\n".join(lines) + f'\nr{length} ::= "x"\n'


# Examples that are too large to print in a manual.
GENERATED = {
    "COST007": (deep_chain(1_001), deep_chain(900)),
    "TOK001": ("", ""),
    "LNT002": ('root ::= ("a"{2000} "b"{2000}){0,400}\n', 'root ::= "a"\n'),
    "LNT003": ("", ""),
}


def codes_of(code: str, text: str) -> list[str]:
    if code.startswith("SCH"):
        return [d.code for d in lint_schema_text(Source(text, "example.json"))]
    return [d.code for d in lint_grammar(text)]


def examples() -> list:
    found = []
    for rule in RULES:
        manual = manual_of(rule)
        example, instead = GENERATED.get(rule.CODE, (manual.example, manual.instead))
        found.append(pytest.param(rule, example, instead, id=rule.CODE))
    return found


def test_codes_and_names_are_unique_and_sorted_by_family() -> None:
    codes = [rule.CODE for rule in RULES]
    names = [rule.NAME for rule in RULES]
    assert len(set(codes)) == len(codes)
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[A-Z]{3,4}\d{3}", code) for code in codes)
    assert all(re.fullmatch(r"[a-z0-9-]+", name) for name in names)


def test_every_rule_module_is_registered() -> None:
    modules = {p.stem for p in (FOLDER.parents[2] / "gbnfc/lint/rules").rglob("*.py")}
    assert modules - {"__init__"} == {rule.__name__.rpartition(".")[2] for rule in RULES}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.CODE)
def test_manual_is_complete(rule) -> None:
    manual = manual_of(rule)
    assert manual.what
    assert manual.why
    assert "### Example" in manual.text
    assert "### Use instead" in manual.text
    assert rule.CODE in GENERATED or (manual.example and manual.instead)


@pytest.mark.parametrize(("rule", "example", "instead"), examples())
def test_example_triggers_exactly_this_rule(rule, example, instead) -> None:
    if rule.CODE in ("LNT002", "LNT003", "TOK001"):
        pytest.skip("has a test of its own")
    assert set(codes_of(rule.CODE, example)) == {rule.CODE}
    assert codes_of(rule.CODE, instead) == []


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_fixture_lines_have_the_findings_they_are_marked_with(path) -> None:
    text = path.read_text(encoding="utf-8")
    expected = sorted(
        (number, code)
        for number, line in enumerate(text.splitlines(), 1)
        if (match := _EXPECTED.search(line))
        for code in match["codes"].split()
    )
    found = sorted((d.position.line, d.code) for d in lint_grammar(text) if d.position)
    assert found == expected


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("root ::= sum\nsum ::= num | diff\ndiff ::= sum \"-\" num\nnum ::= [0-9]", "STR005",
         "left recursion: sum -> diff -> sum"),
        ('root ::= pre root "x" | "y"\npre ::= " "?', "STR005", "left recursion: root -> root"),
        ('root ::= "1. " mvoe\nmove ::= [a-h]', "STR001", "the rule mvoe is not defined"),
        ('answer ::= "ok"', "STR002", "no rule named root; defined: answer"),
        ('root ::= "\\"" [^"\\\\]{0,9} "\\""', "JSON001",
         'the string may hold a raw control character: "\\u0000"'),
        ('root ::= "[" [0-9]{1,4} "]"', "JSON003", 'JSON refuses the number "00": a leading zero'),
        ('root ::= "#" o o o\no ::= [a-z]?', "COST001",
         "3 neighbouring parts can each take the same text: up to 4 stacks at once"),
        ('root ::= "a"{2000000000,2147483647}', "COST004", None),
    ],
)  # fmt: skip
def test_message(text: str, code: str, message: str | None) -> None:
    found = [d for d in lint_grammar(text) if d.code == code]
    assert found
    assert message is None or found[0].message == message


@pytest.mark.parametrize(
    "text",
    [
        "root ::= jp+\njp ::= [ぁ-ゟァ-ヿ一-鿿]",
        "root ::= [😀-🙏]+",
        'root ::= a # note\na ::= "x" # end',
        'root ::= "{\\"date\\": \\"" day "\\"}"\nday ::= [0-9]{4} "-" [0-9]{2}',
        "root ::= [a-z]{1,9} [0-9]{0,9}",
        'root ::= "a" ("b" | "c") "d"?',
    ],
)
def test_nothing_to_say(text: str) -> None:
    assert lint_grammar(text) == ()


ENGINE_LEFT_RECURSION = [
    'root ::= ("a" | "")* "b"',
    'root ::= "b" ("" | "a")+',
    'root ::= ([] | "a"){2,}',
    'root ::= a{0,0} "c"\na ::= ("x"?)* "b" | ("y" | ){3,}',
    'root ::= "a"?* "b"',
    'root ::= "a"{0,3}+ "b"',
    'root ::= ("a" | "")* root "b" | "c"',
    'root ::= ("a" b | "")? root "b" | "c"\nb ::= "x"',
    'root ::= a a root "b" | "c"\na ::= "x" | ',
]
LOADS = [
    'root ::= "b" (() | "a")+',
    'root ::= (("a" | ""))* "b"',
    'root ::= ("a"?)* "b"',
    'root ::= e* "b"\ne ::= ("a" | "") ""',
    'root ::= ("a" | ""){0,5} "b"',
]


@pytest.mark.parametrize("text", ENGINE_LEFT_RECURSION)
def test_what_llama_cpp_takes_for_left_recursion_is_an_error(text: str, judge) -> None:
    assert not judge.loads(text)
    found = [d for d in lint_grammar(text) if d.severity is Severity.ERROR]
    assert "STR005" in {d.code for d in found}
    assert all(d.span is not None for d in found)


@pytest.mark.parametrize("text", LOADS)
def test_what_llama_cpp_overlooks_and_survives_is_none(text: str, judge) -> None:
    assert judge.loads(text)
    assert not [d for d in lint_grammar(text) if d.severity is Severity.ERROR]


BROKEN = [
    # A rule that cannot be read hides nothing of the others, and nothing is made up about it.
    ('root ::= ("a" b\nb ::= [a-z]? [a-z]? nope\nlost ::= "x"', "SYN001 COST001 STR001 STR004"),
    ("root ::= 'a' b\nb ::= [a-z]? [a-z]?", "SYN004 COST001"),
    ('root = "a" b_c d\nb_c = d\nd := "x"\nlost = "y"', "SYN003 SYN002 SYN003 SYN003 STR004"),
    ('root ::= "a"\n  | b\nb ::= ("x"*)* "y"', "SYN001 COST002"),
    ('root ::= %\nb ::= b "x" | "y"', "SYN001 STR004 STR005"),
    ('a ::= %\nb ::= "x"', "STR002 SYN001"),
    ("root ::= b\nb ::= %", "SYN001"),
    ("%", "SYN001"),
    ('root ::= ("a" b{0,50}){900}\nb ::= %', "SYN001 COST004"),
    ('<root> ::= "a" <b>\n<b> ::= "c"', "SYN001 SYN001"),
    ('root ::= "a" %\n' * 30 + 'b ::= "c"', "STR003 " * 29 + "STR004 " + "SYN001 " * 20),
]


@pytest.mark.parametrize(("text", "codes"), BROKEN)
def test_what_can_be_read_of_a_broken_text_is_linted(text: str, codes: str) -> None:
    found = lint_grammar(text)
    assert sorted(d.code for d in found) == sorted(codes.split())
    assert not [d for d in found if d.fix is not None and not d.code.startswith("SYN")]


class TwoTokens:
    """A vocabulary in which only `<think>` is one token."""

    size = 100

    def tokenize(self, text: str) -> tuple[int, ...]:
        return (7,) if text == "<think>" else (1, 2)


def test_tokens_are_checked_against_a_vocabulary() -> None:
    source = Source("root ::= <think> [a-z]{1,9} <nope> !<[99]> <[100]>")
    found = lint_text(source, TwoTokens())
    assert [(d.code, source.text[slice(*d.span)]) for d in found] == [
        ("TOK001", "<nope>"),
        ("TOK001", "<[100]>"),
    ]
    assert lint_text(source) == ()


def test_a_rule_that_runs_out_of_budget_says_so() -> None:
    names = [f"r{i}" for i in range(700)]
    text = "root ::= " + " | ".join(f"x{name}" for name in names)
    text += "\n" + "\n".join(f'{name} ::= "a"' for name in names)
    found = lint_grammar(text)
    assert any(d.code == "LNT002" and "STR001" in d.message for d in found)


HOSTILE = {
    "nested": "root ::= " + "(" * 100_000 + '"a"' + ")" * 100_000,
    "long literal": 'root ::= "' + "a" * 3_000_000 + '"',
    "huge count": 'root ::= "a"{999999999}',
    "reversed count": 'root ::= "a"{5,2}',
    "many optionals": "root ::= " + " ".join(["[a-z]?"] * 1_500),
    "many literals": "root ::= " + " | ".join(f'"w{i}"' for i in range(5_000)),
    "entangled": "root ::= " + " | ".join(f'[a-z]{{{i}}} "{i}"' for i in range(150)),
    "many comments": "# gbnfc: ignore[STR]\n" * 2_000 + 'root ::= "a"',
    "doubling": "root ::= a0\n"
    + "\n".join(f'a{i} ::= a{i + 1} a{i + 1} | "x"' for i in range(40))
    + '\na40 ::= "y"',
    "many unused rules": 'root ::= "a"\n' + "".join(f'r{i} ::= "b"\n' for i in range(10_000)),
    "many silenced rules": "root ::= x\n"
    + "".join(f'r{i} ::= "b" # gbnfc: ignore[STR004]\n' for i in range(10_000)),
    "not a text": "\x00\ud800\ufeff",
    "nothing": "",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_answered(name: str) -> None:
    assert lint_grammar(HOSTILE[name])
