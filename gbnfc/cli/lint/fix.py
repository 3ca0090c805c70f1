"""`gbnfc lint --fix`, `--unsafe-fixes` and `--diff`: what becomes of each file, and of the rest.

In: files to lint. Out: fixed files, or the differences, and a line that counts what was fixed and
what is left, and why.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from gbnfc.cli.io.streams import counted, print_error, print_note
from gbnfc.cli.io.writing import write_file
from gbnfc.errors import GbnfcError, InputError
from gbnfc.lint.edits.fix import Why
from gbnfc.lint.run import InputFile, fix_source, read_source, unreadable

if TYPE_CHECKING:
    from gbnfc.lint.edits.fix import Fixed
    from gbnfc.lint.settings import LintSettings
    from gbnfc.source import Source


@dataclass(slots=True)
class _Tally:
    """What was fixed so far, what is left by the reason, and the exit code."""

    fixed: int = 0
    left: Counter[Why] = field(default_factory=Counter)
    failed: int = 0

    def add(self, fixed: Fixed) -> None:
        self.fixed += len(fixed.applied)
        self.left.update(left.why for left in fixed.left)


def fix_files(files: list[InputFile], settings: LintSettings, *, unsafe: bool) -> int:
    """Fix the files, whatever becomes of one; return the exit code of what could not be written.

    Files that cannot be read are passed over: linted afterwards, they are findings.
    """
    tally = _Tally()
    for file in files:
        try:
            source = read_source(file.path)
            fixed = fix_source(source, settings, unsafe=unsafe, named=file.named)
        except GbnfcError:
            continue
        _tell_unproved(fixed)
        if fixed.text != source.text and (code := _write(file.path, fixed.text)):
            tally.failed = code
            continue
        tally.add(fixed)
    print_note(_summary(tally, "fixed"))
    return tally.failed


def fix_stdin(stdin: Source, settings: LintSettings, *, unsafe: bool) -> None:
    """Write the text of stdin, fixed, to stdout."""
    tally = _Tally()
    fixed = fix_source(stdin, settings, unsafe=unsafe)
    _tell_unproved(fixed)
    print(fixed.text, end="")
    tally.add(fixed)
    print_note(_summary(tally, "fixed"))


def show_fixes(
    files: list[InputFile], stdin: Source | None, settings: LintSettings, *, unsafe: bool
) -> int:
    """Print what fixing would change; return 1 where that is something.

    A file that cannot be read counts as the finding that it is to `gbnfc lint`.
    """
    tally = _Tally()
    for file in files if stdin is None else [InputFile(stdin.name, named=True)]:
        try:
            source = stdin or read_source(file.path)
            fixed = fix_source(source, settings, unsafe=unsafe, named=file.named)
        except GbnfcError as error:
            if settings.fails(unreadable(file.path, error, settings)):
                print_error(str(error))
                tally.failed = 1
            continue
        _tell_unproved(fixed)
        print(_diff(source, fixed.text), end="")
        tally.failed = tally.failed or int(source.text != fixed.text)
        tally.add(fixed)
    print_note(_summary(tally, "would be fixed"))
    return tally.failed


def _tell_unproved(fixed: Fixed) -> None:
    for diagnostic in fixed.unproved:
        print_note(f"{diagnostic}: not fixed, the language could not be proved the same")


def _summary(tally: _Tally, verb: str) -> str:
    """Return `2 findings fixed, 3 left: 2 fixable with --unsafe-fixes, 1 without a fix`."""
    said = f"{counted(tally.fixed, 'finding')} {verb}"
    if not tally.left:
        return said
    reasons = ", ".join(f"{tally.left[why]:,} {why.value}" for why in Why if tally.left[why])
    return f"{said}, {sum(tally.left.values()):,} left: {reasons}"


def _write(path: str, text: str) -> int:
    try:
        write_file(Path(path), text)
    except InputError as error:
        print_error(str(error))
        return error.exit_code
    return 0


def _diff(source: Source, text: str) -> str:
    import difflib

    lines = difflib.unified_diff(
        source.text.splitlines(keepends=True),
        text.splitlines(keepends=True),
        source.name,
        source.name,
    )
    return "".join(line if line.endswith("\n") else line + "\n" for line in lines)
