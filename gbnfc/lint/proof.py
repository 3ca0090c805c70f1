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
from gbnfc.ir.nodes import RuleRef
from gbnfc.ir.walk import rebuild
from gbnfc.lint.cost import readable_member
from gbnfc.lint.language import Letters, build_automaton, equal
from gbnfc.lint.lexemes import Kind, Lexeme, cut_lexemes
from gbnfc.lint.machine import EMPTY_STACK, Machine, build_machine
from gbnfc.lint.subject import LintedGrammar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gbnfc.ir.nodes import Expression, Rule

SHORTEST_COMPARED = 6
"""A comparison that covers fewer characters than this shows nothing."""
_MOST_PAIRS = 20_000
_WALKS, _WALK_LENGTH = 200, 100


@dataclass(frozen=True, slots=True)
class Proof:
    """How equality was shown. `length` is `None` for a full proof, else the length compared to."""

    length: int | None = None


def prove_same_language(before: str, after: str) -> Proof | None:
    """Return how the grammar texts `before` and `after` were shown to be equal, or `None`.

    Texts that do not parse are equal when they are the same but for a renaming of rules.
    """
    try:
        old = parse_gbnf(before)
    except GbnfSyntaxError:
        return Proof() if _renamed(cut_lexemes(before), cut_lexemes(after)) else None
    try:
        return prove_equal(LintedGrammar(old), LintedGrammar(parse_gbnf(after)))
    except GbnfSyntaxError:
        return None


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


def prove_equal(old: LintedGrammar, new: LintedGrammar) -> Proof | None:
    """Return how the two grammars were shown to be equal, or `None`."""
    if not _comparable(old) or not _comparable(new):
        return None
    try:
        if _same_rules(old, new):
            return Proof()
    except LimitExceeded:
        pass
    try:
        return _compare_texts(build_machine(old.grammar), build_machine(new.grammar))
    except LimitExceeded:
        return None


def _comparable(grammar: LintedGrammar) -> bool:
    return grammar.grammar.root in grammar.definitions


def _same_rules(old: LintedGrammar, new: LintedGrammar) -> bool:
    """Return whether each rule that both roots use has equal bodies.

    Names that only one of the two has are inlined there; then all that are not recursive are.
    """
    shared = old.reachable & new.reachable
    changed = [
        name for name in sorted(shared) if old.definitions[name].body != new.definitions[name].body
    ]
    if old.grammar.root != new.grammar.root:
        return False
    return all(_same_body(name, old, new, shared) for name in changed)


def _same_body(name: str, old: LintedGrammar, new: LintedGrammar, shared: frozenset[str]) -> bool:
    bodies = [
        _spelled_out(grammar.definitions[name].body, _inlined(grammar, shared))
        for grammar in (old, new)
    ]
    if bodies[0] == bodies[1]:
        return True
    for opaque in (shared, frozenset[str]()):
        letters = Letters()
        first, second = (
            build_automaton(grammar.definitions[name].body, letters, _inlined(grammar, opaque))
            for grammar in (old, new)
        )
        if equal(first, second):
            return True
    return False


def _spelled_out(body: Expression, rules: Mapping[str, Rule]) -> Expression:
    """Return `body` with references to `rules` replaced, as deep as a fix puts them."""

    def replace(node: Expression) -> Expression:
        inlined = isinstance(node, RuleRef) and node.name in rules
        return rules[node.name].body if inlined else node  # type: ignore[union-attr]  # inlined

    return rebuild(body, replace)


def _inlined(grammar: LintedGrammar, opaque: frozenset[str]) -> Mapping[str, Rule]:
    return {name: rule for name, rule in grammar.simple_rules.items() if name not in opaque}


def _compare_texts(old: Machine, new: Machine) -> Proof | None:
    """Walk both machines over the same texts; a walk that sees every pair of states is a proof."""
    start = (old.start(), new.start())
    seen = {_key(start)}
    queue = deque([(*start, 0)])
    while queue:
        mine, theirs, length = queue.popleft()
        if (EMPTY_STACK in mine) != (EMPTY_STACK in theirs):
            return None
        if len(seen) > _MOST_PAIRS:
            same = length >= SHORTEST_COMPARED and _walk_randomly(old, new)
            return Proof(length) if same else None
        for letter in _letters(old, mine, new, theirs):
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
    old: Machine, mine: tuple[int, ...], new: Machine, theirs: tuple[int, ...]
) -> list[int]:
    sets = [chars for stack in mine if (chars := old.accepts(stack)) is not None]
    sets += [chars for stack in theirs if (chars := new.accepts(stack)) is not None]
    return [readable_member(piece) for piece in partition(sets)]


def _walk_randomly(old: Machine, new: Machine) -> bool:
    generator = random.Random(0)
    for _ in range(_WALKS):
        mine, theirs = old.start(), new.start()
        for _ in range(_WALK_LENGTH):
            letters = _letters(old, mine, new, theirs)
            if not letters:
                break
            letter = generator.choice(letters)
            mine, theirs = old.step(mine, letter), new.step(theirs, letter)
            if bool(mine) != bool(theirs) or (EMPTY_STACK in mine) != (EMPTY_STACK in theirs):
                return False
    return True
