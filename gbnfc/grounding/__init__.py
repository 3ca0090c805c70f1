"""Values from the document: which fields are, which pieces of a text they can be, and where.

text ─ document (`characters`, `boundaries`, `brackets`) ─▶ candidates ─▶ the engine's search
     ─ numerals (`currencies`), dates ────────────────────▶ ┘    │
     ─ grammar ─▶ rules for stock llama.cpp                      │
schema ─ fields (`markers`, `evidence`): which, and how ─────────┘

No engine here: pure functions over texts, schemas and matchers.
"""
