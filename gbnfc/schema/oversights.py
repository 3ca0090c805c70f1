"""What an author most likely meant to constrain values and does not, or constrains otherwise.

In: one subschema and the draft that it is read in. Out: what looks like a slip, as keyword, kind
and a sentence. `compile` reports it, `gbnfc lint` has a rule for each kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from gbnfc.documents.pointer import follow_pointer, fragment_pointer, join_pointer
from gbnfc.errors import InputError
from gbnfc.frozen import frozen
from gbnfc.schema.source.dialects import CEL_RULES
from gbnfc.schema.vocabulary import (
    ASSERTIONS,
    STANDARD,
    VENDOR_KEYWORDS,
    looks_like_subschema,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

OLDER_DRAFTS = ("4", "6", "7")
"""Drafts in which `$ref` silences all keywords beside it."""

_CONTENT = frozenset({"contentEncoding", "contentMediaType", "contentSchema", CEL_RULES})
_PLAIN = (STANDARD | VENDOR_KEYWORDS) - _CONTENT - {"$ref", "nullable", "required"}
"""Keywords that are no slip, whatever they say."""

_ENVELOPES = ("schema", "parameters", "inputSchema", "input_schema", "json_schema", "outputSchema")
_UNIONS = ("anyOf", "oneOf")
_MAX_IN_A_ROW = 20
"""References that are followed, of which one leads to the next."""


class Oversight(Enum):
    """Kinds of slips."""

    BESIDE_REFERENCE = "beside reference"
    NULLABLE = "nullable"
    MISPLACED = "misplaced"
    MISSPELT_NAME = "misspelt name"
    CONTENT = "content"


@frozen
class Slip:
    """A keyword that does not do what it looks like, and a sentence that says so."""

    keyword: str
    kind: Oversight
    message: str


@dataclass(frozen=True)
class SlipFinder:
    """Finds slips in the subschemas of `document`, which is read in `draft`."""

    document: Any
    draft: str

    @cached_property
    def referred(self) -> frozenset[str]:
        """The JSON Pointers that references of the document name, and all on the way to them."""
        return _referred_pointers(self.document)

    def types(self, reference: str) -> Any:
        """Return what `type` says where `reference` leads, within the document."""
        for _ in range(_MAX_IN_A_ROW):
            if not reference.startswith("#"):
                return None
            try:
                target = follow_pointer(self.document, fragment_pointer(reference[1:]))
            except InputError:
                return None
            if not isinstance(target, dict):
                return None
            if not isinstance(target.get("$ref"), str):
                return target.get("type")
            reference = target["$ref"]
        return None

    def find(self, pointer: str, schema: Mapping[str, Any]) -> Iterator[Slip]:
        """Yield the slips in the subschema at `pointer`."""
        if schema.keys() <= _PLAIN:
            return  # most are
        if self.draft in OLDER_DRAFTS and isinstance(schema.get("$ref"), str):
            yield from _beside_reference(schema, self)
            return
        if schema.get("nullable") is True and not _allows_null(schema):
            hint = 'not a keyword of JSON Schema: null stays invalid; add "null" to the types'
            yield Slip("nullable", Oversight.NULLABLE, hint)
        for keyword in schema:
            if keyword not in STANDARD and keyword not in VENDOR_KEYWORDS:
                yield from _misplaced(pointer, schema, keyword, self)
        yield from _misspelt(schema)
        yield from _content(schema)


def _referred_pointers(document: Any) -> frozenset[str]:
    found: set[str] = set()
    pending = [document]
    for value in pending:
        if isinstance(value, dict):
            reference = value.get("$ref")
            if isinstance(reference, str) and "#/" in reference:
                pointer = unquote(reference.partition("#")[2])
                while pointer:
                    found.add(pointer)
                    pointer = pointer.rpartition("/")[0]
            pending += value.values()
        elif isinstance(value, list):
            pending += value
    return frozenset(found)


def _beside_reference(schema: Mapping[str, Any], finder: SlipFinder) -> Iterator[Slip]:
    message = f"without effect beside $ref in draft {finder.draft}; put both into allOf"
    for keyword, value in schema.items():
        is_repeated = keyword == "type" and finder.types(schema["$ref"]) == value
        if keyword in ASSERTIONS and keyword != "$ref" and not is_repeated:
            yield Slip(keyword, Oversight.BESIDE_REFERENCE, message)


def _allows_null(schema: Any) -> bool:
    """Return whether `schema` lets `null` pass, as far as a look at its own keywords tells."""
    if not isinstance(schema, dict):
        return schema is True
    kinds = schema.get("type", "null")
    if "null" not in (kinds if isinstance(kinds, list) else [kinds]):
        return False
    if isinstance(values := schema.get("enum"), list) and None not in values:
        return False
    if schema.get("const") is not None or "$ref" in schema:
        return False
    return all(_allows_null(part) for part in _parts(schema, "allOf")) and all(
        any(_allows_null(part) for part in _parts(schema, keyword))
        for keyword in _UNIONS
        if _parts(schema, keyword)
    )


def _parts(schema: Mapping[str, Any], keyword: str) -> list[Any]:
    parts = schema.get(keyword)
    return parts if isinstance(parts, list) else []


def _misplaced(
    pointer: str, schema: Mapping[str, Any], keyword: str, finder: SlipFinder
) -> Iterator[Slip]:
    """Yield what stands beside `properties`, or without them, and should be one of them."""
    kinds = schema.get("type")
    is_of_objects = "properties" in schema or "object" in (
        kinds if isinstance(kinds, list) else [kinds]
    )
    is_bare_root = not pointer and ASSERTIONS.isdisjoint(schema)
    if not (is_of_objects or is_bare_root) or keyword.startswith(("x-", "_", "$", "//")):
        return
    if not looks_like_subschema(schema[keyword]):
        return
    if join_pointer(pointer, keyword) in finder.referred:
        return
    hint = "if a property is meant, put it into properties"
    if keyword in _ENVELOPES and "properties" not in schema:
        hint = f"if the whole schema is meant, it is FILE#{join_pointer(pointer, keyword)}"
    yield Slip(keyword, Oversight.MISPLACED, f"not a keyword, so its schema asks nothing; {hint}")


def _misspelt(schema: Mapping[str, Any]) -> Iterator[Slip]:
    declared, required = schema.get("properties"), schema.get("required")
    if not isinstance(declared, dict) or not isinstance(required, list):
        return
    free = [name for name in declared if name not in required]
    for name in required:
        if not isinstance(name, str) or name in declared:
            continue
        near = next((other for other in free if is_slip(name, other)), None)
        if near is not None:
            message = f"{name!r} is required but not declared; did you mean {near!r}?"
            yield Slip("required", Oversight.MISSPELT_NAME, message)


def _content(schema: Mapping[str, Any]) -> Iterator[Slip]:
    for keyword in ("contentEncoding", "contentMediaType"):
        if isinstance(value := schema.get(keyword), str):
            message = f"an annotation: that the text is {value} is not checked"
            yield Slip(keyword, Oversight.CONTENT, message)
    if CEL_RULES in schema:
        yield Slip(CEL_RULES, Oversight.CONTENT, "rules in CEL, which no grammar holds")
    if "contentSchema" in schema:
        message = "an annotation: the value within the text is not checked"
        yield Slip("contentSchema", Oversight.CONTENT, message)


def is_slip(written: str, meant: str) -> bool:
    """Return whether two names differ by one slip of the hand.

    That is: in case or in `_` and `-`; or, of four letters and more, in one letter left out, added,
    changed or swapped with the next. Names that differ in a digit, or in the `_` that they begin
    with, are meant to.
    """
    if written.startswith("_") != meant.startswith("_"):
        return False
    if _folded(written) == _folded(meant):
        return True
    shorter, longer = sorted((written, meant), key=len)
    if len(shorter) < 3 or len(longer) < 4 or len(longer) - len(shorter) > 1:
        return False
    start = 0
    while start < len(shorter) and shorter[start] == longer[start]:
        start += 1
    one, other = shorter[start:], longer[start:]
    if any(char.isdigit() for char in one[:1] + other[:1]):
        return False
    if len(one) != len(other):
        return one == other[1:]
    return one[1:] == other[1:] or (one[:2] == other[1::-1] and one[2:] == other[2:])


def _folded(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()
