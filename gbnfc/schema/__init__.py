"""JSON Schema → canonical form → grammar, and the report of what the grammar does not enforce.

`compile` is the front door, `report` what it says, `options` what the user may choose. Data flows
through four folders:

- `source/` the schema as its author wrote it: `source_map` keeps the author's order and pointers,
  `rewrite`, `patterns`, `references` and `dialects` spell it for those who read it beside us,
  `pattern_budget` and `entangled` tell beforehand what would not end.
- `read/` `canonical` reads it with `jsonschema_rs` (`switch` turns conditions into branches),
  `lower` and `from_library` make `schemas` of its nodes, `join_objects` joins objects.
- `emit/` `emitter` holds the grammar; `objects`, `arrays`, `scalars` and `literals` write the kinds
  of values, `whitespace` what stands between them; `prune` takes impossible parts out.
- `check/` a compiled grammar against its schema, by examples.

Beside them: `vocabulary` the keywords by what they are for, `formats`, `time_limit` what one schema
may cost, `annotations` and `oversights` what constrains nothing, `sizes` which places are large,
`notation` the short notation, `models` Pydantic classes, `keywords` the table of the README.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gbnfc.schema.compile import (
        Compiled,
        compile_choices,
        compile_model,
        compile_regex,
        compile_schema,
    )
    from gbnfc.schema.options import Additional, CompileOptions, Formats, Missing, Order
    from gbnfc.schema.report import Effect, ReportEntry

_HOME = {
    "Additional": "gbnfc.schema.options",
    "CompileOptions": "gbnfc.schema.options",
    "Compiled": "gbnfc.schema.compile",
    "Effect": "gbnfc.schema.report",
    "Formats": "gbnfc.schema.options",
    "Missing": "gbnfc.schema.options",
    "Order": "gbnfc.schema.options",
    "ReportEntry": "gbnfc.schema.report",
    "compile_choices": "gbnfc.schema.compile",
    "compile_model": "gbnfc.schema.compile",
    "compile_regex": "gbnfc.schema.compile",
    "compile_schema": "gbnfc.schema.compile",
}
"""Where each name is: loaded when it is asked for, so that options cost no compiler."""

__all__ = [
    "Additional",
    "CompileOptions",
    "Compiled",
    "Effect",
    "Formats",
    "Missing",
    "Order",
    "ReportEntry",
    "compile_choices",
    "compile_model",
    "compile_regex",
    "compile_schema",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'gbnfc.schema' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
