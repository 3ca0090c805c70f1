"""The short notation for a flat object: `name, age int, tags [str], bio: a short bio`.

In: a text as a person types it. Out: a JSON Schema. The notation is that of the `llm` tool
(`llm schemas dsl`, https://llm.datasette.io/en/stable/schemas.html), plus lists. Fields stand
between commas, or on lines of their own, where descriptions may hold commas.
"""

from __future__ import annotations

import difflib
import re
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from gbnfc.errors import SourceError
from gbnfc.source import Source, Span

if TYPE_CHECKING:
    from collections.abc import Iterator

_TYPES = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "string": "string",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
}
_ALLOWED = "types are str, int, float, bool and lists of them, [str]"
_FIELD = re.compile(r"(?P<name>[^\s\[\]]+)(?:\s+(?P<type>\S.*))?", re.DOTALL)
_LIST = re.compile(r"\[\s*(?P<item>[^\[\]]*?)\s*\]")
_FILES = (".json", ".yaml", ".yml", ".py", ".gbnf")


def is_notation(text: str) -> bool:
    """Return whether `text` reads as the notation: several words that are no path and no JSON."""
    if not re.search(r"[,\n ]", text) or re.search(r"::=|^\s*[\[{]", text):
        return False
    if not re.search(r"[,\n]", text) and PurePath(text.strip()).suffix.lower() in _FILES:
        return False
    heads = [text[field.start : field.end].partition(":")[0] for field in _fields(text)]
    return bool(heads) and not any(re.search(r"[/\\#]", head) for head in heads)


def parse_notation(text: str) -> dict[str, Any]:
    """Return the schema that `text` stands for: all fields required, no others allowed.

    >>> parse_notation("name, age int")["properties"]
    {'name': {'type': 'string'}, 'age': {'type': 'integer'}}

    Raises:
        SourceError: an unknown type, a field that is empty, has no name or is given twice.
    """
    source = Source(text, "<schema>")
    properties: dict[str, Any] = {}
    for span in _fields(text):
        name, schema = _field(source, span)
        if name in properties:
            raise SourceError(f"the field {name!r} is given twice", source=source, span=span)
        properties[name] = schema
    if not properties:
        raise SourceError("there is no field", source=source, span=Span(0, 1))
    _refuse_empty(source)
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _refuse_empty(source: Source) -> None:
    """Refuse two commas in a row, and one before all fields; one behind them all is a habit."""
    if "\n" in source.text.strip():  # blank lines between fields are layout
        return
    end = -1
    for part in source.text.rstrip().removesuffix(",").split(","):
        end += len(part) + 1
        if not part.strip():
            span = Span(end, end + 1)
            raise SourceError("expected a field before this comma", source=source, span=span)


def _fields(text: str) -> Iterator[Span]:
    """Yield where each field stands, without the blanks around it; empty ones are left out."""
    separator = "\n" if "\n" in text.strip() else ","
    start = 0
    for part in text.split(separator):
        if part.strip():
            lead = len(part) - len(part.lstrip())
            yield Span(start + lead, start + len(part.rstrip()))
        start += len(part) + 1


def _field(source: Source, span: Span) -> tuple[str, dict[str, Any]]:
    head, _, description = source.text[span.start : span.end].partition(":")
    found = _FIELD.fullmatch(head.strip())
    if found is None:
        raise SourceError(
            "expected a field: its name, then perhaps a type", source=source, span=span
        )
    schema = {"type": "string"}
    if found["type"] is not None:
        start = span.start + found.start("type")
        schema = _type(source, Span(start, start + len(found["type"])))
    if description.strip():
        schema["description"] = description.strip()
    return found["name"], schema


def _type(source: Source, span: Span) -> dict[str, Any]:
    written = source.text[span.start : span.end]
    listed = _LIST.fullmatch(written)
    word = written if listed is None else listed["item"] or "str"
    if word not in _TYPES:
        near = difflib.get_close_matches(word, _TYPES, n=1)
        hint = f"did you mean {near[0]}? {_ALLOWED}" if near else _ALLOWED
        raise SourceError(f"{word!r} is no type", source=source, span=span, hint=hint)
    item = {"type": _TYPES[word]}
    return item if listed is None else {"type": "array", "items": item}
