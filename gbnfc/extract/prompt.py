"""What the model is told. In: a schema, a document, examples. Out: the turns of a conversation.

The system turn is the same for all documents of a run, so that the engine decodes it once; the
document stands alone in the user turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gbnfc.extract.copied import PromptPart, PromptValues
from gbnfc.extract.schema_summary import chosen_strings, descriptions, show_schema
from gbnfc.extract.template import Turn

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_TASK = "Extract the data from the text as JSON. The form of the JSON is"
_FREE_TASK = "Answer about the user's text in exactly the form that is asked for."
_CHOICE_TASK = "Classify the user's text. Answer with one of:"
_THINK = "First think in a few short sentences, then give the answer."
_RETRY = "This JSON is not valid: {errors}. Write the whole corrected JSON."


@dataclass(frozen=True, slots=True)
class Example:
    """A document and the answer that it should have.

    Of a made one, `invented` are the values in it that no answer has by chance.
    """

    document: str
    answer: str
    invented: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class PromptText:
    """What is said in every conversation of a run. `schema` is None when the answer is no JSON."""

    schema: Any = None
    instruction: str = ""
    system: str = ""
    choices: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()
    think: bool = False

    def turns(
        self,
        document: str,
        refused: Sequence[tuple[str, str]] = (),
        without: Collection[PromptPart] = (),
    ) -> list[Turn]:
        """Return the turns for `document`.

        `refused` holds earlier answers with what is wrong with each. What is in `without` is not
        shown: the model has copied it.
        """
        turns = [Turn("system", self._system_text(without))]
        for example in self.examples:
            if example.invented and PromptPart.EXAMPLE in without:
                continue
            turns += [Turn("user", example.document), Turn("assistant", example.answer)]
        turns.append(Turn("user", document))
        for answer, errors in refused:
            turns += [Turn("assistant", answer), Turn("user", _RETRY.format(errors=errors))]
        return turns

    @property
    def values(self) -> PromptValues:
        """What an answer may be copied from."""
        return PromptValues(
            invented=tuple(value for example in self.examples for value in example.invented),
            descriptions=() if self.schema is None else descriptions(self.schema),
            chosen=chosen_strings(self.schema),
        )

    def _system_text(self, without: Collection[PromptPart]) -> str:
        parts = [self.system, self._task(without), self.instruction, _THINK if self.think else ""]
        return "\n".join(part for part in parts if part)

    def _task(self, without: Collection[PromptPart]) -> str:
        if self.schema is not None:
            is_described = PromptPart.DESCRIPTIONS not in without
            return f"{_TASK} {show_schema(self.schema, is_described=is_described)}"
        if self.choices:
            return "\n".join([_CHOICE_TASK, *(f"- {choice}" for choice in self.choices)])
        return "" if self.instruction else _FREE_TASK
