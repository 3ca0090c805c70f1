"""`gbnfc extract`: texts in, JSON out, written by a local model that cannot leave the schema."""

from __future__ import annotations

from gbnfc.cli.extract import options as o


def extract(
    files: o.Files = None,
    schema: o.Schema = None,
    model: o.Model = None,
    download: o.Download = False,
    output: o.Output = None,
    instruction: o.Instruction = "",
    grammar: o.Grammar = None,
    regex: o.Regex = None,
    choice: o.Choice = None,
    system: o.System = "",
    example: o.Example = None,
    made_example: o.MadeExample = True,
    think: o.Think = None,
    max_tokens: o.MaxTokens = 1024,
    on_length: o.OnLimit = o.OnLength.FAIL,
    temp: o.Temperature = 0.0,
    top_k: o.TopK = 0,
    top_p: o.TopP = 1.0,
    min_p: o.MinP = 0.0,
    seed: o.Seed = 0,
    retries: o.Retries = 2,
    lines: o.Lines = False,
    jsonl_field: o.JsonlField = None,
    csv_column: o.CsvColumn = None,
    null: o.Nulls = False,
    encoding: o.Encoding = "utf-8",
    chunk: o.Chunk = "none",
    format: o.Format = None,
    envelope: o.Envelope = None,
    pluck: o.Pluck = None,
    guard_cells: o.GuardCells = False,
    field_confidence: o.Confidence = False,
    review_below: o.ReviewBelow = None,
    unordered: o.Unordered = False,
    resume: o.Resume = False,
    fresh: o.Fresh = False,
    shard: o.Shard = None,
    max_failures: o.MaxFailures = None,
    fail_fast: o.FailFast = False,
    additional: o.Additional = o.AdditionalKeys.CLOSED,
    order: o.Order = o.KeyOrder.SCHEMA,
    missing: o.Missing = o.MissingValues.SCHEMA,
    whitespace: o.Whitespace = "spaced",
    draft: o.Draft = None,
    context: o.Context = None,
    parallel: o.Parallel = "auto",
    threads: o.Threads = None,
    gpu_layers: o.GpuLayers = "auto",
    weights: o.Weights = o.WeightsFrom.AUTO,
    forced_text: o.Forced = True,
    drafts: o.Drafts = True,
    stop_repeats: o.StopRepeats = True,
    dry_run: o.DryRun = False,
    stats: o.Stats = False,
    progress: o.Progress = None,
    quiet: o.Quiet = False,
    verbose: o.Verbose = False,
) -> int:
    """Write JSON from texts with a local model.

    One document gives its data as JSON. Several give a line each: source, data, valid, errors,
    finish.
    """
    options = o.ExtractOptions(**locals())
    from gbnfc.cli.extract.job import run_extract

    return run_extract(options)
