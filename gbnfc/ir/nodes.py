"""What a grammar is: a closed union of immutable nodes.

A rule's body is an `Expression`: one of the dataclasses below. Spans point into the text a node
was parsed from (`None` for built nodes) and take no part in equality, so `parse(write(g)) == g` is
plain.
The forms and their meaning are those of llama.cpp's GBNF (`src/llama-grammar.cpp` as vendored by
llama-cpp-python 0.3.36).
"""

from __future__ import annotations

from dataclasses import field
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from gbnfc.charset import CharSet, Range
from gbnfc.frozen import frozen

if TYPE_CHECKING:
    from gbnfc.source import Span

MAX_REPETITION = 2_000
"""llama.cpp's `MAX_REPETITION_THRESHOLD`: a larger minimum is refused, a larger maximum dropped."""

MAX_DEPTH = 200
"""Expressions higher than this are refused with `LimitExceeded` or `GbnfSyntaxError`.

The equality and hash of nested dataclasses recurse; at this height they stay within Python's
default recursion limit, with room for the caller.
"""


@frozen
class Literal:
    """A fixed text, possibly empty. GBNF: `"text"`."""

    text: str
    span: Span | None = field(default=None, compare=False, repr=False)


@frozen
class CharClass:
    """One character in (or, `negated`, outside) the inclusive `ranges`, kept as written.

    GBNF: `[a-z_]`, `[^"]`. Order and overlaps of `ranges` survive for the linter and the formatter;
    `chars` is what they mean. No ranges at all (`[]`, and `[^]` too) is not "no character": to
    llama.cpp it is the empty text, see `matches_empty_text`.
    """

    ranges: tuple[Range, ...]
    negated: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def chars(self) -> CharSet:
        """The code points that the class accepts."""
        return _meaning(self.ranges, self.negated)

    @property
    def matches_empty_text(self) -> bool:
        """Whether this is `[]` or `[^]`, which llama.cpp reads as the empty text."""
        return not self.ranges


@lru_cache(maxsize=1_024)
def _meaning(ranges: tuple[Range, ...], negated: bool) -> CharSet:
    chars = CharSet.of(ranges)
    return ~chars if negated else chars


@frozen
class AnyChar:
    """Any one character, line breaks included. GBNF: `.`"""

    span: Span | None = field(default=None, compare=False, repr=False)


@frozen
class TokenTerminal:
    """One token of the model's vocabulary, by text (`<think>`) or by id (`<[1000]>`).

    `negated` (GBNF `!<…>`) is any one token but that one. `token` is the text between the angle
    brackets, brackets excluded, or the id.
    """

    token: str | int
    negated: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)


@frozen
class RuleRef:
    """A reference to the rule `name`."""

    name: str
    span: Span | None = field(default=None, compare=False, repr=False)


@frozen
class Sequence:
    """`items` one after the other; no items is the empty text."""

    items: tuple[Expression, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


@frozen
class Choice:
    """Any one of `alternatives`; their order has no meaning, but is kept."""

    alternatives: tuple[Expression, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@frozen
class Repeat:
    """`body` between `minimum` and `maximum` times (`None`: no upper bound).

    GBNF: `x?` `x*` `x+` `x{m}` `x{m,}` `x{m,n}`.
    """

    body: Expression
    minimum: int
    maximum: int | None
    span: Span | None = field(default=None, compare=False, repr=False)


Expression: TypeAlias = (
    Literal | CharClass | AnyChar | TokenTerminal | RuleRef | Sequence | Choice | Repeat
)


@frozen
class Comment:
    """A `#` comment. `text` is what follows the `#`, as written.

    `trailing` tells that it ends a line that has other content.
    """

    text: str
    trailing: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)


@frozen
class Rule:
    """`name ::= body`. `comments` are those above, inside and behind the rule, in source order.

    Comments take no part in equality.
    """

    name: str
    body: Expression
    comments: tuple[Comment, ...] = field(default=(), compare=False, repr=False)
    span: Span | None = field(default=None, compare=False, repr=False)
    name_span: Span | None = field(default=None, compare=False, repr=False)


@frozen
class Grammar:
    """Rules in source order, duplicates kept (the engine uses the last one of a name).

    `comments` are those behind the last rule.
    """

    rules: tuple[Rule, ...]
    comments: tuple[Comment, ...] = field(default=(), compare=False, repr=False)
    root: str = "root"
