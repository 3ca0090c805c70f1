"""The main job: documents in, records out, over any engine.

In: numbered documents. Out: numbered records, in the order they are ready. A document is one job,
or several when it is cut; an answer that the schema refuses is asked for again with the reason.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from gbnfc.engine.base import Completion, Finish, Job, Prompt, Think
from gbnfc.errors import GbnfcError, InputError
from gbnfc.extract.chunks import Chunking, Merged, cut_text, merge_answers
from gbnfc.extract.confidence import FieldScore, forced_against, score_fields, score_text
from gbnfc.extract.live import Live
from gbnfc.extract.record import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gbnfc.engine.base import Engine
    from gbnfc.extract.documents import Document
    from gbnfc.extract.prompt import PromptText
    from gbnfc.extract.template import ChatTemplate
    from gbnfc.extract.validate import Problem, Validator

_SMALLEST_PIECE = 64
_PATIENCE_S = 0.2
"""How long an idle engine waits for a document before it looks whether to stop."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a user asks of every document. `review_below` marks records with a less sure field.

    `is_greedy` tells that no chance is at work: the same question gets the same answer.
    """

    max_tokens: int = 1024
    retries: int = 2
    is_greedy: bool = False
    close_on_length: bool = False
    chunking: Chunking = field(default_factory=Chunking)
    think: Think | None = None
    confidence: bool = False
    review_below: float | None = None


@dataclass(slots=True)
class _Work:
    """A document on its way: its pieces' answers, and what was tried for each piece."""

    index: int
    document: Document
    pieces: tuple[str, ...]
    answers: list[Completion | None]
    data: list[Any]
    problems: list[tuple[Problem, ...]]
    refused: list[list[tuple[str, str]]]

    @property
    def is_complete(self) -> bool:
        return all(answer is not None for answer in self.answers)


