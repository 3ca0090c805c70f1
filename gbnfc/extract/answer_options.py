"""What a user asks of every answer: how long, how often asked for, how sure."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from gbnfc.extract.chunks import Chunking

if TYPE_CHECKING:
    from gbnfc.engine.base import Think


class OnLength(Enum):
    """What becomes of an answer that reaches the limit of tokens."""

    FAIL = "fail"
    CLOSE = "close"


@dataclass(frozen=True, slots=True)
class AnswerOptions:
    """What a user asks of every document. `review_below` marks records with a less sure field.

    `is_greedy` tells that no chance is at work: the same question gets the same answer. With
    `stop_repeats` a list ends where its elements repeat without the document's support.
    """

    max_tokens: int = 1024
    retries: int = 2
    is_greedy: bool = False
    on_length: OnLength = OnLength.FAIL
    stop_repeats: bool = True
    chunking: Chunking = field(default_factory=Chunking)
    think: Think | None = None
    confidence: bool = False
    review_below: float | None = None
