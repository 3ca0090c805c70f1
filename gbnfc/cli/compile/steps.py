"""What `gbnfc compile` does once everything is compiled: report, verify, write or compare.

In: grammars, the schemas behind them, and how the user wants them treated. Out: an exit code.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gbnfc.cli.io.shown import shown
from gbnfc.cli.io.streams import counted, print_note, print_warning
from gbnfc.cli.io.writing import write_file

if TYPE_CHECKING:
    from gbnfc.cli.compile.job import CompiledSchema
    from gbnfc.ir.nodes import Rule
    from gbnfc.schema import Compiled

_SHOWN = ("wider", "narrower")


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """What becomes of grammars and reports, by option name; `effects` are those that fail."""

    output: str | None
    comments: bool
    check: bool
    verify: int | None
    report: str
    report_file: str | None
    effects: tuple[str, ...]
    show_ignored: bool
    stats: bool
    quiet: bool


def finish(grammars: list[Compiled], schemas: list[CompiledSchema], how: OutputOptions) -> int:
    """Report, verify and write; return the exit code."""
    from gbnfc.cli.compile.output import write_folder, write_grammar

    if not how.quiet:
        _note_bare_tools(schemas)
        for one in schemas:
            _note_that_nothing_is_asked(one)
            _note_formats(one)
            _note_slips(one)
    _report([_with_entries(one, how) for one in schemas], how)
    failing = [e for one in grammars for e in one.report if e.effect.value in how.effects]
    if failing:
        if not how.quiet:
            print_note(f"no grammar written: {counted(len(failing), 'keyword')} not held exactly")
        return 1
    verdicts = [_verify(one, how) for one in schemas]
    if not all(verdicts):
        return 1
    texts = [_text(grammar, schema, how) for grammar, schema in _paired(grammars, schemas)]
    if how.stats:
        for grammar, text in zip(grammars, texts, strict=True):
            _show_size(grammar, text)
    files = _files(schemas, how)
    if how.check:
        return _show_differences(dict(zip(files, texts, strict=True)))
    if len(texts) > 1:
        write_folder(dict(zip(files, texts, strict=True)))
    else:
        write_grammar(texts[0], how.output)
    return 0


def _note_bare_tools(schemas: list[CompiledSchema]) -> None:
    """Tell which tools of a list get no grammar."""
    if schemas and (bare := schemas[0].given.bare_tools):
        print_note(f"{schemas[0].given.name}: tools without parameters left out: {', '.join(bare)}")


def _note_that_nothing_is_asked(schema: CompiledSchema) -> None:
    """Tell of a document that holds keys, but no keyword: most likely it is no schema."""
    from gbnfc.schema.vocabulary import ANNOTATIONS, ASSERTIONS, IDENTIFIERS

    keys = schema.given.schema.keys() if isinstance(schema.given.schema, dict) else set()
    unknown = sorted(keys - ASSERTIONS - ANNOTATIONS - IDENTIFIERS)
    if unknown and ASSERTIONS.isdisjoint(keys):
        shown = ", ".join(unknown[:3]) + (", …" if unknown[3:] else "")
        print_note(
            f"{schema.given.name}: asks for nothing, so any JSON is allowed (not a keyword: "
            f"{shown}); FILE#/json/pointer picks a schema inside a document"
        )


def _note_formats(schema: CompiledSchema) -> None:
    """Tell of formats that the schema's dialect makes annotations: few who write them know."""
    from gbnfc.schema import Formats
    from gbnfc.schema.compile import asserts_formats

    given, options = schema.given.schema, schema.options
    if options.formats is not Formats.DIALECT or asserts_formats(options, given, schema.draft):
        return
    count = sum(entry.keyword == "format" for entry in schema.compiled.report)
    if count:
        print_note(
            f"{schema.given.name}: format constrains nothing in draft {schema.compiled.draft}, "
            f"which it names ({counted(count, 'place')}); --formats assert holds it"
        )


def _note_slips(schema: CompiledSchema) -> None:
    """Tell what its author most likely meant to constrain and does not, alike ones together."""
    from gbnfc.cli.compile.job import file_pointer

    places: dict[tuple[str, str], list[str]] = {}
    for entry in schema.compiled.report:
        if entry.is_slip:
            pointer = file_pointer(schema.given, entry.pointer) or "/"
            places.setdefault((entry.keyword, entry.message), []).append(pointer)
    for (keyword, message), (first, *others) in places.items():
        where = f"{first} and {counted(len(others), 'other place')}" if others else first
        print_note(f"{schema.given.name}: at {where}: {keyword}: {message}")


