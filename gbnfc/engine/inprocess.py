"""The engine proper: many texts in flight, one batch per step, over llama.cpp in this process.

In: jobs. Out: completions in the order they finish. The cache holds sequence 0, the prefix that all
prompts share, decoded once, and one sequence per job in flight.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from gbnfc.engine.base import (
    Completion,
    ConstraintGrammar,
    Job,
    Progress,
    Prompt,
    Sampling,
    Stats,
    estimate_by_head,
)
from gbnfc.engine.llama import Context, Model, TokenGrammar
from gbnfc.engine.memory import check_memory
from gbnfc.engine.sampling import Chooser
from gbnfc.engine.sequence import DecodingOptions, Generation
from gbnfc.errors import EngineError

if TYPE_CHECKING:
    from gbnfc.engine.llama import Logits
    from gbnfc.match import Program

DEFAULT_PARALLEL = 8
MAX_PARALLEL = 200
"""llama.cpp holds 256 sequences; one is the shared prefix."""

WINDOW_CAP = 8192
"""The largest window used unless more is asked for: the trained one can be 128k, and cost GBs."""

_BATCH_TOKENS = 512
"""As many as llama.cpp computes at once (`n_ubatch`): more would only be cut up again, and keep an
interrupt, or who looks at the progress, waiting."""

_FEW_SEQUENCES = 4
_SMALLEST_ANSWER = 16


@dataclass(frozen=True, slots=True)
class LlamaOptions:
    """`window`: tokens of one prompt with its answer, None for the model's own (capped)."""

    parallel: int = DEFAULT_PARALLEL
    window: int | None = None
    threads: int = 1
    sampling: Sampling = field(default_factory=Sampling)
    decoding: DecodingOptions = field(default_factory=DecodingOptions)


