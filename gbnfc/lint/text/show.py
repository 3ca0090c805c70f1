"""How characters and texts appear in messages."""

from __future__ import annotations

import json

_MAX_LENGTH = 60


def show_char(code_point: int) -> str:
    """Return a character as a message shows it: itself when printable, else `U+XXXX`."""
    char = chr(code_point)
    return char if char.isprintable() and char != " " else f"U+{code_point:04X}"


def show_text(text: str) -> str:
    """Return `text` in double quotes with escapes, its middle left out when it is long."""
    if len(text) > _MAX_LENGTH:
        text = f"{text[: _MAX_LENGTH // 2]}…{text[-_MAX_LENGTH // 2 :]}"
    return json.dumps(text, ensure_ascii=not text.isprintable())
