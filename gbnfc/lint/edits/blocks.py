"""Large repetitions written through a named rule, so that the engine's limit of 2,000 holds.

Before: `x ::= c{0,5000}`; after: `x ::= x-block{0,99} c{0,50}` and `x-block ::= c{50}`.
Before: `x ::= (c{0,50} " "){1,100}`; after: `x ::= x-part{1,100}` and `x-part ::= c{0,50} " "`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.ir.nodes import MAX_REPETITION, CharClass, Repeat, RuleRef
from gbnfc.lint.diagnostic import Edit, Fix
from gbnfc.source import Span

if TYPE_CHECKING:
    from gbnfc.lint.subject import LintedGrammar

_BLOCK = 50
_MAX_SIZE = MAX_REPETITION * _BLOCK


def block_fix(grammar: LintedGrammar, repeat: Repeat) -> Fix | None:
    """Return the fix that writes a repetition of one class or name through a block, of a group
    through a rule of its own; `None` where neither helps.
    """
    span = grammar.whole_span(repeat)
    owner = next(
        (
            rule
            for rule in grammar.grammar.rules
            if rule.span and span and rule.span.start <= span.start < rule.span.end
        ),
        None,
    )
    if span is None or owner is None or owner.span is None or "#" in grammar.text_of(span):
        return None
    if isinstance(repeat.body, CharClass | RuleRef):
        name = _free_name(f"{owner.name}-block", grammar)
        behind = "" if grammar.source is None else grammar.source.text[span.end :].lstrip()
        texts = _in_blocks(grammar, repeat, name, repeated=behind[:1] in ("*", "+", "?", "{"))
    else:
        name = _free_name(f"{owner.name}-part", grammar)
        texts = _in_parts(grammar.text_of(span), repeat, name)
    if texts is None:
        return None
    written, body = texts
    end = Span(owner.span.end, owner.span.end)
    return Fix(f"Write it through {name}", (Edit(span, written), Edit(end, f"\n{name} ::= {body}")))


def _in_blocks(
    grammar: LintedGrammar, repeat: Repeat, name: str, *, repeated: bool
) -> tuple[str, str] | None:
    """Return the repetition, of one class or name, and the body of the rule `name` it uses.

    `repeated` tells that another repetition stands right behind it: `c{0,5000}{2}`.
    """
    span, last = repeat.body.span, repeat.maximum
    if span is None or last is None or not repeat.minimum <= last <= _MAX_SIZE:
        return None
    text = grammar.text_of(span)
    written = " ".join(_counted(name, text, repeat.minimum, last))
    if repeated and " " in written:
        written = f"({written})"
    return written, f"{text}{{{_BLOCK}}}"


def _in_parts(text: str, repeat: Repeat, name: str) -> tuple[str, str] | None:
    """Return the repetition `text`, of a group, and the body of the rule `name` it uses."""
    group, brace, count = text.rpartition("{")
    group = group.rstrip()
    grouped = group.startswith("(") and group.endswith(")")
    if not brace or not grouped or max(repeat.minimum, repeat.maximum or 0) > MAX_REPETITION:
        return None
    # Only inside parentheses may a rule go on in the next line.
    return f"{name}{{{count}", group if "\n" in group else group[1:-1].strip()


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
