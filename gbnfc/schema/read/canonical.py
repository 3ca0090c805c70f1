"""JSON Schema → canonical form, with `jsonschema_rs`, which only this module, `atoms`, `switch`
and `judge` know.

In: a schema as Python data. Out: a `CanonicalDocument`, whose nodes are canonical schemas of that
library; or an error of ours that names the place.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeAlias

import jsonschema_rs
from jsonschema_rs import CanonicalSchema
from jsonschema_rs.canonical import (
    CanonicalizationError,
    InvalidPattern,
    RawReason,
    RawView,
    UnsatisfiableReason,
    find_unsatisfiable,
)

from gbnfc.documents.pointer import join_pointer
from gbnfc.errors import GbnfcError, LimitExceeded, PatternError, SchemaError, UnresolvableRef
from gbnfc.regex import compile_pattern
from gbnfc.schema.read.switch import is_conditional, with_switches
from gbnfc.schema.source.entangled import wider_where_entangled
from gbnfc.schema.source.pattern_budget import FEWEST_PATTERNS, check_cases
from gbnfc.schema.source.patterns import for_library
from gbnfc.schema.source.references import (
    SPELLED,
    has_odd_identifier,
    has_odd_references,
    is_older,
    with_plain_references,
)
from gbnfc.schema.source.rewrite import Loss, rewrites, without_unevaluated
from gbnfc.schema.source.source_map import LOOKING_BACK, SourceMap
from gbnfc.schema.source.unknown_formats import is_unknown_format, without_unknown_formats

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from gbnfc.schema.time_limit import TimeLimit

Node: TypeAlias = CanonicalSchema

DRAFTS = {"4": 4, "6": 6, "7": 7, "2019-09": 19, "2020-12": 20}
DIALECTS = {
    "4": "http://json-schema.org/draft-04/schema#",
    "6": "http://json-schema.org/draft-06/schema#",
    "7": "http://json-schema.org/draft-07/schema#",
    "2019-09": "https://json-schema.org/draft/2019-09/schema",
    "2020-12": "https://json-schema.org/draft/2020-12/schema",
}
_NAMES = {number: name for name, number in DRAFTS.items()}
_MAX_ONE_OF_PIECES = 200
_MAX_IN_A_ROW = 255
"""References; at some 1,000 the stack of jsonschema_rs 0.61 is full, and the process dies."""
MAX_LISTED = {
    "enum": 100_000,
    "const": 100_000,
    "required": 10_000,
    "properties": 10_000,
    "oneOf": 2_000,
    "anyOf": 20_000,
    "allOf": 2_000,
}
"""So many of each take seconds and, as a grammar, megabytes; llama.cpp takes still longer."""
_FEW = min(MAX_LISTED.values())

_HALF_PAIR = re.compile("[\ud800-\udfff]")
_PATTERNS = "patterns are ECMA-262 regular expressions"
_OFFICIAL = re.compile(r"https?://json-schema\.org/draft[-/]")
_TOO_LARGE = (RawReason.OUTGREW_CASES, RawReason.OUTGREW_INTERSECTIONS)
_NEWER = re.compile(r"https?://json-schema\.org/draft/20")
_POINTER_REF = re.compile(r"Pointer '(?P<ref>[^']*)' does not exist")
_RESOURCE_REF = re.compile(r"Resource '(?P<ref>[^']*)' is not present")


@dataclass(frozen=True, slots=True)
class CanonicalDocument:
    """A schema in canonical form.

    `losses` are keywords that had to be dropped to get there, `draft` the JSON Schema version that
    was read ("4", "6", "7", "2019-09" or "2020-12"), `schema` the document that was canonicalised.
    """

    root: Node
    schema: Any
    draft: str
    losses: tuple[Loss, ...] = ()


def canonicalize(
    schema: Any,
    draft: str | None,
    registry: Mapping[str, Any],
    *,
    asserts_formats: bool = True,
    limit: TimeLimit | None = None,
) -> CanonicalDocument:
    """Read `schema` (a dict or a boolean) into canonical form.

    Where the library cannot model a document, equivalent spellings are tried, then ever weaker
    ones; each keyword given up is a loss.

    Raises:
        SchemaError: not a valid schema of its draft, or nested too deeply.
        UnresolvableRef: a reference names nothing in the document or the registry.
        PatternError: a `pattern` is not a regular expression.
        LimitExceeded: some keyword lists more than `MAX_LISTED`, or the patterns multiply.
    """
    overview = _look_over(schema)
    losses: tuple[Loss, ...] = ()
    if overview.has_unknown_format and asserts_formats:
        schema = without_unknown_formats(schema)
    dialect = dialect_of(draft, schema)
    is_newer = not is_older(dialect)
    if overview.is_odd or has_odd_identifier(schema, dialect):
        schema = with_plain_references(schema, dialect)
    if overview.looks_back and is_newer:
        schema, losses = _with_an_end(schema, registry)
    if overview.references > _MAX_IN_A_ROW or overview.patterns >= FEWEST_PATTERNS:
        source_map = SourceMap(schema, registry, siblings_of_ref=is_newer)
        if overview.references > _MAX_IN_A_ROW:
            _check_chain(source_map)
        try:
            check_cases(source_map)
        except LimitExceeded as error:
            schema, more = _with_fewer_cases(schema, registry, error, siblings_of_ref=is_newer)
            losses += more
    read = reader(draft, registry, schema, asserts_formats)
    schema, root = _read_best(schema, read, overview)
    reason = raw_reason(root)
    if reason == RawReason.UNKNOWN_DIALECT:
        read = reader("2020-12", registry, schema, asserts_formats)
        if schema["$schema"] not in registry:
            schema = {key: value for key, value in schema.items() if key != "$schema"}
        schema, root = _read_best(schema, read, overview)
        unknown = Loss("", "$schema", "the dialect is unknown; read as draft 2020-12")
        losses = (*losses, unknown)
        reason = raw_reason(root)
    if reason is not None:
        schema, root, more = _read_weaker(schema, root, reason, read, limit)
        losses += more
    return CanonicalDocument(root, schema, _NAMES[root.draft], losses)


def _read_weaker(
    schema: Any,
    root: Node,
    reason: RawReason,
    read: Callable[[Any], Node],
    limit: TimeLimit | None,
) -> tuple[Any, Node, tuple[Loss, ...]]:
    """Read another spelling of `schema`, of which `root` could not be modelled for this `reason`.

    What has to be given up is given up where it is entangled, or, where that cannot be told,
    everywhere.
    """

    def is_modelled(part: Any) -> bool:
        try:
            return raw_reason(read(part)) is None
        except GbnfcError:  # it cannot be read apart
            return True

    array_keyword = "prefixItems" if root.draft == DRAFTS["2020-12"] else "items"
    spellings = rewrites(schema, array_keyword, equivalent=reason not in _TOO_LARGE)
    strongest, is_first = schema, True
    for rewritten, losses in spellings:
        if losses and is_first:
            is_first = False
            local = wider_where_entangled(strongest, schema, is_modelled, limit)
            if local is not None:
                return local[0], read(local[0]), local[1]
        if limit is not None and limit.is_short:  # the weakest is sure to be read
            *_, (rewritten, losses) = (rewritten, losses), *spellings
        root = read(rewritten)
        if raw_reason(root) is None:
            return rewritten, root, losses
        strongest = strongest if losses else rewritten
    raise LimitExceeded("the schema is too entangled to be brought into canonical form")


def _read_respelled(schema: Any, read: Callable[[Any], Node]) -> tuple[Any, Node]:
    """Read `schema`, respelled where the library reads its patterns otherwise than we do."""
    try:
        return schema, read(schema)
    except (SchemaError, PatternError):
        respelled = for_library(schema)
        if respelled == schema:
            raise
        return respelled, read(respelled)


def _read_best(schema: Any, read: Callable[[Any], Node], overview: _Overview) -> tuple[Any, Node]:
    """Read `schema`, with its conditions in cases where there are some and that helps.

    What is wrong with a schema is said of the one that was given.
    """
    if overview.conditions > 1:
        try:
            switched = with_switches(schema, read, looks_back=overview.looks_back)
            if switched is not schema:
                switched, root = _read_respelled(switched, read)
                if raw_reason(root) is None:
                    return switched, root
        except (SchemaError, PatternError, UnresolvableRef):
            pass
    return _read_respelled(schema, read)


def _with_an_end(schema: Any, registry: Mapping[str, Any]) -> tuple[Any, tuple[Loss, ...]]:
    """Return `schema` without what the library (jsonschema_rs 0.61) would unfold without end.

    Raises:
        LimitExceeded: it is in a registered document.
    """
    endless = SourceMap(schema, registry, siblings_of_ref=True).endless_unevaluated()
    if not endless:
        return schema, ()
    elsewhere = next((place.label for place in endless if place.document), None)
    if elsewhere is not None:
        message = f"{elsewhere}: what is unevaluated depends on a reference that holds it"
        raise LimitExceeded(message, hint="write additionalProperties there, or take it out")
    return without_unevaluated(schema)


def _with_fewer_cases(
    schema: Any, registry: Mapping[str, Any], error: LimitExceeded, *, siblings_of_ref: bool
) -> tuple[Any, tuple[Loss, ...]]:
    """Return the strongest weaker spelling of `schema` whose patterns come to few cases.

    Raises:
        LimitExceeded: `error`, where they come to many in each, or in a registered document.
    """
    for weaker, losses in rewrites(schema, "items", equivalent=False):
        try:
            check_cases(SourceMap(weaker, registry, siblings_of_ref=siblings_of_ref))
        except LimitExceeded:
            continue
        return weaker, losses
    raise error


def _check_chain(source_map: SourceMap) -> None:
    """Refuse references that lead from one to the next so often that the library's stack ends."""
    length, place = source_map.longest_chain()
    if length > _MAX_IN_A_ROW:
        raise SchemaError(
            f"{length:,} references lead from one to the next, more than {_MAX_IN_A_ROW}",
            pointer=place.label or "/",
        )


