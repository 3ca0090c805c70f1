"""Apply the fixes of findings to a text, proved first when they are safe ones.

In: a text and a function that lints it. Out: the fixed text and what was done. Fixes that do not
overlap are applied together; the result is linted again, until nothing is left to fix. No fix is
written that llama.cpp would refuse where it loaded the text before.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from gbnfc.errors import GbnfSyntaxError, LimitExceeded
from gbnfc.gbnf.parse import parse_spelling
from gbnfc.ir.loading import engine_refusal
from gbnfc.lint.proof import PROOF_STEPS, keeps_comments, prove_same_language
from gbnfc.lint.rule import Budget
from gbnfc.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gbnfc.lint.diagnostic import Diagnostic, Edit

_MOST_ROUNDS = 20
_MOST_PROOFS = 4
"""How many proofs that come to nothing within their budget one file is worth."""


class Why(Enum):
    """Why a finding is left; the value is said behind a number of findings."""

    UNSAFE = "fixable with --unsafe-fixes"
    UNPROVED = "not proved to keep the language"
    ROUNDS = "fixable when it is run again"
    NO_FIX = "without a fix"


@dataclass(frozen=True, slots=True)
class Left:
    """A finding that was not fixed, and why."""

    diagnostic: Diagnostic
    why: Why


@dataclass(frozen=True, slots=True)
class Fixed:
    """A fixed text. `applied` are the findings that are gone, `left` those that are still there.

    `unproved` are those of `left` whose safe fix could not be proved to keep the language.
    """

    text: str
    applied: tuple[Diagnostic, ...]
    left: tuple[Left, ...] = ()
    unproved: tuple[Diagnostic, ...] = ()


def fix_text(
    source: Source, lint: Callable[[Source], tuple[Diagnostic, ...]], *, unsafe: bool
) -> Fixed:
    """Return `source` with the fixes of what `lint` finds; `unsafe` ones only when asked for."""
    budget = Budget(_MOST_PROOFS * PROOF_STEPS)
    applied: list[Diagnostic] = []
    unproved: dict[tuple[str, str], Diagnostic] = {}
    left: tuple[Diagnostic, ...] = ()
    for _ in range(_MOST_ROUNDS):
        left = lint(source)
        wanted = [
            diagnostic
            for diagnostic in left
            if diagnostic.fix is not None
            and (unsafe or diagnostic.fix.safe)
            and _identity(diagnostic) not in unproved
        ]
        done, failed = _apply_round(source, wanted, budget)
        unproved.update({_identity(diagnostic): diagnostic for diagnostic in failed})
        if not done.applied:
            if not failed:
                break
            continue
        applied += done.applied
        source = Source(done.text, source.name)
    else:
        left = lint(source)
    reasons = tuple(Left(d, _why(d, unproved, unsafe=unsafe)) for d in left)
    return Fixed(source.text, tuple(applied), reasons, tuple(unproved.values()))


def _why(
    diagnostic: Diagnostic, unproved: dict[tuple[str, str], Diagnostic], *, unsafe: bool
) -> Why:
    if diagnostic.fix is None:
        return Why.NO_FIX
    if not (unsafe or diagnostic.fix.safe):
        return Why.UNSAFE
    return Why.UNPROVED if _identity(diagnostic) in unproved else Why.ROUNDS


def _identity(diagnostic: Diagnostic) -> tuple[str, str]:
    line = ""
    if diagnostic.source is not None and diagnostic.position is not None:
        line = diagnostic.source.line(diagnostic.position.line)
    return diagnostic.code, line


def _apply_round(
    source: Source, wanted: list[Diagnostic], budget: Budget
) -> tuple[Fixed, list[Diagnostic]]:
    """Apply what does not overlap: all at once when that is proved, else one after the other."""
    chosen = _disjoint(wanted)
    text = apply_edits(source.text, _edits(chosen))
    if chosen and _acceptable(source.text, text, chosen, budget):
        return Fixed(text, tuple(chosen)), []
    failed: list[Diagnostic] = []
    for diagnostic in chosen:
        text = apply_edits(source.text, _edits([diagnostic]))
        if _acceptable(source.text, text, [diagnostic], budget):
            return Fixed(text, (diagnostic,)), failed
        failed.append(diagnostic)
    return Fixed(source.text, ()), failed


def _acceptable(before: str, after: str, diagnostics: list[Diagnostic], budget: Budget) -> bool:
    if before == after or not keeps_comments(before, after):
        return False
    if _loads(before) and not _loads(after):
        # A part that is plainly empty may come to stand where llama.cpp overlooked that it was.
        return False
    if not any(_is_safe(diagnostic) for diagnostic in diagnostics):
        return True
    share = Budget(min(PROOF_STEPS, max(0, budget.left)))
    proof = prove_same_language(before, after, share)
    budget.left -= share.total - max(0, share.left)
    return proof is not None


def _loads(text: str) -> bool:
    try:
        return engine_refusal(parse_spelling(text), as_spelled=True) is None
    except (GbnfSyntaxError, LimitExceeded):
        return False


def _disjoint(wanted: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return as many of `wanted`, first come first served, as do not touch one another."""
    chosen: list[Diagnostic] = []
    taken: list[tuple[int, int]] = []
    for diagnostic in wanted:
        spans = [edit.span for edit in _edits([diagnostic])]
        if all(end <= s.start or s.end <= start for s in spans for start, end in taken):
            # An unsafe fix among safe ones would leave the whole round without a proof.
            if chosen and _is_safe(chosen[0]) != _is_safe(diagnostic):
                continue
            chosen.append(diagnostic)
            taken += [(span.start, span.end) for span in spans]
    return chosen


def _is_safe(diagnostic: Diagnostic) -> bool:
    return diagnostic.fix is not None and diagnostic.fix.safe


def _edits(diagnostics: Iterable[Diagnostic]) -> list[Edit]:
    return [edit for d in diagnostics if d.fix is not None for edit in d.fix.edits]


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return `text` with `edits`, which do not overlap, applied."""
    for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text
