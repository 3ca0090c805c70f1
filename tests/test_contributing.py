"""CONTRIBUTING.md names only what is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PATHS = sorted(set(re.findall(r"`((?:gbnfc|tests|\.ci)/[\w./]*)`", TEXT)))


@pytest.mark.parametrize("path", PATHS)
def test_the_path_exists(path) -> None:
    assert (ROOT / path).exists()


def test_it_names_every_package() -> None:
    packages = {f"gbnfc/{p.parent.name}" for p in (ROOT / "gbnfc").glob("*/__init__.py")}
    assert packages - {"gbnfc/grounding"} <= set(PATHS)
