"""The options of `gbnfc extract`: their spelling and their help. In: nothing. Out: one type each,
and the record they are gathered in.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Optional

import typer


class OutputFormat(StrEnum):
    """How results are written."""

    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"


class OnLength(StrEnum):
    """What becomes of an answer that reaches the limit of tokens."""

    FAIL = "fail"
    CLOSE = "close"


class AdditionalKeys(StrEnum):
    """Whether objects may hold keys that the schema does not declare."""

    SCHEMA = "schema"
    CLOSED = "closed"


class KeyOrder(StrEnum):
    """The order in which keys are written."""

    SCHEMA = "schema"
    REQUIRED_FIRST = "required-first"


class WeightsFrom(StrEnum):
    """Where the model's weights are read from."""

    AUTO = "auto"
    FILE = "file"
    WIDE = "16-bit"


class MissingValues(StrEnum):
    """How optional values that are not there are written."""

    SCHEMA = "schema"
    NULL = "null"


def _text(*names: str, help: str, metavar: str = "TEXT") -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(*names, help=help, metavar=metavar)
    return option


Files = Annotated[
    Optional[list[str]],  # noqa: UP045 - typer reads the annotation
    typer.Argument(help="Documents: files, folders, globs; '-' or nothing for stdin."),
]
Many = Optional[list[str]]  # noqa: UP045
Text = Optional[str]  # noqa: UP045
Whole = Optional[int]  # noqa: UP045
Number = Optional[float]  # noqa: UP045
Switch = Optional[bool]  # noqa: UP045

Schema = Annotated[
    Text,
    _text(
        "-s",
        "--schema",
        metavar="SCHEMA",
        help="JSON or YAML file, FILE#/pointer, '-', inline JSON, 'name, age? int, tags [str]', "
        "or file.py:Class, module:Class: only of these two is code run.",
    ),
]
Grammar = Annotated[
    Text, _text("-g", "--grammar", metavar="GRAMMAR", help="GBNF: a file, a shipped name, or text.")
]
Regex = Annotated[Text, _text("--regex", help="The whole answer matches this pattern.")]
Choice = Annotated[Many, _text("--choice", help="The answer is one of these (repeat).")]
Draft = Annotated[Text, _text("--draft", help="Draft of the schema: 4, 6, 7, 2019-09, 2020-12.")]
Additional = Annotated[
    AdditionalKeys, typer.Option("--additional", help="Keys the schema does not declare.")
]
Order = Annotated[KeyOrder, typer.Option("--order", help="Order of an object's keys.")]
Missing = Annotated[MissingValues, typer.Option("--missing", help="Optional values without data.")]
Whitespace = Annotated[str, _text("--whitespace", help="compact, spaced, pretty:N or bounded:N.")]

Model = Annotated[Text, _text("-m", "--model", help="A .gguf file, or a name of gbnfc models.")]
Download = Annotated[
    bool, typer.Option("--download", help="Fetch -m from Hugging Face if it is not here.")
]
Context = Annotated[
    Whole,
    typer.Option("--context", min=64, help="Window in tokens [default: the model's, ≤ 8192]."),
]
Parallel = Annotated[
    str, _text("--parallel", metavar="N", help="Documents in flight: auto or a number.")
]
# 512 is llama.cpp's GGML_MAX_N_THREADS; with more it does not come to an end, or dies.
Threads = Annotated[
    Whole, typer.Option("--threads", min=1, max=512, help="Threads [default: all].")
]
GpuLayers = Annotated[
    str, _text("--gpu-layers", metavar="N", help="Layers on the GPU: auto, all or a number.")
]
Weights = Annotated[
    WeightsFrom,
    typer.Option("--weights", help="Use the file's, a 16-bit copy of them, or what is faster."),
]

Instruction = Annotated[
    str, _text("-i", "--instruction", help="What to do, beside following the schema.")
]
System = Annotated[str, _text("--system", help="Text in front of everything else.")]
Example = Annotated[
    Many, _text("--example", metavar="IN=OUT", help="A document and its answer, files or text.")
]
MadeExample = Annotated[
    bool,
    typer.Option(
        "--made-example/--no-made-example",
        help="Show a chat model an example made from the schema, where it has lists.",
    ),
]
Think = Annotated[
    Whole, typer.Option("--think", min=1, help="Let the model think first, up to N tokens.")
]

