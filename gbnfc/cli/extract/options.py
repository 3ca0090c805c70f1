"""The options of `gbnfc extract`, in groups: spelling, help, default and type of each. In: nothing.
Out: records, one a group, each for those who need what is in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from gbnfc.engine.weight_source import Weights
from gbnfc.extract.answer_options import OnLength
from gbnfc.extract.output import Format  # noqa: TC001 - typer reads it
from gbnfc.schema.options import Additional, Missing, Order

if TYPE_CHECKING:
    from gbnfc.cli.io.voice import Voice

Many = Optional[list[str]]  # noqa: UP045 - typer reads the annotation
Text = Optional[str]  # noqa: UP045
Whole = Optional[int]  # noqa: UP045
Number = Optional[float]  # noqa: UP045
Switch = Optional[bool]  # noqa: UP045

_ORDERS = (Order.SCHEMA, Order.REQUIRED_FIRST)
"""`any` is an order to check texts by: what is written here has that of the schema it was told."""


def _text(*names: str, help: str, metavar: str = "TEXT") -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(*names, help=help, metavar=metavar)
    return option


def _read_order(text: str | Order) -> Order:
    found = [order for order in _ORDERS if text in (order, order.value)]
    if not found:
        named = ", ".join(repr(order.value) for order in _ORDERS)
        raise typer.BadParameter(f"{text!r} is not one of {named}.")
    return found[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSpec:
    """What the answer must look like."""

    schema: Annotated[
        Text,
        _text(
            "-s",
            "--schema",
            metavar="SCHEMA",
            help="JSON or YAML file, FILE#/pointer, '-', inline JSON, 'name, age? int, tags "
            "[str]', or file.py:Class, module:Class: only of these two is code run.",
        ),
    ] = None
    grammar: Annotated[
        Text,
        _text("-g", "--grammar", metavar="GRAMMAR", help="GBNF: a file, a shipped name, or text."),
    ] = None
    regex: Annotated[Text, _text("--regex", help="The whole answer matches this pattern.")] = None
    choice: Annotated[Many, _text("--choice", help="The answer is one of these (repeat).")] = None
    draft: Annotated[
        Text, _text("--draft", help="Draft of the schema: 4, 6, 7, 2019-09, 2020-12.")
    ] = None
    additional: Annotated[
        Additional, typer.Option("--additional", help="Keys the schema does not declare.")
    ] = Additional.CLOSED
    order: Annotated[
        Order,
        typer.Option(
            "--order",
            parser=_read_order,
            metavar="<schema|required-first>",
            help="Order of an object's keys.",
        ),
    ] = Order.SCHEMA
    missing: Annotated[Missing, typer.Option("--missing", help="Optional values without data.")] = (
        Missing.SCHEMA
    )
    whitespace: Annotated[
        str, _text("--whitespace", help="compact, spaced, pretty:N or bounded:N.")
    ] = "spaced"


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSpec:
    """What the model is told beside the document."""

    instruction: Annotated[
        str, _text("-i", "--instruction", help="What to do, beside following the schema.")
    ] = ""
    system: Annotated[str, _text("--system", help="Text in front of everything else.")] = ""
    example: Annotated[
        Many, _text("--example", metavar="IN=OUT", help="A document and its answer, files or text.")
    ] = None
    made_example: Annotated[
        bool,
        typer.Option(
            "--made-example/--no-made-example",
            help="Show a chat model an example made from the schema, where it has lists.",
        ),
    ] = True
    think: Annotated[
        Whole, typer.Option("--think", min=1, help="Let the model think first, up to N tokens.")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentSpec:
    """The documents, and how they are cut."""

    files: Annotated[
        Many,
        typer.Argument(help="Documents: files, folders, globs; '-' or nothing for stdin."),
    ] = None
    lines: Annotated[bool, typer.Option("--lines", help="Each line is a document.")] = False
    null: Annotated[bool, typer.Option("-0", "--null", help="Documents are separated by NUL.")] = (
        False
    )
    jsonl_field: Annotated[
        Text, _text("--jsonl-field", help="JSON lines; the text is in this field.")
    ] = None
    csv_column: Annotated[Text, _text("--csv-column", help="CSV; the text is in this column.")] = (
        None
    )
    encoding: Annotated[str, _text("--encoding", help="Encoding of the documents.")] = "utf-8"
    chunk: Annotated[
        str, _text("--chunk", metavar="HOW", help="Long documents: none, auto or tokens:N.")
    ] = "none"
    shard: Annotated[Text, _text("--shard", metavar="I/N", help="Do only the I-th of N parts.")] = (
        None
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultSpec:
    """Where results go, and how they are written."""

    output: Annotated[Text, _text("-o", "--output", metavar="FILE", help="Write there.")] = None
    format: Annotated[
        Optional[Format],  # noqa: UP045
        typer.Option("--format", help="[default: by -o's name; json for one document, else jsonl]"),
    ] = None
    envelope: Annotated[
        Switch,
        typer.Option(
            "--envelope/--no-envelope", help="Source and verdict around the data, or not."
        ),
    ] = None
    pluck: Annotated[
        Text, _text("--pluck", metavar="KEY", help="One row per element of this array.")
    ] = None
    guard_cells: Annotated[
        bool,
        typer.Option(
            "--guard-cells",
            help="CSV for spreadsheets: an apostrophe before texts that begin with = + - @.",
        ),
    ] = False
    unordered: Annotated[bool, typer.Option("--unordered", help="Write results as they come.")] = (
        False
    )
    field_confidence: Annotated[
        bool,
        typer.Option(
            "--field-confidence",
            help="Say how sure the model was of each field: probability of the value among what "
            "the grammar allows; pressure, the share of its wish that the grammar took away (near "
            "1: it wanted to write something else).",
        ),
    ] = False
    review_below: Annotated[
        Number,
        typer.Option("--review-below", min=0, max=1, help="List fields less probable than this."),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpec:
    """The model, and how it is loaded."""

    model: Annotated[
        Text, _text("-m", "--model", help="A .gguf file, or a name of gbnfc models.")
    ] = None
    download: Annotated[
        bool, typer.Option("--download", help="Fetch -m from Hugging Face if it is not here.")
    ] = False
    context: Annotated[
        Whole,
        typer.Option("--context", min=64, help="Window in tokens [default: the model's, ≤ 8192]."),
    ] = None
    parallel: Annotated[
        str, _text("--parallel", metavar="N", help="Documents in flight: auto or a number.")
    ] = "auto"
    threads: Annotated[
        Whole, typer.Option("--threads", min=1, max=512, help="Threads [default: all].")
    ] = None
    gpu_layers: Annotated[
        str, _text("--gpu-layers", metavar="N", help="Layers on the GPU: auto, all or a number.")
    ] = "auto"
    weights: Annotated[
        Weights,
        typer.Option("--weights", help="Use the file's, a 16-bit copy of them, or what is faster."),
    ] = Weights.AUTO


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodingSpec:
    """How an answer is written, token by token."""

    max_tokens: Annotated[
        int, typer.Option("--max-tokens", min=1, help="Most tokens of one answer.")
    ] = 1024
    on_length: Annotated[
        OnLength, typer.Option("--on-length", help="At the limit: fail, or close the JSON.")
    ] = OnLength.FAIL
    temp: Annotated[
        float, typer.Option("--temp", min=0, help="0 takes the most probable token.")
    ] = 0.0
    top_k: Annotated[
        int, typer.Option("--top-k", min=0, help="Keep the K best tokens; 0: all.")
    ] = 0
    top_p: Annotated[
        float, typer.Option("--top-p", min=0, max=1, help="Keep this much probability.")
    ] = 1.0
    min_p: Annotated[
        float, typer.Option("--min-p", min=0, max=1, help="Keep tokens this near to the best.")
    ] = 0.0
    seed: Annotated[int, typer.Option("--seed", help="Same seed, same answers.")] = 0
    retries: Annotated[
        int, typer.Option("--retries", min=0, max=20, help="Tries more when the schema refuses.")
    ] = 2
    forced_text: Annotated[
        bool,
        typer.Option("--forced-text/--no-forced-text", help="Write what the grammar dictates."),
    ] = True
    drafts: Annotated[
        bool, typer.Option("--drafts/--no-drafts", help="Guess copies of the document ahead.")
    ] = True
    stop_repeats: Annotated[
        bool,
        typer.Option(
            "--stop-repeats/--no-stop-repeats",
            help="End a list that repeats itself without the document's support.",
        ),
    ] = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeSpec:
    """Taking up an earlier run, and when to stop this one."""

    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Go on with an earlier run of the same options: do the rest."
        ),
    ] = False
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Begin again, forgetting the earlier run.")
    ] = False
    max_failures: Annotated[
        Whole, typer.Option("--max-failures", min=1, help="Stop after so many failures.")
    ] = None
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast", help="Stop after the first failure.")
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosticSpec:
    """What is said beside the data."""

    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan; load no weights.")] = (
        False
    )
    stats: Annotated[bool, typer.Option("--stats", help="Show counts and rates at the end.")] = (
        False
    )
    progress: Annotated[
        Switch,
        typer.Option(
            "--progress/--no-progress",
            help="A bar on stderr [default: on a terminal, unless stdout is a pipe].",
        ),
    ] = None
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Say nothing but errors.")] = False
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Say what happens.")] = False

    @property
    def voice(self) -> Voice:
        """How much is to be said."""
        from gbnfc.cli.io.voice import Voice

        return Voice(quiet=self.quiet, verbose=self.verbose)


@dataclass(frozen=True, slots=True)
class ExtractOptions:
    """Everything that `gbnfc extract` was asked."""

    answer: AnswerSpec
    prompt: PromptSpec
    documents: DocumentSpec
    results: ResultSpec
    model: ModelSpec
    decoding: DecodingSpec
    resuming: ResumeSpec
    diagnostics: DiagnosticSpec
