"""Is the language the same before and after a fix? What `--fix` asks before it writes.

In: two grammar texts. Out: a `Proof`, or `None` when they differ or nothing could be shown.

Rule by rule, bodies are compared as automata over characters and rule names; where a fix looks
through references, these are inlined. What cannot be compared so is compared text by text: all
texts up to a length that the result states, by walking llama.cpp's stacks of both grammars, and
random longer ones.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gbnfc.charset import partition
from gbnfc.errors import GbnfSyntaxError, LimitExceeded
from gbnfc.gbnf.parse import parse_gbnf
from gbnfc.ir.nodes import Repeat, RuleRef, Sequence
from gbnfc.ir.walk import rebuild
from gbnfc.lint.analysis.automata import MAX_STATES, Automaton, Letters, build_automaton, equal
from gbnfc.lint.analysis.cost import readable_member
from gbnfc.lint.analysis.machine import EMPTY_STACK, StackMachine, build_machine
from gbnfc.lint.rule import Budget
from gbnfc.lint.subject import LintedGrammar
from gbnfc.lint.text.lexemes import Kind, Lexeme, cut_lexemes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gbnfc.ir.nodes import Expression, Rule

SHORTEST_COMPARED = 6
"""A comparison that covers fewer characters than this shows nothing."""
PROOF_STEPS = 2_000_000
"""What one proof may spend: states and stacks looked at, for each letter. About a second."""
STEPS_PER_CHARACTER = 8
"""What reading a text counts, for each of its characters: about as many states take that long."""
_STEPS_PER_STATE = 4
_MAX_PAIRS = 20_000
_STEPS_PER_STACK = 5
_WALKS, _WALK_LENGTH = 200, 100


@dataclass(frozen=True, slots=True)
class Proof:
    """How equality was shown. `length` is `None` for a full proof, else the length compared to."""

    length: int | None = None


def prove_same_language(before: str, after: str, budget: Budget | None = None) -> Proof | None:
    """Return how the grammar texts `before` and `after` were shown to be equal, or `None`: they
    differ, or `budget` (`PROOF_STEPS` when none is given) was spent before that could be told.

    Texts that do not parse are equal when they are the same but for a renaming of rules.
    """
    try:
        old = parse_gbnf(before)
    except GbnfSyntaxError:
        return Proof() if _renamed(cut_lexemes(before), cut_lexemes(after)) else None
    try:
        new = parse_gbnf(after)
    except GbnfSyntaxError:
        return None
    return prove_equal(LintedGrammar(old), LintedGrammar(new), budget or Budget(PROOF_STEPS))


def keeps_comments(before: str, after: str) -> bool:
    """Return whether both texts have the same comments."""
    kept = [
        sorted(p.text for p in cut_lexemes(t) if p.kind is Kind.COMMENT) for t in (before, after)
    ]
    return kept[0] == kept[1]


def _renamed(before: tuple[Lexeme, ...], after: tuple[Lexeme, ...]) -> bool:
    if len(before) != len(after):
        return False
    names: dict[str, str] = {}
    for old, new in zip(before, after, strict=True):
        if old.kind is not new.kind or (old.kind is not Kind.NAME and old.text != new.text):
            return False
        if old.kind is Kind.NAME and names.setdefault(old.text, new.text) != new.text:
            return False
    return len(set(names.values())) == len(names)


def prove_equal(old: LintedGrammar, new: LintedGrammar, budget: Budget) -> Proof | None:
    """Return how the two grammars were shown to be equal, or `None`."""
    if not _comparable(old) or not _comparable(new):
        return None
    try:
        # Half is kept for the comparison of texts.
        if _same_rules(old, new, budget.share(2)):
            return Proof()
    except LimitExceeded:
        pass
    if max(_largest_count(grammar) for grammar in (old, new)) > _WALK_LENGTH:
        return None  # short texts say nothing about it
    try:
        mine, theirs = build_machine(old.grammar), build_machine(new.grammar)
        budget.spend(len(mine.kinds) + len(theirs.kinds))
        return _compare_texts(mine, theirs, budget)
    except LimitExceeded:
        return None


def _comparable(grammar: LintedGrammar) -> bool:
    return grammar.grammar.root in grammar.definitions


def _largest_count(grammar: LintedGrammar) -> int:
    """Return the greatest bound of a repetition that the root uses."""
    counts = (
        max(part.expression.minimum, part.expression.maximum or 0)
        for part in grammar.used_places
        if isinstance(part.expression, Repeat)
    )
    return max(counts, default=0)


def _same_rules(old: LintedGrammar, new: LintedGrammar, budget: Budget) -> bool:
    """Return whether each rule that both roots use has equal bodies.

    Names that only one of the two has are inlined there; then all that are not recursive are.
    """
    shared = old.reachable & new.reachable
    changed = [
        name for name in sorted(shared) if old.definitions[name].body != new.definitions[name].body
    ]
    if old.grammar.root != new.grammar.root:
        return False
    return all(_same_body(name, old, new, shared, budget) for name in changed)


def _same_body(
    name: str, old: LintedGrammar, new: LintedGrammar, shared: frozenset[str], budget: Budget
) -> bool:
    bodies = [
        _spelled_out(grammar.definitions[name].body, _inlined(grammar, shared))
        for grammar in (old, new)
    ]
    first_part, second_part = _narrowed(*bodies)
    if first_part == second_part:
        return True
    if (first_part, second_part) != tuple(bodies):
        letters = Letters()
        first, second = (
            _automaton(part, letters, {}, budget) for part in (first_part, second_part)
        )
        if equal(first, second, budget.share(2).spend):
            return True
    for opaque in (shared, frozenset[str]()):
        letters = Letters()
        first, second = (
            _automaton(grammar.definitions[name].body, letters, _inlined(grammar, opaque), budget)
            for grammar in (old, new)
        )
        if equal(first, second, budget.spend):
            return True
    return False


def _automaton(
    body: Expression, letters: Letters, rules: Mapping[str, Rule], budget: Budget
) -> Automaton:
    max_states = min(MAX_STATES, max(0, budget.left) // _STEPS_PER_STATE)
    try:
        automaton = build_automaton(body, letters, rules, max_states)
    except LimitExceeded:
        budget.spend(_STEPS_PER_STATE * max_states)
        raise
    budget.spend(_STEPS_PER_STATE * len(automaton.epsilon_moves))
    return automaton


def _narrowed(first: Expression, second: Expression) -> tuple[Expression, Expression]:
    """Return the parts in which two expressions differ: when these are equal, the wholes are."""
    while True:
        match first, second:
            case Repeat(), Repeat() if (first.minimum, first.maximum) == (
                second.minimum,
                second.maximum,
            ):
                first, second = first.body, second.body
            case Sequence(), Sequence():
                mine, theirs = _without_common_ends(first.items, second.items)
                if len(mine) == len(first.items):
                    return first, second
                first = mine[0] if len(mine) == 1 else Sequence(mine)
                second = theirs[0] if len(theirs) == 1 else Sequence(theirs)
            case _:
                return first, second


def _without_common_ends(
    mine: tuple[Expression, ...], theirs: tuple[Expression, ...]
) -> tuple[tuple[Expression, ...], tuple[Expression, ...]]:
    shorter = min(len(mine), len(theirs))
    start = next((at for at in range(shorter) if mine[at] != theirs[at]), shorter)
    mine, theirs = mine[start:], theirs[start:]
    shorter -= start
    end = next((at for at in range(shorter) if mine[-1 - at] != theirs[-1 - at]), shorter)
    return mine[: len(mine) - end], theirs[: len(theirs) - end]


def _spelled_out(body: Expression, rules: Mapping[str, Rule]) -> Expression:
    """Return `body` with references to `rules` replaced, as deep as a fix puts them."""

    def replace(node: Expression) -> Expression:
        inlined = isinstance(node, RuleRef) and node.name in rules
        return rules[node.name].body if inlined else node  # type: ignore[union-attr]  # inlined

    return rebuild(body, replace)


def _inlined(grammar: LintedGrammar, opaque: frozenset[str]) -> Mapping[str, Rule]:
    return {name: rule for name, rule in grammar.simple_rules.items() if name not in opaque}


def _compare_texts(old: StackMachine, new: StackMachine, budget: Budget) -> Proof | None:
    """Walk both machines over the same texts; a walk that sees every pair of states is a proof."""
    start = (old.start(), new.start())
    seen = {_key(start)}
    queue = deque([(*start, 0)])
    while queue:
        mine, theirs, length = queue.popleft()
        if (EMPTY_STACK in mine) != (EMPTY_STACK in theirs):
            return None
        # What is left then is for the random walks.
        if len(seen) > _MAX_PAIRS or budget.left < budget.total // 4:
            same = length >= SHORTEST_COMPARED and _walk_randomly(old, new, budget)
            return Proof(length) if same else None
        for letter in _letters(old, mine, new, theirs):
            budget.spend(_STEPS_PER_STACK * (len(mine) + len(theirs)))
            pair = (old.step(mine, letter), new.step(theirs, letter))
            if bool(pair[0]) != bool(pair[1]):
                return None
            if _key(pair) not in seen:
                seen.add(_key(pair))
                queue.append((*pair, length + 1))
    return Proof()


def _key(pair: tuple[tuple[int, ...], tuple[int, ...]]) -> tuple[frozenset[int], frozenset[int]]:
    return frozenset(pair[0]), frozenset(pair[1])


def _letters(
    old: StackMachine, mine: tuple[int, ...], new: StackMachine, theirs: tuple[int, ...]
) -> list[int]:
    sets = [chars for stack in mine if (chars := old.accepts(stack)) is not None]
    sets += [chars for stack in theirs if (chars := new.accepts(stack)) is not None]
    return [readable_member(piece) for piece in partition(sets)]


def _walk_randomly(old: StackMachine, new: StackMachine, budget: Budget) -> bool:
    generator = random.Random(0)
    for _ in range(_WALKS):
        mine, theirs = old.start(), new.start()
        for _ in range(_WALK_LENGTH):
            letters = _letters(old, mine, new, theirs)
            if not letters:
                break
            letter = generator.choice(letters)
            budget.spend(_STEPS_PER_STACK * (len(mine) + len(theirs)))
            mine, theirs = old.step(mine, letter), new.step(theirs, letter)
            if bool(mine) != bool(theirs) or (EMPTY_STACK in mine) != (EMPTY_STACK in theirs):
                return False
    return True