_NOTED = LOOKING_BACK | SPELLED | {"pattern", "$ref", "if", "anyOf", "format"}


@dataclass(slots=True)
class _Overview:
    """What a schema holds: `looks_back` says that some keyword depends on what others evaluated
    (`unevaluated…`), `is_odd` that some reference is in need of respelling."""

    looks_back: bool = False
    patterns: int = 0
    references: int = 0
    conditions: int = 0
    is_odd: bool = False
    has_unknown_format: bool = False

    def add(self, keywords: Mapping[str, Any]) -> None:
        """Take in the keywords of one subschema."""
        if _NOTED.isdisjoint(keywords):
            return  # most are
        self.looks_back = self.looks_back or not LOOKING_BACK.isdisjoint(keywords)
        self.patterns += "pattern" in keywords
        self.references += "$ref" in keywords
        self.conditions += is_conditional(keywords)
        self.has_unknown_format |= is_unknown_format(keywords.get("format"))
        self.is_odd = self.is_odd or has_odd_references(keywords)


def _look_over(schema: Any) -> _Overview:
    """Return what `schema` holds.

    Raises:
        SchemaError: JSON has no number for one in it; the library would read it as `null`.
        LimitExceeded: some keyword lists more than `MAX_LISTED`.
    """
    overview = _Overview()
    pending: list[tuple[Any, tuple[Any, ...]]] = [(schema, ())]
    for node, path in pending:
        if isinstance(node, dict):
            overview.add(node)
            parts: Iterable[tuple[Any, Any]] = node.items()
        else:
            parts = enumerate(node) if isinstance(node, list | tuple) else ()
        for key, part in parts:
            if isinstance(part, str):
                continue  # most parts are
            if isinstance(part, (dict, list, tuple)):
                if len(part) > _FEW:
                    _check_length(key, part, path)
                pending.append((part, (path, key)))
            elif isinstance(part, float) and not isfinite(part):
                raise SchemaError(
                    f"{part} is no number of JSON",
                    pointer=_pointer(key, path),
                    hint="numbers beyond 1.8e308 become infinite when they are read",
                )
    return overview


