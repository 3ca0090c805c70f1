"""GBNF text ⇄ IR: `parse_gbnf` reads it, `write_gbnf` writes it, with one table of escapes.

`parse` text to IR · `mistakes` the hints behind its errors · `write` IR to text · `layout` where
lines break · `format` text to tidy text · `escapes` the table both sides share.
"""
