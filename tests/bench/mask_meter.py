"""Measure mask times of llama.cpp in a child process that is ended when one takes too long.

In: grammars and texts. Out: seconds of processor time, so that other work on the machine counts as
little as can be. The engine cannot be interrupted from within: only ending its process helps.
"""

from __future__ import annotations

import multiprocessing
import time
from dataclasses import dataclass

from gbnfc.engine.llama import TokenGrammar
from gbnfc.engine.load import open_vocabulary
from gbnfc.engine.models import find_model
from gbnfc.errors import EngineError

_LONG_ENOUGH_S = 0.2
"""A mask that takes so long is measured once; a shorter one several times, the best one counts."""
_REPEATS = 5


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds to load a grammar and to mask the vocabulary behind a text, and that of a plain one.

    The plain grammar, one stack and any text, is measured at the same moment on the same machine.
    """

    load_s: float
    mask_s: float
    plain_s: float


class TooSlow(Exception):
    """The time limit has passed."""


class Meter:
    """A child process with a vocabulary. It is begun anew after it had to be ended."""

    def __init__(self, model: str | None, limit_s: float) -> None:
        self._model = find_model(model)
        self.limit_s = limit_s
        self._process = None

    def measure(self, grammar: str, prefix: str) -> Measured:
        """Return the times of `grammar` behind `prefix`. Raises: `EngineError`, `TooSlow`."""
        if self._process is None:
            self._begin()
        self._pipe.send((grammar, prefix))
        if not self._pipe.poll(self.limit_s):
            self.close()
            raise TooSlow
        answer = self._pipe.recv()
        if isinstance(answer, str):
            raise EngineError(answer)
        return answer

    def _begin(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other, self._model), daemon=True)
        self._process.start()
        other.close()
        self._pipe.recv()

    def close(self) -> None:
        """End the child process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None


def _serve(pipe, model_path) -> None:
    import numpy

    model = open_vocabulary(model_path)
    everything = numpy.arange(model.vocabulary_size, dtype=numpy.int32)
    plain = TokenGrammar.load(model, "root ::= [^\\n]*")
    pipe.send("ready")
    while True:
        try:
            grammar, prefix = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send(_measure(model, everything, plain, grammar, prefix))
        except EngineError as error:
            pipe.send(str(error).split("\n")[0])


def _measure(model, everything, plain, grammar, prefix):
    began = time.thread_time()
    state = TokenGrammar.load(model, grammar)
    load_s = time.thread_time() - began
    for token in model.tokenize(prefix):
        if not state.allows(token):
            raise EngineError(f"the grammar does not accept {prefix!r}")
        state.accept(token)
    found = Measured(load_s, _mask_s(state, everything), _mask_s(plain, everything))
    state.close()
    return found


def _mask_s(state, everything) -> float:
    best = float("inf")
    for _ in range(_REPEATS):
        began = time.thread_time()
        state.allowed(everything)
        best = min(best, time.thread_time() - began)
        if best > _LONG_ENOUGH_S:
            break
    return best
