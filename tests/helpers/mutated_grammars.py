"""Mutated grammars, and everything that must hold of one: for the campaign and its share in CI.

A mutant is a few rules of a published grammar (or random ones) with lexemes taken out, doubled,
exchanged, wrapped in parentheses, repeated, emptied or commented. `problems` lets llama.cpp judge.
"""

from __future__ import annotations

import random
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from judge import REJECTED, UnsafeToAsk
from loading import loads_here
from random_grammars import random_text

from gbnfc.errors import GbnfcError, GbnfSyntaxError, LimitExceeded
from gbnfc.gbnf.escapes import decode_class, decode_literal
from gbnfc.gbnf.format import format_gbnf
from gbnfc.gbnf.parse import parse_gbnf
from gbnfc.lint import lint_text
from gbnfc.lint.diagnostic import Severity
from gbnfc.lint.edits.fix import fix_text
from gbnfc.match import Matcher, compile_matcher, match_text, sample
from gbnfc.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from judge import EngineJudge

    from gbnfc.match import Program

TESTS = Path(__file__).resolve().parents[1]
RULES = TESTS / "lint" / "rules"
PUBLISHED = (TESTS.parent / "grammars", RULES / "llama.cpp", RULES / "fixtures")
MAX_STACKS = 60
TEXTS = 8
LETTERS = 'ab1{}[]",:- \n\rxé'

_PIECE = re.compile(
    r'"(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]|#[^\r\n]*|!?<[^>\s]*>|[a-zA-Z0-9-]+|::='
    r"|\{[^}]*\}|[|()*+?.]|\r\n|[\r\n]|[ \t]+|.",
    re.DOTALL,
)
_NAME = re.compile(r"[a-zA-Z0-9-]+\Z")
_RULE = re.compile(r"^[a-zA-Z0-9-]+[ \t]*::=", re.MULTILINE)
ATOMS = ('"a"', '"ab"', '""', "()", '("a" | "")', "[a-c]", "[^a]", ".", "[]", '"\\ra"', '"b"{2}')
REPEATS = ("*", "+", "?", "{2}", "{0,3}", "{1,}", "{0}", "{0,2001}", "{99999999999}", "{,3}")
ODD = ('"', "[", "]", ")", "(", "\\", "_", "'", ";", "::=", "{", "}", "\n", "\r\n", "!", "<", "\0")


# --- making -----------------------------------------------------------------------------------


@cache
def published_rules() -> tuple[tuple[str, ...], ...]:
    """Return for each published grammar the texts of its rules."""
    texts = [path.read_text("utf-8") for folder in PUBLISHED for path in sorted(folder.glob("*"))
             if path.suffix == ".gbnf"]  # fmt: skip
    return tuple(tuple(_rules_of(text)) for text in texts)


