"""Answers about patterns, kept: schemas repeat themselves, and refusals take the longest."""

from __future__ import annotations

from functools import lru_cache, wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from gbnfc.errors import LimitExceeded

if TYPE_CHECKING:
    from collections.abc import Callable

_MAX_KEPT = 256

_P = ParamSpec("_P")
_T = TypeVar("_T")


def remembered(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """Return `function` with its last answers kept; a `LimitExceeded` is such an answer.

    Whoever gets it gets one of their own: what is raised gathers tracebacks.
    """

    @lru_cache(maxsize=_MAX_KEPT)
    def outcome(*args: _P.args, **kwargs: _P.kwargs) -> _T | LimitExceeded:
        try:
            return function(*args, **kwargs)
        except LimitExceeded as error:
            return LimitExceeded(error.message, hint=error.hint)

    @wraps(function)
    def answer(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        found = outcome(*args, **kwargs)  # type: ignore[arg-type]  # texts and numbers: hashable
        if isinstance(found, LimitExceeded):
            raise LimitExceeded(found.message, hint=found.hint)
        return found

    return answer
