"""The user's own class judges an answer. In: JSON text. Out: what the class makes of it, or what
its validators say against it.

Pydantic reads the text as it reads JSON (`TypeAdapter.validate_json`): field and model validators,
the places of a `Decimal`, whatever JSON Schema cannot say. The result is what it serialises to.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gbnfc.documents.pointer import join_pointer
from gbnfc.extract.problems import SHOWN_PROBLEMS, Problem
from gbnfc.user_code import running

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class ModelJudge:
    """Judges by `model`: a Pydantic class, or any type that `pydantic.TypeAdapter` takes."""

    model: Any

    @cached_property
    def _adapter(self) -> Any:
        from pydantic import TypeAdapter

        return TypeAdapter(self.model)

    @property
    def _name(self) -> str:
        return getattr(self.model, "__name__", None) or repr(self.model)

    def judge(self, answer: Any) -> tuple[Any, tuple[Problem, ...]]:
        """Return the class's JSON of `answer`, a value that JSON has; `None` with problems.

        Raises:
            UserCodeError: the class's code raised something that is no verdict: its line is named.
        """
        from pydantic import ValidationError

        text = json.dumps(answer, ensure_ascii=False)
        with running(f"{self._name} cannot judge the answer"):
            try:
                found = self._adapter.validate_json(text)
            except ValidationError as error:
                return None, _problems(error, answer)
            written = self._adapter.dump_json(found, warnings=False)
        return json.loads(written), ()


def _problems(error: Any, answer: Any) -> tuple[Problem, ...]:
    said = error.errors(include_url=False, include_context=False, include_input=False)
    found: dict[Problem, None] = {}  # several members of a union may say the same of one place
    for one in said[:SHOWN_PROBLEMS]:
        pointer = _pointer(one["loc"], answer, is_missing=one["type"] == "missing")
        found[Problem(pointer, " ".join(one["msg"].split()))] = None
    return tuple(found)


def _pointer(location: Sequence[str | int], answer: Any, *, is_missing: bool) -> str:
    """Return where Pydantic's `location` is in `answer`.

    Names of a union's members and of validators stand in it as well, and the key that is missing.
    """
    pointer, place = "", answer
    for step in location:
        if _holds(place, step):
            place = place[step]
        elif is_missing and isinstance(place, dict) and step == location[-1]:
            place = None
        else:
            continue
        pointer = join_pointer(pointer, step)
    return pointer


def _holds(place: Any, step: str | int) -> bool:
    if isinstance(place, list):
        return isinstance(step, int) and step < len(place)
    return isinstance(place, dict) and step in place
