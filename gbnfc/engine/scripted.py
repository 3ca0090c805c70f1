"""An engine whose answers are given beforehand. In: jobs, and a function from a prompt's text to
an answer. Out: completions, held to the grammar and to the limits as a real engine's are. For
tests and for trying a pipeline without a model.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from gbnfc.engine.base import (
    Completion,
    ConstraintGrammar,
    Finish,
    Job,
    Progress,
    Prompt,
    Stats,
    estimate_by_head,
)
from gbnfc.engine.forms import fits
from gbnfc.engine.repeats import Evidence, RepeatGuard, shortened
from gbnfc.errors import EngineError
from gbnfc.match import Matcher, compile_matcher

Script: TypeAlias = Callable[[str, int], str]
"""Returns the answer to a prompt's text; the second argument is the number of the call, from 0."""


class ScriptedEngine:
    """Answers jobs from a script, one per step, a token being `chars_per_token` characters."""

    def __init__(
        self,
        constraint: ConstraintGrammar,
        script: Script,
        *,
        window: int = 4096,
        parallel: int = 4,
        chars_per_token: int = 4,
    ) -> None:
        self.stats = Stats()
        self.prompts: list[str] = []
        self._program = compile_matcher(constraint.grammar)
        self._script, self._window = script, window
        self._parallel, self._chars_per_token = parallel, chars_per_token
        self._waiting: deque[Job] = deque()

    @property
    def window(self) -> int:
        """The tokens that one prompt and its answer may take together."""
        return self._window

    @property
    def has_room(self) -> bool:
        """Whether another job can be taken now."""
        return len(self._waiting) < self._parallel

    @property
    def is_idle(self) -> bool:
        """Whether no job is in flight."""
        return not self._waiting

    @property
    def progress(self) -> Progress:
        """How far the jobs in flight are: read, nothing written."""
        prompt = sum(self.count_tokens(job.prompt) for job in list(self._waiting))
        return Progress(prompt=prompt, read=prompt)

    def count_tokens(self, prompt: Prompt) -> int:
        """Return the number of tokens of `prompt`."""
        return self._count(text_of(prompt))

    def estimate_beyond(self, text: str, limit: int) -> int | None:
        """Return about how many tokens `text` has if these are more than `limit`, else None."""
        return estimate_by_head(text, limit, self._count)

    def _count(self, text: str) -> int:
        return -(-len(text) // self._chars_per_token)

    def share_prefix(self, prompts: tuple[Prompt, ...]) -> None:
        """Do nothing: a script reads no prefix."""

    def submit(self, job: Job) -> None:
        """Take `job`. Raises `EngineError` when its prompt does not fit the window."""
        if self.count_tokens(job.prompt) > self._window:
            raise EngineError("the prompt does not fit the window")
        self._waiting.append(job)

    def break_off(self) -> bool:
        """Return False: a script is interrupted as any other code is."""
        return False

    def step(self) -> tuple[Completion, ...]:
        """Answer the oldest job."""
        if not self._waiting:
            return ()
        job = self._waiting.popleft()
        prompt = text_of(job.prompt)
        self.prompts.append(prompt)
        answer = self._script(prompt, len(self.prompts) - 1)
        answer, ended_lists = self._without_repeats(job, answer)
        self.stats.steps += 1
        self.stats.sampled += len(answer) // self._chars_per_token
        return (replace(self._complete(job, answer), ended_lists=ended_lists),)

    def _without_repeats(self, job: Job, answer: str) -> tuple[str, tuple[int, ...]]:
        """Return `answer` as a model would write it whose lists are ended where they repeat."""
        ended_lists: list[int] = []
        guard = RepeatGuard(Evidence(job.source_text, job.known_values))
        written = 0
        while job.stop_repeats and written < len(answer):
            guard.write(answer[written])
            written += 1
            if guard.ending is None:
                continue
            begin = shortened(answer[:written], guard.ending, self._program)
            if begin is not None:
                _, end = json.JSONDecoder().raw_decode(answer, guard.ending.at)
                answer, written = begin + answer[end:], len(begin)
                ended_lists = [place for place in ended_lists if place < written]
                ended_lists.append(written - 1)
                guard.restart(begin)
            guard.ending = None
        return answer, tuple(ended_lists)

    def _complete(self, job: Job, answer: str) -> Completion:
        limit = job.max_tokens * self._chars_per_token
        matcher = Matcher(self._program)
        if not matcher.advance(answer[:limit]):
            raise EngineError(f"the scripted answer {answer!r} is refused by the grammar")
        if job.form and len(answer) <= limit and not fits(job.form, answer):
            raise EngineError(f"the scripted answer {answer!r} does not fit the form {job.form}")
        finish, text = Finish.STOP, answer[:limit]
        if not matcher.can_end() or len(answer) > limit:
            finish = Finish.LENGTH
            rest = matcher.shortest_completion() if job.close_on_length else None
            if rest is not None:
                finish, text = Finish.CLOSED, text + rest
        return Completion(
            key=job.key,
            text=text,
            finish=finish,
            prompt_tokens=self.count_tokens(job.prompt),
            written_tokens=-(-len(answer[:limit]) // self._chars_per_token),
        )

    def close(self) -> None:
        """Free nothing."""


def text_of(prompt: Prompt) -> str:
    """Return the prompt as one text."""
    return "".join(segment.text for segment in prompt)
