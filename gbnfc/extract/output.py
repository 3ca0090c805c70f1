"""Records, written. In: records in order. Out: JSON, JSON lines or CSV, flushed one by one."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, TextIO

from gbnfc.documents.pointer import follow_pointer, fragment_pointer
from gbnfc.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gbnfc.extract.record import Record


class Format(Enum):
    """How records are written."""

    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"


_LEAD = ("source", "valid", "finish", "error")
"""The columns in front of the data; one that has the name of a property is `gbnfc_…`."""

_SAID_ELSEWHERE = frozenset(
    {"$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "if", "patternProperties"}
)
"""Keywords by which a schema may declare properties that it does not list itself."""

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")

_MAX_STEPS = 8
"""References followed one after the other; more of them may have no end."""


@dataclass(frozen=True, slots=True)
class RecordOptions:
    """`envelope`: records with source and verdict around the data. `pluck`: the key of an array,
    each of whose elements becomes a row. `columns`: the CSV columns of the data, where known.
    `guards_cells`: CSV cells that spreadsheets would run as formulas begin with an apostrophe.
    """

    format: Format
    envelope: bool = True
    pluck: str | None = None
    columns: tuple[str, ...] = ()
    guards_cells: bool = False


def in_order(pairs: Iterable[tuple[int, Record]]) -> Iterator[Record]:
    """Yield the records of `pairs` by number, from 0, each as soon as its turn has come."""
    waiting: dict[int, Record] = {}
    following = 0
    for number, record in pairs:
        waiting[number] = record
        while following in waiting:
            yield waiting.pop(following)
            following += 1
    # Interrupted: what is done is written, though gaps remain.
    for number in sorted(waiting):
        yield waiting[number]


def rows_of(record: Record, layout: RecordOptions) -> list[Any]:
    """Return what `record` becomes in the output: one value, or one per element of `pluck`.

    Without an envelope, a record that failed becomes nothing: its error is on stderr.
    """
    if not layout.envelope and record.failed:
        return []
    if layout.pluck is None or record.data is None:
        return [record.as_dict() if layout.envelope else record.data]
    elements = _plucked(record, layout.pluck) or []
    if not layout.envelope:
        return list(elements)
    return [record.as_dict() | {"data": element} for element in elements]


def with_array(record: Record, layout: RecordOptions) -> Record:
    """Return `record`, as failed when it holds something else where `pluck` wants an array.

    An array that is left out, or null, is an empty one.
    """
    if layout.pluck is None or record.error is not None:
        return record
    if isinstance(record.data, dict) and isinstance(_plucked(record, layout.pluck), list | None):
        return record
    message = f"the answer has no array {layout.pluck!r} (--pluck)"
    return replace(record, data=None, valid=False, error=message)


def _plucked(record: Record, key: str) -> Any:
    return record.data.get(key)


def check_pluck(schema: Any, key: str) -> None:
    """Raise `UsageError` when answers of `schema` can hold no array `key`, as far as it is plain.

    What `schema` says by `anyOf` and the like is left to the answers.
    """
    root = _follow(schema, schema)
    if not isinstance(root, dict) or not _SAID_ELSEWHERE.isdisjoint(root):
        return
    properties = _properties(root)
    arrays = [name for name, node in properties.items() if _may_be_array(_follow(schema, node))]
    if key in arrays or (not properties and root.get("type", "object") == "object"):
        return
    known = f"its arrays are: {', '.join(arrays)}" if arrays else "it has no array at all"
    raise UsageError(f"--pluck {key!r}: the schema has no array of that name", hint=known)


def _may_be_array(node: Any) -> bool:
    if not isinstance(node, dict):
        return node is not False
    kinds = node.get("type", "array")
    return "array" in (kinds if isinstance(kinds, list) else [kinds])


def data_columns(schema: Any, pluck: str | None) -> tuple[str, ...]:
    """Return the names of an object schema's properties, or of its array `pluck`'s elements."""
    node = _follow(schema, schema)
    if pluck is not None:
        node = _follow(schema, _properties(node).get(pluck, {}))
        node = _follow(schema, node.get("items", {})) if isinstance(node, dict) else {}
    return tuple(_properties(node))


def _properties(node: Any) -> dict[str, Any]:
    found = node.get("properties") if isinstance(node, dict) else None
    return found if isinstance(found, dict) else {}


def _follow(root: Any, node: Any) -> Any:
    """Return what `node` refers to inside `root`: Pydantic has such references for every model."""
    for _ in range(_MAX_STEPS):
        reference = node.get("$ref") if isinstance(node, dict) else None
        if not isinstance(reference, str) or not reference.startswith("#"):
            return node
        try:
            node = follow_pointer(root, fragment_pointer(reference[1:]))
        except InputError:  # an anchor, or of a document beside this one
            return node
    return {}


class RecordWriter:
    """Writes records to `stream`; call `finish` at the end."""

    def __init__(self, stream: TextIO, layout: RecordOptions) -> None:
        self._stream, self._layout = stream, layout
        self._count = 0
        self._columns: tuple[str, ...] | None = layout.columns or None

    def write(self, record: Record) -> None:
        """Write one record and flush, so that a reader sees it at once."""
        for row in rows_of(record, self._layout):
            self._write_row(row)
            self._count += 1
        self._stream.flush()

    def _write_row(self, row: Any) -> None:
        match self._layout.format:
            case Format.JSONL:
                self._stream.write(json.dumps(row, ensure_ascii=False) + "\n")
            case Format.JSON:
                self._stream.write("[\n" if self._count == 0 else ",\n")
                self._stream.write(json.dumps(row, ensure_ascii=False))
            case Format.CSV:
                self._write_csv(row)

    def _write_csv(self, row: Any) -> None:
        data = row["data"] if self._layout.envelope else row
        if self._columns is None:
            self._columns = tuple(data) if isinstance(data, dict) else ("value",)
        lead = _LEAD if self._layout.envelope else ()
        if self._count == 0:
            named = (_unlike(name, self._columns) for name in lead)
            self._write_cells([*named, *self._columns])
        cells = [row.get(name) for name in lead]
        if lead:
            cells[-1] = _one_line(cells[-1] or "; ".join(row["errors"]))
        if isinstance(data, dict):
            cells += [data.get(name) for name in self._columns]
        else:
            cells += [data] + [None] * (len(self._columns) - 1)
        self._write_cells(cells)

    def _write_cells(self, cells: list[Any]) -> None:
        self._stream.write(_csv_line(cells, guarded=self._layout.guards_cells))

    def finish(self) -> None:
        """Write what closes the output."""
        if self._layout.format is Format.JSON:
            self._stream.write("[]\n" if self._count == 0 else "\n]\n")
            self._stream.flush()


def _unlike(name: str, others: Iterable[str]) -> str:
    while name in others:
        name = f"gbnfc_{name}"
    return name


def written_records(records: Iterable[Record], layout: RecordOptions) -> str:
    """Return all of `records` as they are written."""
    stream = io.StringIO()
    writer = RecordWriter(stream, layout)
    for record in records:
        writer.write(record)
    writer.finish()
    return stream.getvalue()


def _one_line(message: str) -> str:
    return "; ".join(line.strip() for line in message.splitlines())


def _csv_line(cells: list[Any], *, guarded: bool = False) -> str:
    line = io.StringIO()
    shown = (_guarded(_csv_cell(cell)) if guarded else _csv_cell(cell) for cell in cells)
    # Carriage returns in cells are quoted only where they are part of the lines' ends.
    csv.writer(line, lineterminator="\r\n").writerow(shown)
    return f"{line.getvalue()[:-2]}\n"


def _guarded(cell: Any) -> Any:
    """Return `cell` so that no spreadsheet takes it for a formula (OWASP, *CSV Injection*)."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA_STARTS) else cell


def _csv_cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, (str, int, float)) and not isinstance(value, bool):
        return value
    return json.dumps(value, ensure_ascii=False)
