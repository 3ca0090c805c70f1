"""Does llama.cpp survive this model file on this machine?

In: a model file and how it is to be loaded. Out: a verdict, remembered per file, build of llama.cpp
and machine. Two things can kill it: a build for the native CPU dies in AMX instructions on virtual
machines that advertise but do not carry them (leaving out its extra buffer types avoids them), and
what a damaged header says can end in an abort. Only a child process can find out without dying
itself, so no file is loaded here that a child has not loaded and run before.

As a program (`python -m gbnfc.engine.probe MODEL extra|plain|vocabulary GPU_LAYERS`) it is that
child, and writes why it refuses a model.
"""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TypeAlias

from gbnfc.engine.cache import (
    add_findings,
    build_key,
    cache_folder,
    read_findings,
    short_hash,
)
from gbnfc.engine.child import Ended, be_expendable, run_to_end
from gbnfc.engine.hub import all_parts
from gbnfc.errors import EngineError
from gbnfc.source import visible_line

_LEAST_LIMIT_S = 60
_LEAST_BYTES_PER_S = 20_000_000
"""How slowly a model may be read and run: slower is taken for hanging."""

_REFUSED = 3
"""The child's exit status where it says why: another try would end alike."""

Runner: TypeAlias = Callable[[Sequence[str], float], Ended]
"""Runs a command for so many seconds at most and returns how it ended."""


class Health(Enum):
    """What the probe found. `PLAIN`: works, but only without the extra buffer types."""

    GOOD = "good"
    PLAIN = "plain"
    BROKEN = "broken"


class Way(Enum):
    """How the child loads: all, without extra buffer types, or no weights at all."""

    EXTRA = "extra"
    PLAIN = "plain"
    VOCABULARY = "vocabulary"


_HEALTH = {Way.EXTRA: Health.GOOD, Way.PLAIN: Health.PLAIN, Way.VOCABULARY: Health.GOOD}


@dataclass(frozen=True, slots=True)
class Probed:
    """What was found of a model; `reason` is one line about a broken one."""

    health: Health
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Trial:
    """A model file, and how it is to be loaded."""

    model: Path
    gpu_layers: int = 0
    vocabulary_only: bool = False

    @property
    def key(self) -> str:
        """What tells this state of the file, on this machine, from others."""
        parts = [self.model.with_name(name) for name in all_parts(self.model.name)]
        states = [(about.st_size, about.st_mtime_ns) for about in (p.stat() for p in parts)]
        return short_hash(f"{build_key()} {self.model.resolve()} {states} {bool(self.gpu_layers)}")

    @property
    def limit_s(self) -> float:
        """The seconds after which the child is taken to hang."""
        return _LEAST_LIMIT_S + self.model.stat().st_size / _LEAST_BYTES_PER_S

    def command(self, way: Way) -> tuple[str, ...]:
        """The command line of the child."""
        program = (sys.executable, "-m", "gbnfc.engine.probe")
        return (*program, str(self.model), way.value, str(self.gpu_layers))


def probe(trial: Trial, run: Runner = run_to_end, *, is_plain: bool = False) -> Probed:
    """Load and run a model in a child process: with and, if that dies, without extra buffer types.

    `is_plain`: it is known that they do not work here.
    """
    if trial.vocabulary_only:
        ways = [Way.VOCABULARY]
    else:
        ways = [Way.PLAIN] if is_plain else [Way.EXTRA, Way.PLAIN]
    done = Ended(None)
    for way in ways:
        done = run(trial.command(way), trial.limit_s)
        if done.status == 0:
            return Probed(_HEALTH[way])
        if done.status == _REFUSED:
            break
    return Probed(Health.BROKEN, _reason(trial, done))


def remembered_verdict(trial: Trial, cache: Path, run: Runner = run_to_end) -> Probed:
    """Return the verdict on a model file, trying it when it was not seen before in this state.

    `cache` is the file that verdicts are kept in. A broken verdict is not kept.
    """
    findings = read_findings(cache)
    keys = (trial.key, _vocabulary_key(trial)) if trial.vocabulary_only else (trial.key,)
    for key in keys:
        if findings.get(key) in (Health.GOOD.value, Health.PLAIN.value):
            return Probed(Health(findings[key]))
    is_plain = findings.get(build_key()) == Health.PLAIN.value
    return _remember(trial, probe(trial, run, is_plain=is_plain), cache)


