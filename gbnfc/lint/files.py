"""Which files to lint: those named, and what directories hold; what git ignores is left out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from gbnfc.errors import InputError
from gbnfc.folders import list_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

GRAMMARS = (".gbnf",)
YAML = (".yaml", ".yml")
SCHEMAS = (".json", *YAML)
_NEVER = ("node_modules", "__pycache__", "venv", "build", "dist")


def _nothing(_: str) -> bool:
    return False


def find_files(
    paths: Iterable[str],
    leaves_out: Callable[[str], bool] = _nothing,
    *,
    leaves_out_named: bool = False,
) -> list[Path]:
    """Return the files that `paths` mean, each once, in order; those of a directory sorted.

    `leaves_out` tells which files of a directory are not wanted, and of those that are named
    themselves where `leaves_out_named` says so. Links in a directory are not followed (see
    `list_folder`); one that is named is.

    Raises: `InputError` for a path that is not there.
    """
    found: dict[Path, None] = {}
    for name in paths:
        path = Path(name)
        if path.is_dir():
            members = (p for p in _members(path) if not leaves_out(str(p)))
            found.update(dict.fromkeys(members))
        elif path.exists():
            if not (leaves_out_named and leaves_out(str(path))):
                found[path] = None
        else:
            raise InputError(f"{name}: no such file or directory")
    return list(found)


def _members(folder: Path) -> Iterator[Path]:
    listed = _listed_by_git(folder)
    paths = list_folder(folder, _is_skipped).files if listed is None else listed
    wanted = (path for path in paths if path.suffix.lower() in (*GRAMMARS, *SCHEMAS))
    # A pipe would have to be waited for; a link may lead anywhere.
    yield from (path for path in wanted if path.is_file() and not path.is_symlink())


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


def _is_skipped(name: str) -> bool:
    is_file = Path(name).suffix.lower() in (*GRAMMARS, *SCHEMAS)
    return not is_file and (name.startswith(".") or name in _NEVER)
