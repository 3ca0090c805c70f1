"""Where compiled grammars go: stdout, a file, a folder; or, with `--check`, only a comparison.

In: named texts. Out: written files, or the differences to what is there.
"""

from __future__ import annotations

import difflib
import re
import sys
from pathlib import Path

from gbnfc.cli.io.texts import STDIN, read_text
from gbnfc.cli.io.writing import write_file
from gbnfc.errors import InputError, UsageError

_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")


def write_grammar(text: str, output: str | None) -> None:
    """Write one grammar to the file `output`, or to stdout."""
    if output is None or output == STDIN:
        sys.stdout.write(text)
    else:
        _write(Path(output), text)


def write_folder(texts: dict[Path, str]) -> None:
    """Write each grammar of `texts` to its path, in a folder that is made when it is missing."""
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, text)


def difference(path: Path, text: str) -> str:
    """Return as a unified diff what writing `text` to `path` would change, or nothing."""
    there = path.exists()
    old = read_text(str(path)).text.replace("\r\n", "\n") if there else ""
    if there and old == text:
        return ""
    before = path.as_posix() if there else "/dev/null"
    lines = difflib.unified_diff(
        old.splitlines(keepends=True), text.splitlines(keepends=True), before, path.as_posix()
    )
    shown = "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
    return shown or f"--- {before}\n+++ {path.as_posix()}\n"


def file_names(titles: list[str]) -> list[str]:
    """Return a file name for each title, `search.gbnf` for `search`; no two are the same.

    Raises:
        UsageError: two titles differ in nothing that file names of all systems tell apart.
    """
    names = [f"{_UNFIT.sub('-', title).strip('-.') or 'tool'}.gbnf" for title in titles]
    taken: dict[str, str] = {}
    for title, name in zip(titles, names, strict=True):
        if name.lower() in taken:
            raise UsageError(
                f"{taken[name.lower()]!r} and {title!r} would both be written to {name}",
                hint="write them one by one, with FILE#/pointer",
            )
        taken[name.lower()] = title
    return names


def _write(path: Path, text: str) -> None:
    if path.is_dir():
        raise InputError(f"{path}: is a directory, not a file", hint="name a file in it")
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}")
    write_file(path, text)
