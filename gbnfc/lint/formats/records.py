"""One JSON array of findings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from gbnfc.source import visible_json

if TYPE_CHECKING:
    from gbnfc.lint.diagnostic import Diagnostic


def write(diagnostics: tuple[Diagnostic, ...]) -> str:
    """Return the findings as one array; places are 1-based, `null` where there is none."""
    records = [record_of(diagnostic) for diagnostic in diagnostics]
    return visible_json(json.dumps(records, ensure_ascii=False, indent=2)) + "\n"


def record_of(diagnostic: Diagnostic) -> dict[str, Any]:
    """Return a finding as JSON data."""
    start, end = diagnostic.position, diagnostic.end_position
    return {
        "code": diagnostic.code,
        "name": diagnostic.name,
        "severity": diagnostic.severity.value,
        "file": diagnostic.file,
        "line": start.line if start else None,
        "column": start.column if start else None,
        "end_line": end.line if end else None,
        "end_column": end.column if end else None,
        "message": diagnostic.message,
        "help": diagnostic.help,
        "fixable": diagnostic.fixable,
        "fix": None if diagnostic.fix is None else "safe" if diagnostic.fix.safe else "unsafe",
    }
