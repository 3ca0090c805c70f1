"""Edits of a grammar's text, and the proof that a fix keeps the language."""
