"""Run the schema rules: a JSON or YAML text in, diagnostics out.

`"x-gbnfc-ignore"` in a subschema (`true`, a code, or a list of codes) silences what is found there
and below; one that silences nothing is a finding.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from gbnfc.documents.json_positions import check_keys, read_json, read_yaml
from gbnfc.errors import GbnfcError, InputError, JsonSyntaxError, SourceError
from gbnfc.lint.check import collect, diagnose, in_order
from gbnfc.lint.diagnostic import Diagnostic, Finding
from gbnfc.lint.registry import SCHEMA_RULES, UNREADABLE_SCHEMA, UNUSED_SUPPRESSION
from gbnfc.lint.rule import RULE_STEPS, Budget
from gbnfc.lint.schema_subject import LintedSchema
from gbnfc.lint.text.suppress import matches
from gbnfc.schema.source.dialects import as_json_schema
from gbnfc.schema.source.schema_files import find_enveloped, seems_to_be_schema
from gbnfc.source import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gbnfc.source import Source

IGNORE_KEYWORD = "x-gbnfc-ignore"


def lint_schema_text(
    source: Source, *, named: bool = True, registry: Mapping[str, Any] | None = None
) -> tuple[Diagnostic, ...]:
    """Return what is wrong with the schemas in a JSON text (YAML by the name of `source`).

    `named` tells that the user named the file: then a text that is no JSON, or no schema, is a
    finding; otherwise it is passed over, unless it is plain that a schema was meant. `registry`
    holds by URI what references may lead to.

    Raises: `InputError` for YAML without the `yaml` extra.
    """
    is_yaml = PurePath(source.name).suffix.lower() in (".yaml", ".yml")
    try:
        document = read_yaml(source) if is_yaml else read_json(source)
    except InputError:
        raise
    except GbnfcError as error:
        return _unreadable(source, error) if named or seems_to_be_schema(source) else ()
    found_in = find_enveloped(document.value, named=named)
    if not found_in and named:
        return _unreadable(source, InputError("the document holds no schema"))
    found: list[Diagnostic] = []
    if found_in:
        try:
            check_keys(source, document)
        except JsonSyntaxError as error:
            found += _unreadable(source, error)
    for envelope in found_in:
        pointer = envelope.pointer
        value = as_json_schema(_value_at(document.value, pointer), envelope.dialect)
        schema = LintedSchema(value, source, document, pointer, registry or {})
        found += _lint_schema(schema)
    return tuple(in_order(found))


def _unreadable(source: Source, error: GbnfcError) -> tuple[Diagnostic, ...]:
    span = error.span if isinstance(error, SourceError) else None
    finding = Finding(error.message, span, help=error.hint)
    return (diagnose(UNREADABLE_SCHEMA, finding, source.name, source),)


def _value_at(value: Any, pointer: str) -> Any:
    for part in pointer.split("/")[1:]:
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value


def _lint_schema(schema: LintedSchema) -> Iterator[Diagnostic]:
    found: list[Diagnostic] = []
    for rule in SCHEMA_RULES:
        findings = rule.check(schema, Budget(RULE_STEPS))
        found += collect(rule, findings, schema.source.name, schema.source)
    ignores = tuple(_ignores(schema))
    used: set[tuple[Span, str]] = set()
    for diagnostic in found:
        covering = [ignore for ignore in ignores if _covers(*ignore, diagnostic)]
        used.update(covering)
        if not covering:
            yield diagnostic
    for span, selector in ignores:
        if (span, selector) not in used:
            finding = Finding(f"nothing to ignore here: {selector}", span)
            yield diagnose(UNUSED_SUPPRESSION, finding, schema.source.name, schema.source)


def _ignores(schema: LintedSchema) -> Iterable[tuple[Span, str]]:
    for pointer, value in schema.subschemas:
        wanted = value.get(IGNORE_KEYWORD)
        key, span = schema.key_span(pointer), schema.span_of(pointer)
        selectors = ["ALL"] if wanted is True else [wanted] if isinstance(wanted, str) else wanted
        if span is not None and key is not None and isinstance(selectors, list):
            # Findings about a field point at its key, which stands before the schema.
            whole = Span(key.start, span.end)
            yield from ((whole, selector) for selector in selectors if isinstance(selector, str))


def _covers(span: Span, selector: str, diagnostic: Diagnostic) -> bool:
    at = diagnostic.span
    inside = at is not None and span.start <= at.start and at.end <= span.end
    return inside and matches(selector, diagnostic.code, diagnostic.name)
