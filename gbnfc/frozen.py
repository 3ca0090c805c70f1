"""Values that are made by the thousand: frozen for the type checker, cheap at run time.

A frozen dataclass sets its fields through `object.__setattr__`, which takes three times as long as
an assignment. A grammar is made of so many small nodes that this was a sixth of the time of a
compilation, so for these classes it is mypy that refuses an assignment.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[_T]) -> type[_T]:
    """Make `cls` a slotted dataclass with an equality and a hash by its fields."""
    return dataclass(slots=True, unsafe_hash=True)(cls)
