"""What is wrong with a grammar or a schema, and how to fix it.

`subject` and `schema_subject` are what rules look at; `rules/` holds the rules, a file each, by
family; `registry` lists them; `check` and `check_schema` run them over one text, `run` over many
files. `diagnostic` is what they say; `settings`, `baseline` and `text/suppress` what the user does
not want to hear; `formats/` how it is written.

`analysis/` answers what rules ask of a grammar: `machine` llama.cpp's stacks, `cost` the search for
the worst text, `automata` comparing expressions, `json_regions` and `json_language` JSON inside
grammars. `text/` cuts and shows grammar texts. `edits/` applies fixes, `edits/proof` proves them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gbnfc.lint.diagnostic import Diagnostic, Severity

if TYPE_CHECKING:
    from gbnfc.lint.check import lint_grammar, lint_text

__all__ = ["Diagnostic", "Severity", "lint_grammar", "lint_text"]


def __getattr__(name: str) -> Any:
    # The rules are many and loaded for linting only: `compile` and `extract` just find places.
    if name in ("lint_grammar", "lint_text"):
        from gbnfc.lint import check

        return getattr(check, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
