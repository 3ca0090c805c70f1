"""`gbnfc fmt`: lay grammar files out anew, or say which ones would change."""

from __future__ import annotations

import codecs
import difflib
from pathlib import Path
from typing import Annotated

import typer

from gbnfc.cli.io.streams import print_error, print_note
from gbnfc.cli.io.texts import STDIN, decode, read_bytes
from gbnfc.cli.io.writing import write_file
from gbnfc.errors import GbnfcError
from gbnfc.gbnf.format import format_gbnf
from gbnfc.lint.files import GRAMMARS, find_files
from gbnfc.source import Source


def fmt(
    paths: Annotated[
        list[str] | None,
        typer.Argument(help="Files, directories (their .gbnf files), or - for stdin. Default: ."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit 1 if a file would change.")
    ] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="Write nothing but the changes; exit 1 if there are any.")
    ] = False,
) -> int:
    """Format GBNF files: same grammar, same comments, one layout."""
    changed = failed = 0
    names = _expand(paths or ["."])
    for name in names:
        try:
            changed += _format_one(name, check=check, diff=diff)
        except GbnfcError as error:
            print_error(str(error))
            failed = max(failed, error.exit_code)
    if names != [STDIN] and not diff:
        _summarise(len(names), changed, check=check)
    return failed or (1 if changed and (check or diff) else 0)


def _expand(paths: list[str]) -> list[str]:
    """Return the files that `paths` mean; of a directory, its grammars."""
    names: list[str] = []
    for path in paths:
        if path == STDIN or not Path(path).is_dir():
            names.append(path)
        else:
            names += [str(file) for file in find_files([path]) if file.suffix.lower() in GRAMMARS]
    return list(dict.fromkeys(names))


def _format_one(name: str, *, check: bool, diff: bool) -> bool:
    """Format one file; return whether that changes it."""
    data, shown = read_bytes(name)
    source = Source(decode(data, shown), shown)
    formatted = format_gbnf(source.text, source.name)
    if "\r\n" in source.text:
        formatted = formatted.replace("\n", "\r\n")
    old = "\ufeff" + source.text if data.startswith(codecs.BOM_UTF8) else source.text
    changed = formatted != old
    if diff:
        print(_difference(source.name, old, formatted), end="")
    elif name == STDIN and not check:
        print(formatted.replace("\r\n", "\n"), end="")
    elif changed and check:
        print_note(f"would reformat {source.name}")
    elif changed:
        write_file(Path(name), formatted)
        print_note(f"reformatted {source.name}")
    return changed


def _difference(name: str, old: str, new: str) -> str:
    lines = difflib.unified_diff(
        old.splitlines(keepends=True), new.splitlines(keepends=True), name, f"{name} (formatted)"
    )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def _summarise(total: int, changed: int, *, check: bool) -> None:
    verb = "would be reformatted" if check else "reformatted"
    files = "file" if total == 1 else "files"
    print_note(f"{changed} of {total} {files} {verb}")