class LlamaEngine:
    """Writes texts under one grammar with a loaded model, which it owns."""

    def __init__(self, model: Model, constraint: ConstraintGrammar, options: LlamaOptions) -> None:
        self.stats = Stats()
        self._model, self._options = model, options
        self._grammar = TokenGrammar.load(model, constraint.text, constraint.root)
        self._program = _matcher_program(constraint)
        self._context: Context | None = None
        self._prefix: list[int] = []
        self._prefix_cached = False
        self._waiting: deque[tuple[Job, list[int]]] = deque()
        self._live: list[Generation] = []
        self._slots = list(range(options.parallel, 0, -1))

    # --- Engine ---------------------------------------------------------------------------------

    @property
    def window(self) -> int:
        """The tokens that one prompt and its answer may take together."""
        trained = self._model.trained_window
        return self._options.window or min(trained, WINDOW_CAP)

    @property
    def has_room(self) -> bool:
        """Whether another job can be taken now."""
        return len(self._live) + len(self._waiting) < self._options.parallel

    @property
    def is_idle(self) -> bool:
        """Whether no job is in flight."""
        return not self._live and not self._waiting

    @property
    def progress(self) -> Progress:
        """How far the jobs in flight are. May be read from another thread at any time."""
        live = list(self._live)
        return Progress(
            prompt=sum(sequence.prompt_tokens for sequence in live),
            read=sum(min(sequence.length, sequence.prompt_tokens) for sequence in live),
            written=sum(sequence.written_tokens for sequence in live),
        )

    def count_tokens(self, prompt: Prompt) -> int:
        """Return the number of tokens of `prompt`."""
        return len(self.tokens_of(prompt))

    def estimate_beyond(self, text: str, limit: int) -> int | None:
        """Return about how many tokens `text` has if these are more than `limit`, else None."""
        return estimate_by_head(text, limit, lambda head: len(self._model.tokenize(head)))

    def tokens_of(self, prompt: Prompt) -> list[int]:
        """Return the tokens of `prompt`, with the token that must come first."""
        tokens: list[int] = []
        for segment in prompt:
            tokens += self._model.tokenize(segment.text, special=segment.trusted)
        first = self._model.first_token
        return tokens if first is None or tokens[:1] == [first] else [first, *tokens]

    def share_prefix(self, prompts: tuple[Prompt, ...]) -> None:
        """Decode what all of `prompts` begin with only once, for all jobs that begin so."""
        all_tokens = [self.tokens_of(prompt) for prompt in prompts]
        self._prefix = _common_prefix(all_tokens)
        self._prefix_cached = False

    def submit(self, job: Job) -> None:
        """Take `job`.

        Raises:
            EngineError: the prompt leaves no room for an answer in the window.
        """
        tokens = self.tokens_of(job.prompt)
        if len(tokens) + _SMALLEST_ANSWER > self.window:
            raise EngineError(too_long(len(tokens), self.window, self._model.trained_window))
        self._waiting.append((job, tokens))

    def break_off(self) -> bool:
        """End the step that is under way, from a signal's handler; return whether there is one."""
        return self._context is not None and self._context.break_off()

    def step(self) -> tuple[Completion, ...]:
        """Advance all jobs by one decode; return those that finished.

        Raises:
            KeyboardInterrupt: it was broken off.
        """
        self._admit()
        entries, taken = self._fill_batch()
        if entries:
            began = time.perf_counter()
            self._require_context().decode(entries)
            decoded = time.perf_counter()
            self._deliver(taken)
            self.stats.decode_s += decoded - began
            self.stats.choose_s += time.perf_counter() - decoded
            self.stats.steps += 1
        return self._collect()

    def close(self) -> None:
        """Free everything, the model included."""
        for sequence in self._live:
            sequence.close()
        self._live.clear()
        self._grammar.close()
        if self._context is not None:
            self._context.close()
        self._model.close()

    # --- admission ------------------------------------------------------------------------------

    def _admit(self) -> None:
        while self._waiting and self._slots:
            job, tokens = self._waiting[0]
            if not self._make_room(job, tokens):
                return
            self._waiting.popleft()
            self._start(job, tokens)

    def _need(self, job: Job, tokens: list[int]) -> int:
        thoughts = job.think.max_tokens + 64 if job.think else 0
        return min(self.window, len(tokens) + job.max_tokens + thoughts)

    def _make_room(self, job: Job, tokens: list[int]) -> bool:
        # Every job reserves all it may need, so that the cache can never run full half way.
        need = self._need(job, tokens)
        taken = sum(self._need(live.job, [0] * live.prompt_tokens) for live in self._live)
        if self._context is not None and taken + need + len(self._prefix) <= self._context.cells:
            return True
        if self._live:
            return False
        self._open_context(need)
        return True

    def _open_context(self, need: int) -> None:
        if self._context is not None:
            self._context.close()
        wanted = sum(self._need(job, tokens) for job, tokens in self._waiting)
        cells = len(self._prefix) + max(need, wanted)
        cells = -(-cells // 256) * 256
        check_memory(self._model, cells)
        self._context = Context(
            self._model,
            cells=cells,
            sequences=self._options.parallel + 1,
            batch_tokens=_BATCH_TOKENS,
            threads=self._options.threads,
        )
        self._prefix_cached = False

    def _require_context(self) -> Context:
        if self._context is None:
            raise EngineError("the engine has no context")
        return self._context

    def _start(self, job: Job, tokens: list[int]) -> None:
        slot = self._slots.pop()
        cached = self._reuse_prefix(slot, tokens)
        self._live.append(
            Generation(
                job=_within(job, self.window - len(tokens)),
                slot=slot,
                prompt=tokens,
                cached=cached,
                model=self._model,
                grammar=self._grammar,
                program=self._program,
                chooser=Chooser(self._options.sampling, job.seed_offset, self.stats),
                decoding=self._options.decoding,
                stats=self.stats,
            )
        )
        self.stats.prompt += len(tokens) - cached

    def _reuse_prefix(self, slot: int, tokens: list[int]) -> int:
        size = len(_common_prefix([self._prefix, tokens[:-1]]))
        if not size or (size < len(self._prefix) and not self._model.can_trim):
            return 0
        context = self._require_context()
        if not self._prefix_cached:
            context.trim_sequence(0, 0)
            for begin in range(0, len(self._prefix), _BATCH_TOKENS):
                part = self._prefix[begin : begin + _BATCH_TOKENS]
                context.decode([(t, begin + i, 0, False) for i, t in enumerate(part)])
            self._prefix_cached = True
            self.stats.prompt += len(self._prefix)
        context.copy_sequence(0, slot, size)
        self.stats.reused += size
        return size

    # --- one step -------------------------------------------------------------------------------

    def _fill_batch(
        self,
    ) -> tuple[list[tuple[int, int, int, bool]], list[tuple[Generation, int, int]]]:
        few = len(self._live) <= _FEW_SEQUENCES
        entries: list[tuple[int, int, int, bool]] = []
        taken: list[tuple[Generation, int, int]] = []
        # Those that write come first: a long prompt must not make them wait.
        for sequence in sorted(self._live, key=lambda live: len(live.pending)):
            if sequence.finish is not None:
                continue
            room = _BATCH_TOKENS - len(entries)
            sequence.add_guesses(room - len(sequence.pending), copies=few)
            part = sequence.pending[:room]
            whole = len(part) == len(sequence.pending)
            begin = len(entries)
            wanted = sequence.first_wanted if whole else len(part)
            for index, token in enumerate(part):
                place = sequence.length + index
                entries.append((token, place, sequence.slot, index >= wanted))
            if part:
                taken.append((sequence, begin, len(part)))
        return entries, taken

    def _deliver(self, taken: list[tuple[Generation, int, int]]) -> None:
        context = self._require_context()
        for sequence, begin, size in taken:
            if size < len(sequence.pending):
                sequence.length += size
                del sequence.pending[:size]
                continue
            guesses = sequence.guesses
            rows: list[Logits] = [
                context.logits(begin + index) for index in range(size - guesses - 1, size)
            ]
            is_ahead = sequence.receive(rows)
            if is_ahead and sequence.finish is None:
                context.trim_sequence(sequence.slot, sequence.length)

    def _collect(self) -> tuple[Completion, ...]:
        done = [sequence for sequence in self._live if sequence.finish is not None]
        for sequence in done:
            self._live.remove(sequence)
            self._require_context().trim_sequence(sequence.slot, 0)
            self._slots.append(sequence.slot)
            sequence.close()
        return tuple(sequence.completion() for sequence in done)


def _matcher_program(constraint: ConstraintGrammar) -> Program | None:
    # Token terminals are about tokens, not text: our matcher cannot follow them.
    from gbnfc.engine.terminals import has_token_terminals
    from gbnfc.match import compile_matcher

    if has_token_terminals(constraint.grammar):
        return None
    return compile_matcher(constraint.grammar)


def _within(job: Job, room: int) -> Job:
    return job if job.max_tokens <= room else replace(job, max_tokens=room)


def _common_prefix(sequences: list[list[int]]) -> list[int]:
    size = 0
    for column in zip(*sequences, strict=False):
        if len(set(column)) > 1:
            break
        size += 1
    return sequences[0][:size] if sequences else []


def too_long(needed: int, window: int, trained: int) -> str:
    """Return the message for a prompt of `needed` tokens that does not fit `window`."""
    more = f", up to {trained:,} with --context" if trained > window else ""
    return (
        f"the document needs {needed:,} tokens with its prompt, the window is {window:,}"
        f"{more}; shorten it, or split it with --chunk auto"
    )
