"""A model's own chat template, rendered safely. In: turns of a conversation. Out: prompt segments.

Templates are Jinja programs that come with a model file, so they run in `sandbox`, within limits.
The turns' texts are put in behind placeholders, and only the template's own text may hold control
tokens: a document that contains `<|im_end|>` cannot end its turn.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

from gbnfc.engine.base import Prompt, Segment
from gbnfc.errors import EngineError
from gbnfc.extras import Extra, install_hint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gbnfc.extract.sandbox import Renderer

_MARK = re.compile("\ue000([0-9]+)\ue001")
_OPEN_THOUGHT = re.compile(r"<think>\s*\Z")
CLOSE_THOUGHT = "\n</think>\n\n"


@dataclass(frozen=True, slots=True)
class Turn:
    """One message. `role` is `system`, `user` or `assistant`."""

    role: str
    text: str


@dataclass(frozen=True)
class ChatTemplate:
    """`source` is Jinja text, or None for a model without one: then a plain prompt is written.

    `bos` and `eos` are the texts of the model's first and last token. With `thinking`, a template
    that can let the model think first is asked to.
    """

    source: str | None
    bos: str = ""
    eos: str = ""
    thinking: bool = False

    @cached_property
    def _compiled(self) -> Renderer:
        return _compile(self.source or "")

    def prompt(self, turns: Sequence[Turn]) -> Prompt:
        """Return the prompt after which the model writes the next assistant turn.

        Raises:
            EngineError: the template is broken, or refuses the conversation.
        """
        if self.source is None:
            return _plain_prompt(turns)
        rendered = self._rendered(tuple(turn.role for turn in turns))
        found = [int(mark) for mark in _MARK.findall(rendered)]
        if sorted(found) != list(range(len(turns))):
            # A template without a place for the system turn: it goes in front of the user's.
            joined = _without_system(turns)
            if joined == list(turns):
                return _plain_prompt(turns)
            return self.prompt(joined)
        return _segments(self._closed(rendered), turns)

    @cached_property
    def _known(self) -> dict[tuple[str, ...], str]:
        return {}

    def _rendered(self, roles: tuple[str, ...]) -> str:
        """Return what the template makes of turns of `roles`, with a mark for each one's text."""
        found = self._known.get(roles)
        if found is None:
            marked = [{"role": r, "content": f"\ue000{i}\ue001"} for i, r in enumerate(roles)]
            found = self._known[roles] = self._render(marked)
        return found

    def _render(self, messages: list[dict[str, str]]) -> str:
        try:
            return self._compiled(
                messages=messages,
                add_generation_prompt=True,
                bos_token=self.bos,
                eos_token=self.eos,
                enable_thinking=self.thinking,
                tools=None,
                documents=None,
            )
        except _Refused:
            # Some templates raise when a system turn is given: show them one without.
            return ""

    def _closed(self, rendered: str) -> str:
        # Some templates leave the model inside its thoughts, where no grammar could hold.
        opened = _OPEN_THOUGHT.search(rendered) is not None
        return rendered.rstrip() + CLOSE_THOUGHT if opened and not self.thinking else rendered

    def opens_thought(self) -> bool:
        """Return whether the template's prompt ends inside a `<think>` block."""
        if self.source is None:
            return False
        rendered = self._render([{"role": "user", "content": "x"}])
        return _OPEN_THOUGHT.search(rendered) is not None


class _Refused(Exception):
    """What a template's `raise_exception` raises."""


def _compile(source: str) -> Renderer:
    try:
        from gbnfc.extract.sandbox import compile_template
    except ImportError:
        raise EngineError("jinja2 is not installed", hint=install_hint(Extra.LLAMA)) from None
    return compile_template(
        source,
        {"raise_exception": _raise, "strftime_now": _strftime_now},
        {"tojson": _to_json},
    )


def _to_json(value: Any, indent: int | None = None, **_: object) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, indent=indent)


def _raise(message: str) -> NoReturn:
    raise _Refused(message)


def _strftime_now(layout: str) -> str:
    from datetime import datetime

    return datetime.now().strftime(layout)


def _without_system(turns: Sequence[Turn]) -> list[Turn]:
    if not turns or turns[0].role != "system" or len(turns) < 2:
        return list(turns)
    first, second, *rest = turns
    return [Turn(second.role, f"{first.text}\n\n{second.text}"), *rest]


def _segments(rendered: str, turns: Sequence[Turn]) -> Prompt:
    segments: list[Segment] = []
    for index, part in enumerate(_MARK.split(rendered)):
        text = turns[int(part)].text if index % 2 else part
        if text:
            segments.append(Segment(text, trusted=index % 2 == 0))
    return tuple(segments)


def _plain_prompt(turns: Sequence[Turn]) -> Prompt:
    titles = {"system": "", "user": "Text:\n", "assistant": "JSON:\n"}
    body = "".join(f"{titles.get(turn.role, '')}{turn.text}\n\n" for turn in turns)
    return (Segment(body), Segment("JSON:\n"))
