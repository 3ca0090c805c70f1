"""`gbnfc rule`: show the manual of a lint rule."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Annotated

import typer

from gbnfc.errors import UsageError
from gbnfc.lint.manual import manual_of
from gbnfc.lint.registry import RULES

if TYPE_CHECKING:
    from gbnfc.lint.rule import LintRule


def rule(
    code: Annotated[str | None, typer.Argument(help="A code or a name.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every manual, as Markdown.")] = False,
) -> None:
    """Show the manual of a lint rule, or list the rules."""
    if everything:
        print("\n".join(_page(entry) for entry in RULES), end="")
    elif code is None:
        for entry in RULES:
            print(f"{entry.CODE:<8} {entry.SEVERITY.value:<8} {entry.NAME}")
    else:
        print(_page(_find(code)), end="")


def _find(code: str) -> LintRule:
    for entry in RULES:
        if code.upper() == entry.CODE or code.lower() == entry.NAME:
            return entry
    known = [name for entry in RULES for name in (entry.CODE, entry.NAME)]
    near = difflib.get_close_matches(code, known, n=1)
    hint = f"did you mean {near[0]}?" if near else "gbnfc rule lists them"
    raise UsageError(f"there is no rule {code!r}", hint=hint)


def _page(entry: LintRule) -> str:
    heading = f"# {entry.NAME} ({entry.CODE})\n\nSeverity: {entry.SEVERITY.value}\n\n"
    return f"{heading}{manual_of(entry).text}\n"
