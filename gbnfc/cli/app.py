"""The table of commands, and what all of them share: errors, exit codes, interrupts, closed pipes.

In: the process's arguments. Out: an exit code. A command's module is imported only when that
command runs, so `gbnfc --help` and `gbnfc lint` load neither llama_cpp nor numpy.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import io
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup

from gbnfc.cli.io.plain_values import without_adapters
from gbnfc.errors import GbnfcError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

EXIT_USAGE = 2
EXIT_INPUT = 3
EXIT_ENGINE = 4
EXIT_INTERRUPTED = 130
EXIT_CLOSED_PIPE = 141


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """One line of the table: `module` holds a function called `name`; `help` is one sentence."""

    name: str
    module: str
    help: str


COMMANDS = (
    CommandEntry(
        "extract", "gbnfc.cli.extract.command", "Write JSON from texts with a local model."
    ),
    CommandEntry(
        "compile", "gbnfc.cli.compile.command", "Turn a JSON Schema or pattern into a grammar."
    ),
    CommandEntry("match", "gbnfc.cli.match.command", "Tell whether texts belong to a grammar."),
    CommandEntry("sample", "gbnfc.cli.sample", "Write random texts of a grammar."),
    CommandEntry("fmt", "gbnfc.cli.fmt", "Format GBNF files."),
    CommandEntry("lint", "gbnfc.cli.lint.command", "Find faults in grammars and schemas."),
    CommandEntry("rule", "gbnfc.cli.rule", "Show the manual of a lint rule."),
    CommandEntry("bench", "gbnfc.cli.bench", "Measure what a grammar costs the engine."),
    CommandEntry("models", "gbnfc.cli.models", "List the models found on this machine."),
    CommandEntry("doctor", "gbnfc.cli.doctor", "Show versions, the engine's build and its health."),
)

_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}

# Typer has carried its own copy of click since 0.2x: the error classes are reached through the one
# name that every version exports. BadParameter < UsageError < ClickException.
_ClickError: Any = typer.BadParameter.__mro__[2]


class LightCommand(TyperCommand):
    """A command that starts without pydantic unless a parameter needs it."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, `--help` included."""
        return without_adapters(super().get_params(ctx))


class LazyGroup(TyperGroup):
    """A group whose commands are built from `COMMANDS` when they are asked for."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, `--help` included."""
        return without_adapters(super().get_params(ctx))

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands that are there."""
        return [entry.name for entry in COMMANDS if importlib.util.find_spec(entry.module)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import and build one command; None when the table has no such name."""
        for entry in COMMANDS:
            if entry.name == cmd_name and importlib.util.find_spec(entry.module):
                return _build_command(entry)
        return None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the table's one-line helps without importing any command."""
        present = set(self.list_commands(ctx))
        rows = [(entry.name, entry.help) for entry in COMMANDS if entry.name in present]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options of the group, then the table."""
        rows = [row for row in (p.get_help_record(ctx) for p in self.get_params(ctx)) if row]
        with formatter.section("Options"):
            formatter.write_dl(rows)
        self.format_commands(ctx, formatter)


def _build_command(entry: CommandEntry) -> Any:
    function: Callable[..., Any] = getattr(importlib.import_module(entry.module), entry.name)
    single = typer.Typer(add_completion=False, rich_markup_mode=None)
    options = {"help_option_names": ["-h", "--help"]}
    single.command(entry.name, cls=LightCommand, context_settings=options)(_minding_pipes(function))
    return typer.main.get_command(single)


def _minding_pipes(function: Callable[..., Any]) -> Callable[..., Any]:
    # Typer makes exit code 1 of a closed pipe; that would read as "the answer is no". Of Ctrl-C it
    # makes an end without a word.
    @functools.wraps(function)
    def call(**arguments: Any) -> Any:
        try:
            return function(**arguments)
        except BrokenPipeError:
            return _close_stdout()
        except KeyboardInterrupt:
            raise typer.Abort from None

    return call


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"gbnfc {version('gbnfc')}")
        raise typer.Exit


app = typer.Typer(
    cls=LazyGroup,
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings=_SETTINGS,
)


@app.callback()
def _group(
    version: bool = typer.Option(
        False, "--version", is_eager=True, callback=_show_version, help="Show the version."
    ),
) -> None:
    """Say what an answer must look like; get exactly that from a local model.

    Exit codes: 0 done, 1 the answer is no, 2 usage, 3 input, 4 engine or model, 5 every item
    failed, 6 some failed, 70 a fault of gbnfc, 130 interrupted, 141 output closed.
    """


def run(arguments: Sequence[str]) -> int:
    """Run the command line `arguments` (without the program's name) and return the exit code."""
    _prepare_streams()
    try:
        code = typer.main.get_command(app).main(
            args=list(arguments), prog_name="gbnfc", standalone_mode=False
        )
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except GbnfcError as error:
        return _fail(str(error), error.exit_code)
    except _ClickError as error:
        return _fail_usage(error)
    except (KeyboardInterrupt, typer.Abort):
        return _fail("interrupted", EXIT_INTERRUPTED)
    except BrokenPipeError:
        return _close_stdout()
    except SystemExit:  # what click makes of a broken pipe, as under `gbnfc --help`
        return _close_stdout()
    except OSError as error:
        return _fail(_describe(error), EXIT_INPUT)
    except RecursionError:
        return _fail("the input is nested too deeply", EXIT_INPUT)
    except MemoryError:
        return _fail("out of memory", EXIT_ENGINE)


def _describe(error: OSError) -> str:
    name = "" if error.filename is None else f"{error.filename}: "
    return f"{name}{error.strerror or error}"


def _fail(message: str, code: int) -> int:
    from gbnfc.cli.io.streams import print_error

    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return _close_stdout()
    except OSError:
        _discard_stdout()
    print_error(message)
    return code


def _fail_usage(error: Any) -> int:
    context = getattr(error, "ctx", None)
    message = error.format_message()
    if type(error).__name__ == "NoArgsIsHelpError":
        print(message, file=sys.stderr)
        return EXIT_USAGE
    if context is not None:
        message += f"\n  hint: {context.command_path} --help shows what there is"
    return _fail(message, EXIT_USAGE)


def _close_stdout() -> int:
    # The reader has gone (`| head -1`): say nothing, and keep the interpreter from flushing again.
    _discard_stdout()
    return EXIT_CLOSED_PIPE


def _discard_stdout() -> None:
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
    except (OSError, ValueError):
        sys.stdout = io.StringIO()


def _prepare_streams() -> None:
    # Windows consoles and LANG=C would otherwise refuse to print what a model may write.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(encoding="utf-8", errors="backslashreplace")
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.isatty():
        from gbnfc.cli.io.shown import VisibleStream

        sys.stdout = VisibleStream(sys.stdout)
