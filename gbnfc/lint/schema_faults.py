"""Everything that keeps a schema from being one, and what the compiler makes of the rest.

In: a schema. Out: its faults, and the schema without the keywords they lie in, compiled. The
compiler stops at the first fault; one fault must not hide what is wrong elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gbnfc.documents.pointer import split_pointer
from gbnfc.errors import GbnfcError, PatternError, SchemaError, Unsatisfiable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gbnfc.schema import Compiled

MAX_FAULTS = 10
"""Each fault costs a compilation, and a file with so many is no schema."""


@dataclass(frozen=True)
class SoundPart:
    """`schema` is what is left without `faults`; `compiled` is it compiled, or why it is not."""

    schema: Any
    compiled: Compiled | GbnfcError
    faults: tuple[SchemaError | PatternError, ...]


def sound_part(schema: Any, registry: Mapping[str, Any]) -> SoundPart:
    """Return the faults of `schema`, each with its pointer, and what can be said without them."""
    from gbnfc.schema import compile_schema

    faults: list[SchemaError | PatternError] = []
    while True:
        try:
            return SoundPart(schema, compile_schema(schema, registry=registry), tuple(faults))
        except Unsatisfiable as error:
            return SoundPart(schema, error, tuple(faults))
        except (SchemaError, PatternError) as error:
            faults.append(error)
            rest = _without(schema, error.pointer) if len(faults) < MAX_FAULTS else schema
            if rest == schema:
                return SoundPart(schema, error, tuple(faults))
            schema = rest
        except GbnfcError as error:
            return SoundPart(schema, error, tuple(faults))


def _without(schema: Any, pointer: str) -> Any:
    """Return `schema` without the member at `pointer`; `schema` itself when there is none."""
    segments = split_pointer(pointer)
    parents = [schema]
    for segment in segments[:-1]:
        parents.append(_member(parents[-1], segment))
    if not segments or _member(parents[-1], segments[-1]) is None:
        return schema
    value = _with_member_out(parents[-1], segments[-1])
    for parent, segment in zip(parents[-2::-1], segments[-2::-1], strict=True):
        value = _with_member(parent, segment, value)
    return value


def _member(value: Any, segment: str) -> Any:
    if isinstance(value, dict):
        return value.get(segment)
    is_index = isinstance(value, list) and segment.isdigit() and int(segment) < len(value)
    return value[int(segment)] if is_index else None


def _with_member_out(parent: Any, segment: str) -> Any:
    if isinstance(parent, list):
        return [part for index, part in enumerate(parent) if index != int(segment)]
    return {key: part for key, part in parent.items() if key != segment}


def _with_member(parent: Any, segment: str, member: Any) -> Any:
    if isinstance(parent, list):
        return [member if index == int(segment) else part for index, part in enumerate(parent)]
    return {key: member if key == segment else part for key, part in parent.items()}
