"""What can be read of a text with syntax errors, as a grammar with holes.

In: a text. Out: its errors, and a grammar in which each rule that could not be read has a hole as
its body: a terminal that stands for anything, followed by every name of its text, so that nothing
is taken for unused, for a loop or for a dead end because of what could not be read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gbnfc.gbnf.parse import DEFINITION, parse_rules
from gbnfc.ir.nodes import Grammar, Rule, RuleRef, Sequence, TokenTerminal
from gbnfc.source import Source, Span

if TYPE_CHECKING:
    from gbnfc.errors import GbnfSyntaxError
    from gbnfc.ir.nodes import Expression

_WORD = re.compile(r"[a-zA-Z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Recovered:
    """`grammar` is whole when there are no `errors`; `holes` are the bodies that were not read."""

    grammar: Grammar
    errors: tuple[GbnfSyntaxError, ...]
    holes: tuple[Span, ...]


def recover(source: Source, *, keep_groups: bool = False) -> Recovered:
    """Return what can be read of `source`, with `keep_groups` in the form of `parse_spelling`.

    >>> found = recover(Source("root ::= ('a'\\nws ::= ' '\\nok ::= root"))
    >>> [rule.name for rule in found.grammar.rules], len(found.errors)
    (['root', 'ws', 'ok'], 2)
    """
    parsed = parse_rules(source, keep_groups=keep_groups)
    rules = list(parsed.grammar.rules)
    holes: list[Span] = []
    for unread in parsed.unread:
        holes += _add_broken_rules(rules, source.text, unread)
    rules.sort(key=_start)
    grammar = replace(parsed.grammar, rules=tuple(rules))
    return Recovered(grammar, parsed.errors, tuple(holes))


def _add_broken_rules(rules: list[Rule], text: str, unread: Span) -> list[Span]:
    """Add the rules that begin in `unread` and return their bodies.

    What comes before them goes on with the rule before: a line break had ended it too early.
    """
    line = text.rfind("\n", 0, unread.start) + 1
    starts = list(DEFINITION.finditer(text, line, unread.end))
    ends = [match.start() for match in starts] + [unread.end]
    bodies = [Span(m.end(), end) for m, end in zip(starts, ends[1:], strict=True)]
    if unread.start < ends[0]:
        bodies.insert(0, Span(unread.start, ends[0]))
        _continue_last(rules, text, bodies[0])
    for match, body in zip(starts, bodies[-len(starts) :], strict=False):
        name_span = Span(*match.span("name"))
        span = Span(name_span.start, body.end)
        rules.append(Rule(match["name"], _hole(text, body), span=span, name_span=name_span))
    return bodies


def _start(rule: Rule) -> int:
    return rule.span.start if rule.span is not None else 0


def _continue_last(rules: list[Rule], text: str, hole: Span) -> None:
    """Add a hole without a name to the rule before it: a line that ended it too early."""
    before = [rule for rule in rules if _start(rule) < hole.start]
    if before:
        last = max(before, key=_start)
        body = Sequence((last.body, _hole(text, hole)), last.body.span)
        rules[rules.index(last)] = replace(last, body=body)


def _hole(text: str, span: Span) -> Expression:
    names = (match for match in _WORD.finditer(text, *span))
    parts = [RuleRef(match[0], Span(*match.span())) for match in names]
    return Sequence((TokenTerminal("?", span=span), *parts), span)
