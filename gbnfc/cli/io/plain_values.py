"""Option values without a detour: texts, flags, defaults and plain numbers are taken as they are.

In: the parameters of a Typer command. Out: the same, which load pydantic only for the others.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Callable

_PLAIN_NUMBER = re.compile(r"[0-9]{1,15}(\.[0-9]{1,15})?")


class PlainValue:
    """Takes plain values as they are, where Typer (since 0.27) would import pydantic to check them.

    That import alone takes half of the time in which `gbnfc lint` has to be done. Texts, flags,
    defaults and numbers within their limits are plain; everything else is left to Typer.
    """

    TYPES = (str, bool, list[str])
    NUMBERS: ClassVar[dict[Any, Callable[[str], Any]]] = {int: int, float: float}

    def __init__(self, annotation: Any) -> None:
        self._annotation = annotation

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return `value`; a repeatable parameter that was not given is an empty list."""
        if self._annotation in self.TYPES:
            return list(value or ()) if param.multiple or param.nargs == -1 else value
        if type(value) not in (str, tuple, list):
            return value  # a default: a number, a member of an enum, None
        number = self._number(value, param.type_descriptor.parameter_info)
        if number is not None:
            return number
        param._runtime_param = None
        return param.get_runtime_param().coerce(value, param=param, ctx=ctx)

    def _number(self, value: Any, limits: Any) -> Any:
        read = self.NUMBERS.get(self._annotation)
        if read is None or not isinstance(value, str) or not _PLAIN_NUMBER.fullmatch(value):
            return None
        try:
            number = read(value)
        except ValueError:
            return None
        is_low = limits.min is not None and number < limits.min
        is_high = limits.max is not None and number > limits.max
        return None if is_low or is_high else number


def without_adapters(parameters: list[Any]) -> list[Any]:
    """Return `parameters`, made to take plain values as they are."""
    for parameter in parameters:
        descriptor = getattr(parameter, "type_descriptor", None)
        if descriptor is not None:
            parameter._runtime_param = PlainValue(descriptor.annotation)
    return parameters
