"""The README's table of keywords is the one in the code, and the code's covers every keyword."""

from __future__ import annotations

from pathlib import Path

from gbnfc.schema.keywords import KEYWORDS, with_keyword_table
from gbnfc.schema.vocabulary import ASSERTIONS

README = Path(__file__).resolve().parents[2] / "README.md"


def test_every_keyword_is_listed_once():
    listed = [keyword for row in KEYWORDS for keyword in row.keywords]
    assert sorted(listed) == sorted(ASSERTIONS)


def test_readme_shows_the_table():
    text = README.read_text(encoding="utf-8")
    assert "## Which keywords are held" in text
    assert with_keyword_table(text) == text, "run: python -m gbnfc.schema.keywords README.md"
