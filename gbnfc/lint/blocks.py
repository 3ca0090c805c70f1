"""Large repetitions written through a named block, so that the engine's limit of 2,000 holds.

Before: `x ::= c{0,5000}`; after: `x ::= x-block{0,99} c{0,50}` and `x-block ::= c{50}`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.ir.nodes import MAX_REPETITION, CharClass, Repeat, RuleRef
from gbnfc.lint.diagnostic import Edit, Fix
from gbnfc.lint.spelling import full_span
from gbnfc.source import Span

if TYPE_CHECKING:
    from gbnfc.lint.subject import LintedGrammar

_BLOCK = 50
_LARGEST = MAX_REPETITION * _BLOCK


def block_fix(grammar: LintedGrammar, repeat: Repeat) -> Fix | None:
    """Return the fix that writes a repetition of one class or name through a block.

    `None` when it is larger than blocks of 50 can hold, or its body is more than that.
    """
    source = grammar.source
    body, last = repeat.body, repeat.maximum
    simple = isinstance(body, CharClass | RuleRef) and body.span and repeat.span
    if source is None or not simple or last is None or last > _LARGEST or last < repeat.minimum:
        return None
    span = full_span(source.text, repeat.span)  # type: ignore[arg-type]  # checked in `simple`
    owner = next(
        (r for r in grammar.grammar.rules if r.span and r.span.start <= span.start < r.span.end),
        None,
    )
    if owner is None or owner.span is None or "#" in grammar.text_of(span):
        return None
    text = grammar.text_of(body.span)  # type: ignore[arg-type]  # checked in `simple`
    block = _free_name(f"{owner.name}-block", grammar)
    written = " ".join(_counted(block, text, repeat.minimum, last))
    end = owner.span.end
    return Fix(
        f"Write it through {block}",
        (Edit(span, written), Edit(Span(end, end), f"\n{block} ::= {text}{{{_BLOCK}}}")),
    )


def _counted(block: str, text: str, minimum: int, maximum: int) -> list[str]:
    """Return the pieces of `text{minimum,maximum}`: what must be there, then what may."""
    blocks, rest = divmod(minimum, _BLOCK)
    pieces = [f"{block}{{{blocks}}}"] if blocks else []
    pieces += [f"{text}{{{rest}}}"] if rest else []
    more = maximum - minimum
    if more:
        # {0,rest} must close the gaps between whole blocks, so it reaches at least _BLOCK - 1.
        rest = min(more, _BLOCK - 1 + (more - _BLOCK + 1) % _BLOCK)
        blocks = (more - rest) // _BLOCK
        pieces += [f"{block}{{0,{blocks}}}"] if blocks else []
        pieces += [f"{text}{{0,{rest}}}"] if rest else []
    return pieces


def _free_name(name: str, grammar: LintedGrammar) -> str:
    number, free = 2, name
    while free in grammar.definitions:
        free, number = f"{name}-{number}", number + 1
    return free
