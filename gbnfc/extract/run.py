"""The main job: documents in, records out, over any engine.

In: numbered documents. Out: numbered records, in the order they are ready. A document is one job,
or several when it is cut; an answer that the schema refuses is asked for again with the reason, and
of one that holds copies of the prompt only these, without what they were copied from.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from gbnfc.engine.base import Finish, Job
from gbnfc.errors import GbnfcError, InputError
from gbnfc.extract.answer_options import OnLength
from gbnfc.extract.chunks import cut_text
from gbnfc.extract.problems import Checked
from gbnfc.extract.read_ahead import ReadAhead
from gbnfc.extract.record import Record
from gbnfc.extract.record_builder import RecordBuilder, Try, Work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from gbnfc.engine.base import Completion, Engine, Prompt
    from gbnfc.extract.answer_options import AnswerOptions
    from gbnfc.extract.documents import Document
    from gbnfc.extract.prompt import PromptText
    from gbnfc.extract.template import ChatTemplate
    from gbnfc.extract.validate import Validator

_SMALLEST_PIECE = 64
_PATIENCE_S = 0.2
"""How long an idle engine waits for a document before it looks whether to stop."""


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
        self._options, self._is_json = answer_options, is_json
        self._builder = RecordBuilder(
            validator, prompt_text, answer_options, is_json=is_json, window=engine.window
        )
        self._should_stop: Callable[[], bool] = lambda: False
        self._ready: deque[tuple[Work, int]] = deque()
        self._jobs: dict[int, tuple[Work, int]] = {}
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
        work = Work(
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

    def _prompt(self, text: str, refused: Sequence[Try] = ()) -> Prompt:
        # Told that it has copied, a small model copies again: what it copied is not shown again,
        # nor the answer that holds it.
        told = [(refusal.answer.text, refusal.said) for refusal in refused if not refusal.copied]
        without = frozenset(part for refusal in refused for part in refusal.copied)
        return self._template.prompt(self._prompt_text.turns(text, told, without))

    def _submit(self, work: Work, piece: int) -> None:
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
                want_scores=self._builder.wants_scores,
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
            verdict = self._builder.judge(completion.text, work.pieces[piece])
            if verdict.problems and self._may_retry(refused, completion.text):
                refused.append(Try(completion, verdict))
                self._ready.appendleft((work, piece))
                return
        best = self._builder.best([*refused, Try(completion, verdict)], work.pieces[piece])
        work.answers[piece], work.verdicts[piece] = best.answer, best.verdict
        work.replaced[piece] = best.replaced
        if work.is_complete:
            yield work.index, self._builder.record(work)

    def _may_retry(self, refused: list[Try], answer: str) -> bool:
        if self._options.is_greedy and any(answer == told.answer.text for told in refused):
            return False  # having been told why, it gave the same again, and would do so once more
        return len(refused) < self._options.retries
