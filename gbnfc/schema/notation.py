"""The short notation for a flat object: `name, age? int, tags [str], bio: a short bio`.

In: a text as a person types it. Out: a JSON Schema. The notation is that of the `llm` tool
(`llm schemas dsl`, https://llm.datasette.io/en/stable/schemas.html), plus lists, optional fields
(`age? int`), fields that may be null (`age int|null`) and choices (`size small|large`). Types may
be written as Python or TypeScript has them: `age: int`, `age?: number`, `tags: list[str]`,
`tags str[]`, `age Optional[int]`. Fields stand between commas, or on lines of their own, where
descriptions may hold commas.
"""

from __future__ import annotations

import difflib
import re
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

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
_ALLOWED = (
    "types are str, int, float, bool, lists of them, [str], and choices, a|b; "
    "for anything else write a JSON Schema"
)
_FIELD = re.compile(r"(?P<name>[^\s\[\]?]+)(?P<optional>\s*\?)?(?:\s*(?P<type>\S.*))?", re.DOTALL)
_NAME = re.compile(r"[\w.$@-]+")
_LISTS = (
    re.compile(r"\[\s*(?P<item>[^\[\]]*?)\s*\]"),
    re.compile(r"(?P<item>\w*)\[\s*\]"),
    re.compile(r"(?:list|array)(?:\s*[\[<]\s*(?P<item>[^\[\]<>]*?)\s*[\]>])?", re.IGNORECASE),
)
_OPTIONAL = re.compile(r"optional\s*\[(?P<inner>.*)\]", re.IGNORECASE | re.DOTALL)
_NULL = ("null", "none")
_CHOICE = re.compile(r"\"[^\"]*\"|'[^']*'|[\w.+-]+")
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
    """Return the schema that `text` stands for: fields are required but for those with `?`, and no
    others are allowed.

    >>> parse_notation("name, age int")["properties"]
    {'name': {'type': 'string'}, 'age': {'type': 'integer'}}

    Raises:
        SourceError: an unknown type, a field that is empty, has no name or is given twice.
    """
    source = Source(text, "<schema>")
    properties: dict[str, Any] = {}
    required: list[str] = []
    for span in _fields(text):
        field = _field(source, span)
        if field.name in properties:
            raise SourceError(f"the field {field.name!r} is given twice", source=source, span=span)
        properties[field.name] = field.schema
        required += [] if field.is_optional else [field.name]
    if not properties:
        raise SourceError("there is no field", source=source, span=Span(0, 1))
    _refuse_empty(source)
    return {
        "type": "object",
        "properties": properties,
        "required": required,
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


class _Field(NamedTuple):
    name: str
    schema: dict[str, Any]
    is_optional: bool


def _field(source: Source, span: Span) -> _Field:
    text = source.text[span.start : span.end]
    head, _, description = text.partition(":")
    found = _FIELD.fullmatch(head.strip())
    if found is None:
        raise SourceError(
            "expected a field: its name, then perhaps a type", source=source, span=span
        )
    if not _NAME.fullmatch(found["name"]):
        raise SourceError(
            f"{found['name']!r} is no name",
            source=source,
            span=Span(span.start, span.start + len(found["name"])),
            hint="names are letters, digits and _ - . $ @; types stand behind a blank: age int",
        )
    written, start = found["type"], span.start + found.start("type")
    said = description.strip()
    if written is None and _schema_of(said) is not None:  # age: int
        written, start, said = said, span.start + text.rindex(said), ""
    schema: dict[str, Any] = {"type": "string"}
    is_optional = found["optional"] is not None
    if written is not None:
        type_span = Span(start, start + len(written))
        is_optional = is_optional or written[:1] == "?" or written[-1:] == "?"
        schema = _type(source, type_span)
    if said:
        schema["description"] = said
    return _Field(found["name"], schema, is_optional)


def _type(source: Source, span: Span) -> dict[str, Any]:
    written = source.text[span.start : span.end]
    schema = _schema_of(written)
    if schema is None:
        word = re.sub(r"^\[\s*|\s*\]$", "", written)
        near = difflib.get_close_matches(word, _TYPES, n=1)
        hint = f"did you mean {near[0]}? {_ALLOWED}" if near else _ALLOWED
        raise SourceError(f"{word!r} is no type", source=source, span=span, hint=hint)
    return schema


def _schema_of(written: str) -> dict[str, Any] | None:
    """Return the schema of a type as people write it; `None`: it is none."""
    text = written.strip().removesuffix("?").removeprefix("?").strip()
    if (optional := _OPTIONAL.fullmatch(text)) is not None:
        inner = _schema_of(optional["inner"])
        return None if inner is None else _or_null(inner)
    parts = [part.strip() for part in text.split("|")]
    if len(parts) > 1:
        return _union(parts)
    for form in _LISTS:
        if (listed := form.fullmatch(text)) is not None:
            item = _schema_of(listed["item"] or "str")
            return {"type": "array", "items": item} if item and "items" not in item else None
    return {"type": _TYPES[text.lower()]} if text.lower() in _TYPES else None


def _union(parts: list[str]) -> dict[str, Any] | None:
    """Return the schema of `int|null`, or of choices, `small|large|null`."""
    others = [part for part in parts if part.lower() not in _NULL]
    if len(others) == 1:
        schema = _schema_of(others[0])
    elif others and all(other.lower() in _TYPES for other in others):
        schema = {"type": [_TYPES[other.lower()] for other in others]}
    elif others and all(_CHOICE.fullmatch(o) and o.lower() not in _TYPES for o in others):
        schema = {"enum": [other.strip("\"'") for other in others]}
    else:
        schema = None
    return _or_null(schema) if schema is not None and len(others) < len(parts) else schema


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    if "enum" in schema:
        return {"enum": [*schema["enum"], None]}
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return {**schema, "type": [*dict.fromkeys([*kinds, "null"])]}
