"""From answers to a record: what is thought of them, which counts, what is told beside the data.

In: the completions of a document's pieces. Out: their verdicts, and one record. Nothing here runs
an engine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gbnfc.engine.base import Completion, Finish
from gbnfc.extract.chunks import Merged, merge_answers
from gbnfc.extract.confidence import FieldScore, forced_against, score_fields, score_text
from gbnfc.extract.copied import CopiedValue, PromptPart, without_copies
from gbnfc.extract.problems import Checked, Problem
from gbnfc.extract.record import Record
from gbnfc.extract.spans import text_around, value_spans

if TYPE_CHECKING:
    from gbnfc.extract.answer_options import AnswerOptions
    from gbnfc.extract.documents import Document
    from gbnfc.extract.prompt import PromptText
    from gbnfc.extract.validate import Validator


@dataclass(frozen=True, slots=True)
class Try:
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
class Work:
    """A document on its way: its pieces' answers, and what was tried for each piece."""

    index: int
    document: Document
    pieces: tuple[str, ...]
    answers: list[Completion | None]
    verdicts: list[Checked]
    refused: list[list[Try]]
    replaced: list[tuple[str, ...]]

    @property
    def is_complete(self) -> bool:
        """Whether every piece has an answer."""
        return all(answer is not None for answer in self.answers)


class RecordBuilder:
    """Judges answers and makes records of them. `window` is the engine's, in tokens."""

    def __init__(
        self,
        validator: Validator,
        prompt_text: PromptText,
        options: AnswerOptions,
        *,
        is_json: bool,
        window: int,
    ) -> None:
        self._validator, self._options, self._window = validator, options, window
        self._is_json = is_json
        # Of a choice, every model wishes to write something else first.
        self._is_free = not is_json and not prompt_text.choices
        self._prompt_values = prompt_text.values

    @property
    def wants_scores(self) -> bool:
        """Whether a record tells of the probabilities of an answer's tokens."""
        return self._options.confidence or self._is_free

    def judge(self, text: str, document: str) -> Checked:
        """Return what is thought of one answer, a whole one."""
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

    def best(self, tries: list[Try], document: str) -> Try:
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
            whole.append(Try(whole[0].answer, verdict, replaced))
        return min(reversed(whole), key=lambda found: len(found.verdict.problems))

    def record(self, work: Work) -> Record:
        """Return the record of a document whose pieces all have an answer."""
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

    def _judge_whole(self, merged: Any, work: Work) -> Checked:
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
            f"{self._window:,} tokens is full; use a larger --context or --chunk auto"
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
