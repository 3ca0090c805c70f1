"""The grammars that come with gbnfc, by name.

In: a name such as `json`. Out: its file, or its IR. In a wheel the grammars lie inside the package,
in a checkout beside it; `grammars/README.md` says what each is for.
"""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from gbnfc.errors import InputError

if TYPE_CHECKING:
    from gbnfc.ir.nodes import Grammar


def library_files() -> dict[str, Path]:
    """Return the shipped grammars: name to file, sorted by name."""
    package = Path(__file__).resolve().parent
    for folder in (package / "grammars", package.parent / "grammars"):
        if folder.is_dir():
            return {path.stem: path for path in sorted(folder.glob("*.gbnf"))}
    return {}


def library_text(name: str) -> str:
    """Return the GBNF text of the shipped grammar `name`.

    Raises:
        InputError: there is none of that name.
    """
    files = library_files()
    if name not in files:
        near = get_close_matches(name, files, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(files)}"
        raise InputError(f"no grammar named {name!r} comes with gbnfc", hint=hint)
    return files[name].read_text(encoding="utf-8")


def library_grammar(name: str) -> Grammar:
    """Return the shipped grammar `name`.

    Raises:
        InputError: there is none of that name.

    >>> library_grammar("json").root
    'root'
    """
    from gbnfc.gbnf.parse import parse_gbnf

    return parse_gbnf(library_text(name), name=name)
