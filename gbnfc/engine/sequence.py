"""One text being written: its place in the cache, its grammar states, what it wants decoded.

In: a job and, step by step, the logits of its pending tokens. Out: pending tokens, and at the end a
`Completion`. Two grammar states move together: llama.cpp's (which tokens) and our matcher's (which
text is forced, whether the text can end).
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gbnfc.engine.base import Completion, Finish, Job, Stats, TokenScore
from gbnfc.engine.drafts import guess_ahead
from gbnfc.engine.forms import Form
from gbnfc.engine.repeats import Evidence, RepeatGuard, shortened
from gbnfc.engine.sampling import Chooser, score
from gbnfc.errors import EngineError
from gbnfc.match import Matcher

if TYPE_CHECKING:
    from collections.abc import Sequence as SequenceOf

    from gbnfc.engine.llama import Logits, Model, TokenGrammar
    from gbnfc.match import Program

_FORCED_CHARS = 4096
_DRAFT_CHARS = 40
_FIRST_DRAFT, _MAX_DRAFT_LENGTH = 8, 24
_MAX_PAUSE = 8
_SEARCHED = 4096
"""The end of the answer in which repetitions are looked for, in characters."""


@dataclass(frozen=True, slots=True)
class DecodingOptions:
    """What a sequence may do beyond plain masked decoding."""

    forced_text: bool = True
    drafts: bool = True


class Generation:
    """A job in flight in cache sequence `slot`. `length` counts its tokens in the cache."""

    def __init__(
        self,
        job: Job,
        slot: int,
        prompt: list[int],
        cached: int,
        model: Model,
        grammar: TokenGrammar,
        program: Program | None,
        chooser: Chooser,
        decoding: DecodingOptions,
        stats: Stats,
    ) -> None:
        self.job, self.slot = job, slot
        self.length = cached
        self.pending = prompt[cached:]
        self.guesses = 0
        self._held: int | None = None
        self._draft_size = _FIRST_DRAFT
        self._pause = self._steps_to_pause = 0
        self.finish: Finish | None = None
        self.prompt_tokens = len(prompt)
        self._model, self._program = model, program
        self._unused_grammar, self._grammar = grammar, grammar.copy(model)
        self._matcher = None if program is None else Matcher(program)
        self._chooser, self._habits, self._stats = chooser, decoding, stats
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._parts: list[str] = []
        self._chars = 0
        self._before_answer = list(prompt)
        self._tokens: list[int] = []
        self._ends: list[int | None] = []
        """Behind which character each token of the answer ends; None: inside of one."""
        self._answer_at = 0
        self._ended_lists: list[int] = []
        self._guard: RepeatGuard | None = None
        self._form = Form(job.form) if job.form and program is not None else None
        self._thoughts: list[int] | None = [] if job.think else None
        self._scores: list[TokenScore] = []
        if job.think is None:
            self._begin_answer()

    @property
    def written_tokens(self) -> int:
        """The tokens of the answer."""
        return len(self._tokens)

    # --- what to decode -------------------------------------------------------------------------

    @property
    def first_wanted(self) -> int:
        """The index in `pending` from which on logits are needed."""
        return len(self.pending) - 1 - self.guesses

    def add_guesses(self, room: int, *, copies: bool) -> None:
        """Append to `pending` up to `room` tokens that the model will probably choose.

        The last token of forced text, which was left to the model; with `copies` also what a copy
        from the source text would go on with. Right guesses cost nothing: their tokens and logits
        are needed anyway.
        """
        can_guess = self._habits.drafts and self._thoughts is None and self._model.can_trim
        room = min(room, self.job.max_tokens - self.written_tokens - 1)
        if not can_guess or room < 1 or not self.pending:
            return
        if self._held is not None:
            guesses = [self._held]
        elif copies and len(self.pending) == 1:
            if self._steps_to_pause:
                self._steps_to_pause -= 1
                return
            guesses = self._copied_tokens()[: min(self._draft_size, room)]
        else:
            return
        self.pending += guesses
        self.guesses = len(guesses)
        self._stats.drafted += len(guesses)

    def _copied_tokens(self) -> list[int]:
        if self._matcher is None or self._is_mid_character():
            return []
        text = guess_ahead(self._tail(), self.job.source_text, self._matcher, _DRAFT_CHARS)
        return self._model.tokenize(text) if text else []

    def _tail(self) -> str:
        self._parts = ["".join(self._parts)]
        return self._parts[0][-_SEARCHED:]

    # --- what came back -------------------------------------------------------------------------

    def receive(self, rows: list[Logits]) -> bool:
        """Take the logits of the last `guesses + 1` pending tokens, now in the cache.

        Returns whether the cache may hold more than is wanted of it, `length` tokens.
        """
        guesses = self.pending[len(self.pending) - self.guesses :] if self.guesses else []
        copied = self._held is None
        self.length += len(self.pending) - len(guesses)
        self.pending, self.guesses = [], 0
        right = 0
        while not self.pending:
            self._take(rows[right])
            if self.finish is not None:
                break
            # What was guessed is in the cache already: the model's choice, and what was forced
            # behind it.
            known = _common_length(self.pending, guesses[right:])
            del self.pending[:known]
            self.length += known
            right += known
            if self._form_goes_on() is not None:
                break
            if self._guard is not None and self._guard.ending is not None:
                break
        self._stats.drafts_kept += right
        if guesses and copied:
            self._adapt(right, len(guesses))
        is_cut = self._end_repeating_list() or self._return_to_form()
        return bool(guesses) or is_cut

    def _adapt(self, right: int, guessed: int) -> None:
        # A wrong draft costs half a step: where one fails after the other, they pause.
        size = self._draft_size * 2 if right == guessed else self._draft_size // 2
        self._draft_size = min(_MAX_DRAFT_LENGTH, max(2, size))
        self._pause = 0 if right else min(_MAX_PAUSE, max(1, 2 * self._pause))
        self._steps_to_pause = self._pause

    def _take(self, row: Logits) -> None:
        if self._thoughts is not None:
            self._think(row)
            return
        self._held = None
        token = self._chooser.choose(row, self._grammar)
        if self.job.want_scores:
            self._note_score(row, token)
        if self._model.is_end(token):
            self.finish = Finish.STOP
            return
        self._grammar.accept(token)
        self._write(token)
        self.pending = [token]
        self._settle()

    def _note_score(self, row: Logits, token: int) -> None:
        mask = self._chooser.full_mask(len(row), self._grammar)
        probability, pressure = score(row, mask, token)
        size = len(self._model.piece(token).decode("utf-8", "ignore"))
        self._scores.append(TokenScore(self._chars, self._chars + size, probability, pressure))

    def _write(self, token: int) -> None:
        text = self._decoder.decode(self._model.piece(token))
        self._chars += len(text)
        self._tokens.append(token)
        self._ends.append(None if self._is_mid_character() else self._chars)
        if not text:
            return
        self._parts.append(text)
        if self._matcher is not None and not self._matcher.advance(text):
            raise EngineError(
                "llama.cpp and the matcher disagree about the grammar behind "
                f"{self._tail()[-64:]!r}",
                hint="please report this grammar",
            )
        if self._guard is not None:
            self._guard.write(text)

    def _settle(self) -> None:
        # After each written token: end when nothing else is possible, write what is known.
        if self._matcher is not None and not self._is_mid_character():
            if not self._write_known(self._matcher) or self.finish is not None:
                return
            if self._matcher.must_end():
                self.finish = Finish.STOP
                return
        if self.written_tokens >= self.job.max_tokens:
            self._run_out()

    def _write_known(self, matcher: Matcher) -> bool:
        """Write what the form gives and the grammar forces, by turns, as long as there is any.

        Returns whether the form and the text agree.
        """
        while self._program is None or self._write_given(matcher, self._program):
            if self._habits.forced_text and self.finish is None:
                self._write_forced(matcher)
            if self.finish is not None or self._form_goes_on() is None:
                return True
        return False

    def _is_mid_character(self) -> bool:
        return bool(self._decoder.getstate()[0])

    def _write_forced(self, matcher: Matcher) -> None:
        text = matcher.forced_text(limit=_FORCED_CHARS)
        if not text:
            return
        after = matcher.copy()
        after.advance(text)
        ends = after.must_end()
        tokens = self._model.tokenize(text)
        # The last token is left to the model, so that it may merge with what follows; at the very
        # end nothing follows, and nothing needs decoding.
        for token in tokens if ends else tokens[:-1]:
            if self.written_tokens >= self.job.max_tokens or not self._grammar.allows(token):
                return
            self._grammar.accept(token)
            self._write(token)
            self.pending.append(token)
            self._stats.forced += 1
        self._held = None if ends else tokens[-1]

    def _run_out(self) -> None:
        self.finish = Finish.LENGTH
        if self.job.close_on_length and self._matcher is not None and not self._is_mid_character():
            rest = self._matcher.shortest_completion()
            if rest is not None:
                self._parts.append(rest)
                self.finish = Finish.CLOSED

    # --- lists that repeat ----------------------------------------------------------------------

    def _end_repeating_list(self) -> bool:
        """End the list that the guard has found to repeat, where the grammar allows it.

        What was written behind its end is taken back; returns whether it was.
        """
        guard, program = self._guard, self._program
        if guard is None or program is None or guard.ending is None:
            return False
        wanted = shortened("".join(self._parts), guard.ending, program)
        guard.ending = None
        if wanted is None:
            return False
        self._guard = None
        self._take_back(wanted, program)
        self._guard = guard
        guard.restart(wanted)
        bracket = len(wanted) - 1
        self._ended_lists = [*(at for at in self._ended_lists if at < bracket), bracket]
        self._settle()
        return True

    def _take_back(self, wanted: str, program: Program) -> None:
        """Write `wanted` instead of what was written, with the same tokens as far as they go."""
        common = _common_length("".join(self._parts), wanted)
        fitting = [i for i, end in enumerate(self._ends, 1) if end is not None and end <= common]
        kept = fitting[-1] if fitting else 0
        tokens, chars = self._tokens[:kept], self._ends[kept - 1] or 0 if kept else 0
        self.pending = tokens[self.length - self._answer_at :]
        self.length = min(self.length, self._answer_at + kept)
        if not self._model.can_trim:  # all or nothing: the prompt is decoded once more
            self.pending, self.length = [*self._before_answer, *tokens], 0
        self._grammar.close()
        self._grammar = self._unused_grammar.copy(self._model)
        self._matcher = Matcher(program)
        self._decoder.reset()
        self._parts, self._tokens, self._ends, self._chars = [], [], [], 0
        self._scores = [score for score in self._scores if score.start < chars]
        self._held, self.finish = None, None
        for token in tokens:
            self._grammar.accept(token)
            self._write(token)
        self._write_all(wanted[chars:])

    def _write_all(self, text: str) -> None:
        self._held = None
        for token in self._model.tokenize(text):
            if not self._grammar.allows(token):
                raise EngineError(
                    f"the grammar refuses {text[-64:]!r} behind {self._tail()[-64:]!r}"
                )
            self._grammar.accept(token)
            self._write(token)
            self.pending.append(token)

    # --- forms ----------------------------------------------------------------------------------

    def _form_goes_on(self) -> str | None:
        """Return what is to stand in place of the text, where the form has a part for it now."""
        return None if self._form is None else self._form.continued("".join(self._parts))

    def _write_given(self, matcher: Matcher, program: Program) -> bool:
        """Write what is given here; return whether the form and the text agree.

        Where the grammar refuses what is given behind the new value, the model goes on alone.
        """
        while self._form is not None and (wanted := self._form_goes_on()) is not None:
            written = "".join(self._parts)
            if not Matcher(program).advance(wanted):
                self._form = None
            elif wanted.startswith(written):
                self._write_all(wanted[len(written) :])
                self._note_given(self._form, wanted, matcher)
            elif written.startswith(wanted):
                self._note_given(self._form, wanted, matcher)
            else:
                return False
        return True

    def _return_to_form(self) -> bool:
        """Take back what the model wrote behind a blank, for what is given there.

        Returns whether it was.
        """
        form, program, wanted = self._form, self._program, self._form_goes_on()
        if form is None or program is None or wanted is None:
            return False
        self._take_back(wanted, program)
        self._note_given(form, wanted, self._matcher)
        if self.finish is None:
            self._settle()
        return True

    def _note_given(self, form: Form, text: str, matcher: Matcher | None) -> None:
        form.give(text)
        if form.is_full and matcher is not None and matcher.can_end():
            self.finish = Finish.STOP

    # --- thoughts -------------------------------------------------------------------------------

    def _think(self, row: Logits) -> None:
        think, thoughts = self.job.think, self._thoughts
        if think is None or thoughts is None:
            return
        token = self._chooser.choose(row, None)
        if not self._model.is_end(token):
            thoughts.append(token)
            self.pending = [token]
        text = self.thoughts
        stopped = any(stop in text for stop in think.stop)
        if self._model.is_end(token) or stopped or len(thoughts) >= think.max_tokens:
            bridge = think.after_stop if stopped else think.bridge
            behind = self._model.tokenize(bridge, special=True)
            self.pending += behind
            self._before_answer += [*thoughts, *behind]
            self._done_thoughts = text
            self._thoughts = None
            self._begin_answer()

    _done_thoughts = ""

    @property
    def thoughts(self) -> str:
        """What was thought before the answer."""
        if self._thoughts is None:
            return self._done_thoughts
        raw = b"".join(self._model.piece(token) for token in self._thoughts)
        return raw.decode("utf-8", "replace")

    def _begin_answer(self) -> None:
        self._answer_at = self.length + len(self.pending)
        if self.job.stop_repeats and self._program is not None:
            self._guard = RepeatGuard(Evidence(self.job.source_text, self.job.known_values))
        # A prompt may end in forced text right away: the opening brace and the first key.
        self._settle()

    # --- the end --------------------------------------------------------------------------------

    def completion(self) -> Completion:
        """Return the finished text. Only valid once `finish` is set."""
        if self.finish is None:
            raise ValueError("the sequence is not finished")
        return Completion(
            key=self.job.key,
            text="".join(self._parts),
            finish=self.finish,
            prompt_tokens=self.prompt_tokens,
            written_tokens=self.written_tokens,
            thoughts=self.thoughts,
            scores=tuple(self._scores),
            ended_lists=tuple(self._ended_lists),
        )

    def close(self) -> None:
        """Free the grammar state."""
        self._grammar.close()


def _common_length(left: SequenceOf[object], right: SequenceOf[object]) -> int:
    size = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        size += 1
    return size
