"""Where each value of a JSON (or YAML) document stands in its text.

In: a `Source`. Out: the value and a map from JSON Pointers (RFC 6901) to the spans of values and
of the keys before them. Python's reader decides what is JSON; the positions come from a scan of the
text it accepted, so both can never disagree about the content.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from gbnfc.documents.yaml_values import load_yaml
from gbnfc.errors import JsonSyntaxError, LimitExceeded
from gbnfc.source import Source, Span

if TYPE_CHECKING:
    from collections.abc import Iterator

_MERGE = "<<"
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


@dataclass(frozen=True, slots=True)
class PositionedJson:
    """A document: its `value`, and for each pointer the span of the value, and of its key.

    `repeated` are the keys that their object holds already, with the places of the later ones;
    what is inside them may be listed too, behind them.
    """

    value: Any
    values: dict[str, Span] = field(default_factory=dict)
    keys: dict[str, Span] = field(default_factory=dict)
    repeated: list[tuple[str, Span]] = field(default_factory=list)

    def span_of(self, pointer: str) -> Span | None:
        """Return the span of the value at `pointer`, or of the nearest value around it."""
        while pointer not in self.values and pointer:
            pointer = pointer.rpartition("/")[0]
        return self.values.get(pointer)

    def key_span(self, pointer: str) -> Span | None:
        """Return the span of the key of `pointer`; of the value where it has no key."""
        return self.keys.get(pointer) or self.span_of(pointer)


def check_keys(source: Source, document: PositionedJson) -> None:
    """Refuse an object that holds a key twice: readers disagree about which of them counts.

    Raises: `JsonSyntaxError` with the place of the second.
    """
    if document.repeated:
        key, span = document.repeated[0]
        raise JsonSyntaxError(f"the key {key!r} is given twice", source=source, span=span)


def escape_pointer(key: str) -> str:
    """Return `key` as a part of a JSON Pointer: `~` as `~0`, `/` as `~1`."""
    return key.replace("~", "~0").replace("/", "~1")


def read_json(source: Source) -> PositionedJson:
    """Return the document in `source` with its positions.

    Raises: `JsonSyntaxError` with its place; `LimitExceeded` for nesting beyond Python's reader.
    """

    def refuse(constant: str) -> NoReturn:
        at = max(source.text.find(constant), 0)
        span = Span(at, at + len(constant))
        raise JsonSyntaxError(f"not JSON: {constant}", source=source, span=span)

    try:
        value = json.loads(source.text, parse_constant=refuse)
    except json.JSONDecodeError as error:
        span = Span(error.pos, error.pos + 1)
        raise JsonSyntaxError(f"not JSON: {error.msg}", source=source, span=span) from None
    except RecursionError:
        raise LimitExceeded(f"{source.name}: the JSON is nested too deeply") from None
    except ValueError as error:  # an integer of more digits than Python converts
        raise LimitExceeded(f"{source.name}: {error}") from None
    document = PositionedJson(value)
    _scan(source.text, document)
    return document


@dataclass(slots=True)
class _Open:
    """A container that is being read: its pointer, where it starts, what comes next in it."""

    pointer: str
    start: int
    index: int | None
    key: str | None = None


def _scan(text: str, document: PositionedJson) -> None:
    containers: list[_Open] = []
    for match in _TOKEN.finditer(text):
        token, span = match[0], Span(*match.span())
        inner = containers[-1] if containers else None
        if token in "{[":
            containers.append(_Open(_next_pointer(inner), span.start, 0 if token == "[" else None))
        elif token in "}]":
            closed = containers.pop()
            document.values[closed.pointer] = Span(closed.start, span.end)
            _finish(containers)
        elif token in ",:":
            continue
        elif inner is not None and inner.index is None and inner.key is None:
            inner.key = escape_pointer(key := json.loads(token))
            pointer = f"{inner.pointer}/{inner.key}"
            if pointer in document.keys:
                document.repeated.append((key, span))
            document.keys[pointer] = span
        else:
            document.values[_next_pointer(inner)] = span
            _finish(containers)


def _next_pointer(inner: _Open | None) -> str:
    if inner is None:
        return ""
    return f"{inner.pointer}/{inner.key if inner.index is None else inner.index}"


def _finish(containers: list[_Open]) -> None:
    """Note that the value at hand is read: an array counts on, an object waits for a key."""
    if containers:
        inner = containers[-1]
        inner.key = None
        if inner.index is not None:
            inner.index += 1


def read_yaml(source: Source) -> PositionedJson:
    """Return the YAML document in `source` with its positions. Needs the `yaml` extra.

    Raises: see `load_yaml`.
    """
    value, node = load_yaml(source)
    document = PositionedJson(value)
    for pointer, key, found in _yaml_nodes(node):
        document.values[pointer] = Span(found.start_mark.index, found.end_mark.index)
        if key is not None:
            if pointer in document.keys and key.value != _MERGE:  # nodes come last to first
                document.repeated.append((key.value, document.keys[pointer]))
            document.keys[pointer] = Span(key.start_mark.index, key.end_mark.index)
    return document


def _yaml_nodes(node: Any) -> Iterator[tuple[str, Any, Any]]:
    todo: list[tuple[str, Any, Any]] = [] if node is None else [("", None, node)]
    seen: set[int] = set()
    while todo:
        pointer, key, current = todo.pop()
        yield pointer, key, current
        if id(current) in seen:
            continue
        seen.add(id(current))
        if current.id == "mapping":
            todo += [
                (f"{pointer}/{escape_pointer(str(name.value))}", name, value)
                for name, value in current.value
            ]
        elif current.id == "sequence":
            todo += [(f"{pointer}/{i}", None, value) for i, value in enumerate(current.value)]
