"""Long documents, in pieces. In: a text and a budget of tokens. Out: overlapping pieces that end at
sentence ends; and, from the pieces' answers, one answer.

The rule of the merge: arrays are concatenated in order and equal elements are kept once; objects
are merged key by key; of scalars the first that is not null counts, and every other value that was
found is recorded as a conflict.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gbnfc.documents.pointer import join_pointer
from gbnfc.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_SENTENCE_END = re.compile(r"(?:[.!?。！？][\"')\]]*\s|\n)")
_OVERLAP = 0.1
_FULL_ENOUGH = 0.95
_AIM = 0.985
_MAX_TRIES = 64
_MAX_MERGE_DEPTH = 64


@dataclass(frozen=True, slots=True)
class Chunking:
    """`auto`: only documents that do not fit the window are cut; `tokens`: all longer than it."""

    mode: str = "none"
    tokens: int | None = None


def read_chunking(text: str) -> Chunking:
    """Read `auto`, `none` or `tokens:N`. Raises `UsageError` for anything else."""
    if text in ("auto", "none"):
        return Chunking(text)
    kind, _, number = text.partition(":")
    if kind == "tokens" and number.isdigit() and int(number) >= 32:
        return Chunking("tokens", int(number))
    raise UsageError(f"--chunk {text!r} is unknown", hint="use auto, none or tokens:N (N ≥ 32)")


def cut_text(text: str, budget: int, count_tokens: Callable[[str], int]) -> tuple[str, ...]:
    """Cut `text` into pieces of at most `budget` tokens, each beginning a little before the last
    piece's end.

    Pieces end at a sentence end or line end where there is one in their second half, else anywhere.
    """
    pieces: list[str] = []
    begin, size = 0, budget * 4
    while begin < len(text):
        end = _furthest(text, begin, size, budget, count_tokens)
        size = end - begin
        if end < len(text):
            end = _sentence_end(text, begin, end)
        pieces.append(text[begin:end])
        if end >= len(text):
            break
        begin = max(begin + 1, _overlap_start(text, begin, end))
    return tuple(pieces)


def _furthest(text: str, begin: int, size: int, budget: int, count: Callable[[str], int]) -> int:
    """Return an end up to which `text` fits `budget`, and which leaves little of it.

    `size` is a first guess in characters. A text is much the same everywhere, so the rule of three
    soon finds the end where counting all that a long window could hold would take minutes.
    """
    low, high = begin + 1, min(len(text), begin + budget * 16)
    end = min(begin + size, high)
    for tries in range(_MAX_TRIES):
        found = count(text[begin:end])
        if found <= budget:
            low = end
            if end == high or found >= budget * _FULL_ENOUGH:
                return end
        else:
            high = end - 1
        if high <= low:
            return low
        near = begin + int((end - begin) * budget * _AIM / max(found, 1))
        end = near if tries < 4 and low < near <= high else (low + high + 1) // 2
    return low


def _sentence_end(text: str, begin: int, end: int) -> int:
    found = end
    for place in _SENTENCE_END.finditer(text, (begin + end) // 2, end):
        found = place.end()
    return found


def _overlap_start(text: str, begin: int, end: int) -> int:
    target = end - int((end - begin) * _OVERLAP)
    place = _SENTENCE_END.search(text, target, end)
    return place.end() if place is not None and place.end() < end else target


@dataclass(frozen=True, slots=True)
class Merged:
    """One answer made of several. `conflicts`: JSON Pointer and the value that did not count.

    `origins` tells of each value that was taken over whole its pointer, the number of the answer it
    came from, and its pointer there.
    """

    data: Any
    conflicts: tuple[tuple[str, Any], ...] = ()
    origins: tuple[tuple[str, int, str], ...] = ()

    def place(self, number: int, inner: str) -> str:
        """Return where the value at `inner` in the answer `number` stands in the merged one."""
        for pointer, origin, taken in self.origins:
            if origin == number and f"{inner}/".startswith(f"{taken}/"):
                return pointer + inner.removeprefix(taken)
        return inner  # a container that was merged from several keeps its place


def merge_answers(answers: Sequence[Any]) -> Merged:
    """Return the answers of a document's pieces, in order, as one (see the module for the rule)."""
    merger = _Merger()
    parts = [_Part(answer, number, "") for number, answer in enumerate(answers)]
    data = merger.merged(parts, "", 0)
    return Merged(data, tuple(merger.conflicts), tuple(merger.origins))


@dataclass(frozen=True, slots=True)
class _Part:
    """A value of the answer `number`, at `pointer` in it."""

    value: Any
    number: int
    pointer: str


class _Merger:
    def __init__(self) -> None:
        self.conflicts: list[tuple[str, Any]] = []
        self.origins: list[tuple[str, int, str]] = []

    def merged(self, parts: Sequence[_Part], pointer: str, depth: int) -> Any:
        """Return `parts`, which stand at the same place of their answers, as one value."""
        said = [part for part in parts if part.value is not None] or parts[:1]
        first = said[0].value
        if isinstance(first, list):
            return self._lists(self._like(said, list, pointer), pointer)
        if isinstance(first, dict) and depth < _MAX_MERGE_DEPTH:
            return self._objects(self._like(said, dict, pointer), pointer, depth)
        self.origins.append((pointer, said[0].number, said[0].pointer))
        self.conflicts += [(pointer, part.value) for part in said[1:] if part.value != first]
        return first

    def _like(self, parts: Sequence[_Part], kind: type, pointer: str) -> list[_Part]:
        others = [part.value for part in parts if not isinstance(part.value, kind)]
        self.conflicts += [(pointer, value) for value in others]
        return [part for part in parts if isinstance(part.value, kind)]

    def _lists(self, parts: Sequence[_Part], pointer: str) -> list[Any]:
        # 1 and true are equal in Python, not in JSON: compare what they are written as.
        kept: dict[str, _Part] = {}
        for part in parts:
            for index, item in enumerate(part.value):
                found = _Part(item, part.number, join_pointer(part.pointer, index))
                kept.setdefault(json.dumps(item, sort_keys=True), found)
        for index, item in enumerate(kept.values()):
            self.origins.append((join_pointer(pointer, index), item.number, item.pointer))
        return [item.value for item in kept.values()]

    def _objects(self, parts: Sequence[_Part], pointer: str, depth: int) -> dict[str, Any]:
        named: dict[str, list[_Part]] = {}
        for part in parts:
            for key, value in part.value.items():
                found = _Part(value, part.number, join_pointer(part.pointer, key))
                named.setdefault(key, []).append(found)
        return {
            key: self.merged(found, join_pointer(pointer, key), depth + 1)
            for key, found in named.items()
        }
