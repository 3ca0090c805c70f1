"""GBNF text to IR: the dialect of the llama.cpp in llama-cpp-python 0.3.36, and nothing looser.

In: text. Out: a `Grammar` with spans and comments, or a `GbnfSyntaxError` that holds every error
found (after an error, reading goes on at the next rule; `gbnf.recover` gives out what could be
read). What can be read but not loaded (undefined rules, left recursion, repetitions over the
engine's budget) is left to `ir` and the linter.

Normal form of the result: a `Sequence` has no item or at least two, a `Choice` at least two
alternatives, the empty text (`""` or nothing) is `Sequence()`, and parentheses leave no trace but
the nesting of nodes. `parse_gbnf(write_gbnf(g)) == g` holds for every grammar in that form.
Differences to llama.cpp, all on the strict side: code points above U+10FFFF, NUL characters, lone
surrogates, and nesting deeper than `MAX_DEPTH` are errors.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from gbnfc.errors import GbnfSyntaxError
from gbnfc.gbnf.escapes import HEX_DIGITS, SIMPLE, BadEscape, decode_class, decode_literal
from gbnfc.gbnf.mistakes import OPEN_LITERAL, OPEN_PARENTHESIS, Mistake, find_mistake
from gbnfc.ir.nodes import (
    MAX_DEPTH,
    AnyChar,
    CharClass,
    Choice,
    Comment,
    Expression,
    Grammar,
    Literal,
    Repeat,
    Rule,
    RuleRef,
    Sequence,
    TokenTerminal,
)
from gbnfc.source import Source, Span

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_ERRORS = 20
"""Reading stops after so many errors: the rest would be noise."""

_UINT32_MAX = 2**32 - 1
_UINT64_MAX = 2**64 - 1

# Possessive quantifiers: a 10 MB literal must not leave 10 million places to go back to.
_INLINE_SPACE = re.compile(r"(?:[ \t]++|#[^\r\n]*+)*+")
_ANY_SPACE = re.compile(r"(?:[ \t\r\n]++|#[^\r\n]*+)*+")
_COMMENT = re.compile(r"#([^\r\n]*)")
_LINE_BREAK = re.compile(r"[\r\n]")
_NAME = re.compile(r"[a-zA-Z0-9-]++")
_RULE_START = re.compile(r"^[ \t]*[a-zA-Z0-9_-]++[ \t]*::=", re.MULTILINE)
DEFINITION = re.compile(
    r"^[ \t]*<?(?P<name>[a-zA-Z0-9_-]++)>?[ \t]*(?:::?=|=|:|->|→|<-)", re.MULTILINE
)
"""What begins a rule, also in the spellings of other dialects: there reading goes on."""
_NUMBER = re.compile(r"[0-9]++")
_ELEMENT = re.compile(
    r"""
      (?P<name>[a-zA-Z0-9-]++)
    | "(?P<literal>(?:[^"\\]++|\\.)*+)"
    | \[(?P<negated>\^?+)(?P<class>(?:[^\]\\]++|\\.)*+)\]
    | (?P<repeat>[*+?{])
    | (?P<open>\()
    | (?P<close>\))
    | (?P<bar>\|)
    | (?P<any>\.)
    | (?P<token>!?<(?:\[(?P<id>[0-9]++)\]|(?!\[)(?P<text>[^>]*+))>)
    """,
    re.VERBOSE | re.DOTALL,
)
_GROUPS = _ELEMENT.groupindex
_NAME_KIND, _LITERAL_KIND, _CLASS_KIND = _GROUPS["name"], _GROUPS["literal"], _GROUPS["class"]
_REPEAT_KIND, _OPEN_KIND, _CLOSE_KIND = _GROUPS["repeat"], _GROUPS["open"], _GROUPS["close"]
_BAR_KIND, _ANY_KIND = _GROUPS["bar"], _GROUPS["any"]

_SHORT_BOUNDS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_ITEMS = ("a literal", "a class", "a rule name", "`(`", "`.`", "`<`")
_ESCAPES = tuple(f"`\\{letter}`" for letter in (*SIMPLE, *HEX_DIGITS))
_FOUND = re.compile(r"[a-zA-Z0-9_-]+|::=|\s|.|\Z", re.DOTALL)

_T = TypeVar("_T")


def parse_gbnf(text: str, name: str = "<string>") -> Grammar:
    r"""Return the grammar that `text` spells. `name` is what messages call the text.

    The spans of the nodes are offsets into `text`; a group's span includes its parentheses.

    >>> parse_gbnf('root ::= "a" | [b-c]+').rules[0].body.alternatives[0]
    Literal(text='a')

    Raises: `GbnfSyntaxError`, whose `others` are the further errors of the text.
    """
    return _grammar_of(_Parser(Source(text, name), keep_groups=False).parse())


def parse_concrete(text: str, name: str = "<string>") -> Grammar:
    """Return the grammar with each pair of parentheses kept, as a `Sequence` of one where needed.

    llama.cpp counts groups when it limits repetitions; `ir.analysis.engine_refusal` of this form
    speaks about the text itself, while that of `parse_gbnf`'s form speaks about the rewritten text.
    """
    return _grammar_of(_Parser(Source(text, name), keep_groups=True).parse())


def parse_rules(source: Source, *, keep_groups: bool = False) -> Parsed:
    """Return the rules of `source` that can be read, and what is wrong with the rest of it."""
    return _Parser(source, keep_groups=keep_groups).parse()


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a text gave: `grammar` has the rules that were read, `unread` is where the others are.

    `errors` are in the order of their places.
    """

    grammar: Grammar
    errors: tuple[GbnfSyntaxError, ...]
    unread: tuple[Span, ...]


def _grammar_of(parsed: Parsed) -> Grammar:
    if parsed.errors:
        first, *others = parsed.errors
        first.others = tuple(others)
        raise first
    return parsed.grammar


class _Level:
    """What has been read so far of one group, or of a rule's body."""

    __slots__ = ("alternatives", "end", "first", "items", "repeatable", "start", "tallest")

    def __init__(self, start: int) -> None:
        self.start = start
        self.items: list[tuple[Expression, int]] = []
        """The items of the current alternative, each with its height."""
        self.alternatives: list[tuple[Expression, int]] = []
        self.first = self.end = start
        """Where the current alternative's first element starts, and its last one ends."""
        self.repeatable = False
        """Whether `*` may follow: llama.cpp has nothing to repeat behind `""`, `[]`, `x{0}`."""

    def add(self, item: Expression, start: int, end: int, height: int = 1) -> None:
        if not self.items:
            self.first = start
        self.end = end
        self.items.append((item, height))
        self.repeatable = True


class _Parser:
    def __init__(self, source: Source, *, keep_groups: bool) -> None:
        self._source = source
        self._text = source.text
        self._keep_groups = keep_groups
        self._comments: list[Comment] = []
        self._errors: list[GbnfSyntaxError] = []
        self._rules: list[Rule] = []
        self._broken_literal: Span | None = None
        """The first literal of the current rule that holds a line break."""

    def parse(self) -> Parsed:
        self._check_characters()
        unread: list[Span] = []
        at = self._skip(0, nested=True)
        while at < len(self._text) and len(self._errors) < MAX_ERRORS:
            start = at
            try:
                at = self._parse_rule(at)
            except GbnfSyntaxError as error:
                self._errors.append(error)
                at = self._next_rule(start, error)
                unread.append(Span(start, at))
        if at < len(self._text):
            unread.append(Span(at, len(self._text)))
        grammar = Grammar(tuple(self._rules), tuple(self._comments))
        return Parsed(grammar, tuple(sorted(self._errors, key=_error_start)), tuple(unread))

    # --- characters, blanks, comments ------------------------------------------------------------

    def _check_characters(self) -> None:
        text = self._text
        if "\0" in text:
            at = text.index("\0")
            self._errors.append(self._error(Span(at, at + 1), ()))
        if not text.isascii():
            try:
                text.encode("utf-8")
            except UnicodeEncodeError as error:
                self._errors.append(self._error(Span(error.start, error.end), ()))

    def _skip(self, at: int, *, nested: bool) -> int:
        """Return the offset behind blanks and comments; line breaks are blanks where `nested`."""
        match = (_ANY_SPACE if nested else _INLINE_SPACE).match(self._text, at)
        end = match.end() if match else at
        if end > at and self._text.find("#", at, end) >= 0:
            self._keep_comments(at, end)
        return end

    def _keep_comments(self, start: int, end: int) -> None:
        text = self._text
        first = text.find("#", start, end)
        starts_line = start == 0 or text[start - 1] in "\r\n"
        trailing = not starts_line and not _LINE_BREAK.search(text, start, first)
        for match in _COMMENT.finditer(text, first, end):
            span = Span(match.start(), match.end())
            self._comments.append(Comment(match[1].rstrip(), trailing, span))
            trailing = False

    # --- rules -----------------------------------------------------------------------------------

    def _parse_rule(self, start: int) -> int:
        """Read one rule, and what is blank behind it; return the offset of the next."""
        text = self._text
        self._broken_literal = None
        name = _NAME.match(text, start)
        if name is None:
            raise self._failure(start, ("a rule name",))
        at = self._skip(name.end(), nested=False)
        if not text.startswith("::=", at):
            raise self._failure(at, ("`::=`",))
        define_end = at + 3
        body, body_end, at = self._parse_body(self._skip(define_end, nested=True))
        span = Span(start, max(body_end, define_end))
        name_span = Span(start, name.end())
        self._rules.append(Rule(name[0], body, tuple(self._comments), span, name_span))
        self._comments.clear()
        if at < len(text):
            at += 2 if text.startswith("\r\n", at) else 1
        return self._skip(at, nested=True)

    def _next_rule(self, start: int, error: GbnfSyntaxError) -> int:
        """Return where to go on after `error` in the rule at `start`: a line that defines one."""
        self._comments.clear()
        at = self._text.rfind("\n", start, _error_start(error)) + 1
        match = DEFINITION.search(self._text, max(at, start + 1))
        return self._skip(match.start(), nested=True) if match else len(self._text)

    # --- bodies ----------------------------------------------------------------------------------

    def _parse_body(self, at: int) -> tuple[Expression, int, int]:
        """Return a rule's body, the end of its last element, and the offset of what follows."""
        text = self._text
        levels = [_Level(at)]
        end = at
        while True:
            level = levels[-1]
            nested = len(levels) > 1
            match = _ELEMENT.match(text, at)
            if match is None:
                self._check_end(at, levels)
                body, _ = self._close(level, Span(level.start, end), grouped=False)
                return body, end, at
            kind = match.lastindex
            end = match.end()
            if kind == _NAME_KIND:
                level.add(RuleRef(match[0], Span(at, end)), at, end)
            elif kind == _LITERAL_KIND:
                self._add_literal(level, match)
            elif kind == _BAR_KIND:
                self._end_alternative(level)
                level.first = level.end = end
                at = self._skip(end, nested=True)
                continue
            elif kind == _REPEAT_KIND:
                end = self._add_repeat(level, at, nested=nested)
            elif kind == _CLASS_KIND:
                self._add_class(level, match)
            elif kind == _OPEN_KIND:
                if len(levels) > MAX_DEPTH:
                    raise self._too_deep(Span(at, end))
                levels.append(_Level(at))
                at = self._skip(end, nested=True)
                levels[-1].first = levels[-1].end = at
                continue
            elif kind == _CLOSE_KIND:
                if not nested:
                    raise self._failure(at, _ITEMS)
                levels.pop()
                self._add_group(levels[-1], level, end)
                nested = len(levels) > 1
            elif kind == _ANY_KIND:
                level.add(AnyChar(Span(at, end)), at, end)
            else:
                self._add_token(level, match)
            at = self._skip(end, nested=nested)

    def _check_end(self, at: int, levels: list[_Level]) -> None:
        """Raise unless a rule may end at `at`, where no element starts."""
        text = self._text
        if len(levels) > 1:
            if at == len(text) or self._begins_rule(levels[-1].start, at):
                raise self._open_parenthesis(levels[-1].start)
            raise self._failure(at, (*_ITEMS, "`)`"))
        if at < len(text) and text[at] not in "\r\n":
            raise self._failure(at, (*_ITEMS, "the end of the line"))

    def _begins_rule(self, group: int, at: int) -> bool:
        """Return whether the line of `at` begins a rule, although `group` is still open."""
        line = self._text.rfind("\n", group, at) + 1
        return line > 0 and _RULE_START.match(self._text, line) is not None

    def _add_literal(self, level: _Level, match: re.Match[str]) -> None:
        written, span = match["literal"], Span(*match.span())
        if self._broken_literal is None and ("\n" in written or "\r" in written):
            self._broken_literal = span
        text = self._decoded(decode_literal, written, match.start("literal"))
        # The empty text has one form, however it is spelled.
        level.add(Literal(text, span) if text else Sequence((), span), *span)
        level.repeatable = bool(text)

    def _add_class(self, level: _Level, match: re.Match[str]) -> None:
        ranges = self._decoded(decode_class, match["class"], match.start("class"))
        span = Span(*match.span())
        level.add(CharClass(ranges, bool(match["negated"]), span), *span)
        level.repeatable = bool(ranges)

    def _decoded(self, decode: Callable[[str], _T], written: str, offset: int) -> _T:
        try:
            return decode(written)
        except BadEscape as bad:
            start = offset + bad.offset
            if self._broken_literal is not None:
                raise self._failure(start, ()) from None
            raise self._error(Span(start, start + len(bad.escape)), _ESCAPES) from None

    def _add_token(self, level: _Level, match: re.Match[str]) -> None:
        span, negated = Span(*match.span()), match[0].startswith("!")
        if match["id"] is None:
            token: str | int = match["text"]
        else:
            token = self._number(match["id"], match.start("id"), _UINT32_MAX)
        level.add(TokenTerminal(token, negated, span), *span)

    def _number(self, digits: str, at: int, highest: int) -> int:
        # The length first: Python refuses to convert thousands of digits.
        significant = digits.lstrip("0") or "0"
        if len(significant) > 20 or int(significant) > highest:
            raise self._error(Span(at, at + len(digits)), (f"a number up to {highest}",))
        return int(significant)

    # --- repetitions -----------------------------------------------------------------------------

    def _add_repeat(self, level: _Level, at: int, *, nested: bool) -> int:
        """Wrap the last item in the repetition at `at`; return the end of the latter."""
        if not (level.items and level.repeatable):
            raise self._failure(at, _ITEMS)
        sign = self._text[at]
        if sign == "{":
            minimum, maximum, end = self._parse_bounds(at + 1, nested=nested)
        else:
            (minimum, maximum), end = _SHORT_BOUNDS[sign], at + 1
        body, height = level.items.pop()
        start = at if body.span is None else body.span.start
        if height >= MAX_DEPTH:
            raise self._too_deep(Span(at, end))
        repeat = Repeat(body, minimum, maximum, Span(start, end))
        level.items.append((repeat, height + 1))
        level.end = end
        level.repeatable = maximum != 0
        return end

    def _parse_bounds(self, at: int, *, nested: bool) -> tuple[int, int | None, int]:
        r"""Read `m}`, `m,}` or `m,n}`; return both bounds and the offset behind the brace."""
        text = self._text
        at = self._skip(at, nested=nested)
        minimum, at = self._parse_number(at)
        at = self._skip(at, nested=nested)
        if text.startswith("}", at):
            return minimum, minimum, at + 1
        if not text.startswith(",", at):
            raise self._failure(at, ("`,`", "`}`"))
        at = self._skip(at + 1, nested=nested)
        maximum: int | None = None
        if _NUMBER.match(text, at):
            maximum, at = self._parse_number(at)
            at = self._skip(at, nested=nested)
        if not text.startswith("}", at):
            raise self._failure(at, ("`}`",) if maximum is not None else ("a number", "`}`"))
        return minimum, maximum, at + 1

    def _parse_number(self, at: int) -> tuple[int, int]:
        match = _NUMBER.match(self._text, at)
        if match is None:
            raise self._failure(at, ("a number",))
        return self._number(match[0], at, _UINT64_MAX), match.end()

    # --- groups ----------------------------------------------------------------------------------

    def _add_group(self, outer: _Level, level: _Level, end: int) -> None:
        body, height = self._close(level, Span(level.start, end), grouped=True)
        outer.add(body, level.start, end, height)

    def _close(self, level: _Level, span: Span, *, grouped: bool) -> tuple[Expression, int]:
        """Return all of a level as one expression, and its height."""
        if not level.alternatives:
            return self._alternative(level, span, grouped=grouped)
        self._end_alternative(level)
        height = self._height_above(level.alternatives, span)
        return Choice(tuple(body for body, _ in level.alternatives), span), height

    def _end_alternative(self, level: _Level) -> None:
        span = Span(level.first, level.end)
        level.alternatives.append(self._alternative(level, span, grouped=False))
        level.items = []

    def _alternative(self, level: _Level, span: Span, *, grouped: bool) -> tuple[Expression, int]:
        """Return the items of the current alternative as one expression, and its height."""
        items = level.items
        if len(items) == 1 and not (self._keep_groups and (grouped or _is_group(items[0][0]))):
            return items[0]
        if self._keep_groups and grouped and not items:
            items = [(Sequence((), span), 1)]
        height = self._height_above(items, span)
        return Sequence(tuple(item for item, _ in items), span), height

    def _height_above(self, parts: list[tuple[Expression, int]], span: Span) -> int:
        height = 1
        for _, below in parts:
            if below >= height:
                height = below + 1
        if height > MAX_DEPTH:
            raise self._too_deep(span)
        return height

    # --- errors ----------------------------------------------------------------------------------

    def _too_deep(self, span: Span) -> GbnfSyntaxError:
        return GbnfSyntaxError(
            f"nested deeper than {MAX_DEPTH} levels",
            source=self._source,
            span=Span(span.start, span.start + 1),
            hint="give inner groups rules of their own",
        )

    def _open_parenthesis(self, at: int) -> GbnfSyntaxError:
        if self._broken_literal is not None:
            return self._failure(at, ())
        return self._error(Span(at, at + 1), (), OPEN_PARENTHESIS)

    def _failure(self, at: int, expected: tuple[str, ...]) -> GbnfSyntaxError:
        """Return the error of finding at `at` something else than `expected`."""
        if self._broken_literal is not None:
            # A quote that was forgotten makes a literal of all the text up to the next one: the
            # place to look at is where that literal starts.
            start = self._broken_literal.start
            return self._error(Span(start, start + 1), ('`"` on the same line',), OPEN_LITERAL)
        found = _FOUND.match(self._text, at)
        return self._error(Span(*found.span()) if found else Span(at, at), expected)

    def _error(
        self, span: Span, expected: tuple[str, ...], mistake: Mistake | None = None
    ) -> GbnfSyntaxError:
        mistake = mistake or find_mistake(self._text, span.start)
        return GbnfSyntaxError(
            _message(self._text, span, expected, mistake),
            source=self._source,
            span=span,
            expected=expected,
            hint=mistake.hint if mistake else None,
        )


def _is_group(item: Expression) -> bool:
    """Return whether `item` was written in parentheses, as an item of a sequence."""
    return isinstance(item, Choice) or (isinstance(item, Sequence) and item.items != ())


def _error_start(error: GbnfSyntaxError) -> int:
    return error.span.start if error.span is not None else 0


def _message(text: str, span: Span, expected: tuple[str, ...], mistake: Mistake | None) -> str:
    if mistake is not None and mistake.message is not None:
        return mistake.message
    found = text[span.start : span.end]
    if not found:
        shown = "the end of the text"
    elif found[0] in "\r\n":
        shown = "the end of the line"
    else:
        shown = f"`{found}`"
    *most, last = expected
    options = f"{', '.join(most)} or {last}" if most else last
    return f"expected {options}, found {shown}"
