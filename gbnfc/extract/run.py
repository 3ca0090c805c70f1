"""The main job: documents in, records out, over any engine.

In: numbered documents. Out: numbered records, in the order they are ready. A document is one job,
or several when it is cut; an answer that the schema refuses is asked for again with the reason, and
of one that holds copies of the prompt only these, without what they were copied from.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gbnfc.engine.base import Completion, Finish, Job, Prompt
from gbnfc.errors import GbnfcError, InputError
from gbnfc.extract.answer_options import AnswerOptions, OnLength
from gbnfc.extract.chunks import Merged, cut_text, merge_answers
from gbnfc.extract.confidence import FieldScore, forced_against, score_fields, score_text
from gbnfc.extract.copied import CopiedValue, PromptPart, without_copies
from gbnfc.extract.problems import Checked, Problem
from gbnfc.extract.read_ahead import ReadAhead
from gbnfc.extract.record import Record
from gbnfc.extract.spans import text_around, value_spans

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from gbnfc.engine.base import Engine
    from gbnfc.extract.documents import Document
    from gbnfc.extract.prompt import PromptText
    from gbnfc.extract.template import ChatTemplate
    from gbnfc.extract.validate import Validator

_SMALLEST_PIECE = 64
_PATIENCE_S = 0.2
"""How long an idle engine waits for a document before it looks whether to stop."""


@dataclass(frozen=True, slots=True)
class _Try:
    """A try: an answer that was asked for again, or the last one."""

    answer: Completion
    verdict: Checked
    replaced: tuple[str, ...] = ()
    """The pointers of values that are other tries'."""

    @property
    def said(self) -> str:
        """Why, as the model is told."""
        return "; ".join(map(str, self.verdict.problems[:3]))

    @property
    def copied(self) -> frozenset[PromptPart]:
        """What of the prompt it had copied."""
        problems = self.verdict.problems
        return frozenset(p.source for p in problems if isinstance(p, CopiedValue))

    @property
    def form(self) -> tuple[str, ...]:
        """The answer around what it had copied, if that is all that is wrong with it."""
        problems = self.verdict.problems
        if not all(isinstance(problem, CopiedValue) for problem in problems):
            return ()
        return text_around(self.answer.text, {problem.pointer for problem in problems})


