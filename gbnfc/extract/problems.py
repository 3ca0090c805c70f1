"""Something wrong with an answer: what the judges of an answer return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

SHOWN_PROBLEMS = 20
"""The most problems that one judge tells of an answer."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with an answer. `pointer` is a JSON Pointer (RFC 6901) into the data."""

    pointer: str
    message: str

    def __str__(self) -> str:
        return f"{self.pointer or '/'}: {self.message}"


@dataclass(frozen=True, slots=True)
class Checked:
    """What is thought of an answer. `data` is its value as it was written.

    `output` is what is passed on: `data`, or what the user's class makes of it. `fault` tells that
    the class's code failed, so that nothing is known.
    """

    data: Any
    output: Any
    problems: tuple[Problem, ...] = ()
    fault: str | None = None
