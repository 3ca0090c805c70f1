"""The Pygments lexer and the lexemes: every character is kept, and known in valid grammars."""

from __future__ import annotations

from pathlib import Path

import pytest

from gbnfc.lint.text.lexemes import Kind, cut_lexemes

ROOT = Path(__file__).resolve().parents[3]
GRAMMARS = [*sorted((ROOT / "grammars").glob("*.gbnf")), *sorted(ROOT.glob("tests/lint/**/*.gbnf"))]


@pytest.mark.parametrize("path", GRAMMARS, ids=lambda path: path.stem)
def test_highlighting_loses_nothing(path: Path) -> None:
    pytest.importorskip("pygments")
    from pygments.token import Error

    from gbnfc.gbnf.lexer import GbnfLexer

    text = path.read_text(encoding="utf-8")
    tokens = list(GbnfLexer(stripnl=False, ensurenl=False).get_tokens(text))
    assert "".join(value for _, value in tokens) == text
    assert [value for kind, value in tokens if kind is Error] == []


@pytest.mark.parametrize("path", GRAMMARS, ids=lambda path: path.stem)
def test_lexemes_cover_the_text(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    pieces = cut_lexemes(text)
    assert "".join(piece.text for piece in pieces) == text
    assert [piece for piece in pieces if piece.kind is Kind.OTHER] == []


@pytest.mark.parametrize("text", ['root ::= "a', "[", "\\", "'x'", "a_b ::=", "\x00", "{x}"])
def test_lexemes_of_broken_texts(text: str) -> None:
    assert "".join(piece.text for piece in cut_lexemes(text)) == text
