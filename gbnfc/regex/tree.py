"""Syntax tree → grammar, one construct for one: the readable form of a simple pattern.

    ^[A-Z]{2} [0-9]{6}$  →  [A-Z]{2} " " [0-9]{6}

Taken only where it is as good for the engine as the automaton: the pattern is anchored at both ends
and, read from left to right, one character always tells where to go (one-unambiguous in the sense
of Brüggemann-Klein and Wood, 1998), so that llama.cpp keeps one stack.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gbnfc.charset import EMPTY, CharSet
from gbnfc.ir.build import EMPTY_TEXT, choice, optional
from gbnfc.regex.compile import compile_tree
from gbnfc.regex.counted import Repetitions
from gbnfc.regex.dfa import Dfa
from gbnfc.regex.emit import emit_string
from gbnfc.regex.parse import parse_pattern
from gbnfc.regex.spelling import CharRules, Content, first_characters
from gbnfc.regex.syntax import Alternation, Anchor, Chars, Concat, Look, Node, Quantified, concat
from gbnfc.regex.tables import MAX_STATES

if TYPE_CHECKING:
    from gbnfc.ir.names import NameAllocator
    from gbnfc.ir.nodes import Expression, Rule


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
    tree = parse_pattern(pattern)
    chars = chars or CharRules(names, mode)
    inner = within_lengths(without_anchors(tree), minimum, maximum)
    shape = None if inner is None else shape_of(inner, mode)
    if inner is not None and shape is not None and shape.implies(minimum, maximum):
        return _emit_tree(inner, names, hint, chars)
    dfa = compile_tree(tree, max_states=max_states)
    if minimum or maximum is not None:
        window = Dfa.of_length(minimum, maximum, max_states=max_states)
        dfa = dfa.intersection(window, max_states=max_states)
    return emit_string(dfa, names, hint, mode, chars)


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


@dataclass(frozen=True, slots=True)
class Shape:
    """What decides whether a tree can be written directly.

    `first`: characters that a member can begin with. `onward`: characters that can be read after a
    member, still inside the tree. Both are of the output, escapes included.
    """

    first: CharSet
    onward: CharSet
    shortest: int
    longest: int | None

    @property
    def nullable(self) -> bool:
        """Whether the empty text is a member."""
        return self.shortest == 0

    def implies(self, minimum: int, maximum: int | None) -> bool:
        """Return whether every member is within the length bounds anyway."""
        within = maximum is None or (self.longest is not None and self.longest <= maximum)
        return within and self.shortest >= minimum


def shape_of(node: Node, mode: Content) -> Shape | None:
    """Return the shape of a tree; `None` when it is ambiguous or holds a guard."""
    match node:
        case Chars(members):
            return Shape(first_characters(members, mode), EMPTY, 1, 1) if members else None
        case Concat(items):
            return _shape_in_sequence([shape_of(item, mode) for item in items])
        case Alternation(options):
            return _shape_of_choice([shape_of(option, mode) for option in options])
        case Quantified(body, minimum, maximum):
            return _shape_repeated(shape_of(body, mode), minimum, maximum)
        case Anchor() | Look():
            return None


def _shape_in_sequence(shapes: list[Shape | None]) -> Shape | None:
    whole = Shape(EMPTY, EMPTY, 0, 0)
    for shape in shapes:
        if shape is None or not whole.onward.isdisjoint(shape.first):
            return None
        if whole.nullable and not whole.first.isdisjoint(shape.first):
            return None
        whole = Shape(
            whole.first | shape.first if whole.nullable else whole.first,
            whole.onward | shape.first | shape.onward if shape.nullable else shape.onward,
            whole.shortest + shape.shortest,
            _plus(whole.longest, shape.longest),
        )
    return whole


def _shape_of_choice(shapes: list[Shape | None]) -> Shape | None:
    first, onward = EMPTY, EMPTY
    known: list[Shape] = []
    for shape in shapes:
        if shape is None or not first.isdisjoint(shape.first):
            return None
        known.append(shape)
        first, onward = first | shape.first, onward | shape.onward
    if sum(shape.nullable for shape in known) > 1:
        return None
    longest: int | None = 0
    for shape in known:
        longest = None if longest is None or shape.longest is None else max(longest, shape.longest)
    return Shape(first, onward, min(shape.shortest for shape in known), longest)


def _shape_repeated(shape: Shape | None, minimum: int, maximum: int | None) -> Shape | None:
    if shape is None:
        return None
    if maximum == 0 or shape.longest == 0:
        return Shape(EMPTY, EMPTY, 0, 0)
    if maximum != 1 and (shape.nullable or not shape.onward.isdisjoint(shape.first)):
        return None
    if minimum == 0 and shape.nullable:
        return None
    onward = shape.onward if minimum == maximum else shape.onward | shape.first
    longest = None if maximum is None or shape.longest is None else maximum * shape.longest
    return Shape(shape.first, onward, minimum * shape.shortest, longest)


def _plus(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _emit_tree(
    node: Node, names: NameAllocator, hint: str, chars: CharRules
) -> tuple[Expression, tuple[Rule, ...]]:
    known = len(chars.rules)
    blocks = Repetitions(names, [])
    expression = _expression(node, hint, chars, blocks)
    return expression, (*blocks.rules, *chars.rules[known:])


def _expression(node: Node, hint: str, chars: CharRules, blocks: Repetitions) -> Expression:
    match node:
        case Chars(members):
            return chars.unit(members, hint)
        case Concat(items):
            parts = [_expression(item, hint, chars, blocks) for item in items]
            return blocks.join(parts, hint)
        case Alternation(options):
            found = [_expression(option, hint, chars, blocks) for option in options]
            texts = [option for option in found if option != EMPTY_TEXT]
            whole = choice(texts) if texts else EMPTY_TEXT
            return whole if len(texts) == len(found) else optional(whole)
        case Quantified(body, minimum, maximum):
            inner = _expression(body, hint, chars, blocks)
            return blocks.counted(inner, minimum, maximum, hint)
        case Anchor() | Look():
            raise TypeError(f"a guard has no direct form: {node}")
