"""`gbnfc sample`: random texts of a grammar, for tests and to see what a grammar really allows."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from gbnfc.cli.inputs.grammar_argument import HELP, read_language


def sample(
    grammar: Annotated[str, typer.Argument(help=HELP)],
    count: Annotated[int, typer.Option("-n", "--count", min=0, help="How many texts.")] = 1,
    seed: Annotated[int, typer.Option("--seed", help="Same seed, same texts.")] = 0,
    max_depth: Annotated[
        int,
        typer.Option("--max-depth", min=0, help="Nested rules after which a text is brought home."),
    ] = 12,
    shortest: Annotated[
        bool, typer.Option("--shortest", help="Write the shortest text only.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write each text as a JSON string.")
    ] = False,
) -> int:
    """Write random texts of a grammar, one after the other.

    Texts are separated by line ends; use --json when texts hold line ends themselves. Of a schema,
    keys are written in its order.
    """
    from random import Random

    from gbnfc.match import compile_matcher
    from gbnfc.match import sample as sample_text

    program = compile_matcher(read_language(grammar, order="schema"))
    rng = Random(seed)
    for _ in range(count):
        text = sample_text(program, rng, max_depth=max_depth, shortest=shortest)
        print(json.dumps(text, ensure_ascii=False) if as_json else text)
    return 0
