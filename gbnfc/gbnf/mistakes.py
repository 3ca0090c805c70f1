r"""The table of usual mistakes in GBNF: what they look like, what to write instead.

In: a text and the offset where reading it failed. Out: the first `Mistake` whose picture is there.
Each entry carries broken texts that lead to it; the tests run every one of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_REACH = 200
"""How many characters before the offset a `before` pattern sees."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A usual mistake.

    `at` is searched at the offset of the error, `before` up to it (end it with `\\Z`); both are
    regular expressions. `message` replaces the message "expected …, found …"; `hint` is what to do.
    `examples` are texts whose first error is this mistake.
    """

    name: str
    at: str
    hint: str
    examples: tuple[str, ...]
    before: str = ""
    message: str | None = None


_LINE_START = r"(?:\A|[\r\n])[ \t]*\Z"

OPEN_LITERAL = Mistake(
    "open-literal",
    '"',
    r'close the literal with `"`; a line break inside is written `\n`, a quote `\"`',
    ('root ::= "a', 'root ::= "a\nitem ::= "b"', 'root ::= "a\\"'),
    message="a literal that is not closed",
)

OPEN_PARENTHESIS = Mistake(
    "open-parenthesis",
    r"(?!)",
    "close it with `)` before the next rule begins",
    (
        'root ::= ("a"',
        'root ::= ("a" | ("b")',
        'root ::= ("a"\nws ::= " "',
        'a ::= (b\nc_d ::= "x"',
    ),
    message="a `(` is not closed",
)
"""Told by the parser, not by its place: the error points to the parenthesis, the text goes on."""

MISTAKES = (
    Mistake(
        "nul",
        r"\0",
        r"llama.cpp stops reading here; write it as \x00",
        ('root ::= "a\0b"',),
        message="a NUL character",
    ),
    Mistake(
        "surrogate",
        "[\ud800-\udfff]",
        r"half of a surrogate pair is no text; write the whole character, or \uD83D",
        ('root ::= "\ud83d"',),
        message="a lone surrogate",
    ),
    Mistake(
        "byte-order-mark",
        "\ufeff",
        "save the file as UTF-8 without byte order mark, as `gbnfc fmt` does",
        ('\ufeffroot ::= "a"',),
        message="a byte order mark",
    ),
    Mistake(
        "underscore",
        r"[a-zA-Z0-9-]*_",
        "names are letters, digits and dashes: write `-` instead of `_`",
        ('my_rule ::= "a"', "root ::= a_b", '_x ::= "a"', "root ::= (a_ | b)"),
        message="`_` in a rule name",
    ),
    Mistake(
        "bar-starts-line",
        r"\|",
        "outside parentheses a line break ends the rule: put the `|` at the end of the line before",
        ('root ::= "a"\n  | "b"',),
        before=_LINE_START,
    ),
    Mistake(
        "continued-line",
        r"[\"\[(.<!*+?{)]",
        "outside parentheses a line break ends the rule, unless it follows `::=` or `|`: "
        "put the whole body in parentheses, or on one line",
        ('root ::= "a"\n  "b"', 'root ::= "a"\n  [b]', 'root ::= "a"\n  ("b")', 'root ::= "a"\n*'),
        before=_LINE_START,
    ),
    Mistake(
        "angle-brackets",
        r"<",
        "names stand alone, without `<` and `>`",
        (),
        before=_LINE_START,
    ),
    Mistake(
        "slash-comment",
        r"//|/\*|--|;",
        "a comment starts with `#`",
        ('// note\nroot ::= "a"', '; note\nroot ::= "a"', '/* note */\nroot ::= "a"'),
        before=_LINE_START,
    ),
    Mistake(
        "missing-body",
        "::=",
        'the rule before it has no body; write `""` for the empty text',
        ('root ::=\nitem ::= "a"', 'root ::= "a" |\nitem ::= "b"'),
        before=r"[a-zA-Z0-9-][ \t]*\Z",
        message="`::=` inside a rule",
    ),
    Mistake(
        "other-define",
        r":=|=|:|->|→|<-",
        "a rule is written `name ::= body`",
        ('root = "a"', 'root := "a"', 'root: "a"', 'root → "a"'),
        before=r"(?:\A|[\r\n])[ \t]*[a-zA-Z0-9-]+[ \t]*\Z",
    ),
    Mistake(
        "single-quotes",
        "'",
        'literals are written in double quotes: `"text"`',
        ("root ::= 'a'", "root ::= \"a\" | 'b'"),
    ),
    Mistake(
        "semicolon",
        ";",
        "a rule ends at the end of its line; leave the `;` out",
        ('root ::= "a";', 'root ::= "a" ; item ::= "b"'),
    ),
    Mistake(
        "comma",
        ",",
        "items stand side by side, without commas",
        ('root ::= "a", "b"',),
        before=r"[^{0-9 \t][ \t]*\Z",
    ),
    Mistake(
        "open-lower-bound",
        ",",
        "the lower bound must be given: `{0,n}`",
        ('root ::= "a"{,3}',),
        before=r"\{[ \t]*\Z",
    ),
    Mistake(
        "slash",
        "/",
        "there are no /patterns/ or // comments: use classes and repetitions, and `#` for comments",
        ("root ::= /a+/", 'root ::= "a" // note'),
    ),
    Mistake(
        "class-shorthand",
        r"\\[dwsDWS]",
        r"write the characters out: `[0-9]` for \d, `[a-zA-Z0-9_]` for \w, `[ \t\r\n]` for \s",
        (r"root ::= [\d]", r'root ::= "\w"', r"root ::= [^\s]"),
    ),
    Mistake(
        "unicode-braces",
        r"\\[ux]\{|\\u\b",
        r"`\u` takes exactly four hexadecimal digits, `\U` eight, `\x` two",
        (r'root ::= "\u{1F600}"',),
    ),
    Mistake(
        "hex-digits",
        r"\\[xuU]",
        r"`\x` takes two hexadecimal digits, `\u` four, `\U` eight (at most 0010FFFF)",
        (r'root ::= "\x4"', r'root ::= "\u00e"', r"root ::= [\U00110000]", r'root ::= "\U0001F60"'),
    ),
    Mistake(
        "unknown-escape",
        r"\\",
        r"only \x \u \U \t \r \n \\ \" \[ \] \- are escapes; other characters stand for themselves",
        (r'root ::= "\/"', r"root ::= [\^]", r'root ::= "\b"', r"root ::= [a-\q]", r"root ::= \n"),
    ),
    OPEN_LITERAL,
    Mistake(
        "open-class",
        r"\[",
        r"close the class with `]`; a bracket inside is written `\]`",
        ("root ::= [a-z", "root ::= [a\\]"),
        message="a class that is not closed",
    ),
    Mistake(
        "token",
        r"[<!]",
        "a token is written `<text>` or `<[id]>`, any other token `!<text>`",
        ("root ::= <think", "root ::= !a", "root ::= <[x]>", "root ::= <[1>"),
        message="not a token",
    ),
    Mistake(
        "nothing-to-repeat",
        r"[*+?{]",
        "a repetition follows a literal, a class, a rule name or a group that is not empty",
        ("root ::= *", 'root ::= "a" | +', 'root ::= ""*', "root ::= []?", 'root ::= "a"{0}*'),
        message="nothing to repeat",
    ),
    Mistake(
        "extra-parenthesis",
        r"\)",
        "there is no `(` that it closes",
        ('root ::= "a")', 'root ::= ("a"))'),
    ),
    Mistake(
        "extra-bracket",
        r"[\]}>]",
        "write it in quotes if it is meant literally",
        ("root ::= a]", 'root ::= "a"}'),
    ),
    OPEN_PARENTHESIS,
    Mistake(
        "number-too-large",
        r"[0-9]",
        "bounds must fit 64 bits, token ids 32; llama.cpp repeats at most 2000 times",
        ('root ::= "a"{99999999999999999999999}', "root ::= <[99999999999]>"),
        before=r"[{,\[][ \t]*\Z",
        message="a number that is too large",
    ),
)


def find_mistake(text: str, offset: int) -> Mistake | None:
    """Return the first usual mistake that fits the text around `offset`."""
    before = text[max(0, offset - _REACH) : offset]
    for mistake in MISTAKES:
        if re.compile(mistake.at).match(text, offset) and (
            not mistake.before or re.search(mistake.before, before)
        ):
            return mistake
    return None
