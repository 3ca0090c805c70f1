"""How a rule is laid out over lines, and where its comments go.

In: a `Rule`. Out: its lines. A rule that fits on one line stands on one line. Else a choice has one
alternative on each line, and groups open and close on lines of their own: outside parentheses a
line may only break behind `::=` and `|`. Comments inside a rule move to the next place where a line
may break, and never get lost.
"""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING

from gbnfc.gbnf.spell import Place, needs_parentheses, spell, spell_bounds, spell_name
from gbnfc.ir.nodes import Choice, Comment, Expression, Repeat, Rule, Sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

WIDTH = 100
"""The longest line that is not broken, in code points."""

_INDENT = 2
_LINE_BREAK = re.compile(r"\r\n|\r|\n")


def comment_lines(comment: Comment) -> list[str]:
    """Return `comment` as lines that start with `#`, without the characters GBNF cannot hold."""
    text = comment.text.replace("\0", r"\x00").encode("utf-8", "backslashreplace").decode("utf-8")
    return [f"#{line}".rstrip() for line in _LINE_BREAK.split(text)]


def is_above(comment: Comment, rule: Rule) -> bool:
    """Return whether `comment` stands on lines above `rule`."""
    if comment.span is None or rule.name_span is None:
        return not comment.trailing
    return comment.span.start < rule.name_span.start


def lay_out(rule: Rule, spelled: dict[int, str]) -> list[str]:
    """Return the lines of `rule`, without the comments above it.

    `spelled` keeps the texts of nodes by their identity: rules of one grammar share many.
    """
    inner = [comment for comment in rule.comments if not is_above(comment, rule)]
    if not inner:  # most rules are short
        line = f"{spell_name(rule.name)} ::= {spell(rule.body, known=spelled)}"
        if len(line) <= WIDTH:
            return [line]
    return _Layout(rule, inner, spelled).lines


class _Layout:
    def __init__(self, rule: Rule, comments: Iterable[Comment], spelled: dict[int, str]) -> None:
        self._comments = deque(comments)
        self._parts: list[str] = []
        self._column = 0
        self._spelled = spelled
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

    def _holds_comments(self, expression: Expression) -> bool:
        return expression.span is not None and self._comments_before(expression.span.end)

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

    def _spell(self, expression: Expression, place: Place) -> str:
        return spell(expression, place, known=self._spelled)

    def _put_body(self, body: Expression) -> None:
        self._put_comments(_start(body), _INDENT)
        if isinstance(body, Choice) and not self._is_flat(body, Place.BODY, len(" ")):
            self._break(_INDENT)
            self._put_alternatives(body, _INDENT, nested=False)
        else:
            indent = 0 if self._broken_at is None else _INDENT
            self._write_space()
            self._put(body, Place.BODY, indent, 0, nested=False)

    def _is_flat(self, expression: Expression, place: Place, reserve: int) -> bool:
        return not self._holds_comments(expression) and self._fits(
            self._spell(expression, place), reserve
        )

    def _put(
        self, expression: Expression, place: Place, indent: int, reserve: int, *, nested: bool
    ) -> None:
        """Write `expression`, broken if need be; `reserve` columns must be left behind it."""
        if self._is_flat(expression, place, reserve):
            self._write(self._spell(expression, place))
            return
        match expression:
            case Repeat(body=body) if _can_break(expression) and place != Place.REPEATED:
                bounds = spell_bounds(expression)
                self._put(body, Place.REPEATED, indent, reserve + len(bounds), nested=nested)
                self._write(bounds)
            case Sequence(items=(_, *_)) if not needs_parentheses(expression, place):
                if not nested and self._must_wrap(expression):
                    self._put_group(expression, indent)
                else:
                    self._put_items(expression, indent, reserve, nested=nested)
            case Sequence(items=(_, *_)) | Choice(alternatives=(_, *_)):
                self._put_group(expression, indent)
            case Repeat() if _can_break(expression):
                self._put_group(expression, indent)
            case _:
                self._write(self._spell(expression, place))

    def _must_wrap(self, sequence: Sequence) -> bool:
        """Return whether comments stand between the items, where no line may break as it is."""
        groups = [i.span for i in sequence.items if _can_break(i) and i.span is not None]
        return sequence.span is not None and any(
            comment.span is not None
            and sequence.span.start < comment.span.start < sequence.span.end
            and not any(start < comment.span.start < end for start, end in groups)
            for comment in self._comments
        )

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
            self._put(expression, Place.BODY, inner, 0, nested=True)
        self._put_comments(None if expression.span is None else expression.span.end, inner)
        self._break(indent)
        self._write(")")

    def _break_behind_comment(self, expression: Choice | Sequence, indent: int) -> None:
        """Break behind an opening parenthesis and the comments that follow it."""
        first = expression.alternatives if isinstance(expression, Choice) else expression.items
        self._put_comments(_start(first[0]), indent)
        self._break(indent)

    def _put_alternatives(self, choice: Choice, indent: int, *, nested: bool) -> None:
        last = len(choice.alternatives) - 1
        for index, alternative in enumerate(choice.alternatives):
            self._put_comments(_start(alternative), indent)
            reserve = 0 if index == last else 2
            self._put(alternative, Place.ALTERNATIVE, indent, reserve, nested=nested)
            if index < last:
                self._write(" |")
                self._put_comments(_start(choice.alternatives[index + 1]), indent)
                self._break(indent)

    def _put_items(self, sequence: Sequence, indent: int, reserve: int, *, nested: bool) -> None:
        reserves = _reserves(sequence, reserve, self._spell, nested=nested)
        for index, item in enumerate(sequence.items):
            if nested:
                self._put_comments(_start(item), indent)
            if index:
                if nested and not self._fits(" " + self._spell(item, Place.ITEM), reserves[index]):
                    self._break(indent)
                self._write_space()
            self._put(item, Place.ITEM, indent, reserves[index], nested=nested)


def _start(expression: Expression) -> int | None:
    return None if expression.span is None else expression.span.start


def _can_break(expression: Expression) -> bool:
    """Return whether lines may break inside `expression` as an item: whether it has parentheses."""
    match expression:
        case Repeat(body=Repeat()):
            return True
        case Repeat(body=body):
            return _can_break(body)
        case Sequence(items=parts) | Choice(alternatives=parts):
            return bool(parts)
        case _:
            return False


def _reserves(
    sequence: Sequence, reserve: int, spelled: Callable[[Expression, Place], str], *, nested: bool
) -> list[int]:
    """Return for each item the columns needed behind it, up to the next place to break at."""
    found = [reserve]
    for item in reversed(sequence.items[1:]):
        if nested:
            found.append(0)
        elif _can_break(item):
            found.append(len(" ("))
        else:
            found.append(found[-1] + 1 + len(spelled(item, Place.ITEM)))
    return found[::-1]