def fresh_verdict(trial: Trial, cache: Path, run: Runner = run_to_end) -> Probed:
    """Return the verdict on a model file, whatever is remembered, and remember it."""
    return _remember(trial, probe(trial, run), cache)


def _remember(trial: Trial, verdict: Probed, cache: Path) -> Probed:
    found = verdict.health.value
    if verdict.health is not Health.BROKEN:
        if trial.vocabulary_only:
            add_findings(cache, {_vocabulary_key(trial): found})
        else:
            add_findings(cache, {trial.key: found, build_key(): found})
    return verdict


def _vocabulary_key(trial: Trial) -> str:
    return f"{trial.key}-{Way.VOCABULARY.value}"


def forget(cache: Path) -> None:
    """Forget all verdicts."""
    cache.unlink(missing_ok=True)


def default_cache() -> Path:
    """Return the file that verdicts are kept in, in the user's cache folder."""
    return cache_folder() / "probe.json"


# --- why a child failed ---------------------------------------------------------------------------

_ABORT = re.compile(r"([^/\\\s:]+\.\w+):(\d+): (.+)")
_EXCEPTION = re.compile(r"what\(\): *(.+)")


def _reason(trial: Trial, done: Ended) -> str:
    if done.status is None:
        return f"{trial.model}: not loaded and run within {trial.limit_s:.0f} s"
    if done.status == _REFUSED:
        return visible_line(done.out.strip().split("\n")[-1])
    return f"{trial.model}: llama.cpp dies of it ({visible_line(_last_words(done))})"


def _last_words(done: Ended) -> str:
    """Return what a child that died said of it: the check of llama.cpp's that failed, or a signal.

    llama.cpp's own words are `…/llama-model.cpp:123: GGML_ASSERT(n > 0) failed`.
    """
    for words in (_ABORT, _EXCEPTION):
        if found := words.search(done.err):
            return " ".join(found.groups())
    status = done.status or 0
    try:
        return signal.Signals(-status).name
    except ValueError:
        lines = done.err.strip().splitlines()
        return lines[-1] if lines else f"status {status}"


# --- the child -----------------------------------------------------------------------------------

_PROMPT_TOKENS = 32
_CELLS = 512


def _rehearse(path: Path, way: Way, gpu_layers: int) -> None:
    """Do once all that a run does with a model."""
    import numpy

    from gbnfc.engine.llama import Context, Model, TokenGrammar
    from gbnfc.engine.load import default_threads

    model = Model(
        path,
        gpu_layers=gpu_layers,
        extra_buffers=way is Way.EXTRA,
        vocabulary_only=way is Way.VOCABULARY,
    )
    tokens = model.tokenize("The quick brown fox jumps over the lazy dog. " * 8)[:_PROMPT_TOKENS]
    if not tokens:
        raise EngineError(f"{path}: its vocabulary has no tokens for letters")
    _ = (model.special_text("bos"), model.special_text("eos"), model.first_token)
    _ = (model.chat_template, model.kv_bytes_per_token, model.byte_size, model.can_trim)
    grammar = TokenGrammar.load(model, 'root ::= "a"')
    grammar.allowed(numpy.arange(model.vocabulary_size, dtype=numpy.int32))
    for token in tokens:
        model.piece(token)
    if way is not Way.VOCABULARY:
        context = Context(
            model, cells=_CELLS, sequences=2, batch_tokens=_CELLS, threads=default_threads()
        )
        context.decode([(token, i, 0, False) for i, token in enumerate(tokens)])
        context.copy_sequence(0, 1, len(tokens))
        context.decode([(tokens[0], len(tokens), 1, True)])
        if numpy.isnan(context.logits(0)).any():
            raise EngineError(f"{path}: what it computes is no number: the file is damaged")
        context.close()
    grammar.close()
    model.close()


def main(arguments: Sequence[str]) -> int:
    """Be the child: load and decode, or die trying."""
    be_expendable()
    try:
        _rehearse(Path(arguments[0]), Way(arguments[1]), int(arguments[2]))
    except EngineError as error:
        print(" ".join(error.message.split()))
        return _REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
