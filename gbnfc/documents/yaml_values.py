"""YAML as JSON's types: what a schema in a `.yaml` file says.

In: a `Source`. Out: its value and the node it was made from. Scalars are read by the core schema of
YAML 1.2 (section 10.3.2), as OpenAPI asks for: `2024-01-01` and `yes` are strings, `010` is ten.
Needs the extra `yaml`.
"""

from __future__ import annotations

import re
from typing import Any

from gbnfc.errors import InputError, LimitExceeded, SourceError
from gbnfc.extras import Extra, install_hint
from gbnfc.source import Source, Span

_MAX_VALUES = 2_000_000
"""Aliases may multiply a small text into more values than memory holds; these are read at most."""

_CORE = (
    ("null", r"~|null|Null|NULL|", "~nN\0"),
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789"),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+.0123456789"),
    ("merge", r"<<", "<"),
)
_PREFIX = "tag:yaml.org,2002:"
_TAGS = {_PREFIX + name for name, *_ in _CORE} | {
    _PREFIX + name for name in ("str", "seq", "map", "timestamp")
}


def load_yaml(source: Source) -> tuple[Any, Any]:
    """Return the value of the one document in `source`, and its root node (`None` when empty).

    Raises:
        InputError: pyyaml is missing.
        SourceError: not YAML, or nothing that JSON could say; with its place.
        LimitExceeded: nested too deeply, or multiplied by aliases beyond what can be held.
    """
    try:
        import yaml
    except ImportError:
        raise InputError(
            f"{source.name}: reading YAML needs pyyaml", hint=install_hint(Extra.YAML)
        ) from None
    try:
        loader = _loader(yaml)(source.text)
        node = loader.get_single_node()
        if node is None:
            return None, None
        _check_nodes(source, node)
        return loader.construct_document(node), node
    except yaml.MarkedYAMLError as error:
        raise _at_mark(source, error) from None
    except yaml.YAMLError as error:  # a character that YAML forbids
        raise InputError(f"{source.name}: not YAML: {_one_line(str(error))}") from None
    except RecursionError:
        raise LimitExceeded(f"{source.name}: the YAML is nested too deeply") from None
    except ValueError as error:  # an integer of more digits than Python reads
        raise LimitExceeded(f"{source.name}: {error}") from None


def _loader(yaml: Any) -> Any:
    """Return PyYAML's safe loader with the scalars of YAML 1.2's core schema."""

    class CoreLoader(yaml.SafeLoader):  # type: ignore[misc]  # made here: yaml is an extra
        yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - replaces PyYAML's table

    for name, form, starts in _CORE:
        pattern = re.compile(rf"(?:{form})\Z")
        first = ["" if char == "\0" else char for char in starts]
        CoreLoader.add_implicit_resolver(_PREFIX + name, pattern, first)
    CoreLoader.add_constructor(_PREFIX + "int", _construct_int)
    CoreLoader.add_constructor(_PREFIX + "timestamp", yaml.SafeLoader.construct_yaml_str)
    return CoreLoader


def _construct_int(loader: Any, node: Any) -> int:
    text = loader.construct_scalar(node)
    return int(text, 0) if text[:2] in ("0x", "0o") else int(text)


def _check_nodes(source: Source, root: Any) -> None:
    """Refuse keys that are no strings in JSON, circles, and aliases that multiply."""
    sizes: dict[int, int] = {}
    opened: set[int] = set()
    stack = [(root, False)]
    while stack:
        node, is_left = stack.pop()
        parts = _parts(node)
        if is_left:
            opened.discard(id(node))
            sizes[id(node)] = size = 1 + sum(sizes[id(part)] for part in parts)
            if size > _MAX_VALUES:
                raise LimitExceeded(f"{source.name}: aliases make this more than {size:,} values")
        elif id(node) in opened:
            raise _at_node(source, node, "it contains itself")
        elif id(node) not in sizes:
            _check_node(source, node)
            opened.add(id(node))
            stack.append((node, True))
            stack += [(part, False) for part in parts]


def _parts(node: Any) -> list[Any]:
    if node.id == "mapping":
        return [value for _, value in node.value]
    return list(node.value) if node.id == "sequence" else []


def _check_node(source: Source, node: Any) -> None:
    if node.tag not in _TAGS:
        raise _at_node(source, node, f"the tag {node.tag.replace(_PREFIX, '!!')} has no JSON")
    for key, _ in node.value if node.id == "mapping" else ():
        if key.id != "scalar":
            raise _at_node(source, key, "a key must be a string")
        if key.tag not in (_PREFIX + "str", _PREFIX + "merge"):
            # `200:` and `true:` are keys of JSON all the same: their text is.
            key.tag = _PREFIX + "str"


def _at_node(source: Source, node: Any, message: str) -> SourceError:
    span = Span(node.start_mark.index, max(node.end_mark.index, node.start_mark.index + 1))
    return SourceError(f"not JSON in YAML: {message}", source=source, span=span)


def _at_mark(source: Source, error: Any) -> SourceError:
    mark = error.problem_mark or error.context_mark
    at = mark.index if mark is not None else 0
    parts = [part for part in (error.context, error.problem) if part]
    message = _one_line("not YAML: " + ", ".join(parts))
    return SourceError(message, source=source, span=Span(at, at + 1))


def _one_line(text: str) -> str:
    return " ".join(text.split())
