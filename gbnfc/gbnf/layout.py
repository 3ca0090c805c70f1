"""How a rule is laid out over lines, and where its comments go.

In: a `Rule`. Out: its lines. A rule that fits on one line stands on one line. Else a choice has one
alternative on each line, and groups open and close on lines of their own: outside parentheses a
line may only break behind `::=` and `|`. A comment stays between the tokens that it stood between
(parentheses come and go); what cannot be broken there gets parentheses.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from gbnfc.gbnf.spell import Precedence, needs_parentheses, spell, spell_bounds, spell_name
from gbnfc.ir.nodes import Choice, Comment, Expression, Repeat, Rule, Sequence

if TYPE_CHECKING:
    from collections.abc import Iterable

WIDTH = 100
"""The longest line that is not broken, in code points."""

_INDENT = 2
_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_NO_TOKENS = re.compile(r"(?:[ \t\r\n()]++|#[^\r\n]*+)*+")


def comment_lines(comment: Comment) -> list[str]:
    """Return `comment` as lines that start with `#`, without the characters GBNF cannot hold."""
    text = comment.text.replace("\0", r"\x00").encode("utf-8", "backslashreplace").decode("utf-8")
    return [f"#{line}".rstrip() for line in _LINE_BREAK.split(text)]


def is_above(comment: Comment, rule: Rule) -> bool:
    """Return whether `comment` stands on lines above `rule`."""
    if comment.span is None or rule.name_span is None:
        return not comment.trailing
    return comment.span.start < rule.name_span.start


@dataclass(frozen=True, slots=True)
class Style:
    """How the rules of one grammar are written.

    `source` is the text they were parsed from, if any; `chained` tells that they come from
    `parse_spelling`. `spelled` keeps the texts of nodes by their identity: rules share many.
    """

    source: str | None = None
    chained: bool = False
    spelled: dict[int, str] = field(default_factory=dict)

    def spell(self, expression: Expression, place: Precedence = Precedence.BODY) -> str:
        """Return `expression` on one line."""
        return spell(expression, place, known=self.spelled, chained=self.chained)

    def has_parentheses(self, expression: Expression, place: Precedence) -> bool:
        """Return whether `expression` is written in parentheses at `place`."""
        return needs_parentheses(expression, place, chained=self.chained)

    def start(self, expression: Expression, place: Precedence) -> int | None:
        """Return where, in the source, what is written of `expression` at `place` begins."""
        match expression:
            case Sequence(items=()):  # what stands inside `()` goes before it
                return self.end(expression, place)
            case Sequence(items=(first, *_)) if not self.has_parentheses(expression, place):
                return self.start(first, Precedence.ITEM)
            case Choice(alternatives=(first, *_)) if not self.has_parentheses(expression, place):
                return self.start(first, Precedence.ALTERNATIVE)
            case Repeat(body=body):
                return self.start(body, Precedence.REPEATED)
            case _:
                return None if expression.span is None else expression.span.start

    def end(self, expression: Expression, place: Precedence) -> int | None:
        """Return where, in the source, what is written of `expression` at `place` ends."""
        match expression:
            case Sequence(items=(*_, last)) if not self.has_parentheses(expression, place):
                return self.end(last, Precedence.ITEM)
            case Choice(alternatives=(*_, last)) if not self.has_parentheses(expression, place):
                return self.end(last, Precedence.ALTERNATIVE)
            case Repeat(body=body) if self.source is not None:
                return self.token_behind(body)  # comments within `{ }` go behind them
            case _:
                return None if expression.span is None else expression.span.end

    def token_behind(self, expression: Expression) -> int | None:
        """Return where, in the source, the next token begins; its end where that is not known."""
        if expression.span is None:
            return None
        if self.source is None:
            return expression.span.end
        blanks = _NO_TOKENS.match(self.source, expression.span.end)
        return blanks.end() if blanks else None


def lay_out(rule: Rule, style: Style) -> list[str]:
    """Return the lines of `rule`, without the comments above it."""
    inner = [comment for comment in rule.comments if not is_above(comment, rule)]
    if not inner:  # most rules are short
        line = f"{spell_name(rule.name)} ::= {style.spell(rule.body)}"
        if len(line) <= WIDTH:
            return [line]
    return _Layout(rule, inner, style).lines


class _Layout:
    def __init__(self, rule: Rule, comments: Iterable[Comment], style: Style) -> None:
        self._comments = deque(comments)
        self._parts: list[str] = []
        self._column = 0
        self._style = style
        self._broken_at: int | None = None
        """Where the next line starts, when something (a comment) has ended this one."""
        self._write(f"{spell_name(rule.name)} ::=")
        self._put_body(rule.body)
        self.lines = "".join(self._parts).split("\n")
        self._put_rest()

    # --- output ----------------------------------------------------------------------------------

    def _write(self, text: str) -> None:
        if self._broken_at is not None:
            self._parts.append("\n" + " " * self._broken_at)
            self._column = self._broken_at
            self._broken_at = None
        self._parts.append(text)
        self._column += len(text)

    def _write_space(self) -> None:
        if self._broken_at is None:
            self._write(" ")

    def _break(self, indent: int) -> None:
        """Go on at column `indent` of a new line."""
        self._broken_at = indent

    def _fits(self, text: str, reserve: int) -> bool:
        column = self._column if self._broken_at is None else self._broken_at
        return column + len(text) + reserve <= WIDTH

    # --- comments --------------------------------------------------------------------------------

    def _comments_before(self, offset: int) -> bool:
        first = self._comments[0].span if self._comments else None
        return first is not None and first.start < offset

    def _comments_between(self, start: int | None, end: int | None) -> bool:
        if start is None or end is None:
            return False
        places = (comment.span.start for comment in self._comments if comment.span is not None)
        return any(start <= place < end for place in places)

    def _holds_comments(self, expression: Expression, place: Precedence) -> bool:
        end = self._style.end(expression, place)
        return end is not None and self._comments_before(end)

    def _put_comments(self, offset: int | None, indent: int) -> None:
        """Write the comments up to `offset` of the source; a line may break here."""
        while offset is not None and self._comments_before(offset):
            comment = self._comments.popleft()
            if comment.trailing and self._broken_at is None:
                self._write(" ")
            else:
                self._break(indent)
            for line in comment_lines(comment):
                self._write(line)
                self._break(indent)

    def _put_rest(self) -> None:
        """Write what is left of the comments behind the rule, then below it."""
        rest = [line for comment in self._comments for line in comment_lines(comment)]
        if rest:
            self.lines[-1] += f" {rest[0]}"
            self.lines.extend(rest[1:])

    # --- expressions -----------------------------------------------------------------------------

    def _spell(self, expression: Expression, place: Precedence) -> str:
        return self._style.spell(expression, place)

    def _put_body(self, body: Expression) -> None:
        self._put_comments(self._style.start(body, Precedence.BODY), _INDENT)
        is_broken = isinstance(body, Choice) and not self._is_flat(body, Precedence.BODY, len(" "))
        if is_broken and isinstance(body, Choice) and not self._must_wrap(body):
            self._break(_INDENT)
            self._put_alternatives(body, _INDENT, nested=False)
            return
        indent = 0 if self._broken_at is None else _INDENT
        self._write_space()
        if is_broken:
            self._put_group(body, indent)
        else:
            self._put(body, Precedence.BODY, indent, 0, nested=False)

    def _is_flat(self, expression: Expression, place: Precedence, reserve: int) -> bool:
        return not self._holds_comments(expression, place) and self._fits(
            self._spell(expression, place), reserve
        )

    def _put(
        self, expression: Expression, place: Precedence, indent: int, reserve: int, *, nested: bool
    ) -> None:
        """Write `expression`, broken if need be; `reserve` columns must be left behind it."""
        if self._is_flat(expression, place, reserve):
            self._write(self._spell(expression, place))
            return
        bare = not self._style.has_parentheses(expression, place)
        if bare and not nested and self._must_wrap(expression):
            self._put_group(expression, indent)
            return
        match expression:
            case Repeat(body=body) if bare and self._is_breakable(expression):
                bounds = spell_bounds(expression)
                self._put(body, Precedence.REPEATED, indent, reserve + len(bounds), nested=nested)
                self._put_comments(self._style.token_behind(body), indent)
                self._write(bounds)
            case Sequence(items=(_, *_)) if bare:
                self._put_items(expression, indent, reserve, nested=nested)
            case Sequence(items=(_, *_)) | Choice(alternatives=(_, *_)):
                self._put_group(expression, indent)
            case Repeat() if self._is_breakable(expression):
                self._put_group(expression, indent)
            case _:
                self._write(self._spell(expression, place))

    def _is_breakable(self, repeat: Repeat) -> bool:
        chained = self._style.chained
        return _can_break(repeat, chained=chained) or self._holds_comments(repeat, Precedence.ITEM)

    def _must_wrap(self, expression: Expression) -> bool:
        """Return whether comments stand where no line may break, outside parentheses."""
        style = self._style
        match expression:
            case Sequence(items=items):
                return any(
                    self._comments_between(
                        style.end(left, Precedence.ITEM), style.start(right, Precedence.ITEM)
                    )
                    for left, right in pairwise(items)
                ) or any(self._must_wrap_inside(item, Precedence.ITEM) for item in items)
            case Choice(alternatives=alternatives):
                return any(
                    self._comments_between(
                        style.end(part, Precedence.ALTERNATIVE), style.token_behind(part)
                    )
                    for part in alternatives[:-1]
                )
            case Repeat(body=body, span=span):
                between = self._comments_between(
                    style.end(body, Precedence.REPEATED), None if span is None else span.end
                )
                return between or self._must_wrap_inside(body, Precedence.REPEATED)
            case _:
                return False

    def _must_wrap_inside(self, part: Expression, place: Precedence) -> bool:
        return not self._style.has_parentheses(part, place) and self._must_wrap(part)

    def _put_group(self, expression: Expression, indent: int) -> None:
        inner = indent + _INDENT
        self._write("(")
        if isinstance(expression, Choice):
            self._break_behind_comment(expression, inner)
            self._put_alternatives(expression, inner, nested=True)
        elif isinstance(expression, Sequence):
            self._break_behind_comment(expression, inner)
            self._put_items(expression, inner, 0, nested=True)
        else:
            self._break(inner)
            self._put(expression, Precedence.BODY, inner, 0, nested=True)
        self._put_comments(None if expression.span is None else expression.span.end, inner)
        self._break(indent)
        self._write(")")

    def _break_behind_comment(self, expression: Choice | Sequence, indent: int) -> None:
        """Break behind an opening parenthesis and the comments that follow it."""
        match expression:
            case Choice(alternatives=(first, *_)):
                self._put_comments(self._style.start(first, Precedence.ALTERNATIVE), indent)
            case Sequence(items=(first, *_)):
                self._put_comments(self._style.start(first, Precedence.ITEM), indent)
        self._break(indent)

    def _put_alternatives(self, choice: Choice, indent: int, *, nested: bool) -> None:
        alternatives = choice.alternatives
        for index, alternative in enumerate(alternatives):
            self._put_comments(self._style.start(alternative, Precedence.ALTERNATIVE), indent)
            is_last = index == len(alternatives) - 1
            reserve = 0 if is_last else 2
            self._put(alternative, Precedence.ALTERNATIVE, indent, reserve, nested=nested)
            if not is_last:
                self._put_bar(alternative, alternatives[index + 1], indent)

    def _put_bar(self, left: Expression, right: Expression, indent: int) -> None:
        """Write the bar between two alternatives, behind the last one's line or before the next."""
        self._put_comments(self._style.token_behind(left), indent)
        starts_line = self._broken_at is not None
        self._write("|" if starts_line else " |")
        self._put_comments(self._style.start(right, Precedence.ALTERNATIVE), indent)
        if not starts_line:
            self._break(indent)
        else:
            self._write_space()

    def _put_items(self, sequence: Sequence, indent: int, reserve: int, *, nested: bool) -> None:
        reserves = _reserves(sequence, reserve, self._style, nested=nested)
        for index, item in enumerate(sequence.items):
            if nested:
                self._put_comments(self._style.start(item, Precedence.ITEM), indent)
            if index:
                if nested and not self._fits(
                    " " + self._spell(item, Precedence.ITEM), reserves[index]
                ):
                    self._break(indent)
                self._write_space()
            self._put(item, Precedence.ITEM, indent, reserves[index], nested=nested)


def _can_break(expression: Expression, *, chained: bool) -> bool:
    """Return whether lines may break inside `expression` as an item: whether it has parentheses."""
    match expression:
        case Repeat(body=Repeat()) if not chained:
            return True
        case Repeat(body=body):
            return _can_break(body, chained=chained)
        case Sequence(items=parts) | Choice(alternatives=parts):
            return bool(parts)
        case _:
            return False


def _reserves(sequence: Sequence, reserve: int, style: Style, *, nested: bool) -> list[int]:
    """Return for each item the columns needed behind it, up to the next place to break at."""
    found = [reserve]
    for item in reversed(sequence.items[1:]):
        if nested:
            found.append(0)
        elif _can_break(item, chained=style.chained):
            found.append(len(" ("))
        else:
            found.append(found[-1] + 1 + len(style.spell(item, Precedence.ITEM)))
    return found[::-1]
