"""JSON Schema → canonical form → grammar, and the report of what the grammar does not hold.

`canonical` reads a schema with `jsonschema_rs`, `rewrite` helps where that fails (`cases` and
`time_limit` tell beforehand or in time what would not end, `patterns` respells) · `atoms` takes
nodes apart into `shapes` (`views`; `apart` tells branches at a glance), `alternatives` joins
objects · `source_map` keeps the author's order and pointers · `emitter` holds the grammar;
`objects` (`keys`, `key_parts`, `members`, `unordered`, `object_states`), `arrays` (`finite`),
`scalars` (`strings`, `formats`, `numbers`) and `literals` write the kinds of values in a `layout`,
`standard` any value · `prune` takes impossible parts out and makes equal rules one · `compile` is
the front door, `report` what it says (`sizes` which places are large), `annotations` and
`oversights` what constrains nothing.
`references` and `uris` spell references for all readers.

Beside it: `notation` reads the short notation into a schema; `judge` and `verify` hold a grammar
against its schema by examples.
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
