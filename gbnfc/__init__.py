"""Say what an answer must look like; get exactly that from a local model.

     JSON Schema ─ schema ─▶ canonical form ─ emit ─▶ ┐
     regex ─────── regex ──▶ automaton ─────────────▶ ├─▶ Grammar ─▶ gbnf.write ─▶ text ─▶ engine
     GBNF text ─── gbnf.parse ──────────────────────▶ ┘      ├─▶ lint  ─▶ diagnostics       │
                                                             └─▶ match ◀────────────────────┘

Names are imported when they are first used, so `import gbnfc` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gbnfc.errors import (
        EngineError,
        GbnfcError,
        GbnfSyntaxError,
        InputError,
        LimitExceeded,
        PatternError,
        SchemaError,
        UnresolvableRef,
        Unsatisfiable,
        UsageError,
    )
    from gbnfc.gbnf.parse import parse_gbnf
    from gbnfc.gbnf.write import write_gbnf
    from gbnfc.ir.nodes import Grammar
    from gbnfc.lint import lint_grammar
    from gbnfc.match import MatchResult, Verdict, match_text
    from gbnfc.schema import (
        Compiled,
        CompileOptions,
        Effect,
        ReportEntry,
        compile_choices,
        compile_model,
        compile_regex,
        compile_schema,
    )

_HOME = {
    "EngineError": "gbnfc.errors",
    "GbnfSyntaxError": "gbnfc.errors",
    "GbnfcError": "gbnfc.errors",
    "InputError": "gbnfc.errors",
    "LimitExceeded": "gbnfc.errors",
    "PatternError": "gbnfc.errors",
    "SchemaError": "gbnfc.errors",
    "UnresolvableRef": "gbnfc.errors",
    "Unsatisfiable": "gbnfc.errors",
    "UsageError": "gbnfc.errors",
    "parse_gbnf": "gbnfc.gbnf.parse",
    "write_gbnf": "gbnfc.gbnf.write",
    "Grammar": "gbnfc.ir.nodes",
    "lint_grammar": "gbnfc.lint",
    "MatchResult": "gbnfc.match",
    "Verdict": "gbnfc.match",
    "match_text": "gbnfc.match",
    "CompileOptions": "gbnfc.schema",
    "Compiled": "gbnfc.schema",
    "Effect": "gbnfc.schema",
    "ReportEntry": "gbnfc.schema",
    "compile_choices": "gbnfc.schema",
    "compile_model": "gbnfc.schema",
    "compile_regex": "gbnfc.schema",
    "compile_schema": "gbnfc.schema",
}

__all__ = [
    "CompileOptions",
    "Compiled",
    "Effect",
    "EngineError",
    "GbnfSyntaxError",
    "GbnfcError",
    "Grammar",
    "InputError",
    "LimitExceeded",
    "MatchResult",
    "PatternError",
    "ReportEntry",
    "SchemaError",
    "UnresolvableRef",
    "Unsatisfiable",
    "UsageError",
    "Verdict",
    "compile_choices",
    "compile_model",
    "compile_regex",
    "compile_schema",
    "lint_grammar",
    "match_text",
    "parse_gbnf",
    "write_gbnf",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'gbnfc' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
