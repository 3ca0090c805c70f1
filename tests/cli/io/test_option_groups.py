"""Options in groups: what is given on the command line stands in its group, under its name."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, fields
from typing import Annotated, get_args, get_type_hints

import pytest
import typer
from typer.testing import CliRunner

from gbnfc.cli.extract.command import extract
from gbnfc.cli.extract.options import ExtractOptions
from gbnfc.cli.io.option_groups import by_options


@dataclass(frozen=True)
class Size:
    files: Annotated[list[str], typer.Argument()]
    width: Annotated[int, typer.Option("--width")] = 3


@dataclass(frozen=True)
class Style:
    bold: Annotated[bool, typer.Option("--bold/--no-bold")] = False


@dataclass(frozen=True)
class Options:
    size: Size
    style: Style


CASES = [
    (["a"], Options(Size(["a"]), Style())),
    (["--bold", "a", "b"], Options(Size(["a", "b"]), Style(bold=True))),
    (["--width", "7", "a"], Options(Size(["a"], 7), Style())),
]


@pytest.mark.parametrize(("arguments", "expected"), CASES)
def test_a_command_is_given_its_groups(arguments, expected):
    given = []

    @by_options(Options)
    def command(options: Options) -> int:
        """Say what it does."""
        given.append(options)
        return 0

    app = typer.Typer()
    app.command()(command)
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert given == [expected]
    assert "Say what it does." in CliRunner().invoke(app, ["--help"]).output


def groups():
    return get_type_hints(ExtractOptions)


def test_each_option_of_extract_stands_in_one_group():
    named = [field.name for group in groups().values() for field in fields(group)]
    assert len(named) == len(set(named))
    assert list(inspect.signature(extract).parameters) == named


def test_no_spelling_of_an_option_is_taken_twice():
    spelled = []
    for group in groups().values():
        for hint in get_type_hints(group, include_extras=True).values():
            option = get_args(hint)[1]
            if isinstance(option, typer.models.OptionInfo):
                names = (option.default, *(option.param_decls or ()))
                spelled += [part for name in names for part in str(name).split("/")]
    assert "--schema" in spelled
    assert len(spelled) == len(set(spelled))
