"""JUnit XML: one test case per finding, a passing one for no findings."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from gbnfc.lint.diagnostic import Diagnostic, Severity
from gbnfc.source import visible


def write(diagnostics: tuple[Diagnostic, ...]) -> str:
    """Return the report. Findings of severity info are passing cases with output."""
    failures = sum(diagnostic.severity is not Severity.INFO for diagnostic in diagnostics)
    cases = [_case(diagnostic) for diagnostic in diagnostics]
    if not cases:
        cases = ['    <testcase name="gbnfc" classname="gbnfc.lint"/>']
    counts = f'tests="{len(cases)}" failures="{failures}" errors="0"'
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<testsuites name="gbnfc" {counts}>\n  <testsuite name="gbnfc.lint" {counts}>\n'
        + "\n".join(cases)
        + "\n  </testsuite>\n</testsuites>\n"
    )


def _case(diagnostic: Diagnostic) -> str:
    place = f":{diagnostic.position}" if diagnostic.position else ""
    name = _attribute(f"{diagnostic.code} {diagnostic.name} {diagnostic.file}{place}")
    file = _attribute(diagnostic.file)
    line = f' line="{diagnostic.position.line}"' if diagnostic.position else ""
    text = _text(str(diagnostic) + (f"\n{diagnostic.help}" if diagnostic.help else ""))
    if diagnostic.severity is Severity.INFO:
        inner = f"      <system-out>{text}</system-out>"
    else:
        kind, message = _attribute(diagnostic.severity.value), _attribute(diagnostic.message)
        inner = f"      <failure type={kind} message={message}>{text}</failure>"
    return (
        f"    <testcase name={name} classname={file} file={file}{line}>\n{inner}\n    </testcase>"
    )


def _attribute(text: str) -> str:
    return quoteattr(visible(text))


def _text(text: str) -> str:
    return escape(visible(text))
