"""From a model's name to a loaded model, by the way that is known to work on this machine.

In: a path and the user's wishes. Out: a `Model`. No file is loaded that a child process has not
loaded and run before, in this state (`probe`); GPU layers are used when the build has a GPU.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gbnfc.engine import llama
from gbnfc.engine.cache import build_key
from gbnfc.engine.models import check_gguf
from gbnfc.engine.probe import Health, Trial, default_cache, remembered_verdict
from gbnfc.engine.weight_source import Weights
from gbnfc.engine.weights import CopyOptions, default_folder, faster_file
from gbnfc.errors import EngineError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_ALL_LAYERS = 999
_PLAIN_NOTE = (
    "this llama.cpp dies with its extra buffer types on this machine; running without them "
    "(slower prompts). Rebuild it with CMAKE_ARGS=-DGGML_NATIVE=OFF to be rid of this line."
)
_REBUILD = (
    "CMAKE_ARGS=-DGGML_NATIVE=OFF pip install --force-reinstall --no-cache-dir llama-cpp-python"
)


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """How to load. `gpu_layers` is `auto`, `all` or a number.

    The user is told through `once` what is good to know of this machine (with what it is about:
    when that changes, it is news again), through `note` what takes its time, and through `say` what
    is of interest to few.
    """

    gpu_layers: str
    weights: Weights
    threads: int
    once: Callable[[str, str], None]
    note: Callable[[str], None]
    say: Callable[[str], None]


def open_model(path: Path, loading: LoadOptions) -> llama.Model:
    """Load the model at `path`.

    Raises:
        EngineError: missing, not GGUF, not loadable, or llama.cpp dies of it.
    """
    check_gguf(path)
    layers = read_gpu_layers(loading.gpu_layers)
    health = _tried(Trial(path, layers))
    if health is Health.PLAIN:
        loading.once(_PLAIN_NOTE, build_key())
    if layers:
        loading.say(f"offloading {'all' if layers == _ALL_LAYERS else layers} layers to the GPU")
    if not layers or loading.weights is not Weights.AUTO:  # a GPU unpacks as it multiplies
        copy = _open_copy(path, layers, health, loading)
        if copy is not None:
            return copy
    return llama.Model(path, gpu_layers=layers, extra_buffers=health is Health.GOOD)


def open_vocabulary(path: Path) -> llama.Model:
    """Load the vocabulary of the model at `path`, and no weights.

    Raises:
        EngineError: missing, not GGUF, not loadable, or llama.cpp dies of it.
    """
    check_gguf(path)
    _tried(Trial(path, vocabulary_only=True))
    return llama.Model(path, vocabulary_only=True)


def _tried(trial: Trial) -> Health:
    llama.library()  # one that does not load is told of as such
    verdict = remembered_verdict(trial, default_cache())
    if verdict.health is Health.BROKEN:
        raise EngineError(
            verdict.reason,
            hint="is the file whole (its size), and does this llama.cpp know its kind? If no model "
            f"runs here: {_REBUILD}",
        )
    return verdict.health


def _open_copy(path: Path, layers: int, health: Health, loading: LoadOptions) -> llama.Model | None:
    """Return the model from the copy of its weights, None where the file itself is to be used."""
    copy_options = CopyOptions(
        loading.weights, health is Health.GOOD, loading.threads, loading.note, default_folder()
    )
    file = faster_file(path, copy_options)
    if file == path:
        return None
    try:
        is_good = _tried(Trial(file, layers)) is Health.GOOD
        found = llama.Model(file, gpu_layers=layers, extra_buffers=is_good)
    except EngineError as error:
        with suppress(OSError):
            file.unlink()
        loading.note(f"the copy of the weights does not load ({error.message}); the file is used")
        return None
    loading.say(f"weights from {file}")
    return found


def read_gpu_layers(text: str) -> int:
    """Return the number of layers that `--gpu-layers` asks for: `auto`, `all` or a number.

    Raises:
        UsageError: none of these.
    """
    if text == "auto":
        return _ALL_LAYERS if llama.has_gpu() else 0
    if text == "all":
        return _ALL_LAYERS
    if not text.isdigit():
        raise UsageError(f"--gpu-layers {text!r} is not a number", hint="use auto, all or a number")
    return int(text)


def default_threads() -> int:
    """Return the number of threads to use: the processors that this process may run on."""
    try:
        return max(1, len(os.sched_getaffinity(0)))
    except AttributeError:
        return max(1, os.cpu_count() or 1)
