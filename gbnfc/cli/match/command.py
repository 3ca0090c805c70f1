"""`gbnfc match`: does each text belong to the grammar, and if not, where does it leave it?

With `--value`: is its value valid by the schema?
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, NamedTuple, Optional

import typer

from gbnfc.cli.inputs.grammar_argument import HELP, read_language_and_schema
from gbnfc.cli.io.streams import print_shown
from gbnfc.cli.io.texts import STDIN, read_text
from gbnfc.cli.match.value import ValueJudge, as_record, as_text
from gbnfc.errors import UsageError
from gbnfc.source import Source, Span, visible_json, visible_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gbnfc.ir.nodes import Grammar
    from gbnfc.match import MatchResult, Program

_LINE_ENDS = ("\r\n", "\n", "\r")
_VALID_ALL_THE_SAME = (
    "the value itself is valid: only how it is written differs (white space, order of keys, "
    "digits); --value judges the value"
)


def match(
    grammar: Annotated[str, typer.Argument(help=HELP)],
    files: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads the annotation
        typer.Argument(help="Texts: files; '-' or nothing for stdin."),
    ] = None,
    lines: Annotated[bool, typer.Option("--lines", help="Each line is a text.")] = False,
    chomp: Annotated[
        bool, typer.Option("--chomp", help="Leave out the line end that closes a file.")
    ] = False,
    value: Annotated[
        bool,
        typer.Option("--value", help="Judge the value by the schema, however it is written."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write a JSON object per text.")] = False,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Write nothing.")] = False,
    encoding: Annotated[str, typer.Option("--encoding", help="Encoding of the texts.")] = "utf-8",
) -> int:
    """Tell whether texts belong to a grammar.

    Exit code 0 when all of them do, else 1.
    """
    language = read_language_and_schema(grammar)
    judge = None if language.given is None else ValueJudge(language.given, language.draft)
    if value and judge is None:
        raise UsageError(
            "--value judges by a schema, and this is a grammar", hint="leave --value out"
        )
    ask = _of_value(judge) if value and judge else _of_text(language.grammar, judge)
    all_accepted = True
    for name in files or [STDIN]:
        for text in _texts(read_text(name, encoding), lines=lines, chomp=chomp):
            answer = ask(text)
            all_accepted = all_accepted and answer.is_accepted
            if not quiet:
                print(answer.record()) if as_json else print_shown(answer.lines())
    return 0 if all_accepted else 1


@dataclass(frozen=True, slots=True)
class _Text:
    """One text: `source` is the file, `first_line` the 1-based line that the text begins on."""

    source: Source
    text: str
    first_line: int

    @property
    def start(self) -> int:
        return self.source.line_start(self.first_line)


class _Answer(NamedTuple):
    """Whether a text is accepted, and how that is told: in lines, or as a line of JSON."""

    is_accepted: bool
    lines: Callable[[], str]
    record: Callable[[], str]


def _of_text(grammar: Grammar, judge: ValueJudge | None) -> Callable[[_Text], _Answer]:
    """Return what asks whether a text belongs to `grammar`."""
    from gbnfc.match import Verdict, compile_matcher, match_text

    program = compile_matcher(grammar)

    def ask(text: _Text) -> _Answer:
        result = match_text(program, text.text)
        is_accepted = result.verdict is Verdict.ACCEPTED

        def is_valid() -> bool | None:
            return None if judge is None else is_accepted or not judge.objections(text.text)

        return _Answer(
            is_accepted,
            lambda: _as_text(text, result, program, is_valid),
            lambda: _as_json(text, result, program, is_valid),
        )

    return ask


def _of_value(judge: ValueJudge) -> Callable[[_Text], _Answer]:
    """Return what asks whether the value of a text is valid."""

    def ask(text: _Text) -> _Answer:
        found = judge.objections(text.text)
        return _Answer(
            not found,
            lambda: as_text(text.source, text.start, found),
            lambda: visible_json(as_record(text.source, text.start, found)),
        )

    return ask


def _texts(source: Source, *, lines: bool, chomp: bool) -> Iterator[_Text]:
    if not lines:
        yield _Text(source, _without_line_end(source.text) if chomp else source.text, 1)
        return
    parts = source.text.split("\n")
    if parts[-1] == "":
        parts.pop()
    for number, line in enumerate(parts, start=1):
        yield _Text(source, line.removesuffix("\r"), number)


def _without_line_end(text: str) -> str:
    for end in _LINE_ENDS:
        if text.endswith(end):
            return text[: -len(end)]
    return text


def _as_text(
    text: _Text, result: MatchResult, program: Program, is_valid: Callable[[], bool | None]
) -> str:
    from gbnfc.match import Verdict
    from gbnfc.match.describe import describe_char, describe_chars, describe_path

    at = text.start + result.offset
    name = visible_line(text.source.name)
    place = f"{name}:{text.source.position(at)}"
    if result.verdict is Verdict.ACCEPTED:
        where = f"{name}:{text.first_line}" if text.start else name
        return f"{where}: accepted"
    found = (
        "the text ends"
        if result.verdict is Verdict.INCOMPLETE
        else (f"found {describe_char(text.text[result.offset])}")
    )
    shown = [
        f"{place}: {result.verdict.value}: {found}, expected {describe_chars(result.expected)}",
        *("  " + line for line in text.source.excerpt(Span(at, at + 1)).split("\n")),
    ]
    if result.rule_path:
        shown.append(f"  while parsing {describe_path(result.rule_path)}")
    if result.verdict is Verdict.INCOMPLETE:
        shown.append(f"  shortest completion: {_completion_text(text.text, program)}")
    elif text.text[result.offset :] in _LINE_ENDS:
        shown.append("  hint: only the last line end is too much; --chomp leaves it out")
    elif is_valid():
        shown.append(f"  hint: {_VALID_ALL_THE_SAME}")
    return "\n".join(shown)


def _as_json(
    text: _Text, result: MatchResult, program: Program, is_valid: Callable[[], bool | None]
) -> str:
    from gbnfc.match import Verdict

    position = text.source.position(text.start + result.offset)
    incomplete = result.verdict is Verdict.INCOMPLETE
    row = json.dumps(
        {
            "file": text.source.name,
            "verdict": result.verdict.value,
            "offset": result.offset,
            "line": position.line,
            "column": position.column,
            "expected": [[chr(first), chr(last)] for first, last in result.expected.ranges],
            "rule_path": list(result.rule_path),
            "completion": _completion(text.text, program) if incomplete else None,
            "value_valid": is_valid(),
        },
        ensure_ascii=False,
    )
    return visible_json(row)


def _completion(text: str, program: Program) -> str | None:
    from gbnfc.match import Matcher

    matcher = Matcher(program)
    matcher.advance_up_to(text)
    return matcher.shortest_completion()


def _completion_text(text: str, program: Program) -> str:
    completion = _completion(text, program)
    return "there is none" if completion is None else json.dumps(completion, ensure_ascii=False)
