"""A schema whose references are spelled for those who read it beside us.

In: a schema as its author wrote it. Out: the same with references that `jsonschema_rs` and
`referencing` follow to where the author meant: `#/$defs/Page[Item]` as a URI, a key that is itself
percent-encoded, and what stands beside a root's identifier.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from gbnfc.documents.pointer import follow_pointer, join_pointer, split_pointer
from gbnfc.errors import InputError
from gbnfc.schema.source.rewrite import edit_schema
from gbnfc.schema.source.uris import (
    DEFAULT_BASE,
    is_odd,
    join_uri,
    spelled_as_uri,
    split_uri,
    without_fragment,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
SPELLED = frozenset({*REFERENCES, "$id", "id"})
"""Keywords whose values are URIs."""
_OLDER = re.compile(r"https?://json-schema\.org/draft-")
_OLDEST = re.compile(r"https?://json-schema\.org/draft-0?[34]/")


def is_older(dialect: str) -> bool:
    """Return whether in `dialect` (a meta-schema URI) `$ref` silences what stands beside it."""
    return _OLDER.match(dialect) is not None


def identifier_keyword(dialect: str) -> str:
    """Return the keyword that names a document in `dialect`: `$id`, in draft 4 `id`."""
    return "id" if _OLDEST.match(dialect) else "$id"


def base_beside_reference(schema: Any, dialect: str) -> str:
    """Return the absolute identifier of a root that has a `$ref` too, in an older draft, or "".

    By those drafts the `$ref` silences the identifier; Ajv, by which such schemas are written,
    resolves by it all the same.
    """
    if not isinstance(schema, dict) or "$ref" not in schema or not is_older(dialect):
        return ""
    own = schema.get(identifier_keyword(dialect))
    named = isinstance(own, str) and without_fragment(own)
    return join_uri(DEFAULT_BASE, named) if named else ""


def as_seen_from(schema: Any, registry: Mapping[str, Any], dialect: str) -> Mapping[str, Any]:
    """Return `registry` with what is registered by its path as `schema` refers to it, too.

    Beside `"$id": "https://example.org/a.json"` a reference `b.json` means
    `https://example.org/b.json`, though the file of that name has no identifier.
    """
    own = schema.get(identifier_keyword(dialect)) if isinstance(schema, dict) else None
    if not isinstance(own, str) or not own:
        return registry
    base = join_uri(DEFAULT_BASE, spelled_as_uri(own))
    paths = [(uri.removeprefix(DEFAULT_BASE), uri) for uri in registry]
    seen = {join_uri(base, path): registry[uri] for path, uri in paths if path != uri}
    silenced = base_beside_reference(schema, dialect)
    return {**seen, **registry, **({silenced: schema} if silenced else {})}


def has_odd_references(keywords: Mapping[str, Any]) -> bool:
    """Return whether a subschema refers to, or names, something with characters that no URI has."""
    if SPELLED.isdisjoint(keywords):
        return False
    return any(
        isinstance(text := keywords.get(keyword), str) and is_odd(text) for keyword in SPELLED
    )


def has_odd_identifier(schema: Any, dialect: str) -> bool:
    """Return whether the identifier of a root is relative, or is silenced by a `$ref`."""
    own = schema.get(identifier_keyword(dialect)) if isinstance(schema, dict) else None
    if not isinstance(own, str) or not without_fragment(own):
        return False
    return split_uri(own).scheme is None or bool(base_beside_reference(schema, dialect))


def with_plain_references(schema: Any, dialect: str) -> Any:
    """Return `schema` (read in `dialect`) with references that every reader follows alike.

    Raises:
        SchemaError: nested too deeply.
    """
    base = base_beside_reference(schema, dialect)
    return edit_schema(schema, partial(_edited, schema, identifier_keyword(dialect), base))


def _edited(
    root: Any, naming: str, base: str, pointer: str, keywords: Mapping[str, Any]
) -> dict[str, Any]:
    found = dict(keywords)
    is_in_root = not base or not _is_named(root, naming, pointer)
    for keyword in REFERENCES:
        if isinstance(text := keywords.get(keyword), str):
            text = spelled_as_uri(_literal(root, naming, pointer, text))
            found[keyword] = _absolute(base, text) if base and is_in_root else text
    own = keywords.get(naming)
    if isinstance(own, str):
        own = spelled_as_uri(own)
        if without_fragment(own) and (base or not pointer):
            own = join_uri(base or DEFAULT_BASE, own)
        found[naming] = own
    return found


def _absolute(base: str, reference: str) -> str:
    if reference.startswith("#"):
        return reference
    joined = join_uri(base, reference)
    return joined.removeprefix(base) if joined.startswith(f"{base}#") else joined


def _literal(root: Any, naming: str, pointer: str, reference: str) -> str:
    """Return `reference` so that it leads to a key written with percent signs, if only that is."""
    if not reference.startswith("#/") or "%" not in reference:
        return reference
    home = _home(root, naming, pointer)
    literal = reference[1:]
    if _leads(home, unquote(literal)) or not _leads(home, literal):
        return reference
    return reference.replace("%", "%25")


def _leads(document: Any, pointer: str) -> bool:
    try:
        follow_pointer(document, pointer)
    except InputError:
        return False
    return True


def _around(root: Any, pointer: str) -> list[Any]:
    """Return the values on the way from `root` to `pointer`, both included."""
    values = [root]
    for segment in split_pointer(pointer):
        values.append(follow_pointer(values[-1], join_pointer("", segment)))
    return values


def _home(root: Any, naming: str, pointer: str) -> Any:
    """Return the document that `#` means at `pointer`: the innermost one with an identifier."""
    around = _around(root, pointer)
    return next((value for value in reversed(around[1:]) if _names(value, naming)), root)


def _is_named(root: Any, naming: str, pointer: str) -> bool:
    """Return whether a document of its own, within `root`, holds `pointer`."""
    return any(_names(value, naming) for value in _around(root, pointer)[1:])


def _names(value: Any, naming: str) -> bool:
    own = value.get(naming) if isinstance(value, dict) else None
    return isinstance(own, str) and not own.startswith("#") and "$ref" not in value