MaxTokens = Annotated[int, typer.Option("--max-tokens", min=1, help="Most tokens of one answer.")]
OnLimit = Annotated[
    OnLength, typer.Option("--on-length", help="At the limit: fail, or close the JSON.")
]
Temperature = Annotated[
    float, typer.Option("--temp", min=0, help="0 takes the most probable token.")
]
TopK = Annotated[int, typer.Option("--top-k", min=0, help="Keep the K best tokens; 0: all.")]
TopP = Annotated[float, typer.Option("--top-p", min=0, max=1, help="Keep this much probability.")]
MinP = Annotated[
    float, typer.Option("--min-p", min=0, max=1, help="Keep tokens this near to the best.")
]
Seed = Annotated[int, typer.Option("--seed", help="Same seed, same answers.")]
Forced = Annotated[
    bool, typer.Option("--forced-text/--no-forced-text", help="Write what the grammar dictates.")
]
Drafts = Annotated[
    bool, typer.Option("--drafts/--no-drafts", help="Guess copies of the document ahead.")
]
StopRepeats = Annotated[
    bool,
    typer.Option(
        "--stop-repeats/--no-stop-repeats",
        help="End a list that repeats itself without the document's support.",
    ),
]
Retries = Annotated[
    int, typer.Option("--retries", min=0, max=20, help="Tries more when the schema refuses.")
]

Encoding = Annotated[str, _text("--encoding", help="Encoding of the documents.")]
Lines = Annotated[bool, typer.Option("--lines", help="Each line is a document.")]
Nulls = Annotated[bool, typer.Option("-0", "--null", help="Documents are separated by NUL.")]
JsonlField = Annotated[Text, _text("--jsonl-field", help="JSON lines; the text is in this field.")]
CsvColumn = Annotated[Text, _text("--csv-column", help="CSV; the text is in this column.")]
Chunk = Annotated[
    str, _text("--chunk", metavar="HOW", help="Long documents: none, auto or tokens:N.")
]
Shard = Annotated[Text, _text("--shard", metavar="I/N", help="Do only the I-th of N parts.")]

Output = Annotated[Text, _text("-o", "--output", metavar="FILE", help="Write there.")]
Format = Annotated[
    Optional[OutputFormat],  # noqa: UP045
    typer.Option("--format", help="[default: by -o's name; json for one document, else jsonl]"),
]
Envelope = Annotated[
    Switch,
    typer.Option("--envelope/--no-envelope", help="Source and verdict around the data, or not."),
]
GuardCells = Annotated[
    bool,
    typer.Option(
        "--guard-cells",
        help="CSV for spreadsheets: an apostrophe before texts that begin with = + - @.",
    ),
]
Pluck = Annotated[Text, _text("--pluck", metavar="KEY", help="One row per element of this array.")]
Unordered = Annotated[bool, typer.Option("--unordered", help="Write results as they come.")]
Resume = Annotated[
    bool,
    typer.Option("--resume", help="Go on with an earlier run of the same options: do the rest."),
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Begin again, forgetting the earlier run.")]
MaxFailures = Annotated[
    Whole, typer.Option("--max-failures", min=1, help="Stop after so many failures.")
]
FailFast = Annotated[bool, typer.Option("--fail-fast", help="Stop after the first failure.")]
Confidence = Annotated[
    bool,
    typer.Option(
        "--field-confidence",
        help="Say how sure the model was of each field: probability of the value among what the "
        "grammar allows; pressure, the share of its wish that the grammar took away (near 1: it "
        "wanted to write something else).",
    ),
]
ReviewBelow = Annotated[
    Number,
    typer.Option("--review-below", min=0, max=1, help="List fields less probable than this."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the plan; load no weights.")]
Stats = Annotated[bool, typer.Option("--stats", help="Show counts and rates at the end.")]
Progress = Annotated[
    Switch,
    typer.Option(
        "--progress/--no-progress",
        help="A bar on stderr [default: on a terminal, unless stdout is a pipe].",
    ),
]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Say nothing but errors.")]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Say what happens.")]


@dataclass(frozen=True, slots=True)
class ExtractOptions:
    """Everything that `gbnfc extract` was asked, by option name."""

    files: list[str] | None
    schema: str | None
    grammar: str | None
    regex: str | None
    choice: list[str] | None
    model: str | None
    download: bool
    instruction: str
    system: str
    example: list[str] | None
    made_example: bool
    output: str | None
    format: OutputFormat | None
    envelope: bool | None
    pluck: str | None
    guard_cells: bool
    max_tokens: int
    on_length: OnLength
    temp: float
    top_k: int
    top_p: float
    min_p: float
    seed: int
    retries: int
    think: int | None
    forced_text: bool
    drafts: bool
    stop_repeats: bool
    additional: AdditionalKeys
    order: KeyOrder
    missing: MissingValues
    whitespace: str
    draft: str | None
    context: int | None
    parallel: str
    threads: int | None
    gpu_layers: str
    weights: WeightsFrom
    encoding: str
    lines: bool
    null: bool
    jsonl_field: str | None
    csv_column: str | None
    chunk: str
    shard: str | None
    unordered: bool
    resume: bool
    fresh: bool
    max_failures: int | None
    fail_fast: bool
    field_confidence: bool
    review_below: float | None
    dry_run: bool
    stats: bool
    progress: bool | None
    quiet: bool
    verbose: bool
