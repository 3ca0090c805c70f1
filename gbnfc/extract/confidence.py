"""How sure was the model of each field? In: an answer's text, its tokens' scores. Out: per field,
the probability of the written value and the pressure of the grammar on it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gbnfc.extract.spans import value_spans

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gbnfc.engine.base import Completion, TokenScore

_DIGITS = 4
FORCED = 0.95
"""The pressure from which on an answer counts as forced against the model."""


@dataclass(frozen=True, slots=True)
class FieldScore:
    """`probability`: of the whole value among what the grammar allowed (the product over its
    tokens).

    `pressure`: the largest probability mass that the grammar took away at one of its tokens; near
    1, the model wanted to write something that the schema forbids.
    """

    pointer: str
    probability: float
    pressure: float


def score_fields(text: str, scores: Sequence[TokenScore]) -> tuple[FieldScore, ...]:
    """Return a score for each scalar of the JSON `text`, in order.

    A token that spans a value and what is around it counts for the value. Values without a chosen
    token (their text was forced) have probability 1.
    """
    found: list[FieldScore] = []
    for pointer, start, end in value_spans(text):
        if text[start] in "{[":
            continue
        inside = [score for score in scores if score.start < end and score.end > start]
        probability = math.prod(score.probability for score in inside)
        pressure = max((score.pressure for score in inside), default=0.0)
        found.append(FieldScore(pointer, round(probability, _DIGITS), round(pressure, _DIGITS)))
    return tuple(found)


def score_text(scores: Sequence[TokenScore]) -> FieldScore:
    """Return the score of an answer that is no JSON, as a whole."""
    probability = math.prod(score.probability for score in scores)
    pressure = max((score.pressure for score in scores), default=0.0)
    return FieldScore("", round(probability, _DIGITS), round(pressure, _DIGITS))


def forced_against(answers: Iterable[Completion]) -> dict[str, float]:
    """Return the pressure on `answers` by name where it is so high that they may be made up.

    An answer that is no JSON has nothing else that would show it: the pattern `[0-9]+` gets digits
    from a text that holds none.
    """
    pressure = max((score_text(answer.scores).pressure for answer in answers), default=0.0)
    return {"pressure": pressure} if pressure >= FORCED else {}