def _check_length(keyword: Any, listed: Any, path: tuple[Any, ...]) -> None:
    """Refuse a keyword that lists so much that no grammar of it could be used."""
    most = MAX_LISTED.get(keyword) if isinstance(keyword, str) else None
    if most is not None and len(listed) > most:
        raise LimitExceeded(
            f"at {_pointer(keyword, path)}: {keyword} lists {len(listed):,}, more than {most:,}",
            hint="say less there, a type or a pattern, and check the rest afterwards",
        )


def _pointer(last: Any, path: tuple[Any, ...]) -> str:
    """Return the pointer of the part `last` of what `path` leads to, from the inside out."""
    segments = [last]
    while path:
        path, segment = path
        segments.append(segment)
    return join_pointer("", *reversed(segments))


def raw_reason(root: Node) -> RawReason | None:
    """Return why the library left the whole document as it was; `None`: it did not."""
    view = root.view()
    return view.reason if isinstance(view, RawView) else None


def reader(
    draft: str | None, registry: Mapping[str, Any], schema: Any, asserts_formats: bool
) -> Callable[[Any], Node]:
    """Return what reads `schema`, or another spelling of it, into canonical form."""
    if draft is not None and draft not in DRAFTS:
        raise SchemaError(f"draft {draft!r} is unknown", hint=f"use one of: {', '.join(DRAFTS)}")
    number = DRAFTS[draft] if draft is not None else None
    retriever = retriever_of(registry, dialect_of(draft, schema))

    def read(schema: Any) -> Node:
        try:
            return jsonschema_rs.canonicalize(
                schema,
                draft=number,
                validate_formats=asserts_formats,
                retriever=retriever,
            )
        except (jsonschema_rs.ValidationError, CanonicalizationError) as error:
            raise _translate(error, schema) from None
        except jsonschema_rs.ReferencingError as error:
            raise UnresolvableRef(str(error), ref="") from None
        except ValueError as error:  # half a surrogate pair, or more than the library's 255 levels
            raise _unreadable(error, schema) from None

    return read


