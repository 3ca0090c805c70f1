"""For each cost rule, what llama.cpp takes before and after the fix. Part of `mask_cost.py`.

Measured with the 49k vocabulary of SmolLM2 and llama.cpp as in llama-cpp-python 0.3.36, two shared
cores (a grammar with one stack takes about 4 ms there; the factors are what counts):

    rule      about             before       after   times  before
    COST001   mask           387.88 ms     4.18 ms    92.8  24 times [a-z]?
    COST001   mask            70.64 ms     6.75 ms    10.5  12 optional words
    COST002   mask            13.77 ms     4.26 ms     3.2  repetitions three deep
    COST002   mask         1,101.04 ms     4.60 ms   239.3  repetitions five deep
    COST003   mask            99.17 ms     4.51 ms    22.0  four overlapping alternatives, repeated
    COST004   loading          refused     0.40 ms       -
    COST005   the bound       not held        held       -  the mask is the same; the end is not
    COST006   mask           155.75 ms     4.49 ms    34.7  240 words
    COST007   loading          1.19 ms     0.25 ms     4.8  one call per rule: the danger is a crash
    COST008   mask            39.16 ms     3.86 ms    10.1  six overlapping runs
    COST009   mask           322.19 ms     4.49 ms    71.8  ten repetitions, each open to the next
    COST010   older builds     7.53 ms     7.52 ms     1.0  refused by builds of a year
    COST011   loading            > 3 s     0.19 ms       -
"""

from __future__ import annotations

from dataclasses import dataclass

from mask_meter import TooSlow

from gbnfc.errors import EngineError, LimitExceeded
from gbnfc.gbnf.parse import parse_gbnf
from gbnfc.lint.analysis.cost import Survey
from gbnfc.lint.check import lint_text
from gbnfc.lint.edits.fix import fix_text
from gbnfc.lint.registry import RULES
from gbnfc.source import Source

_WORDS = [f"{a}{b}{c}" for a in "abcdefgh" for b in "aeiou" for c in "lmnrst"]
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def _levels(count: int) -> str:
    """Return rules that each may start with the next in ten ways."""
    lines = [
        f"{name} ::= " + " | ".join(f'r{n + 1} "{letter}"' for letter in _LETTERS[:10])
        for n, name in enumerate(["root", *(f"r{n}" for n in range(1, count))])
    ]
    return "\n".join([*lines, f'r{count} ::= "x"'])


def _chain(count: int) -> str:
    lines = ["root ::= r1", *(f"r{n} ::= r{n + 1}" for n in range(1, count))]
    return "\n".join([*lines, f"r{count} ::= [a-z]+"])


@dataclass(frozen=True, slots=True)
class Pair:
    """A grammar with a finding, and what to write instead; `None`: what `--fix` makes of it.

    `about` tells what the rule is about where that is not the mask.
    """

    code: str
    before: str
    after: str | None = None
    about: str = ""


PAIRS = (
    Pair("COST001", 'root ::= "#" ' + " ".join(["[a-z]?"] * 24)),
    Pair("COST001", 'root ::= "#" ' + " ".join(["w?"] * 12) + '\nw ::= [a-z]{1,9} " "'),
    Pair("COST002", 'root ::= "#" (([a-z]+)+)+ "."'),
    Pair("COST002", 'root ::= "#" (((([a-z]+)+)+)+)+ "."'),
    Pair(
        "COST003",
        'root ::= "0x" ([a-z]+ | [b-z0-9]+ | [c-z0-9_]+ | [d-z_]+)+ "."',
        'root ::= "0x" [a-z0-9_]+ "."',
    ),
    Pair("COST004", 'root ::= ([a-z]{0,50} " "){1,100}', about="loading"),
    Pair("COST005", 'root ::= "#" [a-z]{0,5000}', about="the bound"),
    Pair("COST006", 'root ::= "It" (' + " | ".join(f'" {w}"' for w in _WORDS) + ")"),
    Pair("COST007", _chain(1_500), "root ::= [a-z]+", about="loading"),
    Pair(
        "COST008",
        'root ::= "#" [a-m]{0,9} [b-n]{0,9} [c-o]{0,9} [d-p]{0,9} [e-q]{0,9} [f-r]{0,9}',
        'root ::= "#" [a-r]{0,54}',
    ),
    Pair(
        "COST009",
        "root ::= " + " ".join(f"[{letter}-z]*" for letter in _LETTERS[:10]) + ' "."',
        'root ::= [a-z]* "."',
    ),
    Pair(
        "COST010",
        r'root ::= "\"" c{0,2000} "\""' + '\nc ::= [^"\\\\\\x00-\\x1F]',
        r'root ::= "\"" c{0,1999} "\""' + '\nc ::= [^"\\\\\\x00-\\x1F]',
        about="older builds",
    ),
    Pair("COST011", _levels(9), 'root ::= "x" [a-j]{9}', about="loading"),
)


def print_fixes(meter) -> None:
    """Print a line for each pair: rule, before, after, the factor between them."""
    print(f"\n{'rule':<9} {'about':<13} {'before':>12} {'after':>10} {'times':>7}  before")
    names = {rule.CODE: rule.NAME for rule in RULES}
    for pair in PAIRS:
        after = pair.after or fix_text(Source(pair.before), lint_text, unsafe=True).text
        assert pair.code in _codes(pair.before), f"{pair.code} has nothing to say before"
        assert pair.code not in _codes(after), f"{pair.code} has something to say after"
        shown, times = zip(
            *(_measure(meter, text, pair) for text in (pair.before, after)), strict=True
        )
        factor = f"{times[0] / times[1]:.1f}" if all(times) else "-"
        text = pair.before.split("\n")[0].removeprefix("root ::= ")[:44]
        print(
            f"{pair.code:<9} {pair.about or 'mask':<13} {shown[0]:>12} {shown[1]:>10} "
            f"{factor:>7}  {text}  ({names[pair.code]})"
        )


def _codes(text: str) -> set[str]:
    return {diagnostic.code for diagnostic in lint_text(Source(text))}


def _measure(meter, text: str, pair: Pair) -> tuple[str, float | None]:
    try:
        prefix = Survey(parse_gbnf(text)).estimate_mask().prefix
    except LimitExceeded:
        prefix = ""
    if pair.about == "the bound":
        prefix = "#" + "a" * 5_001
    try:
        found = meter.measure(text, prefix)
    except TooSlow:
        return f"> {meter.limit_s:g} s", None
    except EngineError:
        return "held" if pair.about == "the bound" else "refused", None
    if pair.about == "the bound":
        return "not held", None
    seconds = found.load_s if pair.about == "loading" else found.mask_s
    return f"{seconds * 1000:.2f} ms", seconds
