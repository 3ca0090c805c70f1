"""A model's vocabulary alone, for questions about tokens. In: a model's name. Out: its tokenizer.

Only the vocabulary is read; no weights are loaded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gbnfc.engine.models import find_model

if TYPE_CHECKING:
    from gbnfc.engine.llama import Model


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Turns texts into the tokens of one model. `size` is the number of its tokens."""

    model: Model
    size: int

    def tokenize(self, text: str) -> tuple[int, ...]:
        """Return the tokens of `text`; control tokens such as `<think>` are read as such."""
        return tuple(self.model.tokenize(text, special=True))


def load_vocabulary(name: str) -> Vocabulary:
    """Load the vocabulary of the model that `name` means (see `find_model`).

    Raises:
        EngineError: there is no such model, or it does not load.
    """
    from gbnfc.engine.llama import Model

    model = Model(find_model(name), vocabulary_only=True)
    return Vocabulary(model, model.vocabulary_size)
