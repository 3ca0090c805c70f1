"""Syntax tree → grammar, one construct for one: the readable form of a simple pattern.

    ^[A-Z]{2} [0-9]{6}$  →  [A-Z]{2} " " [0-9]{6}

Taken where the pattern is anchored at both ends; `arrange` tells which parts of it are written as
automata because the engine is better off with them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gbnfc.ir.build import EMPTY_TEXT, choice, optional
from gbnfc.ir.nodes import Rule, RuleRef
from gbnfc.regex.arrange import Arranged, arrange
from gbnfc.regex.compile import compile_pattern
from gbnfc.regex.counted import Repetitions
from gbnfc.regex.dfa import Dfa
from gbnfc.regex.emit import emit_string
from gbnfc.regex.parse import parse_pattern
from gbnfc.regex.remember import remembered
from gbnfc.regex.spelling import CharRules, Content
from gbnfc.regex.syntax import Alternation, Anchor, Chars, Concat, Look, Node, Quantified, concat
from gbnfc.regex.tables import MAX_STATES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.ir.names import NameAllocator
    from gbnfc.ir.nodes import Expression


def emit_pattern(
    pattern: str,
    names: NameAllocator,
    hint: str,
    mode: Content = Content.JSON,
    chars: CharRules | None = None,
    *,
    minimum: int = 0,
    maximum: int | None = None,
    max_states: int = MAX_STATES,
) -> tuple[Expression, tuple[Rule, ...]]:
    """Return an expression for the strings of `minimum` to `maximum` characters that match.

    Reads like the pattern where the pattern is simple and implies the bounds; else its automaton is
    written. Arguments and result are those of `emit_string`.

    Raises:
        PatternError: `pattern` is not a regular expression, or not a regular language.
        LimitExceeded: its automaton needs more than `max_states` states, or too much work.
        Unsatisfiable: no string matches.
    """
    chars = chars or CharRules(names, mode)
    form = _written_form(pattern, minimum, maximum, max_states)
    if isinstance(form, Dfa):
        return emit_string(form, names, hint, mode, chars)
    return _emit_arranged(form, names, hint, chars)


@remembered
def _written_form(
    pattern: str, minimum: int, maximum: int | None, max_states: int
) -> Arranged | Dfa:
    """Return how to write a pattern. The last answers are kept."""
    tree = parse_pattern(pattern)
    inner = within_lengths(without_anchors(tree), minimum, maximum)
    arranged = None if inner is None else arrange(inner, max_states)
    if arranged is not None and arranged.shape.implies(minimum, maximum):
        return arranged
    dfa = compile_pattern(pattern, max_states=max_states)
    if minimum or maximum is not None:
        window = Dfa.of_length(minimum, maximum, max_states=max_states)
        dfa = dfa.intersection(window, max_states=max_states)
    return dfa


def without_anchors(tree: Node) -> Node | None:
    """Return what stands between `^` and `$`; `None` when `tree` is not wholly of that form."""
    match tree:
        case Concat((Anchor.START, *inner, Anchor.END)):
            return concat(list(inner))
        case Alternation(options):
            found = [without_anchors(option) for option in options]
            inner_options = [option for option in found if option is not None]
            return Alternation(tuple(inner_options)) if len(inner_options) == len(found) else None
        case _:
            return None


def within_lengths(tree: Node | None, minimum: int, maximum: int | None) -> Node | None:
    """Return `tree` with length bounds worked into its counts, where that is plain to do.

    `[a-z][a-z0-9]*` of at most 63 characters → `[a-z][a-z0-9]{0,62}`: one repeated character set,
    everything around it of fixed length. Any other tree is returned as it is.
    """
    items: list[Node] = [] if tree is None else [tree]
    if isinstance(tree, Concat):
        items = list(tree.items)
    flexible = [index for index, item in enumerate(items) if _fixed_length(item) is None]
    if len(flexible) != 1:
        return tree
    item = items[flexible[0]]
    if not isinstance(item, Quantified) or not isinstance(item.body, Chars):
        return tree
    around = sum(_fixed_length(other) or 0 for other in items)
    fewest = max(item.minimum, minimum - around)
    limits = [item.maximum, None if maximum is None else maximum - around]
    most = min((limit for limit in limits if limit is not None), default=None)
    if most is not None and most < fewest:
        return tree
    items[flexible[0]] = Quantified(item.body, fewest, most)
    return concat(items)


def _fixed_length(node: Node) -> int | None:
    """Return the number of characters of every member, where the form of `node` shows it."""
    match node:
        case Chars():
            return 1
        case Concat(items):
            lengths = [_fixed_length(item) for item in items]
            known = [length for length in lengths if length is not None]
            return sum(known) if len(known) == len(lengths) else None
        case Quantified(body, minimum, maximum) if minimum == maximum:
            length = _fixed_length(body)
            return None if length is None else minimum * length
        case _:
            return None


def _emit_arranged(
    arranged: Arranged, names: NameAllocator, hint: str, chars: CharRules
) -> tuple[Expression, tuple[Rule, ...]]:
    known = len(chars.rules)
    writer = _Writer(names, hint, chars, Counter(_automata(arranged)))
    expression = writer.expression(arranged)
    return expression, (*writer.rules, *writer.blocks.rules, *chars.rules[known:])


@dataclass
class _Writer:
    names: NameAllocator
    hint: str
    chars: CharRules
    uses: Counter[Dfa]
    rules: list[Rule] = field(default_factory=list)
    blocks: Repetitions = field(init=False)
    automata: dict[Dfa, Expression] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.blocks = Repetitions(self.names, [])

    def expression(self, part: Arranged) -> Expression:
        if part.dfa is not None:
            return self.automaton(part.dfa)
        match part.node:
            case Chars(members):
                return self.chars.unit(members, self.hint)
            case Concat():
                return self.blocks.join(map(self.expression, part.parts), self.hint)
            case Alternation():
                return self.alternation(part)
            case Quantified(_, minimum, maximum):
                body = self.expression(part.parts[0])
                return self.blocks.counted(body, minimum, maximum, self.hint)
            case Anchor() | Look():
                raise TypeError(f"a guard has no direct form: {part.node}")

    def alternation(self, part: Arranged) -> Expression:
        found = [self.expression(option) for option in part.parts]
        texts = [option for option in found if option != EMPTY_TEXT]
        whole = choice(texts) if texts else EMPTY_TEXT
        return whole if len(texts) == len(found) else optional(whole)

    def automaton(self, dfa: Dfa) -> Expression:
        """Write an automaton; one that stands in several places is a rule, written once."""
        if dfa not in self.automata:
            known = len(self.chars.rules)
            expression, rules = emit_string(dfa, self.names, self.hint, self.chars.mode, self.chars)
            new_chars = len(self.chars.rules) - known  # Those are handed out with the whole.
            self.rules += rules[: len(rules) - new_chars]
            if self.uses[dfa] > 1:
                named = Rule(self.names.allocate(f"{self.hint}-part"), expression)
                self.rules.append(named)
                expression = RuleRef(named.name)
            self.automata[dfa] = expression
        return self.automata[dfa]


def _automata(part: Arranged) -> Iterator[Dfa]:
    if part.dfa is not None:
        yield part.dfa
    for inner in part.parts if part.dfa is None else ():
        yield from _automata(inner)