class Extraction:
    """Runs documents through an engine. `is_json` tells whether answers are JSON or plain text."""

    def __init__(
        self,
        engine: Engine,
        template: ChatTemplate,
        prompt_text: PromptText,
        validator: Validator,
        wishes: Wishes,
        *,
        is_json: bool = True,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self._engine, self._template, self._prompt_text = engine, template, prompt_text
        self._validator, self._wishes, self._is_json = validator, wishes, is_json
        # Of a choice, every model wishes to write something else first.
        self._is_free = not is_json and not prompt_text.choices
        self._should_stop = should_stop
        self._ready: deque[tuple[_Work, int]] = deque()
        self._jobs: dict[int, tuple[_Work, int]] = {}
        self._next_key = 0

    def run(
        self, documents: Iterable[tuple[int, Document]] | Live[tuple[int, Document]]
    ) -> Iterator[tuple[int, Record]]:
        """Yield a record for each document, as soon as it is ready.

        Documents are read only when there is room for them; for live ones that are still to come
        only an idle engine waits. Stops after the current step when `should_stop` says so; what is
        unfinished then yields nothing.
        """
        self._engine.share_prefix((self._prompt("a"), self._prompt("0 b")))
        source = documents if isinstance(documents, Live) else iter(documents)
        while not self._should_stop():
            yield from self._admit(source)
            if self._engine.is_idle:
                if isinstance(source, Live) and not source.is_over:
                    continue
                return
            for completion in self._engine.step():
                yield from self._receive(completion)

    def plan(self, document: Document) -> tuple[int, tuple[str, ...]]:
        """Return the tokens that `document` needs with its prompt, and the pieces it is cut into.

        Of a document far beyond the window the number is an estimate.

        Raises:
            InputError: it does not fit, and may not be cut.
        """
        window = self._engine.window
        beyond = self._engine.estimate_beyond(document.text, window)
        if beyond is not None:
            if self._wishes.chunking.mode == "none":
                raise self._too_long(f"about {beyond:,}", window)
            return beyond, self._pieces(document.text, beyond)
        needed = self._engine.count_tokens(self._prompt(document.text))
        return needed, self._pieces(document.text, needed)

    # --- in -------------------------------------------------------------------------------------

    def _admit(
        self, source: Iterator[tuple[int, Document]] | Live[tuple[int, Document]]
    ) -> Iterator[tuple[int, Record]]:
        while self._engine.has_room and not self._should_stop():
            if not self._ready:
                if isinstance(source, Live):
                    following = source.poll(_PATIENCE_S if self._engine.is_idle else 0)
                else:
                    following = next(source, None)
                if following is None:
                    return
                failed = self._prepare(*following)
                if failed is not None:
                    yield following[0], failed
                continue
            work, piece = self._ready.popleft()
            self._submit(work, piece)

    def _prepare(self, index: int, document: Document) -> Record | None:
        if document.error is not None:
            return Record(document.source, error=document.error)
        try:
            _, pieces = self.plan(document)
        except GbnfcError as error:
            return Record(document.source, error=str(error))
        size = len(pieces)
        work = _Work(
            index,
            document,
            pieces,
            answers=[None] * size,
            data=[None] * size,
            problems=[()] * size,
            refused=[[] for _ in pieces],
        )
        self._ready.extend((work, piece) for piece in range(size))
        return None

    def _pieces(self, text: str, needed: int) -> tuple[str, ...]:
        chunking, window = self._wishes.chunking, self._engine.window
        around = self._engine.count_tokens(self._prompt(""))
        room = window - around - min(self._wishes.max_tokens, window // 4)
        if chunking.tokens is None and needed - around <= room:
            return (text,)
        if chunking.tokens is None and chunking.mode != "auto":
            self._check_fits(needed, window)
            return (text,)
        if room < _SMALLEST_PIECE:
            raise InputError(
                f"the window of {window:,} tokens is too small for the prompt ({around:,})",
                hint="use a larger --context or a smaller schema",
            )
        budget = min(chunking.tokens or room, room)
        return cut_text(
            text, budget, lambda part: self._engine.count_tokens(self._prompt(part)) - around
        )

    def _check_fits(self, needed: int, window: int) -> None:
        if needed + self._least_answer > window:
            raise self._too_long(f"{needed:,}", window)

    @property
    def _least_answer(self) -> int:
        return min(self._wishes.max_tokens, 64)

    def _too_long(self, needed: str, window: int) -> InputError:
        return InputError(
            f"the document is too long: it needs {needed} tokens with its prompt and "
            f"{self._least_answer} or more for the answer, the window is {window:,}",
            hint="split it with --chunk auto, or use a larger --context (the model's own limit "
            "counts)",
        )

    def _prompt(self, text: str, refused: list[tuple[str, str]] | None = None) -> Prompt:
        return self._template.prompt(self._prompt_text.turns(text, refused or []))

    def _submit(self, work: _Work, piece: int) -> None:
        key = self._next_key
        self._next_key += 1
        self._jobs[key] = (work, piece)
        tries = len(work.refused[piece])
        self._engine.submit(
            Job(
                key=key,
                prompt=self._prompt(work.pieces[piece], work.refused[piece]),
                max_tokens=self._wishes.max_tokens,
                source_text=work.pieces[piece],
                close_on_length=self._wishes.close_on_length,
                think=self._wishes.think,
                want_scores=self._wishes.confidence or self._is_free,
                seed_offset=(work.index * 1000 + piece) * 100 + tries,
            )
        )

    # --- out ------------------------------------------------------------------------------------

    def _receive(self, completion: Completion) -> Iterator[tuple[int, Record]]:
        work, piece = self._jobs.pop(completion.key)
        if completion.finish is not Finish.LENGTH:
            data, problems = self._judge(completion.text)
            if problems and self._may_retry(work, piece, completion.text):
                said = "; ".join(map(str, problems[:3]))
                work.refused[piece].append((completion.text, said))
                self._ready.appendleft((work, piece))
                return
            work.data[piece], work.problems[piece] = data, problems
        work.answers[piece] = completion
        if work.is_complete:
            yield work.index, self._record(work)

    def _judge(self, text: str) -> tuple[Any, tuple[Problem, ...]]:
        from gbnfc.extract.validate import Problem, read_answer

        if not self._is_json:
            return text, ()
        try:
            data = read_answer(text)
        except (ValueError, RecursionError) as error:
            return None, (Problem("", f"not JSON: {error}"),)
        return data, self._validator.check(data)

    def _may_retry(self, work: _Work, piece: int, answer: str) -> bool:
        if self._wishes.is_greedy and any(answer == told for told, _ in work.refused[piece]):
            return False  # having been told why, it gave the same again, and would do so once more
        return len(work.refused[piece]) < self._wishes.retries

    def _record(self, work: _Work) -> Record:
        answers = [answer for answer in work.answers if answer is not None]
        base = Record(
            work.document.source,
            tokens=sum(answer.written_tokens for answer in answers),
            retries=sum(map(len, work.refused)),
            extra=self._thoughts(answers),
        )
        if any(answer.finish is Finish.LENGTH for answer in answers):
            return replace(base, finish="length", error=self._length_error(answers))
        finish = "closed" if any(a.finish is Finish.CLOSED for a in answers) else "stop"
        problems = tuple(str(problem) for found in work.problems for problem in found)
        merged = Merged(work.data[0], origins=(("", 0, ""),))
        if len(answers) > 1:
            merged = merge_answers(work.data)
            problems += tuple(map(str, self._validator.check(merged.data)))
            base.extra["chunks"] = len(answers)
            base.extra["conflicts"] = [
                {"pointer": pointer, "value": value} for pointer, value in merged.conflicts
            ]
        if self._wishes.confidence:
            base.extra.update(self._confidence(answers, merged))
        if self._is_free:
            base.extra.update(forced_against(answers))
        return replace(base, data=merged.data, finish=finish, errors=problems, valid=not problems)

    def _length_error(self, answers: list[Completion]) -> str:
        written = max(answer.written_tokens for answer in answers)
        limit = self._wishes.max_tokens
        if written >= limit:
            return (
                f"the answer was cut off at --max-tokens {limit}; "
                "raise it, or use --on-length close"
            )
        return (
            f"the answer was cut off after {written} tokens: the window of "
            f"{self._engine.window:,} tokens is full; use a larger --context or --chunk auto"
        )

    def _thoughts(self, answers: list[Completion]) -> dict[str, Any]:
        if self._wishes.think is None:
            return {}
        return {"thoughts": "\n".join(answer.thoughts for answer in answers)}

    def _confidence(self, answers: list[Completion], merged: Merged) -> dict[str, Any]:
        """Return how sure the model was of each value, under its pointer in the merged answer."""
        scored = [self._scores(answer) for answer in answers]
        fields = [
            replace(score, pointer=pointer + score.pointer.removeprefix(inner))
            for pointer, number, inner in merged.origins
            for score in scored[number]
            if f"{score.pointer}/".startswith(f"{inner}/")
        ]
        found: dict[str, Any] = {
            "confidence": {
                field.pointer: {"probability": field.probability, "pressure": field.pressure}
                for field in fields
            }
        }
        floor = self._wishes.review_below
        if floor is not None:
            found["review"] = [field.pointer for field in fields if field.probability < floor]
        return found

    def _scores(self, answer: Completion) -> tuple[FieldScore, ...]:
        if answer.finish is not Finish.STOP:
            return ()
        if not self._is_json:
            return (score_text(answer.scores),)
        return score_fields(answer.text, answer.scores)
