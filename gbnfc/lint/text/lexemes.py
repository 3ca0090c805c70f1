"""Cut any text into GBNF lexemes, also one that does not parse.

The parser stops at what is wrong; rules about wrong text, suppression comments and fixes need to
know where literals, classes and comments are all the same. Every character belongs to one lexeme.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

from gbnfc.source import Span


class Kind(Enum):
    """What a lexeme is."""

    COMMENT = "comment"
    LITERAL = "literal"
    CLASS = "class"
    TOKEN = "token"
    NAME = "name"
    DEFINE = "define"
    COUNT = "count"
    OPERATOR = "operator"
    NEWLINE = "newline"
    SPACE = "space"
    OTHER = "other"


class Lexeme(NamedTuple):
    """A piece of a text: its kind, the text itself, where it stands."""

    kind: Kind
    text: str
    span: Span


_PATTERNS = {
    Kind.COMMENT: r"#[^\r\n]*",
    Kind.LITERAL: r'"(?:\\[^\r\n]|[^"\\])*"',
    Kind.CLASS: r"\[(?:\\[^\r\n]|[^\]\\])*\]",
    Kind.TOKEN: r"!?<[^>\s]*>",
    # Underscores are no letters of a name, but people write them: one lexeme, so a rule can say so.
    Kind.NAME: r"[a-zA-Z0-9_-]+",
    Kind.DEFINE: r"::=",
    Kind.COUNT: r"\{[ \t]*\d*[ \t]*(?:,[ \t]*\d*[ \t]*)?\}",
    Kind.OPERATOR: r"[|()*+?.]",
    Kind.NEWLINE: r"\r\n|\r|\n",
    Kind.SPACE: r"[ \t]+",
    Kind.OTHER: r"[\s\S]",
}
_LEXEME = re.compile("|".join(f"(?P<{kind.name}>{pattern})" for kind, pattern in _PATTERNS.items()))


def cut_lexemes(text: str) -> tuple[Lexeme, ...]:
    """Return the lexemes of `text`, in order and without gaps."""
    found = []
    for match in _LEXEME.finditer(text):
        kind = Kind[match.lastgroup or "OTHER"]
        found.append(Lexeme(kind, match.group(), Span(match.start(), match.end())))
    return tuple(found)
