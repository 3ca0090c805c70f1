"""Does a text belong to a grammar, where does it stop, and what may come next?

In: a grammar and text, as a whole or piece by piece. Out: verdicts, and for a place in the text the
characters that may follow, the text that must follow, the shortest text that completes it.
The meaning is that of llama.cpp (0.3.36's `llama-grammar.cpp`), on Unicode text.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from gbnfc.charset import CharSet
from gbnfc.errors import LimitExceeded
from gbnfc.match.alphabet import MATCHABLE
from gbnfc.match.network import END, build_network, common_length
from gbnfc.match.states import DEAD, Item, Jump, Node, Program, State

if TYPE_CHECKING:
    from gbnfc.ir.nodes import Grammar, TokenTerminal

_PREFERRED = (
    CharSet.of([(ord("a"), ord("z"))]),
    CharSet.of([(ord("0"), ord("9"))]),
    CharSet.of([(ord("A"), ord("Z"))]),
    CharSet.of([(0x20, 0x7E)]),
    CharSet.of([(0xA0, 0xD7FF), (0xF900, 0x10FFFF)]),
    MATCHABLE,
)


class Verdict(Enum):
    """What a grammar says about a text."""

    ACCEPTED = "accepted"
    INCOMPLETE = "incomplete"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The verdict on a text.

    `offset` (0-based, in code points) is where the first impossible character stands, or the length
    of the text. `expected` are the characters that could have stood, or may follow, there.
    `rule_path` are the rules being parsed there, outermost first; a rule whose last symbol is being
    parsed has already given way to that symbol's rule, as on llama.cpp's stacks.
    """

    verdict: Verdict
    offset: int
    expected: CharSet
    rule_path: tuple[str, ...]


def compile_matcher(grammar: Grammar) -> Program:
    """Return `grammar` made ready for any number of matchers.

    Raises:
        GbnfcError: the root, or a rule that the root needs, is not defined.
    """
    return Program(build_network(grammar))


def match_text(grammar: Grammar | Program, text: str) -> MatchResult:
    """Match the whole of `text`.

    Raises:
        GbnfcError: as `compile_matcher`.

    >>> match_text(parse_gbnf('root ::= "ab"'), "ax").offset
    1
    """
    program = grammar if isinstance(grammar, Program) else compile_matcher(grammar)
    matcher = Matcher(program)
    offset = matcher.advance_up_to(text)
    if offset < len(text):
        verdict = Verdict.REJECTED
    else:
        verdict = Verdict.ACCEPTED if matcher.can_end() else Verdict.INCOMPLETE
    return MatchResult(verdict, offset, matcher.expected(), matcher.rule_path())