def _unreadable(error: ValueError, schema: Any) -> SchemaError:
    for pointer, value in _walk(schema):
        texts = [*value] if isinstance(value, dict) else [value]
        for text in (t for t in texts if isinstance(t, str) and _HALF_PAIR.search(t)):
            message = f"{text!a} holds half of a surrogate pair, which no text has"
            shown = pointer.encode("utf-8", "replace").decode()
            return SchemaError(message, pointer=shown, hint="write the whole pair, \\ud83d\\ude00")
    return SchemaError(f"the schema cannot be read: {error}")


def check_schema(schema: Any, draft: str | None) -> None:
    """Hold `schema` against the meta-schema of its draft, without following references.

    Raises:
        SchemaError: with the JSON Pointer of what is wrong.
    """
    if not isinstance(schema, dict):
        return
    try:
        jsonschema_rs.meta.validate({**schema, "$schema": dialect_of(draft, schema)})
    except jsonschema_rs.ValidationError as error:
        raise _invalid(error, schema) from None
    except (jsonschema_rs.ReferencingError, ValueError):  # a dialect that nobody knows
        return


def declares_annotated_formats(schema: Any, draft: str | None) -> bool:
    """Return whether the dialect that `draft` or `schema` names has formats that only annotate."""
    if draft is not None:
        return draft in ("2019-09", "2020-12")
    declared = schema.get("$schema") if isinstance(schema, dict) else None
    return isinstance(declared, str) and bool(_NEWER.match(declared))


