"""JSON Pointers (RFC 6901): written, read, followed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from gbnfc.errors import GbnfcError, InputError

if TYPE_CHECKING:
    from collections.abc import Iterable


def escape_segment(segment: str) -> str:
    """Return `segment` as it stands in a pointer: `~` is `~0`, `/` is `~1`."""
    return segment.replace("~", "~0").replace("/", "~1")


def join_pointer(pointer: str, *segments: str | int) -> str:
    """Return `pointer` extended by unescaped `segments`."""
    for segment in segments:
        text = str(segment)
        pointer += "/" + (escape_segment(text) if "~" in text or "/" in text else text)
    return pointer


def split_pointer(pointer: str) -> tuple[str, ...]:
    """Return the unescaped segments of `pointer`; the empty pointer has none."""
    if not pointer:
        return ()
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])


def follow_pointer(document: Any, pointer: str) -> Any:
    """Return the value that `pointer` names in `document`.

    Raises:
        InputError: when it names nothing; the message tells how far it led.
    """
    value = document
    done = ""
    for segment in split_pointer(pointer):
        if isinstance(value, dict) and segment in value:
            value = value[segment]
        elif isinstance(value, list) and segment.isdigit() and int(segment) < len(value):
            value = value[int(segment)]
        else:
            raise _names_nothing(pointer, done, segment, value)
        done = join_pointer(done, segment)
    return value


def fragment_pointer(fragment: str) -> str:
    """Return the pointer that a URI fragment (`/$defs/a%25b`, without `#`) spells."""
    return unquote(fragment)


def _names_nothing(pointer: str, done: str, segment: str, value: Any) -> GbnfcError:
    here = done or "the document"
    options = _some(value) if isinstance(value, dict) else ""
    return InputError(
        f"JSON Pointer {pointer} names nothing: {here} has no {segment!r}", hint=options or None
    )


def _some(keys: Iterable[str]) -> str:
    listed = list(keys)
    shown = ", ".join(repr(key) for key in listed[:8])
    return f"there are: {shown}" + (", …" if len(listed) > 8 else "") if listed else ""
