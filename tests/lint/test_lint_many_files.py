"""Many files: shared out over processes, with the same findings in the same order as without."""

from __future__ import annotations

import concurrent.futures
from typing import TYPE_CHECKING

import pytest

from gbnfc.lint import run
from gbnfc.lint.settings import LintSettings

if TYPE_CHECKING:
    from pathlib import Path

FILES = 90


@pytest.fixture
def files(tmp_path: Path) -> list[run.InputFile]:
    """Return many files: clean, with a finding, unreadable, in turn."""
    contents = (b'root ::= "a"\n', b'root ::= "a"\nlost ::= "b"\n', b"\xff")
    found = []
    for number in range(FILES):
        path = tmp_path / f"{FILES - number}.gbnf"
        path.write_bytes(contents[number % 3])
        found.append(run.InputFile(str(path), named=False))
    return found


def findings(files: list[run.InputFile]) -> list[tuple[str, str]]:
    return [(d.file, d.code) for d in run.lint_files(files, LintSettings())]


class NoPool:
    """A system without semaphores: `ProcessPoolExecutor` says so when it is made."""

    def __init__(self, *_: object, **__: object) -> None:
        raise NotImplementedError("no semaphores")


class BreakingPool:
    """A pool whose worker is ended from outside."""

    def __init__(self, *_: object, **__: object) -> None:
        """Begin like any other."""

    def map(self, *_: object) -> list[object]:
        """Find out that a worker is gone."""
        raise concurrent.futures.process.BrokenProcessPool("a process was ended")

    def shutdown(self, **_: object) -> None:
        """End."""


@pytest.mark.parametrize("pool", [None, NoPool, BreakingPool])
def test_order_and_findings_are_those_of_one_process(files, monkeypatch, pool) -> None:
    monkeypatch.setattr(run, "_usable_cores", lambda: 1)
    expected = findings(files)
    assert len(expected) == FILES * 2 // 3
    monkeypatch.setattr(run, "_usable_cores", lambda: 2)
    if pool is not None:
        monkeypatch.setattr(concurrent.futures, "ProcessPoolExecutor", pool)
    assert findings(files) == expected