@dataclass(slots=True)
class _Work:
    """A document on its way: its pieces' answers, and what was tried for each piece."""

    index: int
    document: Document
    pieces: tuple[str, ...]
    answers: list[Completion | None]
    verdicts: list[Checked]
    refused: list[list[_Try]]
    replaced: list[tuple[str, ...]]

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
        answer_options: AnswerOptions,
        *,
        is_json: bool = True,
    ) -> None:
        self._engine, self._template, self._prompt_text = engine, template, prompt_text
        self._validator, self._options, self._is_json = validator, answer_options, is_json
        # Of a choice, every model wishes to write something else first.
        self._is_free = not is_json and not prompt_text.choices
        self._should_stop: Callable[[], bool] = lambda: False
        self._ready: deque[tuple[_Work, int]] = deque()
        self._jobs: dict[int, tuple[_Work, int]] = {}
        self._next_key = 0
        self._prompt_values = prompt_text.values

    def run(
        self,
        documents: Iterable[tuple[int, Document]] | ReadAhead[tuple[int, Document]],
        *,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> Iterator[tuple[int, Record]]:
        """Yield a record for each document, as soon as it is ready.

        Documents are read only when there is room for them; for live ones that are still to come
        only an idle engine waits. Stops after the current step when `should_stop` says so; what is
        unfinished then yields nothing.
        """
        self._should_stop = should_stop
        self._engine.share_prefix((self._prompt("a"), self._prompt("0 b")))
        source = documents if isinstance(documents, ReadAhead) else iter(documents)
        while not self._should_stop():
            yield from self._admit(source)
            if self._engine.is_idle:
                if isinstance(source, ReadAhead) and not source.is_over:
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
            if self._options.chunking.mode == "none":
                raise self._too_long(f"about {beyond:,}", window)
            return beyond, self._pieces(document.text, beyond)
        needed = self._engine.count_tokens(self._prompt(document.text))
        return needed, self._pieces(document.text, needed)

    # --- in -------------------------------------------------------------------------------------

    def _admit(
        self, source: Iterator[tuple[int, Document]] | ReadAhead[tuple[int, Document]]
    ) -> Iterator[tuple[int, Record]]:
        while self._engine.has_room and not self._should_stop():
            if not self._ready:
                if isinstance(source, ReadAhead):
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
            verdicts=[Checked(None, None)] * size,
            refused=[[] for _ in pieces],
            replaced=[()] * size,
        )
        self._ready.extend((work, piece) for piece in range(size))
        return None

    def _pieces(self, text: str, needed: int) -> tuple[str, ...]:
        chunking, window = self._options.chunking, self._engine.window
        around = self._engine.count_tokens(self._prompt(""))
        room = window - around - min(self._options.max_tokens, window // 4)
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
        return min(self._options.max_tokens, 64)

    def _too_long(self, needed: str, window: int) -> InputError:
        return InputError(
            f"the document is too long: it needs {needed} tokens with its prompt and "
            f"{self._least_answer} or more for the answer, the window is {window:,}",
            hint="split it with --chunk auto, or use a larger --context (the model's own limit "
            "counts)",
        )

    def _prompt(self, text: str, refused: Sequence[_Try] = ()) -> Prompt:
        # Told that it has copied, a small model copies again: what it copied is not shown again,
        # nor the answer that holds it.
        told = [(refusal.answer.text, refusal.said) for refusal in refused if not refusal.copied]
        without = frozenset(part for refusal in refused for part in refusal.copied)
        return self._template.prompt(self._prompt_text.turns(text, told, without))

    def _submit(self, work: _Work, piece: int) -> None:
        key = self._next_key
        self._next_key += 1
        self._jobs[key] = (work, piece)
        refused = work.refused[piece]
        form = refused[-1].form if refused else ()
        self._engine.submit(
            Job(
                key=key,
                prompt=self._prompt(work.pieces[piece], refused),
                max_tokens=self._options.max_tokens,
                source_text=work.pieces[piece],
                close_on_length=self._options.on_length is OnLength.CLOSE,
                think=self._options.think,
                want_scores=self._options.confidence or self._is_free,
                seed_offset=(work.index * 1000 + piece) * 100 + len(refused),
                stop_repeats=self._options.stop_repeats and self._is_json and not form,
                known_values=self._prompt_values.chosen,
                form=form,
            )
        )

    # --- out ------------------------------------------------------------------------------------

    def _receive(self, completion: Completion) -> Iterator[tuple[int, Record]]:
        work, piece = self._jobs.pop(completion.key)
        refused = work.refused[piece]
        if completion.finish is Finish.LENGTH:
            verdict = Checked(None, None)
        else:
            verdict = self._judge(completion.text, work.pieces[piece])
            if verdict.problems and self._may_retry(refused, completion.text):
                refused.append(_Try(completion, verdict))
                self._ready.appendleft((work, piece))
                return
        best = self._best([*refused, _Try(completion, verdict)], work.pieces[piece])
        work.answers[piece], work.verdicts[piece] = best.answer, best.verdict
        work.replaced[piece] = best.replaced
        if work.is_complete:
            yield work.index, self._record(work)

    def _judge(self, text: str, document: str) -> Checked:
        from gbnfc.extract.validate import read_answer

        if not self._is_json:
            return Checked(text, text)
        try:
            data = read_answer(text)
        except (ValueError, RecursionError) as error:
            return Checked(None, None, (Problem("", f"not JSON: {error}"),))
        return self._with_copies(self._validator.judge(data), document)

    def _with_copies(self, verdict: Checked, document: str) -> Checked:
        """Return `verdict` with a problem for each value that is none of the document's."""
        copied = tuple(self._prompt_values.copied(verdict.data, document))
        if not copied:
            return verdict
        return replace(verdict, output=verdict.data, problems=(*verdict.problems, *copied))

    def _may_retry(self, refused: list[_Try], answer: str) -> bool:
        if self._options.is_greedy and any(answer == told.answer.text for told in refused):
            return False  # having been told why, it gave the same again, and would do so once more
        return len(refused) < self._options.retries

    def _best(self, tries: list[_Try], document: str) -> _Try:
        """Return the answer that counts: a whole one, with the fewest problems.

        Where values of the first were copied from the prompt, the first counts with those values
        taken from later tries: they were asked for because of these alone, without the example, and
        written into the rest of it.
        """
        whole = [found for found in tries if found.answer.finish is not Finish.LENGTH]
        if not whole:
            return tries[-1]
        mended = without_copies([found.verdict for found in whole])
        if mended is not None:
            data, replaced = mended
            verdict = self._with_copies(self._validator.judge(data), document)
            whole.append(_Try(whole[0].answer, verdict, replaced))
        return min(reversed(whole), key=lambda found: len(found.verdict.problems))

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
        verdict = work.verdicts[0]
        merged = Merged(verdict.data, origins=(("", 0, ""),))
        if len(answers) > 1:
            merged = merge_answers([found.data for found in work.verdicts])
            verdict = self._judge_whole(merged.data, work)
            base.extra["chunks"] = len(answers)
            base.extra["conflicts"] = [
                {"pointer": pointer, "value": value} for pointer, value in merged.conflicts
            ]
        repeated = self._repeated(answers, merged)
        if repeated:
            base.extra["repeated"] = repeated
        asked = [merged.place(n, at) for n, found in enumerate(work.replaced) for at in found]
        if asked:
            base.extra["asked_again"] = asked
        if self._options.confidence:
            base.extra.update(self._confidence(answers, merged, work.replaced))
        if self._is_free:
            base.extra.update(forced_against(answers))
        return replace(
            base,
            data=verdict.output,
            finish=finish,
            errors=tuple(map(str, verdict.problems)),
            valid=not verdict.problems and verdict.fault is None,
            error=verdict.fault,
        )

    def _judge_whole(self, merged: Any, work: _Work) -> Checked:
        """Return what is thought of an answer that was put together from those of the pieces."""
        verdict = self._with_copies(self._validator.judge(merged), work.document.text)
        if self._validator.model is not None:
            return verdict  # a class speaks of the whole: a piece need not add up
        told = [
            problem
            for piece in work.verdicts
            for problem in piece.problems
            if not isinstance(problem, CopiedValue)
        ]
        return replace(verdict, problems=(*told, *verdict.problems))

    def _length_error(self, answers: list[Completion]) -> str:
        written = max(answer.written_tokens for answer in answers)
        limit = self._options.max_tokens
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
        if self._options.think is None:
            return {}
        return {"thoughts": "\n".join(answer.thoughts for answer in answers)}

    def _repeated(self, answers: list[Completion], merged: Merged) -> list[str]:
        """Return the pointers of lists that were ended because they repeated themselves."""
        found: dict[str, None] = {}
        for number, answer in enumerate(answers):
            ends = [offset + 1 for offset in answer.ended_lists]
            if ends and answer.finish is not Finish.LENGTH:
                spans = value_spans(answer.text)
                found |= {merged.place(number, at): None for at, _, end in spans if end in ends}
        return list(found)

    def _confidence(
        self, answers: list[Completion], merged: Merged, replaced: list[tuple[str, ...]]
    ) -> dict[str, Any]:
        """Return how sure the model was of each value, under its pointer in the merged answer.

        Values that replaced a copy of the prompt were written behind others: they have no score.
        """
        scored = [
            [score for score in self._scores(answer) if score.pointer not in others]
            for answer, others in zip(answers, replaced, strict=True)
        ]
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
        floor = self._options.review_below
        if floor is not None:
            unsure = [field.pointer for field in fields if field.probability < floor]
            others = [merged.place(n, at) for n, found_at in enumerate(replaced) for at in found_at]
            found["review"] = [*unsure, *others]
        return found

    def _scores(self, answer: Completion) -> tuple[FieldScore, ...]:
        if answer.finish is not Finish.STOP:
            return ()
        if not self._is_json:
            return (score_text(answer.scores),)
        return score_fields(answer.text, answer.scores)
