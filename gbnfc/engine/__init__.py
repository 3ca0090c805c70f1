"""Engines: what writes a text under a grammar.

`base` what an engine is · `llama` the door to llama.cpp · `inprocess` many texts in one batch ·
`sequence` one text · `sampling` choosing a token · `drafts` guessing copies · `memory` will it
fit · `scripted` fixed answers for tests.
"""