def dialect_of(draft: str | None, schema: Any) -> str:
    """Return the meta-schema URI that documents without a `$schema` of their own are read by."""
    declared = schema.get("$schema") if isinstance(schema, dict) else None
    if draft is None and isinstance(declared, str):
        return declared
    return DIALECTS[draft or "2020-12"]


def draft_of(schema: Any) -> str:
    """Return the draft that `schema` names, "7" for example; "2020-12" where it names none."""
    declared = dialect_of(None, schema).rstrip("#").replace("https:", "http:")
    for draft, dialect in DIALECTS.items():
        if declared == dialect.rstrip("#").replace("https:", "http:"):
            return draft
    return "2020-12"


def retriever_of(registry: Mapping[str, Any], dialect: str) -> Callable[[str], Any]:
    """Return what hands the library a registered document when a reference leads to it.

    A document that names no dialect, or one that nobody knows, is read in that of the schema.
    """

    def retrieve(uri: str) -> Any:
        document = registry[uri] if uri in registry else registry[uri + "#"]
        if not isinstance(document, dict):
            return document
        own = document.get("$schema")
        if not isinstance(own, str) or not (_OFFICIAL.match(own) or own in registry):
            document, own = {**document, "$schema": dialect}, dialect
        return with_plain_references(document, own)

    return retrieve


def _translate(error: Exception, schema: Any) -> Exception:
    match error:
        case jsonschema_rs.ValidationError():
            return _invalid(error, schema)
        case InvalidPattern():
            return _bad_pattern(error.message, schema)
        case _:
            message = str(error)
    for form in (_POINTER_REF, _RESOURCE_REF):
        if found := form.search(message):
            ref = found["ref"]
            return _unresolvable(ref, schema)
    return SchemaError(f"not a JSON Schema: {message}")


def _invalid(error: Any, schema: Any) -> SchemaError:
    pointer = join_pointer("", *error.instance_path)
    if error.instance_path and error.instance_path[-1] == "type":
        hint = "allowed: array, boolean, integer, null, number, object, string"
        shown = f"{error.instance!r} is not a JSON type"
        return SchemaError(f"not a valid JSON Schema: {shown}", pointer=pointer, hint=hint)
    return SchemaError(f"not a valid JSON Schema: {error.message}", pointer=pointer)


def _bad_pattern(message: str, schema: Any) -> PatternError:
    """Return the error for the pattern that `message` ends with, with where it stands."""
    said, _, shown = message.partition(": ")
    for pointer, value in _walk(schema):
        if not isinstance(value, dict):
            continue
        named = _names(value.get("patternProperties"))
        places = [("pattern",), *(("patternProperties", name) for name in named)]
        for place, pattern in zip(places, [value.get("pattern"), *named], strict=True):
            if not isinstance(pattern, str):
                continue
            if shown in (pattern, f'"{pattern}"', json.dumps(pattern, ensure_ascii=False)):
                error = _pattern_error(f"at {pointer or '/'}: {said}: {shown}", pattern)
                error.pointer = join_pointer(pointer, *place)
                return error
    return PatternError(message, hint=_PATTERNS)


def _pattern_error(message: str, pattern: str) -> PatternError:
    try:
        compile_pattern(pattern)
    except PatternError as error:  # it knows the place in the pattern
        message = f"{message}, {error.message}"
        return PatternError(message, source=error.source, span=error.span, hint=error.hint)
    except LimitExceeded:
        pass
    return PatternError(message, hint=_PATTERNS)


def _names(value: Any) -> list[str]:
    return list(value) if isinstance(value, dict) else []


