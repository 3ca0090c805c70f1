"""Weights loaded as the product loads them: a llama.cpp may die of some ways on some machines."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from gbnfc.engine.load import LoadOptions, default_threads, open_model
from gbnfc.engine.models import default_model
from gbnfc.engine.probe import Health, Trial, default_cache, remembered_verdict
from gbnfc.engine.weight_source import Weights

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gbnfc.engine.llama import Model


def extra_buffers_work() -> bool:
    """Return whether the default model runs here with llama.cpp's extra buffer types."""
    model = default_model()
    assert model is not None
    return remembered_verdict(Trial(model), default_cache()).health is Health.GOOD


def loading(weights: Weights = Weights.FILE, say=lambda *_: None) -> LoadOptions:
    """Return how to load a model on the CPU; all that is told goes to `say`."""
    return LoadOptions("0", weights, default_threads(), once=say, note=say, say=say)


@contextmanager
def lent(path: Path) -> Iterator[Model]:
    """Give the model at `path`, its weights from that file, which no engine may free."""
    model = open_model(path, loading())
    free, model.close = model.close, lambda: None  # type: ignore[method-assign]  # lent, not given
    try:
        yield model
    finally:
        free()
