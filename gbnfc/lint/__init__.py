"""What is wrong with a grammar or a schema, and how to mend it.

`subject`, `schema_subject` what rules look at · `rule`, `registry`, `rules/` the rules, a file each
· `check`, `check_schema` run them · `diagnostic` what they say · `suppress`, `settings`, `baseline`
what the user does not want to hear · `fix`, `proof` mending · `formats/` output · `files` input.

Underneath: `machine` llama.cpp's stacks, `cost` the search for the worst text, `language` comparing
expressions as automata, `shape` and `json_language` JSON inside grammars.
"""

from gbnfc.lint.check import lint_grammar, lint_text
from gbnfc.lint.diagnostic import Diagnostic, Severity

__all__ = ["Diagnostic", "Severity", "lint_grammar", "lint_text"]
