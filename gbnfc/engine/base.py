"""What an engine is: something that writes texts under a grammar, many at once.

In: `Job`s (a prompt, a grammar, limits). Out: `Completion`s, in the order they finish. The
implementations are `inprocess.LlamaEngine` (llama.cpp in this process) and
`scripted.ScriptedEngine` (fixed answers, for tests). An engine never writes a character that the
grammar refuses, and says how each text ended.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from gbnfc.ir.nodes import Grammar


class Finish(Enum):
    """How a text ended."""

    STOP = "stop"
    """The grammar could end, and the model chose to or nothing else was possible."""
    LENGTH = "length"
    """The limit of tokens, or the model's window, was reached first: the text is incomplete."""
    CLOSED = "closed"
    """As LENGTH, but the shortest completion that the grammar allows was written behind it."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a prompt. Only `trusted` text may hold control tokens such as `<|im_start|>`."""

    text: str
    trusted: bool = False


Prompt: TypeAlias = tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class ConstraintGrammar:
    """A grammar in the two forms an engine needs: GBNF text, and the IR of the same language."""

    text: str
    grammar: Grammar
    root: str = "root"


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a token is chosen from the distribution that the grammar leaves.

    `temperature` 0 takes the most probable token. Truncation is applied after the mask, in the
    order top-k (0: off), top-p (1: off), min-p (0: off), then the temperature.
    """

    temperature: float = 0.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Think:
    """Let the model write freely before the answer, for at most `max_tokens` tokens.

    One of `stop` ends the thoughts; then `after_stop` is written, or, when they ended without one,
    `bridge`; then the answer.
    """

    max_tokens: int
    stop: tuple[str, ...] = ("</think>",)
    after_stop: str = "\n\n"
    bridge: str = "\n</think>\n\n"


@dataclass(frozen=True, slots=True)
class Job:
    """One text to write. `key` comes back with it; drafts are copied from `source_text`.

    With `stop_repeats` the text is JSON, and a list in it ends where its elements repeat without
    support in `source_text`; `known_values` are strings that need not stand there. `form` is what
    is given of the text, JSON as well: the parts before, between and behind its blanks, one scalar
    each. As far as the grammar goes along, only the blanks are written.
    """

    key: int
    prompt: Prompt
    max_tokens: int
    source_text: str = ""
    close_on_length: bool = False
    think: Think | None = None
    want_scores: bool = False
    seed_offset: int = 0
    stop_repeats: bool = False
    known_values: frozenset[str] = frozenset()
    form: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TokenScore:
    """How willingly a token was written. `start` is the 0-based offset of its text in the answer.

    `probability` is that of the token among those the grammar allows; `pressure` is the probability
    mass that the grammar removed at that place. Forced text has no score: nothing was chosen.
    """

    start: int
    end: int
    probability: float
    pressure: float


@dataclass(frozen=True, slots=True)
class Completion:
    """What became of a job: the text, how it ended, and what it cost in tokens.

    `ended_lists` are the offsets in `text` of the brackets that ended a list which repeated itself.
    """

    key: int
    text: str
    finish: Finish
    prompt_tokens: int
    written_tokens: int
    thoughts: str = ""
    scores: tuple[TokenScore, ...] = ()
    ended_lists: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the texts in flight are, in tokens: of their prompts, read of these, and written."""

    prompt: int = 0
    read: int = 0
    written: int = 0


@dataclass(slots=True)
class Stats:
    """Counters of an engine's life, in tokens unless the name says otherwise."""

    prompt: int = 0
    reused: int = 0
    forced: int = 0
    sampled: int = 0
    drafted: int = 0
    drafts_kept: int = 0
    checks: int = 0
    widened_checks: int = 0
    full_masks: int = 0
    steps: int = 0
    decode_s: float = 0.0
    choose_s: float = 0.0

    def as_dict(self) -> dict[str, float]:
        """Return the counters by name."""
        return {item.name: getattr(self, item.name) for item in fields(self)}


_FIRST_HEAD = 8
"""Characters per token that a text must have before it is counted in parts: plain text has 4."""


def estimate_by_head(text: str, limit: int, count: Callable[[str], int]) -> int | None:
    """Return about how many tokens `text` has if these are more than `limit`, else None.

    `count` counts the tokens of ever longer beginnings, until one has more than `limit`. Only of a
    text of few tokens it comes to see all: then that is a number to be counted anyway.
    """
    size = limit * _FIRST_HEAD
    while size < len(text):
        found = count(text[:size])
        if found > limit:
            return found * len(text) // size
        size *= 2
    return None


class Engine(Protocol):
    """Writes texts under one grammar. Not thread-safe; close it when done."""

    stats: Stats

    @property
    def window(self) -> int:
        """The tokens that one prompt and its answer may take together."""

    @property
    def has_room(self) -> bool:
        """Whether another job can be taken now."""

    @property
    def is_idle(self) -> bool:
        """Whether no job is in flight."""

    @property
    def progress(self) -> Progress:
        """How far the jobs in flight are. May be read from another thread at any time."""

    def count_tokens(self, prompt: Prompt) -> int:
        """Return the number of tokens of `prompt`."""

    def estimate_beyond(self, text: str, limit: int) -> int | None:
        """Return about how many tokens `text` has if these are more than `limit`, else None.

        However long `text` is, only as much of it is read as shows that.
        """

    def share_prefix(self, prompts: tuple[Prompt, ...]) -> None:
        """Decode what all of `prompts` begin with only once, for all jobs that begin so."""

    def submit(self, job: Job) -> None:
        """Take `job`. Raises `EngineError` when its prompt leaves no room for an answer."""

    def step(self) -> tuple[Completion, ...]:
        """Advance all jobs by one decode; return those that finished.

        Raises:
            KeyboardInterrupt: it was broken off.
        """

    def break_off(self) -> bool:
        """End the step that is under way, from a signal's handler; return whether there is one."""

    def close(self) -> None:
        """Free everything."""
