"""Grammars as text: lexemes, spans, comments, and how texts appear in messages."""
