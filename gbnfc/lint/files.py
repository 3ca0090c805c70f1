"""Which files to lint: those named, and what directories hold; what git ignores is left out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from gbnfc.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

GRAMMARS = (".gbnf",)
SCHEMAS = (".json", ".yaml", ".yml")
_NEVER = ("node_modules", "__pycache__", "venv", "build", "dist")


def _nothing(_: str) -> bool:
    return False


def find_files(paths: Iterable[str], leaves_out: Callable[[str], bool] = _nothing) -> list[Path]:
    """Return the files that `paths` mean, each once, in order; those of a directory sorted.

    `leaves_out` tells which files of a directory are not wanted.

    Raises: `InputError` for a path that is not there.
    """
    found: dict[Path, None] = {}
    for name in paths:
        path = Path(name)
        if path.is_dir():
            members = (p for p in _members(path) if not leaves_out(str(p)))
            found.update(dict.fromkeys(members))
        elif path.exists():
            found[path] = None
        else:
            raise InputError(f"{name}: no such file or directory")
    return list(found)


def _members(folder: Path) -> Iterator[Path]:
    listed = _listed_by_git(folder)
    paths = sorted(_walk(folder)) if listed is None else listed
    wanted = (path for path in paths if path.suffix.lower() in (*GRAMMARS, *SCHEMAS))
    yield from (path for path in wanted if path.is_file())  # a pipe would have to be waited for


def _listed_by_git(folder: Path) -> list[Path] | None:
    """Return the files below `folder` that git does not ignore; `None` outside a work tree."""
    import subprocess

    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", "."]
    try:
        run = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    if run.returncode != 0:
        return None
    names = sorted(name for name in os.fsdecode(run.stdout).split("\0") if name)
    return [path for name in names if (path := folder / name).is_file()]


def _walk(folder: Path) -> Iterator[Path]:
    for directory, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in _NEVER)
        yield from (Path(directory, name) for name in names)