def _paired(
    grammars: list[Compiled], schemas: list[CompiledSchema]
) -> list[tuple[Compiled, CompiledSchema | None]]:
    return [(one.compiled, one) for one in schemas] or [(grammar, None) for grammar in grammars]


def _with_entries(schema: CompiledSchema, how: OutputOptions) -> CompiledSchema:
    from gbnfc.cli.compile.job import file_pointer
    from gbnfc.cli.compile.verify import with_witnesses

    is_seen = not how.quiet or how.report_file is not None
    entries = with_witnesses(schema) if is_seen else schema.compiled.report
    shown = [e for e in entries if how.show_ignored or e.effect.value in _SHOWN]
    return replace(
        schema,
        entries=tuple(
            replace(entry, pointer=file_pointer(schema.given, entry.pointer)) for entry in shown
        ),
    )


def _report(schemas: list[CompiledSchema], how: OutputOptions) -> None:
    from gbnfc.cli.compile.report import print_entries, write_report

    if not schemas:
        return
    if how.report_file is not None:
        text = write_report(schemas, how.report)
        write_file(Path(how.report_file), text)
    elif how.quiet:
        return
    elif how.report == "text":
        print_entries(schemas)
    else:
        sys.stderr.write(write_report(schemas, how.report))


def _verify(schema: CompiledSchema, how: OutputOptions) -> bool:
    """Return whether grammar and schema differ nowhere but where the report says so."""
    from gbnfc.cli.compile.verify import verify_schema
    from gbnfc.schema import Effect
    from gbnfc.source import visible_line

    if how.verify is None:
        return True
    result = verify_schema(schema, how.verify)
    for example in result.counter_examples:
        if not example.admitted:
            who = "the grammar" if example.effect is Effect.WIDER else "the schema"
            print_warning(f"only {who} allows {visible_line(example.text)}: {example.message}")
    if not how.quiet:
        found = len(result.counter_examples)
        admitted = sum(example.admitted for example in result.counter_examples)
        print_note(
            f"verified: {counted(result.samples, 'sample')}, "
            f"{counted(result.instances, 'valid instance')}: "
            f"{counted(found - admitted, 'counter-example')}, {admitted} as reported"
            + (f", {result.undecided} undecided" if result.undecided else "")
        )
    return result.holds


def _text(compiled: Compiled, schema: CompiledSchema | None, how: OutputOptions) -> str:
    if not how.comments or schema is None:
        return compiled.text
    from gbnfc.cli.compile.job import file_pointer
    from gbnfc.gbnf.write import write_gbnf
    from gbnfc.ir.nodes import Comment
    from gbnfc.source import visible_line

    def commented(rule: Rule) -> Rule:
        if rule.name not in compiled.origins:
            return rule
        pointer = file_pointer(schema.given, compiled.origins[rule.name])
        return replace(rule, comments=(Comment(f" {visible_line(pointer or '/')}"),))

    rules = tuple(commented(rule) for rule in compiled.grammar.rules)
    return write_gbnf(replace(compiled.grammar, rules=rules))


def _files(schemas: list[CompiledSchema], how: OutputOptions) -> list[Path]:
    from gbnfc.cli.compile.output import file_names

    if how.output is None:
        return []
    if len(schemas) < 2:
        return [Path(how.output)]
    names = file_names([one.given.title or one.given.base for one in schemas])
    return [Path(how.output) / name for name in names]


def _show_size(compiled: Compiled, text: str) -> None:
    """Say how large a grammar is, and what llama.cpp would not load of it."""
    from gbnfc.ir.loading import engine_refusal

    size = len(text.encode("utf-8"))
    print_note(f"{counted(len(compiled.grammar.rules), 'rule')}, {size:,} bytes")
    refusal = engine_refusal(compiled.grammar)
    if refusal is not None:
        print_warning(f"llama.cpp does not load this grammar: {refusal}")


def _show_differences(texts: dict[Path, str]) -> int:
    from gbnfc.cli.compile.output import difference

    differences = [difference(path, text) for path, text in texts.items()]
    for text in differences:
        sys.stderr.write(shown(text))
    return 1 if any(differences) else 0
