"""`gbnfc compile`: a schema, a pattern or a list of choices as a grammar, and what it lacks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from gbnfc.cli.io.streams import print_note
from gbnfc.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gbnfc.cli.compile.tools import ToolFormat
    from gbnfc.cli.inputs.schema_argument import SchemaInput
    from gbnfc.schema import Compiled

_FAIL_ON = {"wider": ("wider",), "narrower": ("narrower",), "any": ("wider", "narrower")}
_REPORTS = ("text", "json", "sarif", "github", "markdown")

_Text = Optional[str]  # noqa: UP045 - typer reads the annotation
_Texts = Optional[list[str]]  # noqa: UP045
_Whole = Optional[int]  # noqa: UP045


def compile(
    schema: Annotated[
        _Text,
        typer.Argument(
            metavar="SCHEMA",
            help="JSON or YAML file, FILE#/pointer, '-', inline JSON, module:Class, "
            "file.py:Class, a list of tools, or 'name, age? int, tags [str]'.",
        ),
    ] = None,
    output: Annotated[
        _Text, typer.Option("-o", "--output", metavar="FILE", help="Write here; a folder: tools.")
    ] = None,
    regex: Annotated[
        _Text, typer.Option("--regex", metavar="PATTERN", help="A pattern instead of a schema.")
    ] = None,
    choice: Annotated[
        _Texts,
        typer.Option("--choice", metavar="TEXT", help="One of these texts (repeat), not a schema."),
    ] = None,
    tool: Annotated[
        _Text, typer.Option("--tool", metavar="NAME", help="This one of a list of tools.")
    ] = None,
    tool_format: Annotated[
        _Text,
        typer.Option(
            "--tool-format",
            metavar="FORM",
            help="How a call of any tool of a list is written: openai, llama or hermes.",
        ),
    ] = None,
    draft: Annotated[
        _Text,
        typer.Option(
            "--draft", metavar="DRAFT", help="4, 6, 7, 2019-09 or 2020-12 [default: $schema]."
        ),
    ] = None,
    registry: Annotated[
        _Text,
        typer.Option("--registry", metavar="DIR", help="Schemas that references may lead to."),
    ] = None,
    whitespace: Annotated[
        str,
        typer.Option(
            "--whitespace",
            metavar="STYLE",
            help="compact, spaced, pretty:N or bounded:N.",
        ),
    ] = "spaced",
    additional: Annotated[
        str,
        typer.Option(
            "--additional", metavar="HOW", help="Undeclared keys: as the schema says, or closed."
        ),
    ] = "schema",
    order: Annotated[
        _Text,
        typer.Option(
            "--order",
            metavar="HOW",
            help="Order of keys: any, schema (the author's), required-first "
            "[default: any; of tool calls: schema].",
        ),
    ] = None,
    missing: Annotated[
        str,
        typer.Option(
            "--missing", metavar="HOW", help="Optional values: left out (schema), or null."
        ),
    ] = "schema",
    digits: Annotated[
        _Whole,
        typer.Option(
            "--digits", metavar="N", min=1, help="Most digits before and behind a number's point."
        ),
    ] = None,
    formats: Annotated[
        str, typer.Option("--formats", metavar="HOW", help="format: dialect, assert or annotate.")
    ] = "dialect",
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit 1 without a grammar when it would be wider.")
    ] = False,
    fail_on: Annotated[
        _Text,
        typer.Option("--fail-on", metavar="WHAT", help="The same for wider, narrower or any."),
    ] = None,
    comments: Annotated[
        bool, typer.Option("--comments", help="Write above rules what they are for.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit 1 when -o would change.")
    ] = False,
    verify: Annotated[
        _Whole, typer.Option("--verify", metavar="N", min=1, help="Try N samples, N instances.")
    ] = None,
    report: Annotated[
        str,
        typer.Option(
            "--report",
            metavar="FORMAT",
            help=f"{', '.join(_REPORTS)}: what is not held, on stderr; beyond 100 kB also which "
            "places make the grammar large.",
        ),
    ] = "text",
    report_file: Annotated[
        _Text, typer.Option("--report-file", metavar="FILE", help="Write the report there.")
    ] = None,
    show_ignored: Annotated[
        bool, typer.Option("--show-ignored", help="Report annotations too.")
    ] = False,
    stats: Annotated[bool, typer.Option("--stats", help="Say how large the grammar is.")] = False,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Say nothing but errors.")] = False,
) -> int:
    """Turn a JSON Schema, a pattern or a list of choices into a grammar.

    The grammar goes to stdout, what it does not hold of the schema to stderr. Exits with 1 when
    --strict, --fail-on, --check or --verify say no. A list of tools becomes one grammar for a call
    of any of them; requests to model APIs and CRDs are unwrapped.
    """
    from gbnfc.cli.compile.steps import OutputOptions, finish
    from gbnfc.cli.inputs.schema_argument import files_of
    from gbnfc.cli.io.writing import check_outputs
    from gbnfc.schema import CompileOptions, Order

    options = CompileOptions(whitespace, additional, order or "any", missing, formats, digits)  # type: ignore[arg-type]  # strings are taken for the enums
    how = OutputOptions(
        output=output,
        comments=comments,
        check=check,
        verify=verify,
        report=_one_of("--report", report, _REPORTS),
        report_file=report_file,
        effects=_failing(fail_on, strict=strict),
        show_ignored=show_ignored,
        stats=stats,
        quiet=quiet,
    )
    if check and (output is None or output == "-"):
        raise UsageError("--check compares with a file", hint="name it with -o FILE")
    written = [name for name in (output, report_file) if name is not None and name != "-"]
    check_outputs(written, files_of(schema))
    if sum((schema is not None, regex is not None, bool(choice))) != 1:
        raise UsageError(
            "say once what to compile", hint="give a SCHEMA, or --regex, or --choice (repeatedly)"
        )
    if schema is None:
        if options != CompileOptions() or draft or registry or tool or tool_format or verify:
            raise UsageError("patterns and choices take no options for schemas")
        return finish(_from_texts(regex, choice or (), quiet=quiet), [], how)
    from gbnfc.cli.compile.job import compile_given
    from gbnfc.cli.compile.tools import any_of_tools, within_form
    from gbnfc.cli.inputs.registry import read_registry
    from gbnfc.cli.inputs.schema_argument import check_draft, pick_tool, read_schemas

    check_draft(draft)
    documents = {} if registry is None else read_registry(registry)
    given = read_schemas(schema)
    if tool is not None:
        given = (pick_tool(given, tool),)
    elif tool_format is not None or (len(given) > 1 and not _is_folder(output)):
        form = _tool_format(given, tool_format, verify)
        if order is None:  # the name comes first: it tells the model what follows
            options = replace(options, order=Order.SCHEMA)
        call = compile_given(any_of_tools(given, form), draft, documents, options)
        if not quiet:
            print_note(f"a call of one tool: {call.given.title}; --tool NAME: only its arguments")
        call = within_form(call, form)
        return finish([call.compiled], [call], how)
    compiled = [compile_given(one, draft, documents, options) for one in given]
    return finish([one.compiled for one in compiled], compiled, how)


def _one_of(option: str, value: str, allowed: Sequence[str]) -> str:
    if value not in allowed:
        import difflib

        near = difflib.get_close_matches(value, allowed, n=1)
        hint = f"did you mean {near[0]}?" if near else f"use one of: {', '.join(allowed)}"
        raise UsageError(f"{option} {value!r} is unknown", hint=hint)
    return value


def _failing(fail_on: str | None, *, strict: bool) -> tuple[str, ...]:
    named = _FAIL_ON[_one_of("--fail-on", fail_on, tuple(_FAIL_ON))] if fail_on else ()
    return (*named, *_FAIL_ON["wider"]) if strict else named


def _is_folder(output: str | None) -> bool:
    """Return whether several grammars can be written to `output`."""
    named = output not in (None, "-") and Path(output or "").suffix != ".gbnf"
    return named and not Path(output or "").is_file()


def _tool_format(
    schemas: Sequence[SchemaInput], named: str | None, verify: int | None
) -> ToolFormat:
    """Return how calls are written; refuses what are no tools."""
    from gbnfc.cli.compile.tools import FORMATS

    if not all(schema.is_tool for schema in schemas):
        if len(schemas) == 1:
            raise UsageError(f"{schemas[0].name} holds no tools", hint="leave --tool-format out")
        held = ", ".join(schema.title or schema.base for schema in schemas)
        raise UsageError(
            f"{schemas[0].name} holds {len(schemas)} schemas: {held}",
            hint="--tool NAME or FILE#/pointer picks one; -o DIR writes one NAME.gbnf each",
        )
    form = FORMATS[_one_of("--tool-format", named or "openai", tuple(FORMATS))]
    if verify is not None and form.before:
        raise UsageError("--verify is of JSON", hint="leave it out, or --tool-format hermes")
    return form


def _from_texts(regex: str | None, choices: Sequence[str], *, quiet: bool) -> list[Compiled]:
    from gbnfc.schema import compile_choices, compile_regex

    if regex is None:
        return [compile_choices(choices)]
    if regex.endswith((".json", ".yaml", ".yml", ".gbnf", ".txt")) and Path(regex).is_file():
        raise UsageError(
            f"{regex} is a file; --regex takes the pattern itself",
            hint=f"a schema is given without an option: gbnfc compile {regex}",
        )
    if not quiet and not (regex.startswith("^") and regex.endswith("$")):
        print_note("the pattern may be found anywhere in a text; for the whole text: ^(?:…)$")
    return [compile_regex(regex)]