class Matcher:
    """A place in a text under a grammar. Cheap to make, to copy and to throw away.

    Token terminals (`<think>`) are passed by `advance_token` only; no plain text spells them.
    """

    __slots__ = ("_program", "_state")

    def __init__(self, program: Program) -> None:
        self._program = program
        self._state = program.start

    def copy(self) -> Matcher:
        """Return an independent matcher at the same place, in constant time."""
        twin = Matcher.__new__(Matcher)
        twin._program = self._program
        twin._state = self._state
        return twin

    def advance(self, text: str) -> bool:
        """Read all of `text` and return True; or stay where it was and return False."""
        state, offset = _walk(self._program, self._state, text)
        if offset < len(text):
            return False
        self._state = state
        return True

    def advance_up_to(self, text: str) -> int:
        """Read as much of `text` as can be read and return how many characters that were."""
        self._state, offset = _walk(self._program, self._state, text)
        return offset

    def advance_token(self, token: int, piece: str) -> bool:
        """Read one token of a vocabulary: its id for token terminals, its text for everything else.

        A terminal that is given by text (`<think>`) matches the token whose `piece` is that text,
        angle brackets included. Returns False, and stays, when the token is refused.
        """
        moved: dict[Item, None] = {}
        for closure, link in self._state.groups():
            for terminal, code in closure.tokens:
                if _is_token(terminal, token, piece):
                    moved[code, self._state.node(link)] = None
        by_text, offset = _walk(self._program, self._state, piece)
        if offset == len(piece) and piece:
            moved.update(dict.fromkeys(by_text.places))
            if by_text.accepts:
                moved[END, self._program.bottom] = None
        if moved:
            self._state = self._program.state(moved)
        return bool(moved)

    def can_end(self) -> bool:
        """Return whether the text may end here."""
        return self._state.accepts

    def must_end(self) -> bool:
        """Return whether the text may end here and nothing can follow."""
        return self._state.accepts and not self._state.groups()

    def expected(self) -> CharSet:
        """Return the characters that may come next."""
        return self._state.first()

    def expected_tokens(self) -> tuple[TokenTerminal, ...]:
        """Return the token terminals that may come next."""
        found = (terminal for closure, _ in self._state.groups() for terminal, _ in closure.tokens)
        return tuple(sorted(set(found), key=repr))

    def forced_text(self, limit: int = 4096) -> str:
        """Return what must follow: each character has no alternative, and no end before it.

        At most `limit` characters; the matcher stays where it is.
        """
        pieces: list[str] = []
        state, left = self._state, limit
        while left > 0 and not state.accepts:
            if state.jump is not None:
                piece = state.jump.text[state.jump.start : state.jump.start + left]
            else:
                piece = state.only_char() or ""
            following, read = _walk(self._program, state, piece)
            pieces.append(piece[:read])
            if read == 0 or read < len(piece):
                break
            state, left = following, left - read
        return "".join(pieces)

    def shortest_completion(self, limit: int = 1_000_000) -> str | None:
        """Return a shortest text after which the whole may end; `None` when there is none.

        Among the shortest ones letters are preferred to digits, and these to other characters.

        Raises:
            LimitExceeded: it has more than `limit` characters.
        """
        state = self._state
        cost = state.cost()
        if cost is None:
            return None
        if cost > limit:
            raise LimitExceeded(f"the shortest completion has {cost} characters, more than {limit}")
        chars: list[str] = []
        for left in range(cost, 0, -1):
            chars.append(representative(_cheapest(self._program, state, left)))
            state = state[chars[-1]]
        return "".join(chars)

    def live_stacks(self) -> int:
        """Return about how many parse stacks llama.cpp holds here, at most 10⁹.

        Cheap, so without llama.cpp's copies of repeated symbols, and with long lists of words as a
        trie. `gbnfc.lint.analysis.machine` is exact, and slow.
        """
        return self._state.stacks()

    def rule_path(self) -> tuple[str, ...]:
        """Return the rules being parsed, outermost first (see `MatchResult.rule_path`)."""
        places = self._state.places
        if not places:
            return ()
        network = self._program.closures.network
        code, node = max(places, key=lambda item: (item[1].depth, -item[0]))
        names = [network.frame_names[network.frame_of[code % self._program.closures.size]]]
        met: set[Node] = set()
        while node.items and node not in met:
            met.add(node)
            code, node = min(node.items, key=lambda item: (item[1].depth, item[0]))
            name = network.frame_names[network.frame_of[code % self._program.closures.size]]
            if name != names[-1]:
                names.append(name)
        if names[-1] != network.frame_names[0]:
            names.append(network.frame_names[0])  # it gave way to a tail call long ago
        return tuple(reversed(names))


def representative(chars: CharSet) -> str:
    """Return the member of the non-empty set `chars` that reads best: a letter if there is one."""
    for preferred in _PREFERRED:
        if common := chars & preferred:
            return chr(common.lowest)
    return chr(chars.lowest)


def _walk(program: Program, state: State, text: str) -> tuple[State, int]:
    # Follow `text` from `state`; return the last state reached and how many characters led there.
    offset, length = 0, len(text)
    while offset < length:
        if state.jump is not None:
            state, read = _jump(program, state.jump, text, offset)
            offset += read
            if read == 0:
                return state, offset
            continue
        following = state[text[offset]]
        if following is DEAD:
            return state, offset
        state = following
        offset += 1
    return state, offset


def _jump(program: Program, jump: Jump, text: str, offset: int) -> tuple[State, int]:
    rest = jump.text[jump.start : jump.start + len(text) - offset]
    read = common_length(rest, text[offset : offset + len(rest)])
    if jump.start + read == len(jump.text):
        if jump.following is None:
            jump.following = program.state({(jump.target, jump.node): None})
        return jump.following, read
    return program.state({(jump.code + read * program.closures.size, jump.node): None}), read


def _cheapest(program: Program, state: State, left: int) -> CharSet:
    # The characters that begin a completion of exactly `left` characters.
    chars = CharSet()
    for closure, link in state.groups():
        node = state.node(link)
        for char, codes in closure.literals.items():
            if any(program.cost((code, node)) == left - 1 for code in codes):
                chars = chars | CharSet.from_chars(char)
        for members, code in closure.sets:
            if program.cost((code, node)) == left - 1:
                chars = chars | members
    return chars & MATCHABLE


def _is_token(terminal: TokenTerminal, token: int, piece: str) -> bool:
    if isinstance(terminal.token, int):
        return (terminal.token == token) != terminal.negated
    return (f"<{terminal.token}>" == piece) != terminal.negated
