"""JSON Schema → grammar and report: the front door of the package.

schema ─ canonical ─▶ nodes ─ atoms ─▶ shapes ─ emitter ─▶ grammar ─ prune ─▶ gbnf.write ─▶ text
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gbnfc.errors import GbnfcError, LimitExceeded, SchemaError, Unsatisfiable
from gbnfc.gbnf.write import write_gbnf
from gbnfc.regex import choices_grammar, regex_grammar
from gbnfc.schema.annotations import ignored_keywords
from gbnfc.schema.emit.emitter import Emitter
from gbnfc.schema.emit.loadable import loadable
from gbnfc.schema.emit.prune import prune
from gbnfc.schema.options import CompileOptions, Formats
from gbnfc.schema.read.canonical import (
    CanonicalDocument,
    canonicalize,
    declares_annotated_formats,
    dialect_of,
    unsatisfiable_reason,
)
from gbnfc.schema.read.kinds import with_fewer_kinds
from gbnfc.schema.read.lower import Resolver, TooManyKinds
from gbnfc.schema.report import Effect, ReportEntry, Reporter, has_effect
from gbnfc.schema.source.references import as_seen_from
from gbnfc.schema.source.source_map import APPLIED_IN_PLACE, SourceMap
from gbnfc.schema.source.unknown_formats import without_unknown_formats
from gbnfc.schema.time_limit import TimeLimit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gbnfc.ir.nodes import Grammar


_DEFAULTS = CompileOptions()
_SELF_DEPENDENT = (
    "it leads back to itself without any content; what is valid only if it is valid is left out"
)


@dataclass(frozen=True)
class Compiled:
    """A grammar and what it does not hold of the schema it came from.

    `origins` tells of some rules the JSON Pointer of the subschema that each was made for.
    """

    grammar: Grammar
    report: tuple[ReportEntry, ...] = ()
    draft: str | None = field(default=None, kw_only=True)
    origins: Mapping[str, str] = field(default_factory=dict, kw_only=True, compare=False)

    @cached_property
    def text(self) -> str:
        """The grammar as GBNF text, whose start rule is `root`."""
        return write_gbnf(self.grammar)

    @property
    def exact(self) -> bool:
        """Whether the grammar accepts nothing that the schema refuses (no entry is wider)."""
        return not has_effect(self.report, Effect.WIDER)


def compile_schema(
    schema: Any,
    draft: str | None = None,
    registry: Mapping[str, Any] | None = None,
    options: CompileOptions | None = None,
) -> Compiled:
    """Compile a JSON Schema (a dict or a boolean) into a grammar.

    `draft` is "4", "6", "7", "2019-09", "2020-12" or `None` (what `$schema` says, else 2020-12).
    `registry` maps absolute URIs to documents that references may lead to; nothing is fetched.
    The grammar holds every keyword exactly unless an entry of the report says otherwise. In which
    order keys are written is the option `order`.

    >>> compile_schema({"type": "boolean"}).text
    'root ::= boolean\\nboolean ::= "true" | "false"\\n'

    Raises:
        SchemaError: not a valid schema of its draft; `UnresolvableRef`, `Unsatisfiable` likewise.
        PatternError: a `pattern` is no regular expression.
        LimitExceeded: the schema is larger or more entangled than a grammar can be.
    """
    with _collector_paused():
        return _compiled(schema, draft, registry or {}, options or _DEFAULTS)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Keep the garbage collector from looking again and again at a grammar that only grows.

    Nothing here makes circles of references; a third of the time is saved.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _compiled(
    schema: Any, draft: str | None, registry: Mapping[str, Any], options: CompileOptions
) -> Compiled:
    formats = asserts_formats(options, schema, draft)
    limit = TimeLimit()
    registry = as_seen_from(schema, registry, dialect_of(draft, schema))
    known = registry
    if formats:
        known = {uri: without_unknown_formats(document) for uri, document in registry.items()}
    document = canonicalize(schema, draft, known, asserts_formats=formats, limit=limit)
    given = _Given(schema, registry, options, formats, limit)
    try:
        return _written(document, given)
    except TooManyKinds:
        wider = with_fewer_kinds(document, schema, known, asserts_formats=formats, limit=limit)
        if wider is None:
            raise
    return _written(wider, given)


@dataclass(frozen=True, slots=True)
class _Given:
    """What is compiled, and how; `asserts_formats` says that `format` constrains."""

    schema: Any
    registry: Mapping[str, Any]
    options: CompileOptions
    asserts_formats: bool
    limit: TimeLimit


def _written(document: CanonicalDocument, given: _Given) -> Compiled:
    """Return the grammar of `document`, the canonical form of the schema that was given."""
    reporter = Reporter()
    for loss in document.losses:
        reporter.add(ReportEntry(loss.pointer, loss.keyword, Effect.WIDER, loss.message))
    siblings_of_ref = document.draft in ("2019-09", "2020-12")
    source_map = SourceMap(given.schema, given.registry, siblings_of_ref=siblings_of_ref)
    _check_circles(source_map, reporter)
    formats = given.asserts_formats
    resolver = Resolver(document.root, asserts_formats=formats, limit=given.limit)
    emitter = Emitter(resolver, source_map, reporter, given.options, document.draft)
    bodies = emitter.bodies(document.root, source_map.root)
    grammar = prune(bodies, "root", emitter.standard, emitter.signatures, emitter.names)
    if grammar is None:
        raise _nothing_left(document, given.registry, reporter)
    for entry in ignored_keywords(source_map, document.draft, asserts_formats=formats):
        reporter.add(entry)
    origins = {r.name: emitter.origins[r.name] for r in grammar.rules if r.name in emitter.origins}
    return Compiled(grammar, reporter.entries(), draft=document.draft, origins=origins)


def _nothing_left(
    document: CanonicalDocument, registry: Mapping[str, Any], reporter: Reporter
) -> GbnfcError:
    """Return the error for a grammar without texts: no values, or none that can be written."""
    left_out = [entry for entry in reporter.entries() if entry.effect is Effect.NARROWER]
    if left_out:
        first = left_out[0]
        return LimitExceeded(
            "no value of the schema can be written",
            hint=f"at {first.pointer or '/'}: {first.message}",
        )
    reason = unsatisfiable_reason(document, registry)
    return Unsatisfiable("no value satisfies the schema" + (f"; {reason}" if reason else ""))


def asserts_formats(options: CompileOptions, schema: Any, draft: str | None) -> bool:
    """Return whether `format` constrains, by the options and the dialect of `schema`."""
    if options.formats is Formats.DIALECT:
        return not declares_annotated_formats(schema, draft)
    return options.formats is Formats.ASSERT


def _check_circles(source_map: SourceMap, reporter: Reporter) -> None:
    """Refuse a root whose references run in a circle; report such circles elsewhere."""
    circles = source_map.endless_references()
    for place in source_map.self_dependent():
        if place not in circles:
            keyword = next(key for key in place.schema if key in APPLIED_IN_PLACE)
            reporter.add(ReportEntry(place.label, keyword, Effect.NARROWER, _SELF_DEPENDENT))
    if not circles:
        return
    at_root = source_map.always(source_map.root)
    for place in circles:
        message = "its references lead back to it without any content"
        if place in at_root:
            raise SchemaError(message, pointer=place.label or "/")
        reporter.add(ReportEntry(place.label, "$ref", Effect.WIDER, message + "; nothing is held"))


def compile_regex(pattern: str) -> Compiled:
    """Compile an ECMA-262 regular expression into a grammar of the texts it is found in.

    Raises:
        PatternError: not a regular expression; LimitExceeded: too large an automaton.
    """
    return Compiled(loadable(regex_grammar(pattern)))


def compile_choices(choices: Iterable[str]) -> Compiled:
    """Compile a list of texts into a grammar that accepts exactly one of them.

    Raises:
        SchemaError: there is no choice.
    """
    texts = () if isinstance(choices, str) else tuple(choices)
    if not texts or not all(isinstance(text, str) for text in texts):
        raise SchemaError("there is nothing to choose from", hint="give a list of texts")
    return Compiled(choices_grammar(texts))


def compile_model(model: Any, options: CompileOptions | None = None) -> Compiled:
    """Compile a Pydantic model, or any type that `pydantic.TypeAdapter` takes, into a grammar.

    Raises:
        SchemaError: Pydantic has no JSON Schema for it.
    """
    return compile_schema(model_schema(model), options=options)


def model_schema(model: Any) -> dict[str, Any]:
    """Return the JSON Schema of the values that a model or type of Pydantic's reads."""
    from pydantic.errors import PydanticUserError

    from gbnfc.schema.models import schema_to_read

    try:
        return schema_to_read(model)
    except PydanticUserError as error:
        raise SchemaError(f"{model!r} has no JSON Schema: {error.message}") from None
