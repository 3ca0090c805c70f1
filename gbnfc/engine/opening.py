"""From a model's name to a loaded model, by the way that is known to work on this machine.

In: a path and the user's wishes. Out: a `Model`. The health probe runs before the first load; GPU
layers are used when the build has a GPU.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gbnfc.engine import llama
from gbnfc.engine.probe import Health, default_cache, failure, remembered_health
from gbnfc.engine.weights import Copying, Weights, default_folder, faster_file
from gbnfc.errors import EngineError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_ALL_LAYERS = 999
_PLAIN_NOTE = (
    "this llama.cpp dies with its extra buffer types on this machine; running without them "
    "(slower prompts). Rebuild it with CMAKE_ARGS=-DGGML_NATIVE=OFF to be rid of this line."
)


@dataclass(frozen=True, slots=True)
class Loading:
    """How to load. `gpu_layers` is `auto`, `all` or a number.

    The user is told through `warn` what is wrong, through `note` what takes its time, and through
    `say` what is of interest to few.
    """

    gpu_layers: str
    weights: Weights
    threads: int
    warn: Callable[[str], None]
    note: Callable[[str], None]
    say: Callable[[str], None]


def open_model(path: Path, loading: Loading) -> llama.Model:
    """Load the model at `path`.

    Raises:
        EngineError: missing, not GGUF, not loadable, or llama.cpp dies on this machine.
    """
    llama.check_gguf(path)
    llama.library()
    health = remembered_health(path, default_cache())
    if health is Health.BROKEN:
        # Perhaps it is only this file: loading may say why.
        llama.Model(path, vocabulary_only=True).close()
        raise EngineError(
            f"llama.cpp cannot run this model: {failure(path).splitlines()[0]}",
            hint="see gbnfc doctor; a build for any CPU: CMAKE_ARGS=-DGGML_NATIVE=OFF "
            "pip install --force-reinstall --no-cache-dir llama-cpp-python",
        )
    if health is Health.PLAIN:
        loading.warn(_PLAIN_NOTE)
    layers = read_gpu_layers(loading.gpu_layers)
    if layers:
        loading.say(f"offloading {'all' if layers == _ALL_LAYERS else layers} layers to the GPU")
    extra_buffers = health is Health.GOOD
    if not layers or loading.weights is not Weights.AUTO:  # a GPU unpacks as it multiplies
        copying = Copying(
            loading.weights, extra_buffers, loading.threads, loading.note, default_folder()
        )
        file = faster_file(path, copying)
        if file != path:
            try:
                found = llama.Model(file, gpu_layers=layers, extra_buffers=extra_buffers)
            except EngineError as error:
                with suppress(OSError):
                    file.unlink()
                loading.note(
                    f"the copy of the weights does not load ({error.message}); the file is used"
                )
            else:
                loading.say(f"weights from {file}")
                return found
    return llama.Model(path, gpu_layers=layers, extra_buffers=extra_buffers)


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
