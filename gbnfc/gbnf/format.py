"""GBNF text to tidy GBNF text: what `gbnfc fmt` does."""

from __future__ import annotations

from gbnfc.gbnf.parse import parse_gbnf
from gbnfc.gbnf.write import write_gbnf


def format_gbnf(text: str, name: str = "<string>") -> str:
    """Return `text` laid out anew: same grammar, same comments; formatting twice changes nothing.

    Raises: `GbnfSyntaxError` for a text that is not GBNF.
    """
    return write_gbnf(parse_gbnf(text, name), source=text)
