"""Findings that are known and accepted for now: a file of fingerprints.

A fingerprint is made of the rule, the file and the text of the finding's line, not of the line's
number, so that it survives changes elsewhere in the file.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import PurePath
from typing import TYPE_CHECKING

from gbnfc.errors import InputError

if TYPE_CHECKING:
    from gbnfc.lint.diagnostic import Diagnostic


def fingerprints(diagnostics: tuple[Diagnostic, ...]) -> tuple[str, ...]:
    """Return one fingerprint per diagnostic, different also for equal lines."""
    seen: Counter[str] = Counter()
    found = []
    for diagnostic in diagnostics:
        key = _key(diagnostic)
        found.append(hashlib.sha256(f"{key}\0{seen[key]}".encode()).hexdigest()[:32])
        seen[key] += 1
    return tuple(found)


def _key(diagnostic: Diagnostic) -> str:
    line = ""
    if diagnostic.source is not None and diagnostic.position is not None:
        line = diagnostic.source.line(diagnostic.position.line).strip()
    return "\0".join((diagnostic.code, PurePath(diagnostic.file).as_posix(), line))


def write_baseline(diagnostics: tuple[Diagnostic, ...]) -> str:
    """Return the text of a baseline file that accepts `diagnostics`."""
    entries = [
        {"fingerprint": fingerprint, "code": d.code, "file": PurePath(d.file).as_posix()}
        for d, fingerprint in zip(diagnostics, fingerprints(diagnostics), strict=True)
    ]
    return json.dumps({"version": 1, "findings": entries}, indent=2) + "\n"


def read_baseline(text: str, name: str) -> frozenset[str]:
    """Return the fingerprints of a baseline file. Raises: `InputError`, calling it `name`."""
    try:
        entries = json.loads(text)["findings"]
        return frozenset(str(entry["fingerprint"]) for entry in entries)
    except (ValueError, KeyError, TypeError):
        raise InputError(
            f"{name}: not a baseline file", hint="write one with --write-baseline"
        ) from None


def subtract_baseline(
    diagnostics: tuple[Diagnostic, ...], known: frozenset[str]
) -> tuple[Diagnostic, ...]:
    """Return the diagnostics that the baseline does not know."""
    prints = fingerprints(diagnostics)
    return tuple(d for d, print_ in zip(diagnostics, prints, strict=True) if print_ not in known)