def _rules_of(text: str) -> Iterator[str]:
    starts = [match.start() for match in _RULE.finditer(text)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        yield text[start:end].rstrip() + "\n"


def mutant(rng: random.Random) -> str:
    """Return a grammar text, often still a grammar."""
    if rng.random() < 0.4:
        text = random_text(rng)
    else:
        rules = rng.choice(published_rules())
        count = min(len(rules), rng.choice((1, 2, 3, 5, 8)))
        first = rng.randrange(len(rules) - count + 1)
        text = "".join(rules[first : first + count])
        if "root ::=" not in text:
            text = f"root ::= {_RULE.findall(text)[0].split()[0]} \n{text}"
    pieces = _PIECE.findall(text)
    for number in range(rng.choice((0, 1, 1, 2, 3, 5))):
        if pieces:
            rng.choice(MUTATIONS)(pieces, rng, number)
    return "".join(pieces)


def _delete(pieces: list[str], rng: random.Random, number: int) -> None:
    del pieces[rng.randrange(len(pieces))]


def _double(pieces: list[str], rng: random.Random, number: int) -> None:
    at = rng.randrange(len(pieces))
    pieces.insert(at, pieces[at])


def _exchange(pieces: list[str], rng: random.Random, number: int) -> None:
    one, other = rng.randrange(len(pieces)), rng.randrange(len(pieces))
    pieces[one], pieces[other] = pieces[other], pieces[one]


def _insert_atom(pieces: list[str], rng: random.Random, number: int) -> None:
    pieces.insert(rng.randint(0, len(pieces)), f" {rng.choice(ATOMS)} ")


def _insert_odd(pieces: list[str], rng: random.Random, number: int) -> None:
    if rng.random() < 0.3:
        pieces.insert(rng.randint(0, len(pieces)), rng.choice(ODD))


def _insert_alternative(pieces: list[str], rng: random.Random, number: int) -> None:
    pieces.insert(rng.randint(0, len(pieces)), f" | {rng.choice(ATOMS)} ")


def _repeat(pieces: list[str], rng: random.Random, number: int) -> None:
    at = _some(pieces, rng, lambda piece: piece[0] in '"[.)' or bool(_NAME.match(piece)))
    pieces.insert(at + 1, rng.choice(REPEATS))


def _wrap(pieces: list[str], rng: random.Random, number: int) -> None:
    at = _some(pieces, rng, lambda piece: piece[0] in '"[.' or bool(_NAME.match(piece)))
    inside = pieces[at]
    if rng.random() < 0.5:
        inside += f" | {rng.choice(ATOMS)}"
    pieces[at] = f"({inside})" + rng.choice(("", "", *REPEATS[:5]))
    if rng.random() < 0.3:
        pieces[at] = f"({pieces[at]})" + rng.choice(("", "", *REPEATS[:5]))


def _recur(pieces: list[str], rng: random.Random, number: int) -> None:
    names = [piece for piece in pieces if _NAME.match(piece)]
    at = _some(pieces, rng, lambda piece: piece[0] in '"[.' or bool(_NAME.match(piece)))
    if names:
        pieces[at] = rng.choice(names)


def _comment(pieces: list[str], rng: random.Random, number: int) -> None:
    pieces.insert(rng.randint(0, len(pieces)), f" # c{number}\n")


def _some(pieces: list[str], rng: random.Random, wanted: Callable[[str], bool]) -> int:
    places = [at for at, piece in enumerate(pieces) if piece and wanted(piece)]
    return rng.choice(places) if places else 0


MUTATIONS = (
    *(_delete, _double, _exchange, _insert_atom, _insert_odd, _insert_alternative, _repeat),
    *(_repeat, _wrap, _wrap, _recur, _recur, _comment, _comment, _comment),
)


# --- judging ----------------------------------------------------------------------------------


def problems(text: str, judge: EngineJudge, rng: random.Random) -> Iterator[str]:
    """Yield in a line each what is wrong with what we say of `text`."""
    here, _ = loads_here(text)
    there = None if here is None or not _is_plain(text) else _loads(text, judge)
    found = lint_text(Source(text))
    errors = {d.code for d in found if d.severity is Severity.ERROR}
    if there is not None and here is not there:
        yield f"llama.cpp {'loads' if there else 'refuses'} it, we say otherwise"
    if there is False and not errors:
        yield "llama.cpp refuses it and lint finds no error"
    if there and any(code.startswith("SYN") for code in errors):
        yield f"llama.cpp loads it and lint finds {sorted(errors)}"
    fixed = fix_text(Source(text), lint_text, unsafe=False).text
    try:
        grammar = parse_gbnf(text)
    except GbnfSyntaxError:
        return
    formatted = format_gbnf(text)
    yield from _format_problems(text, formatted)
    for what, rewritten in (("fmt", formatted), ("--fix", fixed)):
        if there and rewritten != text and not _loads(rewritten, judge):
            yield f"{what} writes what llama.cpp refuses: {rewritten!r}"
    try:
        program = compile_matcher(grammar)
    except GbnfcError:
        return
    texts = list(_texts(program, rng))
    if fixed != text:
        yield from _changed(texts, program, fixed)
    if there:
        yield from _verdict_problems(texts, program, text, judge)


def _is_plain(text: str) -> bool:
    return "\0" not in text and not re.search("[\ud800-\udfff]", text)


def _loads(text: str, judge: EngineJudge) -> bool | None:
    try:
        return judge.loads(text)
    except UnsafeToAsk:
        return None


def _format_problems(text: str, formatted: str) -> Iterator[str]:
    if parse_gbnf(formatted) != parse_gbnf(text):
        yield f"fmt changes the grammar: {formatted!r}"
    if format_gbnf(formatted) != formatted:
        yield f"fmt twice is not fmt once: {formatted!r} {format_gbnf(formatted)!r}"
    before, after = neighbours(text), neighbours(formatted)
    if before != after:
        moved = [item for item in before if item not in after]
        yield f"fmt moves a comment: {moved} in {formatted!r}"


def neighbours(text: str) -> list[tuple[str, str, str]]:
    """Return each comment between the token before and the token behind it.

    Parentheses, blanks and the empty text are no tokens: they come and go with the layout.
    """
    tokens: list[str] = [""]
    found: list[tuple[str, int]] = []
    at = 0
    for match in _PIECE.finditer(text):
        piece = match[0]
        if match.start() < at or piece.isspace() or piece in '()""' or piece == "[]":
            continue
        if piece.startswith("#"):
            found.append((piece.rstrip(), len(tokens)))
        elif piece.startswith("{"):
            at = text.index("}", match.start()) + 1
            inner = text[match.start() : at]
            tokens.append(_bounds(re.sub(r"#[^\r\n]*", "", inner)))
            found += [
                (comment.rstrip(), len(tokens)) for comment in re.findall(r"#[^\r\n]*", inner)
            ]
        else:
            tokens.append(_normal(piece))
    tokens.append("")
    return [(tokens[index - 1], comment, tokens[index]) for comment, index in found]


def _bounds(written: str) -> str:
    low, comma, high = "".join(written[1:-1].split()).partition(",")
    low = low.lstrip("0") or "0"
    high = high.lstrip("0") or high[:1] if comma else low
    return {("0", "1"): "?", ("0", ""): "*", ("1", ""): "+"}.get((low, high), f"{low},{high}")


def _normal(piece: str) -> str:
    if piece[0] == '"':
        return repr(decode_literal(piece[1:-1]))
    if piece[0] == "[":
        return repr((piece[1] == "^", decode_class(piece[1:-1].removeprefix("^"))))
    return piece


def _texts(program: Program, rng: random.Random) -> Iterator[str]:
    yield ""
    try:
        can_end = Matcher(program).shortest_completion(2_000) is not None
    except LimitExceeded:
        return
    for _ in range(TEXTS):
        try:
            text = sample(program, rng, max_depth=4)[:40] if can_end else ""
        except LimitExceeded:
            text = ""
        for _ in range(rng.randint(0, 2)):
            at = rng.randint(0, len(text))
            text = text[:at] + rng.choice(("", *LETTERS)) + text[at + rng.randint(0, 1) :]
        yield "".join(c for c in text if c != "\0" and not "\ud800" <= c <= "\udfff")


def _changed(texts: list[str], program: Program, rewritten: str) -> Iterator[str]:
    after = compile_matcher(parse_gbnf(rewritten))
    both = [*texts, *_texts(after, random.Random(0))]
    for text in both:
        old, new = match_text(program, text), match_text(after, text)
        if old.verdict is not new.verdict:
            yield f"--fix changes the language: {text!r} in {rewritten!r}"
            return


def _verdict_problems(
    texts: list[str], program: Program, grammar: str, judge: EngineJudge
) -> Iterator[str]:
    # No text spells a token terminal for us.
    if "<" in grammar or _excludes_beyond_ascii(grammar):
        return
    if Matcher(program).live_stacks() > MAX_STACKS:
        return
    sampler = judge.load(grammar)
    for text in texts:
        if _worst_stacks(program, text) > MAX_STACKS:
            continue
        ours, theirs = match_text(program, text).verdict.value, judge.verdict(sampler, text)
        if ours != theirs and not (
            theirs == REJECTED and judge.text_of(judge.tokens(text)) != text.encode()
        ):
            yield f"{text!r} is {ours} here and {theirs} in llama.cpp"
    judge.free(sampler)


def _excludes_beyond_ascii(grammar: str) -> bool:
    """Return whether llama.cpp's known flaw with `[^é]` may show, see `ir.build.chars`."""
    return any(
        piece.startswith("[^") and any(high > 0x7F for _, high in decode_class(piece[2:-1]))
        for piece in _PIECE.findall(grammar)
    )


def _worst_stacks(program: Program, text: str) -> int:
    matcher = Matcher(program)
    worst = 0
    for char in text:
        worst = max(worst, matcher.live_stacks())
        if not matcher.advance(char):
            break
    return max(worst, matcher.live_stacks())
