"""What a grammar does not hold of its schema, as text for people or data for programs.

In: compiled schemas. Out: text in one of five formats. Pointers are those of the file, whatever
part of it was compiled.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gbnfc.cli.io.shown import shown
from gbnfc.cli.io.streams import use_color
from gbnfc.schema.report import Effect
from gbnfc.source import visible_json, visible_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gbnfc.cli.compile.job import CompiledSchema
    from gbnfc.lint.diagnostic import Diagnostic
    from gbnfc.schema import ReportEntry
    from gbnfc.schema.sizes import PlaceSize

_EXAMPLE = {
    Effect.WIDER: "accepted all the same",
    Effect.NARROWER: "not accepted",
}
_STYLES = {
    Effect.WIDER: "bold yellow",
    Effect.NARROWER: "bold cyan",
    Effect.IGNORED: "dim",
    Effect.ENFORCED: "dim",
}


def write_report(schemas: Iterable[CompiledSchema], name: str) -> str:
    """Return the entries of all `schemas`: text, or json, sarif, github or markdown by `name`."""
    match name:
        case "json":
            schemas = tuple(schemas)
            records = [_record(schema, entry) for schema, entry in _pairs(schemas)]
            records += [_size_record(*found) for found in _sizes(schemas)]
            return visible_json(json.dumps(records, ensure_ascii=False, indent=2)) + "\n"
        case "sarif" | "github":
            from gbnfc.lint.formats import writer_of

            found = (_diagnostic(schema, entry) for schema, entry in _pairs(schemas))
            return writer_of(name)(tuple(item for item in found if item is not None))
        case "markdown":
            return "\n".join(_markdown(schema) for schema in schemas)
        case _:
            schemas = tuple(schemas)
            lines = [line for _, entry in _pairs(schemas) for line in text_lines(entry)]
            lines += [_size_line(*found) for found in _sizes(schemas)]
            return shown("".join(f"{line}\n" for line in lines))


def print_entries(schemas: Iterable[CompiledSchema]) -> None:
    """Write the report as text on stderr, in colour and folded where it is a terminal."""
    if not use_color(sys.stderr) and not sys.stderr.isatty():
        sys.stderr.write(write_report(schemas, "text"))
        return
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    schemas = tuple(schemas)
    console = Console(stderr=True, highlight=False, no_color=not use_color(sys.stderr))
    for _, entry in _pairs(schemas):
        head, *more = text_lines(entry)
        line = Text(head)
        line.stylize(_STYLES[entry.effect], 0, len(entry.effect.value))
        console.print(line)
        for text in more:
            console.print(Padding(Text(text.strip(), style="dim"), (0, 0, 0, 2), expand=False))
    for found in _sizes(schemas):
        console.print(Text(_size_line(*found), style="dim"))


def text_lines(entry: ReportEntry) -> Iterator[str]:
    """Yield `entry` as a person reads it: what and where, then a text that shows it."""
    pointer = visible_line(entry.pointer or "/")
    yield f"{entry.effect.value}: {pointer} {entry.keyword}: {visible_line(entry.message)}"
    if entry.witness is not None:
        yield f"  {_EXAMPLE.get(entry.effect, 'for example')}: {visible_line(entry.witness)}"


def _pairs(schemas: Iterable[CompiledSchema]) -> Iterator[tuple[CompiledSchema, ReportEntry]]:
    for schema in schemas:
        for entry in schema.entries:
            yield schema, entry


def _sizes(schemas: Iterable[CompiledSchema]) -> Iterator[tuple[CompiledSchema, PlaceSize]]:
    """Yield the places that make a large grammar large, pointers as in the file."""
    from gbnfc.cli.compile.job import file_pointer
    from gbnfc.schema.sizes import largest_places

    for schema in schemas:
        for place in largest_places(schema.compiled):
            yield schema, replace(place, pointer=file_pointer(schema.given, place.pointer))


def _size_message(schema: CompiledSchema, place: PlaceSize) -> str:
    total = len(schema.compiled.text.encode())
    return f"{place.size:,} of the {total:,} bytes of the grammar"


def _size_line(schema: CompiledSchema, place: PlaceSize) -> str:
    return f"size: {visible_line(place.pointer or '/')}: {_size_message(schema, place)}"


def _size_record(schema: CompiledSchema, place: PlaceSize) -> dict[str, Any]:
    """Return the record of a place, of the form that entries have, with its `bytes`."""
    return {
        "file": schema.given.name,
        "tool": schema.given.title,
        "pointer": place.pointer,
        "keyword": None,
        "effect": "size",
        "message": _size_message(schema, place),
        "witness": None,
        "line": None,
        "column": None,
        "bytes": place.size,
    }


def _record(schema: CompiledSchema, entry: ReportEntry) -> dict[str, Any]:
    span, source = schema.span_of(entry), schema.given.source
    position = source.position(span.start) if source is not None and span is not None else None
    return {
        "file": schema.given.name,
        "tool": schema.given.title,
        "pointer": entry.pointer,
        "keyword": entry.keyword,
        "effect": entry.effect.value,
        "message": entry.message,
        "witness": entry.witness,
        "line": position.line if position else None,
        "column": position.column if position else None,
    }


def _diagnostic(schema: CompiledSchema, entry: ReportEntry) -> Diagnostic | None:
    """Return `entry` as the linter would say it; `None` for what it has no rule for."""
    from gbnfc.lint.diagnostic import Diagnostic
    from gbnfc.lint.rules.schema import schema_narrower, schema_wider

    match entry.effect:
        case Effect.WIDER:
            rule: Any = schema_wider
        case Effect.NARROWER:
            rule = schema_narrower
        case _:
            return None
    return Diagnostic(
        rule.CODE,
        rule.NAME,
        rule.SEVERITY,
        f"{entry.keyword}: {entry.message}",
        schema.given.name,
        schema.span_of(entry),
        help=f"{_EXAMPLE[entry.effect]}: {entry.witness}" if entry.witness else None,
        source=schema.given.source,
    )


def _markdown(schema: CompiledSchema) -> str:
    name = schema.given.name + (f", {schema.given.title}" if schema.given.title else "")
    head = f"### {_escaped(name)}\n\n"
    sizes = "".join(
        f"| {_code(place.pointer or '/')} | {place.size:,} |\n" for _, place in _sizes([schema])
    )
    if sizes:
        sizes = f"\n| where | bytes of the grammar |\n|---|---|\n{sizes}"
    if not schema.entries:
        return f"{head}The grammar holds every keyword exactly.\n{sizes}"
    rows = [
        f"| {entry.effect.value} | {_code(entry.pointer or '/')} | {_code(entry.keyword)} "
        f"| {_escaped(entry.message)} | {_code(entry.witness) if entry.witness else ''} |\n"
        for entry in schema.entries
    ]
    table = "| effect | where | keyword | what | example |\n|---|---|---|---|---|\n"
    return head + table + "".join(rows) + sizes


def _escaped(text: str) -> str:
    return "".join(f"\\{char}" if char in "\\`*_|<>[]" else char for char in visible_line(text))


def _code(text: str) -> str:
    # A code span ends at as many backticks as it began with (CommonMark 6.1); tables split at `|`.
    fence, pad = ("`" * (text.count("`") + 1), " ") if "`" in text else ("`", "")
    return f"{fence}{pad}{visible_line(text)}{pad}{fence}".replace("|", "\\|")
