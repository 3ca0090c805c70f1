"""Where blanks and line ends go: the whitespace option as grammar expressions.

`spaced`, the default, is what `json.dumps` writes: fixed text, so no model loops in blanks.
"""

from __future__ import annotations

from dataclasses import dataclass

from gbnfc.ir.build import EMPTY_TEXT, optional, sequence
from gbnfc.ir.nodes import CharClass, Expression, Literal, Repeat, RuleRef

BLANK = "ws"
"""Name of the rule for bounded whitespace."""

_COLON, _SPACED_COLON = Literal(":"), Literal(": ")
_COMMA, _SPACED_COMMA = Literal(","), Literal(", ")

_MAX_PRETTY_DEPTH = 24
"""Below this depth `pretty` writes on one line: indentation without bound is no finite grammar."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The expressions between the tokens of JSON, for one whitespace style.

    `style` is `compact`, `spaced`, `pretty` or `bounded`; `number` the N of the last two. `depth`
    counts the containers around a token, from 0.
    """

    style: str
    number: int

    @property
    def needs_depth(self) -> bool:
        """Whether texts differ by depth, so that a rule serves one depth only."""
        return self.style == "pretty"

    def without_depth(self) -> Layout:
        """Return the layout for rules that serve every depth."""
        return Layout("spaced", 0) if self.needs_depth else self

    def blank_rule(self) -> Expression | None:
        """Return the body of the rule `ws`, or `None` when no expression refers to it."""
        if self.style != "bounded":
            return None
        blank = CharClass(((0x20, 0x20), (0x09, 0x0A), (0x0D, 0x0D)))
        return Repeat(blank, 0, self.number) if self.number else EMPTY_TEXT

    def below(self, depth: int) -> int:
        """Return the depth of what a container at `depth` holds; it stops where style ends."""
        return min(depth + 1, _MAX_PRETTY_DEPTH) if self.needs_depth else 0

    def colon(self) -> Expression:
        """Return what stands between a key and its value."""
        match self.style:
            case "compact":
                return _COLON
            case "bounded":
                return sequence([RuleRef(BLANK), _COLON, RuleRef(BLANK)])
            case _:
                return _SPACED_COLON

    def comma(self, depth: int) -> Expression:
        """Return what stands between two members of a container at `depth`."""
        match self.style:
            case "compact":
                return _COMMA
            case "bounded":
                return sequence([RuleRef(BLANK), _COMMA, RuleRef(BLANK)])
            case "pretty" if depth < _MAX_PRETTY_DEPTH:
                return Literal(",\n" + " " * (self.number * (depth + 1)))
            case _:
                return _SPACED_COMMA

    def container(
        self, brackets: str, members: Expression | None, *, may_be_empty: bool, depth: int
    ) -> Expression:
        """Return `[members]` or `{members}`; without `members` only the empty container."""
        start, end = Literal(brackets[0]), Literal(brackets[1])
        before, after = self._inside(depth)
        if self.style == "bounded":
            body = [RuleRef(BLANK), *_maybe([members, RuleRef(BLANK)], members, may_be_empty)]
        else:
            body = _maybe([before, members, after], members, may_be_empty)
        return sequence([start, *body, end])

    def _inside(self, depth: int) -> tuple[Expression, Expression]:
        if self.style == "pretty" and depth < _MAX_PRETTY_DEPTH:
            outer = "\n" + " " * (self.number * depth)
            return Literal(outer + " " * self.number), Literal(outer)
        return EMPTY_TEXT, EMPTY_TEXT


def _maybe(
    parts: list[Expression | None], members: Expression | None, may_be_empty: bool
) -> list[Expression]:
    if members is None:
        return []
    body = sequence(part for part in parts if part is not None)
    return [optional(body) if may_be_empty else body]
