"""One JSON object per line and finding."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gbnfc.lint.formats.records import record_of
from gbnfc.source import visible_json

if TYPE_CHECKING:
    from gbnfc.lint.diagnostic import Diagnostic


def write(diagnostics: tuple[Diagnostic, ...]) -> str:
    """Return the records of the `json` format, one per line."""
    return "".join(
        visible_json(json.dumps(record_of(diagnostic), ensure_ascii=False)) + "\n"
        for diagnostic in diagnostics
    )
