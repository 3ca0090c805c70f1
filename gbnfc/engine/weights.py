"""Which file a model's weights are read from: its own, or a 16-bit copy that is multiplied faster.

In: a model file. Out: the file to load. llama.cpp's CPU backend takes many tokens through most
kinds of weights at once; Q4_1 and Q5_1 it unpacks again for each token (llama.cpp of
llama-cpp-python 0.3.36; SmolLM2 135M with AVX-512: a token of a prompt 3.5 ms, as BF16 1.3; a step
of 8 sequences 36 and 30). The copy is made once per model, build and machine, by a child process
that also times it against the file, and stays in the user's cache folder where it is the faster.
It is also nearer to what the weights say, because it does not round activations to 8 bits (mean KL
divergence from 32-bit arithmetic on the same weights: 3.3e-3 for the file, 1.6e-4 as BF16).

As a program (`python -m gbnfc.engine.weights MODEL COPY extra|plain THREADS`) it is that child, and
writes how many times faster the copy is.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TypeAlias

from gbnfc.engine.gguf import read_header
from gbnfc.engine.remembered import (
    add_finding,
    build_key,
    cache_folder,
    read_findings,
    short_hash,
)
from gbnfc.errors import EngineError

CHILD_TIMEOUT_S = 600
ENOUGH_GAIN = 1.25
"""The copy must be so many times faster to be kept: it takes three times the memory."""

LARGEST_COPY = 2**30
"""In bytes. Larger models wait for memory, not for arithmetic, and their copies fill disks."""

_SLOW_BITS = {"Q4_1": 5, "Q5_1": 6}
"""The kinds that are unpacked for each token, with the bits that they take per weight."""

_LONGEST_NAME = 60
_LEFT_OVER_S = 3600

Runner: TypeAlias = Callable[[Sequence[str]], "str | None"]
"""Runs a command and returns what it wrote on stdout, or None when it failed."""


class Weights(Enum):
    """What the user wants: what is faster here, the file as it is, or the copy in any case."""

    AUTO = "auto"
    FILE = "file"
    WIDE = "16-bit"


@dataclass(frozen=True, slots=True)
class Copying:
    """How copies are made. `say` tells the user what takes time or room; `folder` holds them."""

    wanted: Weights
    extra_buffers: bool
    threads: int
    say: Callable[[str], None]
    folder: Path


def default_folder() -> Path:
    """Return the folder of the copies, in the user's cache folder. All in it may be deleted."""
    return cache_folder() / "weights"


def run_child(command: Sequence[str]) -> str | None:
    """Run `command` and return its stdout; None when it fails, dies or hangs."""
    try:
        done = subprocess.run(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=CHILD_TIMEOUT_S,
            check=False,
            encoding="utf-8",
        )
    except subprocess.TimeoutExpired:
        return None
    return done.stdout if done.returncode == 0 else None


def faster_file(model: Path, copying: Copying, run: Runner = run_child) -> Path:
    """Return the file to load `model` from: `model` itself, or its copy, made if need be."""
    if copying.wanted is Weights.FILE:
        return model
    about = model.stat()
    where = short_hash(str(model.resolve()))[:8]
    key = short_hash(f"{where} {about.st_size} {about.st_mtime_ns} {build_key()}")[:16]
    findings = copying.folder / "findings.json"
    copy = copying.folder / f"{model.stem[:_LONGEST_NAME]}-{where}-{key}.gguf"
    known = read_findings(findings).get(key)
    if isinstance(known, dict) and known.get("bytes") == _size(copy):
        return copy if _is_wanted(copying.wanted, known.get("gain")) else model
    if known == "as it is" and copying.wanted is Weights.AUTO:
        return model
    size = _copy_size(model, about.st_size)
    if copying.wanted is Weights.AUTO and not 0 < size <= LARGEST_COPY:
        add_finding(findings, key, "as it is")
        return model
    gain = _make(model, copy, size, copying, run)
    if gain is None:
        return model
    if _is_wanted(copying.wanted, gain):
        add_finding(findings, key, {"gain": gain, "bytes": _size(copy)})
        copying.say(f"the copy is {gain:.1f} times as fast as the file")
        return copy
    copy.unlink(missing_ok=True)
    add_finding(findings, key, "as it is")
    copying.say("the copy is not faster here; the file is used from now on")
    return model


