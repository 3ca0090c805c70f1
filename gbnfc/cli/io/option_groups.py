"""The options of a command, gathered in records: spelling, help, default and type in one place.

In: a record whose fields are groups, each a dataclass of `Annotated` options. Out: a function that
Typer takes for one with all of these options as parameters, in that order. A group is built once,
and handed whole to those who need it.
"""

from __future__ import annotations

import functools
import inspect
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_Record = TypeVar("_Record")


def by_options(
    record: Callable[..., _Record],
) -> Callable[[Callable[[_Record], int]], Callable[..., int]]:
    """Let a command that takes one `record` of groups be called with the options of all of them.

    `record` is a dataclass; the type of each of its fields is one too. No two groups may have an
    option of the same name.
    """
    groups: dict[str, Any] = get_type_hints(record)

    def decorate(command: Callable[[_Record], int]) -> Callable[..., int]:
        @functools.wraps(command)
        def call(**given: Any) -> int:
            return command(record(**{name: _filled(groups[name], given) for name in groups}))

        parameters = [item for group in groups.values() for item in _parameters(group)]
        signature = inspect.Signature(parameters, return_annotation=int)
        setattr(call, "__signature__", signature)  # noqa: B010 - mypy knows no such attribute
        call.__annotations__ = {}  # of `command`: Typer reads them too
        return call

    return decorate


def _filled(group: Any, given: dict[str, Any]) -> Any:
    return group(**{field.name: given[field.name] for field in fields(group)})


def _parameters(group: Any) -> Iterator[inspect.Parameter]:
    types = get_type_hints(group, include_extras=True)
    for field in fields(group):
        yield inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=types[field.name],
        )
