"""Pattern text → syntax tree, as ECMA-262 (2025, section 22.2.1) reads it.

Every construct that Unicode mode allows has its Unicode-mode meaning; one that it would refuse gets
the lenient reading of Annex B.1.2 where validators read it so (`\\-`, a lone `{` or `]`, `[\\w-.]`,
octal escapes). `\\A`, `\\z` and `\\Z` are the ends of the text, as in Python, Rust and Perl: nobody
means the letters by them. `(?P<name>…)` is a named group, as in Python. What Annex B would read as
letters and other engines as something else (`[[:alpha:]]`, `a{,3}`) is a `PatternError` at its
place, as all else is (`\\h`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NoReturn

from gbnfc.charset import MAX_CODE_POINT, SCALARS, CharSet
from gbnfc.errors import LimitExceeded, PatternError
from gbnfc.regex.classes import CLASS_ESCAPES, DOT, WORD, property_set, with_case_variants
from gbnfc.regex.syntax import (
    Anchor,
    Chars,
    Concat,
    Look,
    LookKind,
    Node,
    Quantified,
    alternation,
    concat,
)
from gbnfc.source import Source, Span

MAX_LENGTH = 100_000
"""How many characters a pattern may have."""

MAX_NESTING = 50
"""How deep groups may nest: what follows recurses on the tree."""

_BRACES = re.compile(r"\{([0-9]+)(?:(,)([0-9]*))?\}")
_NO_MINIMUM = re.compile(r"\{,([0-9]+)\}")
_MODIFIERS = re.compile(r"(?P<on>[ims]*)(?:-(?P<off>[ims]*))?:")
_POSIX_NAMES = "alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper|word|xdigit"
_POSIX_CLASS = re.compile(rf"\[:\^?(?:{_POSIX_NAMES}):\]")
_NOT_REPEATABLE = ("^", "$", "\\A", "\\z", "\\Z", "\\b", "\\B", "(?<=", "(?<!")
_LOOKS = {kind.value: kind for kind in LookKind}
_CONTROL_ESCAPES = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
_HEX = re.compile(r"[0-9A-Fa-f]+")
_GROUP_NAME = re.compile(r"P?<([\w$]+)>")
_OCTAL = re.compile(r"[0-3][0-7]{0,2}|[4-7][0-7]?")
_CAPTURE = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]?|\((?!\?)|\(\?P?<(?![=!])", re.DOTALL)


@lru_cache(maxsize=64)
def parse_pattern(pattern: str) -> Node:
    """Parse `pattern` (without delimiters and flags) into its syntax tree.

    Raises:
        PatternError: not a regular expression of ECMA-262, or one with a back-reference.
        LimitExceeded: longer than `MAX_LENGTH` characters.
    """
    if len(pattern) > MAX_LENGTH:
        raise LimitExceeded(f"the pattern is longer than {MAX_LENGTH} characters")
    return _Parser(pattern).parse()


@dataclass
class _Parser:
    text: str
    at: int = 0
    captures: int = field(init=False)
    has_names: bool = field(init=False)
    modifiers: frozenset[str] = frozenset()
    """Those of `i` and `s` that hold where the parser stands."""

    def __post_init__(self) -> None:
        groups = [found for found in _CAPTURE.findall(self.text) if found[0] == "("]
        self.captures = len(groups)
        self.has_names = any(len(group) > 1 for group in groups)

    def parse(self) -> Node:
        node = self.alternation(0)
        if self.at < len(self.text):
            self.fail("unmatched ')'", self.at, hint=r"write \) for a parenthesis in the text")
        return node

    def fail(
        self, message: str, start: int, end: int | None = None, hint: str | None = None
    ) -> NoReturn:
        span = Span(start, max(start + 1, end or 0))
        raise PatternError(message, source=Source(self.text, "pattern"), span=span, hint=hint)

    def peek(self, width: int = 1) -> str:
        return self.text[self.at : self.at + width]

    def take(self, token: str) -> bool:
        if self.text.startswith(token, self.at):
            self.at += len(token)
            return True
        return False

    # Structure ---------------------------------------------------------------------------------

    def alternation(self, depth: int) -> Node:
        options = [self.concatenation(depth)]
        while self.take("|"):
            options.append(self.concatenation(depth))
        return alternation(options)

    def concatenation(self, depth: int) -> Node:
        items: list[Node] = []
        while self.at < len(self.text) and self.peek() not in "|)":
            start = self.at
            items.append(self.quantified(start, self.atom(depth)))
        return concat(items)

    def quantified(self, atom_start: int, body: Node) -> Node:
        start = self.at
        bounds = self.quantifier()
        if bounds is None:
            return body
        if self.text.startswith(_NOT_REPEATABLE, atom_start):
            self.fail("nothing to repeat here", start, self.at)
        self.take("?")  # Lazy: another order of search, the same language.
        minimum, maximum = bounds
        if maximum is not None and maximum < minimum:
            self.fail("numbers out of order in the quantifier", start, self.at)
        return Quantified(body, minimum, maximum)

    def quantifier(self) -> tuple[int, int | None] | None:
        simple = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(self.peek())
        if simple:
            self.at += 1
            return simple
        found = _BRACES.match(self.text, self.at)
        if not found:
            return None
        self.at = found.end()
        minimum = _bounded_int(found[1])
        if not found[2]:
            return minimum, minimum
        return minimum, _bounded_int(found[3]) if found[3] else None

    def atom(self, depth: int) -> Node:
        start = self.at
        char = self.peek()
        if found := _NO_MINIMUM.match(self.text, start):
            hint = rf"write {{0,{found[1]}}} for a repetition, \{{ for the character"
            self.fail("a repetition needs its minimum", start, found.end(), hint=hint)
        if char in "*+?" or _BRACES.match(self.text, start):
            self.fail("nothing to repeat here", start, hint=f"write \\{char} for the character")
        self.at += 1
        match char:
            case "^":
                return Anchor.START
            case "$":
                return Anchor.END
            case ".":
                return Chars(SCALARS if "s" in self.modifiers else DOT)
            case "(":
                return self.group(start, depth)
            case "[":
                return Chars(self.char_class(start))
            case "\\":
                return self.escape(start)
            case _:
                return self.one_of(CharSet.single(ord(char)))

    def one_of(self, members: CharSet) -> Node:
        return Chars(self.variants(members) & SCALARS)

    def variants(self, members: CharSet) -> CharSet:
        return with_case_variants(members) if "i" in self.modifiers else members

    def group(self, start: int, depth: int) -> Node:
        if depth >= MAX_NESTING:
            self.fail(f"groups nest deeper than {MAX_NESTING} levels", start)
        around = self.modifiers
        kind = self.group_kind(start)
        body = self.alternation(depth + 1)
        self.modifiers = around
        if not self.take(")"):
            self.fail("this group is never closed", start, hint="add the missing ')'")
        return Look(kind, body) if kind else body

    def group_kind(self, start: int) -> LookKind | None:
        for width in (4, 3):
            kind = _LOOKS.get(self.text[start : start + width])
            if kind:
                self.at = start + width
                return kind
        if not self.take("?") or self.take(":"):
            return None
        if modifiers := _MODIFIERS.match(self.text, self.at):
            self.modify(start, modifiers)
            return None
        name = _GROUP_NAME.match(self.text, self.at)
        if not name:
            self.fail(
                "unknown kind of group",
                start,
                self.at + 1,
                hint="ECMA-262 knows (…), (?:…), (?<name>…), (?i:…), (?=…), (?!…), (?<=…), (?<!…)",
            )
        self.at = name.end()
        return None

    def modify(self, start: int, found: re.Match[str]) -> None:
        """Take `(?ims-ims:`, each letter once (ECMA-262 2025, RegularExpressionModifiers)."""
        letters = found["on"] + (found["off"] or "")
        if not letters or len(set(letters)) < len(letters):
            self.fail("modifiers are each named once", start, found.end())
        if "m" in found["on"]:
            # Validators differ: only LF ends a line in Rust, CR and U+2028 too in ECMA-262.
            hint = r"write (?<![^\n]) for ^ and (?![^\n]) for $, where lines end with LF"
            self.fail("the modifier m is not supported", start, found.end(), hint=hint)
        self.modifiers = (self.modifiers | set(found["on"])) - set(found["off"] or "")
        self.at = found.end()

    # Escapes -----------------------------------------------------------------------------------

    def escape(self, start: int) -> Node:
        char = self.peek()
        if char in ("b", "B"):
            self.at += 1
            return Anchor.WORD_BOUNDARY if char == "b" else Anchor.NO_WORD_BOUNDARY
        if char and char in "AzZ":
            self.at += 1
            return Anchor.START if char == "A" else Anchor.END
        self.refuse_back_reference(start)
        found = self.class_or_character(start)
        return self.one_of(found if isinstance(found, CharSet) else CharSet.single(found))

    def refuse_back_reference(self, start: int) -> None:
        number = re.compile(r"[1-9][0-9]*").match(self.text, self.at)
        if number and _bounded_int(number[0]) <= self.captures:
            self.fail(
                f"back-reference \\{number[0]} is not a regular language", start, number.end()
            )
        name = _GROUP_NAME.match(self.text, self.at + 1)
        if self.peek() == "k" and self.has_names:
            end = name.end() if name else self.at + 1
            self.fail(
                f"back-reference {self.text[start:end]} is not a regular language", start, end
            )

    def class_or_character(self, start: int) -> CharSet | int:
        """Read what follows a backslash, inside or outside a class: a set or a code point."""
        char = self.peek()
        if not char:
            self.fail("the pattern ends in a lone backslash", start)
        if char in CLASS_ESCAPES:
            self.at += 1
            # WordCharacters of 22.2.2.7.3 has the variants, and `\W` is what it has not.
            return SCALARS - self.variants(WORD) if char == "W" else CLASS_ESCAPES[char]
        if char in "pP" and self.text.startswith("{", self.at + 1):
            return self.property_escape(start)
        if char in "01234567":
            return self.octal_escape()
        self.at += 1
        if char in _CONTROL_ESCAPES:
            return _CONTROL_ESCAPES[char]
        code_point = self.control_letter() if char == "c" else None
        if char in "xu":
            code_point = self.hex_escape(char)
        if code_point is None and char.isascii() and char.isalnum():
            hint = rf"write {char} for the character, \\{char} for a backslash before it"
            self.fail(rf"\{char} means nothing here", start, self.at, hint=hint)
        return ord(char) if code_point is None else code_point

    def property_escape(self, start: int) -> CharSet:
        end = self.text.find("}", self.at)
        body = self.text[self.at + 2 : end] if end >= 0 else self.text[self.at + 2 :]
        members = property_set(body) if end >= 0 else None
        if members is None:
            self.fail(
                f"unknown Unicode property {body!r}",
                start,
                end + 1 if end >= 0 else len(self.text),
                hint=r"use a General_Category (\p{L}), \p{Script=Latin} or a binary property",
            )
        negated = self.peek() == "P"
        self.at = end + 1
        return (SCALARS - members) if negated else members

    def octal_escape(self) -> int:
        found = _OCTAL.match(self.text, self.at)
        digits = found[0] if found else "0"
        self.at += len(digits)
        return int(digits, 8)

    def control_letter(self) -> int | None:
        letter = self.peek()
        if not (letter.isascii() and letter.isalpha()):
            return None
        self.at += 1
        return ord(letter) % 32

    def hex_escape(self, kind: str) -> int | None:
        if kind == "u" and self.take("{"):
            found = _HEX.match(self.text, self.at)
            end = found.end() if found else self.at
            if found and self.text.startswith("}", end) and int(found[0], 16) <= MAX_CODE_POINT:
                self.at = end + 1
                return int(found[0], 16)
            return None
        width = 2 if kind == "x" else 4
        value = self.hex_digits(width)
        if value is None:
            return None
        if 0xD800 <= value <= 0xDBFF and self.take("\\u"):
            low = self.hex_digits(4)
            if low is not None and 0xDC00 <= low <= 0xDFFF:
                return 0x10000 + ((value - 0xD800) << 10) + (low - 0xDC00)
            self.at -= 2 if low is None else 6
        return value

    def hex_digits(self, width: int) -> int | None:
        digits = self.peek(width)
        found = _HEX.fullmatch(digits)
        if not found or len(digits) < width:
            return None
        self.at += width
        return int(digits, 16)

    # Classes -----------------------------------------------------------------------------------

    def char_class(self, start: int) -> CharSet:
        if found := _POSIX_CLASS.match(self.text, start):  # `[:alpha:]` without its brackets
            self.refuse_posix_class(start, found.end())
        negated = self.take("^")
        ranges: list[tuple[int, int]] = []
        while not self.take("]"):
            if self.at >= len(self.text):
                self.fail("this character class is never closed", start, hint="add the missing ']'")
            ranges += self.class_item()
        members = self.variants(CharSet.of(ranges)) & SCALARS
        return (SCALARS - members) if negated else members

    def refuse_posix_class(self, start: int, end: int) -> NoReturn:
        self.fail(
            f"ECMA-262 has no class {self.text[start:end]}: it would read its letters",
            start,
            end,
            hint=r"write [a-zA-Z] for alpha, [0-9] for digit, \s for space, \p{L} for any letter",
        )

    def class_item(self) -> list[tuple[int, int]]:
        item_start = self.at
        if found := _POSIX_CLASS.match(self.text, item_start):
            self.refuse_posix_class(item_start, found.end())
        first = self.class_atom()
        if self.peek() != "-" or self.peek(2) in ("-", "-]"):
            return _ranges(first)
        self.at += 1
        last = self.class_atom()
        if isinstance(first, CharSet) or isinstance(last, CharSet):
            # Annex B: `[\w-.]` is the union of `\w`, `-` and `.`.
            return [*_ranges(first), (0x2D, 0x2D), *_ranges(last)]
        if first > last:
            self.fail("range out of order in the character class", item_start, self.at)
        return [(first, last)]

    def class_atom(self) -> CharSet | int:
        start = self.at
        char = self.peek()
        self.at += 1
        if char != "\\":
            return ord(char)
        if self.take("b"):
            return 8
        return self.class_or_character(start)


def _bounded_int(digits: str) -> int:
    # Python refuses to read thousands of digits; no text is that long, so huge is as good.
    return int(digits) if len(digits) <= 18 else 10**18


def _ranges(item: CharSet | int) -> list[tuple[int, int]]:
    return list(item.ranges) if isinstance(item, CharSet) else [(item, item)]


EMPTY = Concat()
