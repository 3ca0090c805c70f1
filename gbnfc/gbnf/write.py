"""IR to GBNF text: deterministic, readable, comments kept.

In: a `Grammar`. Out: text that `parse_gbnf` reads back as an equal grammar, when the grammar is in
the parser's normal form (see `gbnf.parse`), and as one of the same language otherwise.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gbnfc.gbnf.layout import Style, comment_lines, is_above, lay_out
from gbnfc.gbnf.spell import spell

if TYPE_CHECKING:
    from gbnfc.ir.nodes import Comment, Grammar, Rule

__all__ = ["spell", "write_gbnf"]

_LINE_BREAK = re.compile(r"\r\n|\r|\n")


def write_gbnf(
    grammar: Grammar, *, source: str | None = None, chained: frozenset[str] = frozenset()
) -> str:
    r"""Return `grammar` as text, one rule after the other, ending in a line break.

    With `source`, the text that `grammar` was parsed from, single blank lines stay where blank
    lines were; without it, one stands above each rule that has comments above it.

    >>> from gbnfc.ir.nodes import Literal, Rule
    >>> write_gbnf(Grammar((Rule("root", Literal("a")),)))
    'root ::= "a"\n'

    Raises:
        GbnfcError: a name or token that GBNF cannot spell.
        LimitExceeded: an expression higher than `MAX_DEPTH`.
    """
    writer = _Writer(source, chained)
    for rule in grammar.rules:
        writer.add_rule(rule)
    for comment in grammar.comments:
        writer.add_comment(comment)
    return "".join(f"{line}\n" for line in writer.lines)


class _Writer:
    def __init__(self, source: str | None, chained: frozenset[str]) -> None:
        self._source = source
        self._style = Style(source)
        self._chained_style = Style(source, chained=True)
        self._chained = chained
        self._end = 0
        """Where, in the source, that ends which has been written."""
        self.lines: list[str] = []

    def add_rule(self, rule: Rule) -> None:
        above = [comment for comment in rule.comments if is_above(comment, rule)]
        if self._source is None and above and self.lines:
            self.lines.append("")
        for comment in above:
            self.add_comment(comment)
        if rule.span is not None:
            self._keep_blank_line(rule.span.start)
        is_chained = rule.name in self._chained
        self.lines.extend(lay_out(rule, self._chained_style if is_chained else self._style))
        inner = [comment.span for comment in rule.comments if comment.span is not None]
        ends = [span.end for span in (*inner, rule.span) if span is not None]
        self._end = max(ends, default=self._end)

    def add_comment(self, comment: Comment) -> None:
        if comment.span is not None:
            self._keep_blank_line(comment.span.start)
            self._end = comment.span.end
        self.lines.extend(comment_lines(comment))

    def _keep_blank_line(self, start: int) -> None:
        if self._source is None or not self.lines:
            return
        if len(_LINE_BREAK.findall(self._source, self._end, start)) > 1:
            self.lines.append("")
