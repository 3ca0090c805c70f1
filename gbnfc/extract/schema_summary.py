"""A schema as a model is shown it. In: a JSON Schema. Out: one line that looks like the answer.

    {"type": "object", "properties": {"age": {"type": "integer", "description": "in years"}}}
    →  {"age"?: integer (in years)}

Shorter than the schema by half, and small models follow it better (measured with SmolLM2 on 32
documents: 85 fields of 136 right instead of 80). Bounds are left out: the grammar holds them. What
has no such form is shown as JSON Schema.
"""

from __future__ import annotations

import json
from typing import Any

from gbnfc.documents.pointer import follow_pointer, fragment_pointer
from gbnfc.errors import GbnfcError

_MAX_DEPTH = 12
_MAX_CHOICES = 40


def show_schema(schema: Any, *, is_described: bool = True) -> str:
    """Return `schema` on one line: keys, types, choices and, if wanted, descriptions."""
    shown = schema if is_described else _undescribed(schema)
    return _shape(shown, shown, ())


def descriptions(schema: Any) -> tuple[str, ...]:
    """Return the descriptions in `schema`, each once."""
    found: dict[str, None] = {}
    pending = [schema]
    for node in pending:
        if isinstance(node, dict):
            described = node.get("description")
            if isinstance(described, str) and described:
                found[described] = None
            pending += node.values()
        elif isinstance(node, list):
            pending += node
    return tuple(found)


def _undescribed(node: Any) -> Any:
    if isinstance(node, list):
        return [_undescribed(part) for part in node]
    if not isinstance(node, dict):
        return node
    # A property may be called `description`: its value is a schema, not a text.
    return {
        key: _undescribed(part)
        for key, part in node.items()
        if not (key == "description" and isinstance(part, str))
    }


def _shape(node: Any, root: Any, path: tuple[str, ...]) -> str:
    if not isinstance(node, dict) or len(path) > _MAX_DEPTH:
        return "any"
    described = node.get("description")
    shown = _form(node, root, path)
    return f"{shown} ({described})" if isinstance(described, str) and described else shown


def _form(node: dict[str, Any], root: Any, path: tuple[str, ...]) -> str:
    if isinstance(node.get("$ref"), str):
        return _referenced(node["$ref"], root, path)
    if "const" in node:
        return _value(node["const"])
    if isinstance(node.get("enum"), list) and len(node["enum"]) <= _MAX_CHOICES:
        return " | ".join(map(_value, node["enum"]))
    for keyword in ("anyOf", "oneOf"):
        if isinstance(node.get(keyword), list):
            parts = (_shape(part, root, (*path, keyword)) for part in node[keyword])
            return " | ".join(dict.fromkeys(parts))
    if "properties" in node:
        return _object(node, root, path)
    if "items" in node:
        return f"[{_shape(node['items'], root, (*path, 'items'))}]"
    return _simple(node)


def _referenced(reference: str, root: Any, path: tuple[str, ...]) -> str:
    # A schema that holds itself is shown once, then by the name of its definition.
    name = reference.rsplit("/", 1)[-1] or "any"
    if reference in path or not reference.startswith("#"):
        return name
    try:
        target = follow_pointer(root, fragment_pointer(reference[1:]))
    except GbnfcError:
        return name
    return _shape(target, root, (*path, reference))


def _object(node: dict[str, Any], root: Any, path: tuple[str, ...]) -> str:
    properties = node["properties"] if isinstance(node["properties"], dict) else {}
    required = node.get("required", [])
    members = (
        f"{_value(key)}{'' if key in required else '?'}: {_shape(part, root, (*path, key))}"
        for key, part in properties.items()
    )
    return "{" + ", ".join(members) + "}"


def _simple(node: dict[str, Any]) -> str:
    if isinstance(node.get("format"), str):
        return str(node["format"])
    kind = node.get("type")
    if isinstance(kind, list):
        return " | ".join(map(str, kind))
    if not isinstance(kind, str):
        return (
            json.dumps(node, ensure_ascii=False) if set(node) - {"title", "description"} else "any"
        )
    if kind == "string" and isinstance(node.get("pattern"), str):
        return f"string matching {node['pattern']}"
    return kind


def _value(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def chosen_strings(schema: Any) -> frozenset[str]:
    """Return the strings that `schema` names as values: choices, which no document need hold."""
    found: set[str] = set()
    pending = [schema]
    for node in pending:
        if isinstance(node, dict):
            choices = node.get("enum")
            choices = choices if isinstance(choices, list) else []
            found |= {text for text in (*choices, node.get("const")) if isinstance(text, str)}
            pending += node.values()
        elif isinstance(node, list):
            pending += node
    return frozenset(found)
