"""`gbnfc lint`: find faults in grammars and schemas."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gbnfc.cli.io.shown import shown
from gbnfc.cli.io.streams import counted, print_error, print_note, print_shown, print_warning
from gbnfc.cli.io.texts import STDIN, read_text
from gbnfc.cli.io.writing import check_outputs, write_file
from gbnfc.cli.lint.fix import fix_files, fix_stdin, show_fixes
from gbnfc.errors import GbnfcError, InputError, UsageError
from gbnfc.lint.files import GRAMMARS, find_files
from gbnfc.lint.formats import FORMATS, LINES, writer_of
from gbnfc.lint.registry import rule_names
from gbnfc.lint.run import (
    InputFile,
    lint_files,
    lint_source,
    read_source,
    relax_collector,
    settle,
    split_unread,
)
from gbnfc.lint.settings import (
    LintSettings,
    check_selectors,
    find_config,
    load_settings,
    read_fail_on,
)
from gbnfc.source import Source

if TYPE_CHECKING:
    from gbnfc.lint.diagnostic import Diagnostic
    from gbnfc.lint.subject import Tokenizer

_OPTIONS = "command line"
_FOR_PEOPLE = ("full", "concise")


_Paths = Annotated[list[str] | None, typer.Argument(help="Files, directories, or -.")]
_Select = Annotated[list[str] | None, typer.Option(help="Only these rules.")]
_ExtendSelect = Annotated[list[str] | None, typer.Option(help="These rules too.")]
_Ignore = Annotated[list[str] | None, typer.Option(help="Not these rules.")]
_PerFileIgnores = Annotated[
    list[str] | None, typer.Option(metavar="GLOB:CODE", help="Not these rules there.")
]
_Severity = Annotated[
    list[str] | None, typer.Option(metavar="CODE=LEVEL", help="error, warning, info or off.")
]
_FailOn = Annotated[
    str | None, typer.Option(help="error, warning or never: what makes the exit code 1.")
]
_Exclude = Annotated[list[str] | None, typer.Option(help="Leave these files out.")]
_ForceExclude = Annotated[
    bool | None,
    typer.Option("--force-exclude/--no-force-exclude", help="Exclude named files too."),
]
_PassOver = Annotated[
    bool, typer.Option("--pass-over", help="Named files without a schema are no findings.")
]
_Isolated = Annotated[bool, typer.Option("--isolated", help="Read no configuration file.")]
_Statistics = Annotated[bool, typer.Option("--statistics", help="Count per rule.")]
_ExitZero = Annotated[bool, typer.Option("--exit-zero", help="Exit 0 all the same.")]
_OutputFormat = Annotated[
    list[str] | None,
    typer.Option(metavar="FORMAT[:FILE]", help=f"{', '.join(FORMATS)}; several at once."),
]
_Output = Annotated[str | None, typer.Option("-o", "--output", help="Write here.")]
_Fix = Annotated[bool, typer.Option("--fix", help="Apply fixes that keep the language.")]
_UnsafeFixes = Annotated[bool, typer.Option("--unsafe-fixes", help="Apply the others too.")]
_Diff = Annotated[bool, typer.Option("--diff", help="Show what --fix would change.")]
_Cost = Annotated[bool, typer.Option("--cost", help="Show stacks and mask cost.")]
_Model = Annotated[str | None, typer.Option("-m", "--model", help="Check <…> tokens.")]
_Baseline = Annotated[str | None, typer.Option(help="A file of accepted findings.")]
_UpdateBaseline = Annotated[
    bool, typer.Option("--write-baseline", help="Accept what is found now.")
]
_Registry = Annotated[
    str | None, typer.Option(metavar="DIR", help="Schemas that references may lead to.")
]
_Config = Annotated[str | None, typer.Option(help="gbnfc.toml or pyproject.toml.")]
_StdinFilename = Annotated[str, typer.Option(help="What to call stdin; its ending tells the kind.")]


def lint(
    paths: _Paths = None,
    select: _Select = None,
    extend_select: _ExtendSelect = None,
    ignore: _Ignore = None,
    per_file_ignores: _PerFileIgnores = None,
    severity: _Severity = None,
    fail_on: _FailOn = None,
    exclude: _Exclude = None,
    force_exclude: _ForceExclude = None,
    pass_over: _PassOver = False,
    statistics: _Statistics = False,
    exit_zero: _ExitZero = False,
    output_format: _OutputFormat = None,
    output: _Output = None,
    fix: _Fix = False,
    unsafe_fixes: _UnsafeFixes = False,
    diff: _Diff = False,
    cost: _Cost = False,
    model: _Model = None,
    baseline: _Baseline = None,
    update_baseline: _UpdateBaseline = False,
    registry: _Registry = None,
    config: _Config = None,
    isolated: _Isolated = False,
    stdin_filename: _StdinFilename = "<stdin>",
) -> int:
    """Find faults in .gbnf files, JSON Schemas and tool lists.

    Exits with 1 when something of severity warning or above is found; `gbnfc rule` explains codes.
    """
    relax_collector()
    settings = _read_config(config, isolated=isolated)
    settings = replace(
        settings,
        select=_split(select) or settings.select,
        extend_select=settings.extend_select + _split(extend_select),
        ignore=settings.ignore + _split(ignore),
        per_file_ignores=settings.per_file_ignores + _pairs(per_file_ignores, "GLOB:CODE"),
        severity=settings.severity
        + tuple((code, levels[0]) for code, levels in _pairs(severity, "CODE=LEVEL")),
        fail_on=settings.fail_on if fail_on is None else read_fail_on(fail_on, _OPTIONS),
        exclude=settings.exclude + _split(exclude),
        force_exclude=settings.force_exclude if force_exclude is None else force_exclude,
        output_format=_split(output_format) or settings.output_format,
        baseline=baseline or settings.baseline,
    )
    check_selectors(settings, rule_names(), _OPTIONS)
    settings = _with_documents(settings, registry)
    targets = _targets(settings, output)
    files = [] if paths == [STDIN] else _find(paths or ["."], settings, pass_over=pass_over)
    stdin = Source(read_text(STDIN).text, stdin_filename) if paths == [STDIN] else None
    files, unread = split_unread(files)
    if unread:
        what = counted(len(unread), "YAML file")
        hint = 'pip install "gbnfc[yaml]"'
        print_warning(f"{what} passed over: reading YAML needs pyyaml\n  hint: {hint}")
    elif stdin is None and not files:
        print_warning(f"no grammars or schemas found in {', '.join(paths or ['.'])}")
    path = _baseline_path(settings, baseline)
    _check_written(files, targets, path if update_baseline else None)
    if (cost or diff) and (output_format or output):
        what = "--cost prints a table" if cost else "--diff prints differences"
        raise UsageError(f"{what}, in no other format", hint="leave --output-format and -o out")
    if cost:
        return _show_costs(files, stdin)
    failed = 0
    if diff:
        return show_fixes(files, stdin, settings, unsafe=unsafe_fixes) * (not exit_zero)
    if fix or unsafe_fixes:
        if stdin is not None:
            fix_stdin(stdin, settings, unsafe=unsafe_fixes)
            return 0
        failed = fix_files(files, settings, unsafe=unsafe_fixes)
    found = _lint(files, stdin, settings, model)
    if path is not None:
        from gbnfc.lint.baseline import subtract_baseline, write_baseline

        if update_baseline:
            write_file(path, write_baseline(found, path.parent))
            print_note(f"{path}: {counted(len(found), 'finding')} accepted")
            return 0
        found = subtract_baseline(found, _known(path), path.parent)
    elif update_baseline:
        raise UsageError("--write-baseline needs --baseline FILE")
    _write(found, targets, statistics=statistics)
    return failed or (1 if settings.fails(found) and not exit_zero else 0)


def _with_documents(settings: LintSettings, named: str | None) -> LintSettings:
    """Return `settings` with the documents of the registry, as `named` here or configured."""
    if named is None and settings.registry is None:
        return settings
    from gbnfc.cli.inputs.registry import read_registry

    folder = settings.folder / settings.registry if named is None and settings.registry else named
    return replace(settings, documents=read_registry(str(folder)))


def _baseline_path(settings: LintSettings, named: str | None) -> Path | None:
    """Return where the baseline is: as `named` here, or by a configuration file from its folder."""
    if named is not None:
        return Path(named)
    return None if settings.baseline is None else settings.folder / settings.baseline


def _check_written(
    files: list[InputFile], targets: list[tuple[str, str | None]], baseline: Path | None
) -> None:
    """Refuse to write findings over what is linted; earlier findings in a folder are not."""
    linted = [f.path for f in files if f.named or Path(f.path).suffix.lower() in GRAMMARS]
    outputs = dict.fromkeys(file for _, file in targets if file is not None)
    check_outputs([*outputs, *([] if baseline is None else [str(baseline)])], linted)
    if baseline is not None and baseline.exists():
        _known(baseline)  # what is no baseline is not to be lost


def _read_config(config: str | None, *, isolated: bool) -> LintSettings:
    if isolated and config is not None:
        raise UsageError("--isolated reads no configuration, --config names one")
    if isolated:
        return LintSettings()
    path = find_config(Path.cwd()) if config is None else Path(config)
    if path is None:
        return LintSettings()
    if path.is_dir() or not path.exists():  # /dev/null is a configuration: an empty one
        raise UsageError(f"{path}: no such file")
    return load_settings(path, rule_names())


def _known(path: Path) -> frozenset[str]:
    """Return what the baseline file `path` accepts."""
    from gbnfc.lint.baseline import read_baseline

    if not path.exists():
        raise InputError(f"{path}: no such file", hint="write it with --write-baseline")
    return read_baseline(read_text(str(path)).text, str(path))


def _split(values: list[str] | None) -> tuple[str, ...]:
    return tuple(part.strip() for value in values or () for part in value.split(",") if part)


def _pairs(values: list[str] | None, form: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    pairs = []
    for value in values or ():
        left, found, right = value.rpartition(":" if ":" in form else "=")
        if not found or not left or not right:
            raise UsageError(f"{value!r} is not of the form {form}")
        pairs.append((left, tuple(right.split(","))))
    return tuple(pairs)


def _targets(settings: LintSettings, output: str | None) -> list[tuple[str, str | None]]:
    """Return the formats to write and the file for each; `None` is stdout."""
    default = "github" if os.environ.get("GITHUB_ACTIONS") == "true" else "full"
    targets = []
    for wanted in settings.output_format or (default,):
        name, _, file = wanted.partition(":")
        if name not in FORMATS:
            import difflib

            near = difflib.get_close_matches(name, FORMATS, n=1)
            hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(FORMATS)}"
            raise UsageError(f"unknown output format {name!r}", hint=hint)
        targets.append((name, file or output))
    places = [place for _, place in targets]
    for name, place in targets:
        if name not in LINES and places.count(place) > 1:
            raise UsageError(
                f"{name} cannot share {place or 'stdout'} with another format",
                hint=f"give each a file: --output-format {name}:FILE",
            )
    return targets


def _find(paths: list[str], settings: LintSettings, *, pass_over: bool) -> list[InputFile]:
    if STDIN in paths:
        raise UsageError("- (stdin) cannot be linted together with files")
    if "" in paths:
        raise UsageError("a path is empty", hint="is a variable of the shell not set?")
    named = set() if pass_over else {str(Path(path)) for path in paths}
    found = find_files(paths, settings.leaves_out, leaves_out_named=settings.force_exclude)
    return [InputFile(str(path), str(path) in named) for path in found]


def _lint(
    files: list[InputFile], stdin: Source | None, settings: LintSettings, model: str | None
) -> tuple[Diagnostic, ...]:
    tokenizer: Tokenizer | None = None
    if model is not None:
        from gbnfc.engine.mask_clock import MaskClock
        from gbnfc.engine.models import check_engine, find_model

        check_engine(model)
        tokenizer = MaskClock(find_model(model))
    if stdin is not None:
        return tuple(
            settle(lint_source(stdin, tokenizer=tokenizer, registry=settings.documents), settings)
        )
    return lint_files(files, settings, tokenizer)


def _write(
    found: tuple[Diagnostic, ...],
    targets: list[tuple[str, str | None]],
    *,
    statistics: bool,
) -> None:
    for name, file in targets:
        text = writer_of(name)(found)
        if file is None:
            print(shown(text) if name in _FOR_PEOPLE else text, end="")
        else:
            write_file(Path(file), text)
    if statistics:
        from collections import Counter

        counts = Counter((d.code, d.name) for d in found)
        for (code, name), count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
            print_note(f"{count:6} {code} [{name}]")
    elif targets[0][0] == "full" and found:
        print_note(f"{counted(len(found), 'finding')}{_fixable(found)}")


def _fixable(found: tuple[Diagnostic, ...]) -> str:
    """Return ` ([*] 3 fixable with --fix, 2 more with --unsafe-fixes)`, or less."""
    safe = sum(d.has_safe_fix for d in found)
    unsafe = sum(d.has_unsafe_fix for d in found)
    parts = [f"[*] {safe:,} fixable with --fix"] if safe else []
    if unsafe:
        more = "more" if safe else "fixable"
        parts.append(f"{unsafe:,} {more} with --unsafe-fixes")
    return f" ({', '.join(parts)})" if parts else ""


def _show_costs(files: list[InputFile], stdin: Source | None) -> int:
    from gbnfc.lint.cost_table import cost_lines

    sources = [] if stdin is None else [stdin]
    failed = 0
    for file in files:
        if Path(file.path).suffix.lower() in GRAMMARS:
            try:
                sources.append(read_source(file.path))
            except GbnfcError as error:
                print_error(str(error))
                failed = error.exit_code
    for line in cost_lines(sources):
        print_shown(line)
    return failed
