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
from gbnfc.gbnf.parse import parse_concrete
from gbnfc.ir.loading import engine_refusal
from gbnfc.lint.edits.proof import (
    PROOF_STEPS,
    STEPS_PER_CHARACTER,
    keeps_comments,
    prove_same_language,
)
from gbnfc.lint.rule import Budget
from gbnfc.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gbnfc.lint.diagnostic import Diagnostic, Edit

_MAX_ROUNDS = 20
FILE_STEPS = 2 * PROOF_STEPS
"""What the proofs of one file may spend, each of them half of what is left: two to four seconds."""


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
    budget = Budget(FILE_STEPS)
    applied: list[Diagnostic] = []
    unproved: dict[tuple[str, str], Diagnostic] = {}
    left: tuple[Diagnostic, ...] = ()
    for _ in range(_MAX_ROUNDS):
        left = lint(source)
        wanted = [
            diagnostic
            for diagnostic in left
            if diagnostic.fix is not None
            and (unsafe or diagnostic.fix.safe)
            and _identity(diagnostic) not in unproved
        ]
        done, failed = _apply_round(source, wanted, budget)
        if not done.applied:
            if not failed:
                break
            # What failed beside others that were applied is tried again in what they made of it.
            unproved.update({_identity(diagnostic): diagnostic for diagnostic in failed})
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
    """Apply what does not overlap: all at once when that is proved, else one after the other.

    Return what was applied, and what could not be.
    """
    chosen = _disjoint(wanted)
    text = apply_edits(source.text, _edits(chosen))
    if chosen and _acceptable(source.text, text, chosen, budget):
        return Fixed(text, tuple(chosen)), []
    if len(chosen) < 2:
        return Fixed(source.text, ()), chosen
    text = source.text
    kept: list[Diagnostic] = []
    failed: list[Diagnostic] = []
    for diagnostic in chosen:
        longer = apply_edits(source.text, _edits([*kept, diagnostic]))
        if _acceptable(text, longer, [diagnostic], budget):
            text = longer
            kept.append(diagnostic)
        else:
            failed.append(diagnostic)
    return Fixed(text, tuple(kept)), failed


def _acceptable(before: str, after: str, diagnostics: list[Diagnostic], budget: Budget) -> bool:
    if budget.left < 0:
        return False
    # The first fix of a text that is too large for several is tried all the same.
    allowed = budget.share(2)
    budget.left -= STEPS_PER_CHARACTER * (len(before) + len(after))
    if before == after or not keeps_comments(before, after):
        return False
    if _loads(before) and not _loads(after):
        # A part that is plainly empty may come to stand where llama.cpp overlooked that it was.
        return False
    if not any(_is_safe(diagnostic) for diagnostic in diagnostics):
        return True
    return prove_same_language(before, after, allowed) is not None


def _loads(text: str) -> bool:
    try:
        return engine_refusal(parse_concrete(text), as_spelled=True) is None
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
