"""Workflow commands of GitHub Actions, which show findings beside the changed lines.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from gbnfc.lint.diagnostic import Diagnostic, Severity
from gbnfc.source import visible

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def write(diagnostics: tuple[Diagnostic, ...]) -> str:
    """Return one command per finding."""
    return "".join(f"{_command(diagnostic)}\n" for diagnostic in diagnostics)


def _command(diagnostic: Diagnostic) -> str:
    properties = {
        "title": f"{diagnostic.code} {diagnostic.name}",
        "file": visible(diagnostic.file),
    }
    start, end = diagnostic.position, diagnostic.end_position
    if start and end:
        properties |= {"line": str(start.line), "endLine": str(end.line)}
        properties["col"] = str(start.column)
        if start.line == end.line:
            properties["endColumn"] = str(end.column)
    shown = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    text = visible(diagnostic.message + (f"\n{diagnostic.help}" if diagnostic.help else ""))
    return f"::{_LEVELS[diagnostic.severity]} {shown}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