def _is_wanted(wanted: Weights, gain: object) -> bool:
    return wanted is Weights.WIDE or (isinstance(gain, float) and gain >= ENOUGH_GAIN)


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def _copy_size(model: Path, size: int) -> int:
    # 0: not of a kind that gains by it.
    bits = _SLOW_BITS.get(read_header(model).quantisation)
    return 0 if bits is None else size * 16 // bits


def _make(model: Path, copy: Path, size: int, copying: Copying, run: Runner) -> float | None:
    # Returns the copy's gain, None when there is no copy; that is not remembered, for it may be
    # the disk's fault.
    say, folder = copying.say, copying.folder
    need = size or model.stat().st_size * 8
    try:
        folder.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(folder).free
        _tidy(copy)
    except OSError as error:
        say(f"{folder}: no place for a 16-bit copy of the weights: {error.strerror}")
        return None
    if free < 2 * need:
        say(f"{folder}: no room for a 16-bit copy of the weights ({need / 2**20:,.0f} MB)")
        return None
    say(
        f"making a 16-bit copy of the weights, which may be faster here (once, "
        f"{need / 2**20:,.0f} MB in {folder}; --weights file does without)"
    )
    fresh = copy.with_suffix(f".{os.getpid()}.tmp")
    kind = "extra" if copying.extra_buffers else "plain"
    child = (sys.executable, "-m", "gbnfc.engine.weights")
    try:
        told = run([*child, str(model), str(fresh), kind, str(copying.threads)])
        gain = float(told) if told is not None else None
        if gain is not None:
            fresh.replace(copy)
        else:
            say("no copy was made: llama.cpp could not write or run it; the file is used")
    except (OSError, ValueError) as error:
        say(f"no copy was made: {error}; the file is used")
        gain = None
    finally:
        fresh.unlink(missing_ok=True)
    return gain


def _tidy(copy: Path) -> None:
    # Copies of the same file when it was another, or under another build; what broken off runs
    # left behind.
    same = copy.name.rpartition("-")[0] + "-"
    for path in copy.parent.iterdir():
        is_old = time.time() - path.stat().st_mtime > _LEFT_OVER_S
        if (path.suffix == ".gguf" and path.name.startswith(same)) or (
            path.suffix == ".tmp" and is_old
        ):
            path.unlink(missing_ok=True)


# --- the child -----------------------------------------------------------------------------------

_SEQUENCES, _PROMPT, _STEPS, _ROUNDS = 8, 48, 2, 2


def _timed(path: Path, *, extra_buffers: bool, threads: int) -> float:
    # Seconds for what an extraction mostly does: a prompt and a few steps of several sequences.
    from gbnfc.engine.llama import Context, Model

    model = Model(path, extra_buffers=extra_buffers)
    context = Context(
        model, cells=1024, sequences=_SEQUENCES, batch_tokens=_PROMPT, threads=threads
    )
    tokens = model.tokenize("The quick brown fox jumps over the lazy dog. " * _PROMPT)[:_PROMPT]
    best = float("inf")
    for _ in range(_ROUNDS + 1):  # the first reads the file in
        for sequence in range(_SEQUENCES):
            context.trim_sequence(sequence, 0)
        began = time.perf_counter()
        context.decode([(token, i, 0, False) for i, token in enumerate(tokens)])
        for sequence in range(1, _SEQUENCES):
            context.copy_sequence(0, sequence, len(tokens))
        for step in range(_STEPS):
            place = len(tokens) + step
            context.decode([(tokens[step], place, s, True) for s in range(_SEQUENCES)])
            context.logits(0)
        best = min(best, time.perf_counter() - began)
    context.close()
    model.close()
    return best


def main(arguments: Sequence[str]) -> int:
    """Be the child: make the copy, time both, write the gain."""
    from gbnfc.engine.llama import unpack_weights

    model, copy = Path(arguments[0]), Path(arguments[1])
    extra_buffers, threads = arguments[2] == "extra", int(arguments[3])
    try:
        unpack_weights(model, copy, threads)
        seconds = [_timed(x, extra_buffers=extra_buffers, threads=threads) for x in (model, copy)]
    except EngineError as error:
        print(error, file=sys.stderr)
        return 1
    print(round(seconds[0] / seconds[1], 2))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
