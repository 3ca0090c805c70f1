"""`gbnfc extract`: texts in, JSON out, written by a local model that cannot leave the schema."""

from __future__ import annotations

from gbnfc.cli.extract.options import ExtractOptions
from gbnfc.cli.io.option_groups import by_options


@by_options(ExtractOptions)
def extract(options: ExtractOptions) -> int:
    """Write JSON from texts with a local model.

    One document gives its data as JSON. Several give a line each: source, data, valid, errors,
    finish.
    """
    from gbnfc.cli.extract.job import run_extract

    return run_extract(options)
