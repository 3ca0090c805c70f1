"""A Pygments lexer for GBNF, registered as the entry point `gbnf`: rich and Sphinx colour with it.

Pygments is not needed by gbnfc itself (rich brings it); only Pygments imports this module.
"""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import RegexLexer, bygroups, include
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Whitespace,
)

_ESCAPE = r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[trn\\\"\[\]-])"


class GbnfLexer(RegexLexer):
    """Highlights llama.cpp's GBNF grammars (`*.gbnf`)."""

    name = "GBNF"
    aliases: ClassVar[list[str]] = ["gbnf"]
    filenames: ClassVar[list[str]] = ["*.gbnf"]
    url = "https://github.com/ggml-org/llama.cpp/tree/master/grammars"

    tokens: ClassVar = {
        "root": [
            (
                r"^([ \t]*)([a-zA-Z0-9-]+)([ \t]*)(::=)",
                # The stubs leave bygroups untyped.
                bygroups(Whitespace, Name.Function, Whitespace, Operator),  # type: ignore[no-untyped-call]
            ),
            include("body"),
        ],
        "body": [
            (r"\s+", Whitespace),
            (r"#[^\r\n]*", Comment.Single),
            (r'"', String.Double, "literal"),
            (r"\[\^?", String.Regex, "class"),
            (r"!?<[^>\s]*>", Keyword.Pseudo),
            (
                r"(\{)([\d\s,]*)(\})",
                bygroups(Punctuation, Number.Integer, Punctuation),  # type: ignore[no-untyped-call]
            ),
            (r"[|*+?.]", Operator),
            (r"[()]", Punctuation),
            (r"[a-zA-Z0-9-]+", Name.Variable),
        ],
        "literal": [
            (r'"', String.Double, "#pop"),
            (_ESCAPE, String.Escape),
            (r'[^"\\]+', String.Double),
        ],
        "class": [
            (r"\]", String.Regex, "#pop"),
            (_ESCAPE, String.Escape),
            (r"[^\]\\]+", String.Regex),
        ],
    }
