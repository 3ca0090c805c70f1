"""What is wrong with a grammar or a schema, and how to fix it.

`subject`, `schema_subject` what rules look at · `rule`, `registry`, `rules/` the rules, a file each
· `check`, `check_schema` run them · `diagnostic` what they say · `suppress`, `settings`, `baseline`
what the user does not want to hear · `fix`, `proof` fixing · `formats/` output · `files` input.

Underneath: `machine` llama.cpp's stacks, `cost` the search for the worst text, `language` comparing
expressions as automata, `shape` and `json_language` JSON inside grammars.
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
