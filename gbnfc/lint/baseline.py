"""Findings that are known and accepted for now: a file of fingerprints.

A fingerprint is made of the rule, the file and the text of the finding's line, not of the line's
number, so that it survives changes elsewhere in the file.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from gbnfc.errors import InputError

if TYPE_CHECKING:
    from gbnfc.lint.diagnostic import Diagnostic


def fingerprints(
    diagnostics: tuple[Diagnostic, ...], folder: Path | None = None
) -> tuple[str, ...]:
    """Return one fingerprint per diagnostic, different also for equal lines.

    Files are called as seen from `folder` (the current one), from wherever they were linted.
    """
    folder = folder or Path()
    seen: Counter[str] = Counter()
    found = []
    for diagnostic in diagnostics:
        key = _key(diagnostic, folder)
        found.append(
            hashlib.sha256(f"{key}\0{seen[key]}".encode("utf-8", "surrogateescape")).hexdigest()[
                :32
            ]
        )
        seen[key] += 1
    return tuple(found)


def _seen_from(folder: Path, file: str) -> str:
    try:
        return Path(file).resolve().relative_to(folder.resolve()).as_posix()
    except (ValueError, OSError):  # it is elsewhere, or no file at all
        return Path(file).as_posix()


def _key(diagnostic: Diagnostic, folder: Path) -> str:
    line = ""
    if diagnostic.source is not None and diagnostic.position is not None:
        line = diagnostic.source.line(diagnostic.position.line).strip()
    return "\0".join((diagnostic.code, _seen_from(folder, diagnostic.file), line))


def write_baseline(diagnostics: tuple[Diagnostic, ...], folder: Path) -> str:
    """Return the text of a baseline file in `folder` that accepts `diagnostics`."""
    entries = [
        {"fingerprint": fingerprint, "code": d.code, "file": _seen_from(folder, d.file)}
        for d, fingerprint in zip(diagnostics, fingerprints(diagnostics, folder), strict=True)
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
    diagnostics: tuple[Diagnostic, ...], known: frozenset[str], folder: Path
) -> tuple[Diagnostic, ...]:
    """Return the diagnostics that the baseline in `folder` does not know."""
    prints = fingerprints(diagnostics, folder)
    return tuple(d for d, print_ in zip(diagnostics, prints, strict=True) if print_ not in known)
