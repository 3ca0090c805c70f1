"""How findings are written: one module per format, one pure function `write` in each.

In: diagnostics, in order. Out: text that ends with a line break, or nothing for no findings.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TypeAlias

from gbnfc.lint.diagnostic import Diagnostic

Writer: TypeAlias = Callable[[tuple[Diagnostic, ...]], str]

FORMATS = {
    "full": "gbnfc.lint.formats.full",
    "concise": "gbnfc.lint.formats.concise",
    "json": "gbnfc.lint.formats.records",
    "jsonl": "gbnfc.lint.formats.lines",
    "github": "gbnfc.lint.formats.github",
    "gitlab": "gbnfc.lint.formats.gitlab",
    "sarif": "gbnfc.lint.formats.sarif",
    "junit": "gbnfc.lint.formats.junit",
}
"""The module of each format. They are imported when asked for: most runs need one."""

LINES = ("full", "concise", "jsonl", "github")
"""The formats that may share a stream: each finding stands for itself."""


def writer_of(name: str) -> Writer:
    """Return the function that writes the format `name`, a key of `FORMATS`."""
    writer: Writer = importlib.import_module(FORMATS[name]).write
    return writer
