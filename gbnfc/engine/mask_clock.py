"""How long llama.cpp takes to mask a vocabulary under a grammar, measured.

In: a GGUF file (its vocabulary alone is loaded), a grammar text, a text. Out: seconds per token.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gbnfc.engine.llama import TokenGrammar
from gbnfc.engine.load import open_vocabulary
from gbnfc.errors import EngineError

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class MaskTime:
    """The time of one full mask, before the token that starts at the 0-based `offset`."""

    offset: int
    seconds: float


class MaskClock:
    """A vocabulary to mask. Close it, or use it in a `with`."""

    def __init__(self, model_path: Path) -> None:
        import numpy

        self._model = open_vocabulary(model_path)
        self.vocabulary_size = self._model.vocabulary_size
        self._everything: npt.NDArray[np.int32] = numpy.arange(
            self.vocabulary_size, dtype=numpy.int32
        )

    def __enter__(self) -> MaskClock:
        return self

    def __exit__(self, *_: object) -> None:
        self._model.close()

    def time_text(self, grammar: str, text: str, *, repeats: int = 3) -> tuple[MaskTime, ...]:
        """Return the best time of `repeats` masks before each token of `text` and behind the last.

        Raises: `EngineError` when the grammar is refused, or does not accept `text`.
        """
        state = TokenGrammar.load(self._model, grammar)
        try:
            times = []
            offset = 0
            for token in self._model.tokenize(text):
                times.append(MaskTime(offset, self._time_mask(state, repeats)))
                offset += self._accept(state, token, text, offset)
            times.append(MaskTime(offset, self._time_mask(state, repeats)))
            return tuple(times)
        finally:
            state.close()

    def time_behind(self, grammar: str, prefix: str, *, repeats: int = 3) -> float:
        """Return the best time, in seconds, of `repeats` masks behind `prefix`.

        Raises: `EngineError` when the grammar is refused, or does not accept `prefix`.
        """
        state = TokenGrammar.load(self._model, grammar)
        try:
            offset = 0
            for token in self._model.tokenize(prefix):
                offset += self._accept(state, token, prefix, offset)
            return self._time_mask(state, repeats)
        finally:
            state.close()

    def _accept(self, state: TokenGrammar, token: int, text: str, offset: int) -> int:
        if not state.allows(token):
            raise EngineError(f"the grammar does not accept the text at offset {offset}")
        state.accept(token)
        # Pieces that end inside a character count for what is whole of them.
        return len(self._model.piece(token).decode("utf-8", "ignore"))

    def _time_mask(self, state: TokenGrammar, repeats: int) -> float:
        best = float("inf")
        for _ in range(repeats):
            start = time.perf_counter()
            state.allowed(self._everything)
            best = min(best, time.perf_counter() - start)
        return best

    def tokenize(self, text: str) -> tuple[int, ...]:
        """Return the tokens of `text`, special tokens by their text."""
        return tuple(self._model.tokenize(text, special=True))

    @property
    def size(self) -> int:
        """The number of tokens."""
        return self.vocabulary_size
