"""GBNF text ⇄ IR: `parse_gbnf` reads it, `write_gbnf` writes it, with one table of escapes.

`parse` text to IR · `mistakes` the hints behind its errors · `spell` an expression on one line ·
`layout` where lines break and comments go · `write` IR to text · `format` text to tidy text ·
`escapes` the table that both directions share.
"""
