"""Values from the document: which fields are, which pieces of a text they can be, and where.

document (`characters`, `boundaries`, `brackets`) ─▶ candidates ─▶ the engine's search
numerals, dates ──────────────────────────────────▶ ┘     └─▶ grammar ─▶ GBNF for stock llama.cpp
schema ─ fields (`markers`) ─▶ which and how ─────▶ ┘

No engine here: pure functions over texts, schemas and matchers.
"""
