"""What `gbnfc lint --cost` prints: size, worst stacks and estimated mask cost of grammars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.errors import GbnfSyntaxError, LimitExceeded
from gbnfc.gbnf.parse import parse_gbnf
from gbnfc.lint.subject import LintedGrammar
from gbnfc.lint.text.show import show_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gbnfc.source import Source


def cost_lines(sources: Iterable[Source]) -> Iterator[str]:
    """Yield a heading, then one line per grammar; `+` marks a search that was cut at its budget."""
    yield f"{'rules':>6} {'bytes':>8} {'stacks':>7} {'cost':>7}  grammar, worst text"
    for source in sources:
        size = len(source.text.encode("utf-8", "replace"))
        yield f"{_line(source, size)}"


def _line(source: Source, size: int) -> str:
    try:
        grammar = LintedGrammar(parse_gbnf(source.text, source.name), source)
    except GbnfSyntaxError:
        return f"{'-':>6} {size:>8} {'-':>7} {'-':>7}  {source.name}: does not parse"
    count = len(grammar.grammar.rules)
    if not grammar.sound or grammar.refusals:
        return f"{count:>6} {size:>8} {'-':>7} {'-':>7}  {source.name}: the engine refuses it"
    survey = grammar.survey
    if isinstance(survey, LimitExceeded):
        return f"{count:>6} {size:>8} {'-':>7} {'-':>7}  {source.name}: {survey.message}"
    cost = survey.cost
    stacks = f"{cost.stacks}{'' if cost.complete else '+'}"
    try:
        factor = f"{survey.estimate_mask().factor:.1f}x"
    except LimitExceeded:
        factor = "?"
    return f"{count:>6} {size:>8} {stacks:>7} {factor:>7}  {source.name}  {show_text(cost.witness)}"
