"""Values that come from the prompt instead of the document: the made example's, or a description.

In: what the model was shown, an answer, the document. Out: the places of values that stand in the
prompt and not in the document. Small models fill a form even where a text says nothing; measured
with SmolLM2-135M on 20 such texts of three kinds, 16 answers held a value of the made example.
"""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gbnfc.documents.pointer import follow_pointer, join_pointer, split_pointer
from gbnfc.errors import InputError
from gbnfc.extract.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gbnfc.extract.problems import Checked

_WORD = re.compile(r"\w+")
_MADE_DATE = re.compile(r"[0-9]{2}([0-9]{2})-[0-9]{2}-([0-9]{2})(?:T[0-9]{2}:([0-9]{2}):.*)?")
_MADE_TIME = re.compile(r"[0-9]{2}:([0-9]{2}):.*")
_LONG_PART = 4
"""Words of a description that no answer has by chance; three when they are half of it."""


class PromptPart(Enum):
    """A part of the prompt that values can be copied from."""

    EXAMPLE = "the made example"
    DESCRIPTIONS = "its description"


@dataclass(frozen=True, slots=True)
class CopiedValue(Problem):
    """A value that stands in the prompt and not in the document."""

    source: PromptPart = PromptPart.EXAMPLE


@dataclass(frozen=True)
class PromptValues:
    """What can be copied: values that were made up, and the descriptions of a schema.

    `chosen` are the choices that the schema names; no document need hold them.
    """

    invented: tuple[Any, ...] = ()
    descriptions: tuple[str, ...] = ()
    chosen: frozenset[str] = frozenset()

    @cached_property
    def _described(self) -> tuple[tuple[str, ...], ...]:
        return tuple(_words(text) for text in self.descriptions)

    @cached_property
    def _placeholders(self) -> frozenset[tuple[str, ...]]:
        return frozenset(_words(text) for text in self.invented if isinstance(text, str))

    @cached_property
    def _numbers(self) -> frozenset[Any]:
        kinds = int | float
        return frozenset(x for x in self.invented if isinstance(x, kinds) and x is not True)

    def copied(self, answer: Any, document: str) -> Iterator[CopiedValue]:
        """Yield a problem for each value of `answer` that is copied from the prompt."""
        if not self.invented and not self.descriptions:
            return
        text = f" {' '.join(_words(document))} "
        found = [(at, value, self._source(value, text)) for at, value in _leaves(answer, "")]
        texts = (at for at, value, source in found if source and isinstance(value, str))
        beside = {at.rpartition("/")[0] for at in texts}
        for pointer, value, source in found:
            # A number may be counted, or right by chance: only beside a copied text it is a copy.
            is_alone = not isinstance(value, str) and pointer.rpartition("/")[0] not in beside
            if source is not None and not is_alone:
                message = f"{value!r} is copied from {source.value}, it does not stand in the text"
                yield CopiedValue(pointer, message, source)

    def _source(self, value: Any, text: str) -> PromptPart | None:
        if isinstance(value, bool) or value is None:
            return None
        if not isinstance(value, str):
            is_made = value in self._numbers and f" {value} " not in text
            return PromptPart.EXAMPLE if is_made else None
        words = _words(value)
        if not words or value in self.chosen or f" {' '.join(words)} " in text:
            return None
        if self._is_placeholder(value, words, text):
            return PromptPart.EXAMPLE
        is_described = any(_is_long_part(words, described) for described in self._described)
        return PromptPart.DESCRIPTIONS if is_described else None

    def _is_placeholder(self, value: str, words: tuple[str, ...], text: str) -> bool:
        if not self._placeholders:
            return False
        if words in self._placeholders:
            numerals = _MADE_DATE.fullmatch(value) or _MADE_TIME.fullmatch(value)
            # A date may stand there in other words: then its year and day do, or its minutes.
            return numerals is None or not _all_stand_in(numerals.groups(), text)
        return words[0] == PLACEHOLDER and len(words) > 1


PLACEHOLDER = "some"
"""The word that made-up texts begin with."""


def without_copies(tries: Sequence[Checked]) -> tuple[Any, tuple[str, ...]] | None:
    """Return the first answer with its copied values replaced by a later one's, and where.

    `None` unless copies are all that is wrong with it and something can be replaced.
    """
    copies = [found for found in tries[0].problems if isinstance(found, CopiedValue)]
    if len(copies) != len(tries[0].problems):
        return None
    data, replaced = deepcopy(tries[0].data), []
    for copy in copies:
        for later in tries[1:]:
            value = _value_at(later, copy.pointer)
            if value is not None:
                data = _with_value(data, copy.pointer, value)
                replaced.append(copy.pointer)
                break
    return (data, tuple(replaced)) if replaced else None


def _value_at(answer: Checked, pointer: str) -> Any:
    """Return the scalar of `answer` at `pointer`, `None` where it has none or a copied one."""
    if any(problem.pointer == pointer for problem in answer.problems):
        return None
    try:
        value = follow_pointer(answer.data, pointer)
    except InputError:
        return None
    return None if isinstance(value, dict | list) else value


def _with_value(data: Any, pointer: str, value: Any) -> Any:
    if not pointer:
        return value
    around, _, last = pointer.rpartition("/")
    place = follow_pointer(data, around)
    place[int(last) if isinstance(place, list) else split_pointer(f"/{last}")[0]] = value
    return data


def _all_stand_in(numerals: tuple[str | None, ...], text: str) -> bool:
    return all(numeral is None or f"{numeral.lstrip('0')} " in text for numeral in numerals)


def _is_long_part(words: tuple[str, ...], described: tuple[str, ...]) -> bool:
    if words == described:
        return True
    size = len(words)
    if size < _LONG_PART and (size < _LONG_PART - 1 or 2 * size < len(described)):
        return False
    return any(described[i : i + size] == words for i in range(len(described) - size + 1))


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.casefold()))


def _leaves(value: Any, pointer: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, join_pointer(pointer, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _leaves(inner, join_pointer(pointer, index))
    else:
        yield pointer, value
