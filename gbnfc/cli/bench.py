"""`gbnfc bench`: measure what a grammar costs the engine, and compare it with another."""

from __future__ import annotations

import json
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gbnfc.cli.inputs.grammar_argument import HELP, read_language
from gbnfc.cli.io.streams import print_error, print_note, print_shown
from gbnfc.cli.io.texts import read_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gbnfc.engine.mask_clock import MaskClock
    from gbnfc.ir.nodes import Grammar
    from gbnfc.source import Source

_SAMPLES = 8
_MAX_SAMPLE_LENGTH = 400


@dataclass(frozen=True, slots=True)
class _Row:
    """Mask times of one grammar over all texts, in milliseconds; `where` is the worst prefix."""

    name: str
    masks: int
    median_ms: float
    p99_ms: float
    worst_ms: float
    where: str


def bench(
    grammar: Annotated[str, typer.Argument(help=HELP)],
    files: Annotated[
        list[str] | None, typer.Argument(help="Texts of the language; none: samples of it.")
    ] = None,
    against: Annotated[
        str | None, typer.Option("--against", help="A second grammar for the same texts.")
    ] = None,
    model: Annotated[
        str | None, typer.Option("-m", "--model", help="A GGUF file; its vocabulary is used.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write a JSON object.")] = False,
) -> int:
    """Measure the time that masking the whole vocabulary takes at each token.

    The first texts are those at which the linter expects the most live stacks. Exits with 1 when a
    grammar refuses a text that was named; the beginning of an accepted one will do.
    """
    from gbnfc.engine.mask_clock import MaskClock
    from gbnfc.engine.models import check_engine, find_model

    check_engine(model)
    named = [(name, read_language(name)) for name in (grammar, *filter(None, [against]))]
    texts = [_accepted_part(read_text(name), named) for name in files or ()]
    if None in texts:
        return 1
    wanted = [text for text in texts if text is not None] or _texts_of(*(g for _, g in named))
    if not wanted:
        print_error("no text was found that both grammars accept: name a file with one")
        return 1
    with MaskClock(find_model(model)) as clock:
        rows = [_measure(clock, name, language, wanted) for name, language in named]
        _print(rows, clock.vocabulary_size, as_json=as_json)
    return 0


def _accepted_part(source: Source, grammars: Sequence[tuple[str, Grammar]]) -> str | None:
    """Return the text, without a line end that only closes the file; `None`, and say so, where a
    grammar accepts neither.
    """
    from gbnfc.match import Verdict, match_text

    text = source.text
    for name, grammar in grammars:
        if _has_tokens(grammar):
            continue  # what these accept depends on how the text is cut
        result = match_text(grammar, text)
        if result.verdict is Verdict.REJECTED and text[result.offset :] in ("\n", "\r\n"):
            text = text[: result.offset]
        elif result.verdict is Verdict.REJECTED:
            place = source.position(result.offset)
            print_error(f"{source.name}:{place}: {name} does not accept this text")
            return None
    return text


def _has_tokens(grammar: Grammar) -> bool:
    from gbnfc.ir.nodes import TokenTerminal
    from gbnfc.ir.walk import walk

    nodes = (node for rule in grammar.rules for node in walk(rule.body))
    return any(isinstance(node, TokenTerminal) for node in nodes)


def _texts_of(grammar: Grammar, *others: Grammar) -> list[str]:
    """Return samples of `grammar` that `others` accept too, those of the dearest masks first."""
    from gbnfc.errors import LimitExceeded
    from gbnfc.lint.analysis.cost import estimate_mask, measure_cost
    from gbnfc.match import sample

    texts = [sample(grammar, Random(seed))[:_MAX_SAMPLE_LENGTH] for seed in range(_SAMPLES)]
    try:
        worst = [estimate_mask(grammar).prefix, measure_cost(grammar).witness]
    except LimitExceeded as error:
        print_note(f"no worst text is known: {error}")
        worst = []
    return [
        text
        for text in dict.fromkeys([*worst, *texts])
        if all(_has_tokens(other) or _accepts(other, text) for other in others)
    ]


def _accepts(grammar: Grammar, text: str) -> bool:
    from gbnfc.match import Verdict, match_text

    return match_text(grammar, text).verdict is not Verdict.REJECTED


def _measure(clock: MaskClock, name: str, grammar: Grammar, texts: Sequence[str]) -> _Row:
    from gbnfc.gbnf.write import write_gbnf

    written = write_gbnf(grammar)
    found = [
        (mask.seconds * 1000, text[: mask.offset])
        for text in texts
        for mask in clock.time_text(written, text)
    ]
    times = sorted(ms for ms, _ in found)
    worst_ms, where = max(found)
    rank = min(len(times) - 1, int(len(times) * 0.99))
    return _Row(name, len(times), times[len(times) // 2], times[rank], worst_ms, where)


def _print(rows: list[_Row], vocabulary_size: int, *, as_json: bool) -> None:
    if as_json:
        fields = ("name", "masks", "median_ms", "p99_ms", "worst_ms", "where")
        records: list[dict[str, Any]] = [{f: getattr(row, f) for f in fields} for row in rows]
        print(json.dumps({"vocabulary": vocabulary_size, "grammars": records}, indent=2))
        return
    print(f"{'median':>10} {'p99':>10} {'worst':>10} {'masks':>6}  grammar, behind which text")
    for row in rows:
        shown = json.dumps(row.where[-40:], ensure_ascii=False)
        print_shown(
            f"{row.median_ms:>7.2f} ms {row.p99_ms:>7.2f} ms {row.worst_ms:>7.2f} ms "
            f"{row.masks:>6}  {row.name}  {shown}"
        )
    if len(rows) == 2:
        print(f"{rows[1].median_ms / rows[0].median_ms:>9.2f}x the median of the first")
