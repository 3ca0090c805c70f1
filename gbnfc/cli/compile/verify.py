"""Samples of a compiled grammar, held against its schema.

In: a schema and its grammar. Out: texts that show where the two differ: for an entry of the report
a witness, for `--verify` a whole verification.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from gbnfc.errors import GbnfcError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.cli.compile.job import CompiledSchema
    from gbnfc.schema import ReportEntry
    from gbnfc.schema.check.oracle import Validity
    from gbnfc.schema.check.verify import Subject, Verification

_SEED = 0
_WITNESS_SAMPLES = 30
_WITNESS_CHARS = 10_000
_WITNESS_CHANGES = 60
_WITNESS_RULES = 1_000
_MAX_WITNESS_LENGTH = 400


def verify_schema(schema: CompiledSchema, count: int) -> Verification:
    """Draw `count` samples and as many valid instances; the same input gives the same ones.

    Raises:
        GbnfcError: no text belongs to the grammar.
    """
    from gbnfc.schema.check.verify import verify

    return verify(_subject(schema), count, Random(_SEED))


def with_witnesses(schema: CompiledSchema) -> tuple[ReportEntry, ...]:
    """Return the report; entries that are `wider` with a short text that shows it, where a few
    samples hold one.
    """
    from gbnfc.schema.report import Effect

    compiled = schema.compiled
    wanted = [e for e in compiled.report if e.effect is Effect.WIDER and e.witness is None]
    if not wanted or len(compiled.grammar.rules) > _WITNESS_RULES:
        return compiled.report
    try:
        found = _witnesses(_subject(schema), wanted)
    except GbnfcError:  # a grammar that needs token terminals, or holds none but endless texts
        return compiled.report
    return tuple(
        replace(entry, witness=found[entry]) if entry in found else entry
        for entry in compiled.report
    )


def _witnesses(subject: Subject, wanted: list[ReportEntry]) -> dict[ReportEntry, str]:
    """Return for each entry the shortest text found that it explains."""
    from gbnfc.schema.check.verify import explains

    found: dict[ReportEntry, str] = {}
    for text, validity in _accepted_texts(subject):
        for entry in wanted if len(text) <= _MAX_WITNESS_LENGTH else ():
            known = found.get(entry)
            if explains(entry, validity) and (known is None or len(text) < len(known)):
                found[entry] = text
    return found


def _accepted_texts(subject: Subject) -> Iterator[tuple[str, Validity]]:
    """Yield texts of the grammar that the schema refuses: samples, and valid ones changed a little.

    Work is bounded by samples and characters, not by time, so that the answer is always the same.
    """
    from gbnfc.schema.check.verify import accepted, changed_values, judge_text

    valid, chars = [], 0
    for _ in range(_WITNESS_SAMPLES):
        text = subject.draw()
        chars += len(text)
        if chars > _WITNESS_CHARS:
            break
        example, value, validity = judge_text(subject, text)
        if example is None:
            valid.append(value)
        elif validity is not None:
            yield text, validity
    for value, validity in changed_values(subject, valid, _WITNESS_CHANGES, Random(_SEED)):
        example = accepted(subject, value, validity)
        if example is not None:
            yield example.text, validity


def _subject(schema: CompiledSchema) -> Subject:
    from gbnfc.match import Verdict, compile_matcher, match_text, sample
    from gbnfc.schema.check.oracle import SchemaOracle
    from gbnfc.schema.check.verify import Subject
    from gbnfc.schema.compile import asserts_formats, compile_schema

    given, options = schema.given, schema.options
    drawn, rng = compile_matcher(schema.compiled.grammar), Random(_SEED)
    asked, style = drawn, options.style[0]
    if style == "pretty":
        # Free values are written on one line there, declared ones are not: without line breaks the
        # language is the same, and a text needs no knowledge of the schema to be written.
        plain = replace(options, whitespace="spaced")
        again = compile_schema(given.schema, schema.draft, given.registry, plain)
        asked = compile_matcher(again.grammar)
    judge = SchemaOracle(
        given.schema,
        schema.compiled.draft or "2020-12",
        given.registry,
        asserts_formats=asserts_formats(options, given.schema, schema.draft),
    )
    return Subject(
        report=schema.compiled.report,
        draw=lambda: sample(drawn, rng),
        accepts=lambda text: match_text(asked, text).verdict is Verdict.ACCEPTED,
        judge=judge.judge,
        compact=style in ("compact", "bounded"),
    )
