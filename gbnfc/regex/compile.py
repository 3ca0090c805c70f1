"""Pattern → automaton: parse, lay out, determinise.

`compile_pattern` is the front door; everything it needs to know about a pattern is its text.
"""

from __future__ import annotations

from gbnfc.charset import SCALARS
from gbnfc.errors import PatternError
from gbnfc.regex.determinise import Determiniser, MatchEnd
from gbnfc.regex.dfa import Dfa
from gbnfc.regex.nfa import Alphabet, Builder, Fork, Read
from gbnfc.regex.parse import parse_pattern
from gbnfc.regex.remember import remembered
from gbnfc.regex.syntax import Alternation, Anchor, Concat, Look, LookKind, Node, Quantified
from gbnfc.regex.tables import MAX_STATES, Table
from gbnfc.source import Source


@remembered
def compile_pattern(pattern: str, *, max_states: int = MAX_STATES) -> Dfa:
    """Return the strings in which an ECMA-262 search for `pattern` succeeds.

    That is what JSON Schema's `pattern` means: unanchored, `^` and `$` at the ends of the text. The
    last few hundred answers are kept, `LimitExceeded` among them.

    >>> compile_pattern("^a+$").accepts("aaa")
    True

    Raises:
        PatternError: `pattern` is not a regular expression, or not a regular language.
        LimitExceeded: its automaton needs more than `max_states` states, or too much work.
    """
    tree = parse_pattern(pattern)
    try:
        return compile_tree(tree, max_states=max_states)
    except PatternError as error:
        error.source = error.source or Source(pattern, "pattern")
        raise


def compile_tree(tree: Node, *, max_states: int = MAX_STATES) -> Dfa:
    """Return the strings in which a search for `tree` succeeds (see `compile_pattern`)."""
    alphabet = Alphabet.of(tree)
    builder = Builder(alphabet)
    parts = _parts(tree)
    sees_words = Anchor.WORD_BOUNDARY in parts or Anchor.NO_WORD_BOUNDARY in parts
    work = Determiniser(builder, max_states, sees_words=sees_words)
    for part in parts:
        if isinstance(part, Look) and not part.kind.is_ahead:
            work.add_look_behind(part, _after_anything(builder, part.body, work.final))
    if is_anchored_at_start(tree):
        entry = builder.build(tree, work.final)
    else:
        entry = _after_anything(builder, tree, work.final)
    machine = work.run(entry, work.start_context(), MatchEnd.ANYWHERE)
    return Dfa.of_table(Table(alphabet.classes, machine.rows, machine.accepting))


def max_readers(tree: Node, max_states: int) -> int:
    """Return how many places of `tree` (without guards) can read the same character at most.

    One means that the next character always decides; two that an engine that tries all ways at
    once follows at most two of them.
    """
    builder = Builder(Alphabet.of(tree))
    work = Determiniser(builder, max_states)
    work.run(builder.build(tree, work.final), work.start_context(), MatchEnd.AT_END)
    return work.max_readers


def _after_anything(builder: Builder, tree: Node, final: int) -> int:
    """Add "any text, then `tree`" and return where it begins."""
    fork = Fork([])
    entry = builder.add(fork)
    fork.targets.append(builder.build(tree, final))
    fork.targets.append(builder.add(Read(builder.symbols(SCALARS), entry)))
    return entry


def _parts(tree: Node) -> list[Node]:
    """Return every anchor and look-around of `tree`, those inside another before it."""
    found: list[Node] = []
    pending: list[Node] = [tree]
    while pending:
        node = pending.pop()
        match node:
            case Anchor():
                found.append(node)
            case Look(_, body):
                found.append(node)
                pending.append(body)
            case Concat(items) | Alternation(items):
                pending += items
            case Quantified(body):
                pending.append(body)
    return found[::-1]


def is_anchored_at_start(tree: Node) -> bool:
    """Return whether every match of `tree` begins at the start of the text (a sure yes only)."""
    match tree:
        case Anchor.START:
            return True
        case Concat(items):
            return any(is_anchored_at_start(item) for item in items)
        case Alternation(options):
            return all(is_anchored_at_start(option) for option in options)
        case Quantified(body, minimum):
            return minimum > 0 and is_anchored_at_start(body)
        case Look(LookKind.AHEAD, body):
            return is_anchored_at_start(body)
        case _:
            return False
