r"""Character classes of ECMA-262 by name: `\d \w \s .` and `\p{…}`.

General categories come from the standard library's `unicodedata` (its Unicode version is that of
the Python in use); scripts and binary properties, which it lacks, from `unicode.txt` beside this
file. Each set is made on first use and kept.
"""

from __future__ import annotations

import sys
import unicodedata
from functools import cache
from importlib.resources import files

from gbnfc.charset import SCALARS, CharSet

DIGIT = CharSet.from_chars("0123456789")
WORD = CharSet.of([(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)])
LINE_TERMINATOR = CharSet.from_chars("\n\r\u2028\u2029")
DOT = SCALARS - LINE_TERMINATOR
# ECMA-262 WhiteSpace (every Zs, tab, vertical tab, form feed, U+FEFF) and LineTerminator.
SPACE = CharSet.from_chars("\t\v\f \u00a0\u1680\u202f\u205f\u3000\ufeff") | LINE_TERMINATOR
SPACE = SPACE | CharSet.of([(0x2000, 0x200A)])

CLASS_ESCAPES = {
    "d": DIGIT,
    "D": SCALARS - DIGIT,
    "w": WORD,
    "W": SCALARS - WORD,
    "s": SPACE,
    "S": SCALARS - SPACE,
}

_CATEGORY_NAMES = {
    "Cased_Letter": "LC",
    "Close_Punctuation": "Pe",
    "Connector_Punctuation": "Pc",
    "Control": "Cc",
    "cntrl": "Cc",
    "Currency_Symbol": "Sc",
    "Dash_Punctuation": "Pd",
    "Decimal_Number": "Nd",
    "digit": "Nd",
    "Enclosing_Mark": "Me",
    "Final_Punctuation": "Pf",
    "Format": "Cf",
    "Initial_Punctuation": "Pi",
    "Letter": "L",
    "Letter_Number": "Nl",
    "Line_Separator": "Zl",
    "Lowercase_Letter": "Ll",
    "Mark": "M",
    "Combining_Mark": "M",
    "Math_Symbol": "Sm",
    "Modifier_Letter": "Lm",
    "Modifier_Symbol": "Sk",
    "Nonspacing_Mark": "Mn",
    "Number": "N",
    "Open_Punctuation": "Ps",
    "Other": "C",
    "Other_Letter": "Lo",
    "Other_Number": "No",
    "Other_Punctuation": "Po",
    "Other_Symbol": "So",
    "Paragraph_Separator": "Zp",
    "Private_Use": "Co",
    "Punctuation": "P",
    "punct": "P",
    "Separator": "Z",
    "Space_Separator": "Zs",
    "Spacing_Mark": "Mc",
    "Surrogate": "Cs",
    "Symbol": "S",
    "Titlecase_Letter": "Lt",
    "Unassigned": "Cn",
    "Uppercase_Letter": "Lu",
}


@cache
def _categories() -> dict[str, CharSet]:
    """Return the set of each two-letter General_Category, from one pass over all code points."""
    ranges: dict[str, list[tuple[int, int]]] = {}
    category = unicodedata.category
    start, current = 0, category("\0")
    for code_point in range(1, sys.maxunicode + 1):
        found = category(chr(code_point))
        if found != current:
            ranges.setdefault(current, []).append((start, code_point - 1))
            start, current = code_point, found
    ranges.setdefault(current, []).append((start, sys.maxunicode))
    return {name: CharSet(tuple(found)) for name, found in ranges.items()}


@cache
def _general_category(name: str) -> CharSet | None:
    short = _CATEGORY_NAMES.get(name, name)
    table = _categories()
    members = ["Lu", "Ll", "Lt"] if short == "LC" else [n for n in table if n.startswith(short)]
    if not short or not members or len(short) > 2:
        return None
    return CharSet.of(r for member in members for r in table[member].ranges) & SCALARS


@cache
def _unicode_lines() -> dict[tuple[str, str], str]:
    """Return the encoded ranges of `unicode.txt` by kind (`Script`, …) and name."""
    text = files("gbnfc.regex").joinpath("unicode.txt").read_text(encoding="utf-8")
    found: dict[tuple[str, str], str] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            head, _, ranges = line.partition(": ")
            kind, *names = head.split()
            found.update(dict.fromkeys(((kind, name) for name in names), ranges))
    return found


def _listed(kind: str, name: str) -> CharSet | None:
    encoded = _unicode_lines().get((kind, name))
    if encoded is None:
        return None
    numbers = [int(number, 16) for number in encoded.split()]
    ranges: list[tuple[int, int]] = []
    end = 0
    for gap, length in zip(numbers[::2], numbers[1::2], strict=True):
        ranges.append((end + gap, end + gap + length - 1))
        end += gap + length
    return CharSet.of(ranges) & SCALARS


@cache
def property_set(body: str) -> CharSet | None:
    r"""Return the set that `\p{body}` names (scalar values only), or `None` when it names nothing.

    `body` is `L`, `Letter`, `General_Category=L`, `gc=L`, `Script=Latin`, `sc=Latn`,
    `Script_Extensions=Latin`, `scx=Latn` or a binary property, spelled exactly (ECMA-262 22.2.1.1,
    tables 68 to 70).
    """
    name, equals, value = body.partition("=")
    if not equals:
        return _binary(name) or _general_category(name)
    match name:
        case "General_Category" | "gc":
            return _general_category(value)
        case "Script" | "sc":
            return _listed("Script", value)
        case "Script_Extensions" | "scx":
            return _listed("Script_Extensions", value) or _listed("Script", value)
        case _:
            return None


def _binary(name: str) -> CharSet | None:
    match name:
        case "Any":
            return SCALARS
        case "ASCII":
            return CharSet(((0, 0x7F),))
        case "Assigned":
            return SCALARS - _categories()["Cn"]
        case _:
            return _listed("Binary", name)


def with_case_variants(members: CharSet) -> CharSet:
    """Return `members` and all that differ from one of them in case only.

    As `i` has it in Unicode mode: characters of the same simple case folding (ECMA-262 22.2.2.7.3,
    Canonicalize; Unicode's CaseFolding.txt, status C and S).
    """
    found = [members]
    for group in _case_groups():
        if not members.isdisjoint(group):
            found.append(group)
    return CharSet.of([r for chars in found for r in chars.ranges])


@cache
def _case_groups() -> tuple[CharSet, ...]:
    """Return the sets of two characters and more that fold alike."""
    groups: dict[str, list[str]] = {}
    for first, last in SCALARS.ranges:
        for char in map(chr, range(first, last + 1)):
            folded = _simple_folding(char)
            if folded != char:
                groups.setdefault(folded, [folded]).append(char)
    return tuple(CharSet.from_chars(group) for group in groups.values())


def _simple_folding(char: str) -> str:
    folded = char.casefold()
    if len(folded) == 1:
        return folded
    lower = char.lower()  # a full folding is longer; the simple one, if any, is the lower case
    return lower if len(lower) == 1 else char
