"""GitLab's Code Quality report, a subset of the Code Climate format.

https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
"""

from __future__ import annotations

import json
from typing import Any

from gbnfc.lint.baseline import fingerprints
from gbnfc.lint.diagnostic import Diagnostic, Severity
from gbnfc.source import visible_json

_LEVELS = {Severity.ERROR: "critical", Severity.WARNING: "minor", Severity.INFO: "info"}


def write(diagnostics: tuple[Diagnostic, ...]) -> str:
    """Return the report."""
    prints = fingerprints(diagnostics)
    issues = [_issue(*pair) for pair in zip(diagnostics, prints, strict=True)]
    return visible_json(json.dumps(issues, ensure_ascii=False, indent=2)) + "\n"


def _issue(diagnostic: Diagnostic, fingerprint: str) -> dict[str, Any]:
    start, end = diagnostic.position, diagnostic.end_position
    return {
        "description": diagnostic.message,
        "check_name": diagnostic.code,
        "fingerprint": fingerprint,
        "severity": _LEVELS[diagnostic.severity],
        "location": {
            "path": diagnostic.file,
            "lines": {"begin": start.line if start else 1, "end": end.line if end else 1},
        },
    }