def _unresolvable(ref: str, schema: Any) -> UnresolvableRef:
    meant = f"#{ref}" if ref.startswith("/") else ref
    pointer, written = _find_ref(schema, meant)
    if ref.startswith("/"):
        near = _same_ending(schema, ref)
        if near == ref:  # it is there, seen from the root
            inner = _own_document(schema, pointer)
            hint = (
                f"{inner} has an identifier of its own, so # begins there; take the identifier "
                "out, or write that of the schema before the #"
            )
        else:
            hint = f"did you mean #{near}?" if near else "no such place in the schema"
    else:
        hint = "nothing is fetched; register the document (registry=, --registry DIR)"
        hint = hint if written.endswith(ref) else f"it means {ref}; {hint}"
    return UnresolvableRef(
        f"the reference {written!r} cannot be resolved", pointer=pointer, ref=written, hint=hint
    )


def _walk(schema: Any) -> Iterable[tuple[str, Any]]:
    stack: list[tuple[str, Any]] = [("", schema)]
    while stack:
        pointer, value = stack.pop()
        yield pointer, value
        if isinstance(value, dict | list | tuple):
            inner = value.items() if isinstance(value, dict) else enumerate(value)
            stack.extend((join_pointer(pointer, key), item) for key, item in inner)


def _find_ref(schema: Any, ref: str) -> tuple[str, str]:
    """Return where the reference stands that means `ref`, and how it is written there."""
    references = [
        (pointer, value)
        for pointer, value in _walk(schema)
        if isinstance(value, str) and value and pointer.endswith("ref")
    ]
    found = [(pointer, ref) for pointer, value in references if value.endswith(ref)]
    relative = [pair for pair in references if ref.endswith(f"/{pair[1]}")]
    return min(found or relative, default=("", ref))


def _own_document(schema: Any, pointer: str) -> str:
    """Return the innermost subschema around `pointer` that is a document of its own."""
    around = [
        place
        for place, value in _walk(schema)
        if place
        and f"{pointer}/".startswith(f"{place}/")
        and isinstance(value, dict)
        and isinstance(value.get("$id", value.get("id")), str)
    ]
    return max(around, key=len, default="/")


def _same_ending(schema: Any, ref: str) -> str | None:
    found = [p for p, v in _walk(schema) if p.endswith(ref) and isinstance(v, dict | bool)]
    return min(found, key=len, default=None)


def unsatisfiable_reason(document: CanonicalDocument, registry: Mapping[str, Any]) -> str:
    """Return in a sentence why no value satisfies the document, as far as it can be told."""
    for pointer, reason in find_contradictions(document, registry):
        return f"{pointer or '/'}: {reason}"
    return ""


def find_contradictions(
    document: CanonicalDocument, registry: Mapping[str, Any]
) -> tuple[tuple[str, str], ...]:
    """Return the subschemas that no value satisfies: JSON Pointer and reason, outermost first."""
    try:
        reasons = find_unsatisfiable(
            document.schema,
            draft=DRAFTS[document.draft],
            validate_formats=True,
            retriever=retriever_of(registry, DIALECTS[document.draft]),
        )
    except (ValueError, jsonschema_rs.ReferencingError):
        return ()
    ordered = sorted(reasons.items(), key=lambda item: (len(item[0]), item[0]))
    return tuple((pointer, _describe(reason)) for pointer, reason in ordered)


def _describe(reason: UnsatisfiableReason) -> str:
    def named(cause: Any) -> str:
        keywords = " and ".join(cause.keywords) or "the subschema"
        return f"{keywords} at {cause.pointer or '/'}"

    match reason:
        case UnsatisfiableReason.Literal():
            return "the schema is false"
        case UnsatisfiableReason.Empty(cause=cause):
            return f"{named(cause)} allows nothing"
        case UnsatisfiableReason.Conflict(causes=causes):
            return "nothing satisfies " + " together with ".join(map(named, causes))
    return "no value is possible"
