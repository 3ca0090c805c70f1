"""SARIF 2.1.0 (OASIS), which GitHub code scanning and most dashboards read.

Columns count code points, as a `Position` does; `columnKind` says so.
"""

from __future__ import annotations

import json
import os
from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from gbnfc.lint.baseline import fingerprints
from gbnfc.lint.diagnostic import Diagnostic, Fix, Severity
from gbnfc.lint.manual import manual_of
from gbnfc.lint.registry import RULES
from gbnfc.source import visible_json

if TYPE_CHECKING:
    from gbnfc.source import Source, Span

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def write(diagnostics: tuple[Diagnostic, ...]) -> str:
    """Return one SARIF log with one run."""
    codes = {diagnostic.code for diagnostic in diagnostics}
    rules = [rule for rule in RULES if rule.CODE in codes]
    index = {rule.CODE: at for at, rule in enumerate(rules)}
    prints = fingerprints(diagnostics)
    run = {
        "tool": {"driver": {"name": "gbnfc", "rules": [_rule(rule) for rule in rules]}},
        "columnKind": "unicodeCodePoints",
        "results": [
            _result(diagnostic, index[diagnostic.code], fingerprint)
            for diagnostic, fingerprint in zip(diagnostics, prints, strict=True)
        ],
    }
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return visible_json(json.dumps(log, ensure_ascii=False, indent=2)) + "\n"


def _rule(rule: Any) -> dict[str, Any]:
    manual = manual_of(rule)
    return {
        "id": rule.CODE,
        "name": rule.NAME,
        "shortDescription": {"text": manual.what},
        "fullDescription": {"text": manual.why},
        "help": {"text": manual.text, "markdown": manual.text},
        "defaultConfiguration": {"level": _LEVELS[rule.SEVERITY]},
    }


def _result(diagnostic: Diagnostic, index: int, fingerprint: str) -> dict[str, Any]:
    text = diagnostic.message + (f"\n{diagnostic.help}" if diagnostic.help else "")
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": index,
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": text},
        "locations": [_location(diagnostic.file, diagnostic.source, diagnostic.span)],
        "partialFingerprints": {"gbnfc/v1": fingerprint},
    }
    if diagnostic.related:
        result["relatedLocations"] = [
            _location(diagnostic.file, diagnostic.source, related.span)
            | {"id": number, "message": {"text": related.message}}
            for number, related in enumerate(diagnostic.related, 1)
        ]
    if diagnostic.fix is not None and diagnostic.source is not None:
        result["fixes"] = [_fix(diagnostic.file, diagnostic.source, diagnostic.fix)]
    return result


def _location(file: str, source: Source | None, span: Span | None) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": _uri(file)}}
    if source is not None and span is not None:
        place["region"] = _region(source, span)
    return {"physicalLocation": place}


def _region(source: Source, span: Span) -> dict[str, int]:
    start, end = source.position(span.start), source.position(span.end)
    return {
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    }


def _fix(file: str, source: Source, fix: Fix) -> dict[str, Any]:
    replacements = [
        {"deletedRegion": _region(source, edit.span), "insertedContent": {"text": edit.text}}
        for edit in sorted(fix.edits, key=lambda edit: edit.span)
    ]
    change = {"artifactLocation": {"uri": _uri(file)}, "replacements": replacements}
    return {"description": {"text": fix.title}, "artifactChanges": [change]}


def _uri(file: str) -> str:
    # By its bytes: a name need not be text.
    return quote(os.fsencode(PurePath(file).as_posix()), safe="/:")
