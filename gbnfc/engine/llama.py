"""The one door to llama.cpp: Python objects around the native handles of llama-cpp-python.

In: a GGUF file, token batches, grammar text. Out: tokens, logits, grammar verdicts. Nothing here
knows of documents or schemas. Every handle has one owner with a `close`; a NULL from the library
is an `EngineError`, never used. Written against llama-cpp-python 0.3.36's low-level functions.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import os
import sys
import tempfile
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gbnfc.engine.child import leave_out_stack_traces
from gbnfc.engine.gguf import read_header
from gbnfc.engine.interrupts import holding_interrupts
from gbnfc.engine.models import check_gguf
from gbnfc.errors import EngineError
from gbnfc.extras import Extra, install_hint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

    Logits = npt.NDArray[np.float32]

_LOG_LINES_KEPT = 40
_DEBUG_LEVEL = 1
_ERROR_LEVEL = 4
_CONTINUED_LEVEL = 5
_UNKNOWN_WINDOW = 4096
_LONG_STEP = 16
_LONG_STEP_S = 0.1
"""Decoding this many tokens, or what took the last step so long, can be broken off half way. To be
asked costs llama.cpp some 2 ms per step: too much for a single token of a small model."""


class Library:
    """The loaded llama.cpp, its log caught. One per process (`library()`)."""

    def __init__(self) -> None:
        _let_waiting_threads_sleep()
        if not os.environ.get("GBNFC_DEBUG"):
            leave_out_stack_traces()
        self.api: Any = _import_bindings()
        self.lines: list[str] = []
        self.echo: Callable[[str], None] | None = None
        self._is_told = True
        self._callback = self.api.llama_log_callback(self._log)  # kept: the library calls it
        self.api.llama_log_set(self._callback, ctypes.c_void_p(0))
        self.api.llama_backend_init()

    def _log(self, level: int, text: bytes, _: object) -> None:
        line = text.decode("utf-8", "replace").rstrip("\n")
        if level >= _ERROR_LEVEL and line:
            if level == _CONTINUED_LEVEL and self.lines:
                self.lines[-1] += line
            else:
                self.lines.append(line)
                del self.lines[:-_LOG_LINES_KEPT]
        if level != _CONTINUED_LEVEL:
            self._is_told = level > _DEBUG_LEVEL
        if self.echo is not None and self._is_told and line.strip("."):
            self.echo(line)

    def take_errors(self) -> str:
        """Return and forget what the library complained of since the last call."""
        found = "; ".join(line.strip() for line in self.lines if line.strip())
        self.lines.clear()
        return found


_LIBRARY: list[Library] = []


def library() -> Library:
    """Return the process's llama.cpp, loading it on first use.

    Raises:
        EngineError: llama-cpp-python is not installed, or its library does not load.
    """
    if not _LIBRARY:
        _LIBRARY.append(Library())
    return _LIBRARY[0]


def _let_waiting_threads_sleep() -> None:
    # llama.cpp's threads meet several hundred times per token. GNU OpenMP lets them spin there for
    # milliseconds; where something else keeps a processor busy, they spin against the very thread
    # they wait for (measured: 10 times slower). After a short spin they sleep instead. The variable
    # is read when the library is loaded; what the user has set stays.
    if not any(name in os.environ for name in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")):
        os.environ["GOMP_SPINCOUNT"] = "2000"


def _import_bindings() -> Any:
    # `llama_cpp/__init__.py` also imports its chat and server layers (0.15 s); only the bindings
    # are wanted, so they are imported with an empty package in its place, which is then taken
    # away.
    spec = importlib.util.find_spec("llama_cpp")
    if spec is None:
        raise EngineError("llama-cpp-python is not installed", hint=install_hint(Extra.LLAMA))
    whole = sys.modules.get("llama_cpp")
    if whole is None:
        sys.modules["llama_cpp"] = importlib.util.module_from_spec(spec)
    try:
        return importlib.import_module("llama_cpp.llama_cpp")
    except (OSError, ImportError, RuntimeError) as error:
        raise EngineError(
            f"llama.cpp does not load: {error}",
            hint="build it anew: pip install --force-reinstall --no-cache-dir llama-cpp-python",
        ) from None
    finally:
        if whole is None:
            del sys.modules["llama_cpp"]


class Model:
    """A loaded GGUF model and its vocabulary."""

    def __init__(
        self,
        path: Path,
        *,
        gpu_layers: int = 0,
        extra_buffers: bool = True,
        vocabulary_only: bool = False,
    ) -> None:
        check_gguf(path)
        self.path = path
        self._lib = library()
        api = self.api = self._lib.api
        params = api.llama_model_default_params()
        params.n_gpu_layers = gpu_layers
        params.use_extra_bufts = extra_buffers
        params.vocab_only = vocabulary_only
        self._lib.take_errors()
        self.handle = self._load(path, params)
        if not self.handle:
            raise EngineError(
                f"{path}: the model does not load: {self._lib.take_errors() or 'no reason given'}",
                hint="check that the file is whole (its size) and that this llama.cpp knows it",
            )
        self.vocabulary = api.llama_model_get_vocab(self.handle)
        self.vocabulary_size: int = api.llama_vocab_n_tokens(self.vocabulary)
        self.trained_window: int = api.llama_model_n_ctx_train(self.handle)
        if not self.trained_window:  # a vocabulary-only load leaves it out
            self.trained_window = read_header(path).window or _UNKNOWN_WINDOW
        self._pieces: dict[int, bytes] = {}
        self._ends: dict[int, bool] = {}

    def _load(self, path: Path, params: Any) -> Any:
        came: list[bool] = []
        go_on = self.api.llama_progress_callback(lambda _, __: not came)
        params.progress_callback = go_on
        handle = None
        try:
            with holding_interrupts(lambda: came.append(True)):
                handle = self.api.llama_model_load_from_file(os.fsencode(path), params)
        except KeyboardInterrupt:
            if handle:
                self.api.llama_model_free(handle)
            raise
        return handle

    @property
    def can_trim(self) -> bool:
        """Whether the end of a sequence can be taken back (not so for recurrent models)."""
        api = self.api
        return not (
            api.llama_model_is_recurrent(self.handle) or api.llama_model_is_hybrid(self.handle)
        )

    @property
    def kv_bytes_per_token(self) -> int:
        """Memory that one token of context takes, in bytes (16-bit keys and values)."""
        api, model = self.api, self.handle
        heads = max(1, api.llama_model_n_head(model))
        width = api.llama_model_n_embd(model) // heads
        shared = api.llama_model_n_head_kv(model)
        return int(api.llama_model_n_layer(model) * shared * width * 2 * 2)

    @property
    def byte_size(self) -> int:
        """The size of the weights in bytes."""
        return int(self.api.llama_model_size(self.handle))

    def tokenize(self, text: str, *, special: bool = False) -> list[int]:
        """Return the tokens of `text`; with `special`, control tokens are read as such."""
        raw = text.encode("utf-8", "replace")
        room = len(raw) + 16
        buffer = (self.api.llama_token * room)()
        count = self.api.llama_tokenize(
            self.vocabulary, raw, len(raw), buffer, room, False, special
        )
        if count < 0:
            raise EngineError(f"the text cannot be tokenised ({-count} tokens)")
        return list(buffer[:count])

    def piece(self, token: int) -> bytes:
        """Return the bytes that `token` stands for; control tokens stand for none."""
        known = self._pieces.get(token)
        if known is None:
            known = self._pieces[token] = self._read_piece(token, special=False)
        return known

    def _read_piece(self, token: int, *, special: bool) -> bytes:
        room = 64
        while True:
            buffer = ctypes.create_string_buffer(room)
            size = self.api.llama_token_to_piece(self.vocabulary, token, buffer, room, 0, special)
            if size >= 0:
                return buffer.raw[:size]
            room = -size

    def is_end(self, token: int) -> bool:
        """Return whether `token` ends a generation."""
        known = self._ends.get(token)
        if known is None:
            known = bool(self.api.llama_vocab_is_eog(self.vocabulary, token))
            self._ends[token] = known
        return known

    @property
    def first_token(self) -> int | None:
        """The token that every prompt must begin with, or None."""
        if not self.api.llama_vocab_get_add_bos(self.vocabulary):
            return None
        token: int = self.api.llama_vocab_bos(self.vocabulary)
        return token if token >= 0 else None

    def special_text(self, name: str) -> str:
        """Return the text of the `bos` or `eos` token ("" when there is none)."""
        token = getattr(self.api, f"llama_vocab_{name}")(self.vocabulary)
        if token < 0:
            return ""
        return self._read_piece(token, special=True).decode("utf-8", "replace")

    @property
    def chat_template(self) -> str | None:
        """The model's own Jinja chat template, or None."""
        raw = self.api.llama_model_chat_template(self.handle, None)
        return raw.decode("utf-8", "replace") if raw else None

    def close(self) -> None:
        """Free the model."""
        if self.handle:
            self.api.llama_model_free(self.handle)
            self.handle = None


def unpack_weights(source: Path, target: Path, threads: int) -> None:
    """Write the model `source` with 16-bit weights to `target`.

    The kind is BF16 where the processor multiplies that, else F16.

    Raises:
        EngineError: llama.cpp could not read or write.
    """
    api = library().api
    params = api.llama_model_quantize_default_params()
    params.nthread = threads
    params.allow_requantize = params.pure = True
    has_bf16 = "AVX512_BF16 = 1" in describe_build()
    kind = api.LLAMA_FTYPE_MOSTLY_BF16 if has_bf16 else api.LLAMA_FTYPE_MOSTLY_F16
    params.ftype = kind
    library().take_errors()
    with holding_interrupts():
        failed = api.llama_model_quantize(
            os.fsencode(source), os.fsencode(target), ctypes.byref(params)
        )
    if failed:
        raise EngineError(f"{source}: the weights cannot be unpacked: {library().take_errors()}")


class Context:
    """The working memory of a model: a batch, a KV cache for `sequences` sequences, logits."""

    def __init__(
        self, model: Model, *, cells: int, sequences: int, batch_tokens: int, threads: int
    ) -> None:
        self.model = model
        api = self.api = model.api
        params = api.llama_context_default_params()
        params.n_ctx = cells
        params.n_batch = batch_tokens
        params.n_seq_max = sequences
        params.n_threads = params.n_threads_batch = threads
        params.kv_unified = True
        params.no_perf = True
        library().take_errors()
        with holding_interrupts():
            self.handle = api.llama_init_from_model(model.handle, params)
        if not self.handle:
            need = cells * model.kv_bytes_per_token / 2**20
            raise EngineError(
                f"no memory for a context of {cells:,} tokens ({need:,.0f} MB): "
                f"{library().take_errors()}",
                hint="use a smaller --parallel or --context",
            )
        self.cells: int = api.llama_n_ctx(self.handle)
        self.batch_tokens = batch_tokens
        self._memory = api.llama_get_memory(self.handle)
        self._batch = api.llama_batch_init(batch_tokens, 0, 1)
        self._is_decoding = self._is_broken_off = False
        self._last_step_s = 0.0
        # llama.cpp asks in the thread that decodes, between the nodes of its graph: signals of the
        # main thread are handled there too. Kept: the library calls it.
        self._ask = api.ggml_abort_callback(lambda _: self._is_broken_off)
        self._ask_nothing = api.ggml_abort_callback()

    def break_off(self) -> bool:
        """End the decoding that is under way, from a signal's handler or another thread.

        Returns whether there is one: its `decode` will raise `KeyboardInterrupt`.
        """
        self._is_broken_off = self._is_decoding
        return self._is_decoding

    def decode(self, entries: Sequence[tuple[int, int, int, bool]]) -> None:
        """Evaluate `entries`: (token, 0-based position, sequence, whether its logits are wanted).

        Raises:
            EngineError: no room in the cache, or the library failed.
            KeyboardInterrupt: it was broken off.
        """
        batch = self._batch
        batch.n_tokens = len(entries)
        for index, (token, position, sequence, wanted) in enumerate(entries):
            batch.token[index] = token
            batch.pos[index] = position
            batch.n_seq_id[index] = 1
            batch.seq_id[index][0] = sequence
            batch.logits[index] = wanted
        code = self._run(batch)
        if code:
            reason = "the context is full" if code == 1 else library().take_errors()
            raise EngineError(f"llama.cpp could not decode (code {code}): {reason}")

    def _run(self, batch: Any) -> int:
        is_long = batch.n_tokens >= _LONG_STEP or self._last_step_s >= _LONG_STEP_S
        ask = self._ask if is_long else self._ask_nothing
        self.api.llama_set_abort_callback(self.handle, ask, None)
        began = time.perf_counter()
        self._is_decoding = True
        try:
            with holding_interrupts(self.break_off):
                code: int = self.api.llama_decode(self.handle, batch)
        finally:
            self._is_decoding = False
            was_broken_off, self._is_broken_off = self._is_broken_off, False
        if was_broken_off:
            raise KeyboardInterrupt
        self._last_step_s = time.perf_counter() - began
        return code

    def logits(self, index: int) -> Logits:
        """Return the logits of batch entry `index`, shape (vocabulary,), until the next decode."""
        import numpy

        pointer = self.api.llama_get_logits_ith(self.handle, index)
        if not pointer:
            raise EngineError("llama.cpp gave no logits")
        return numpy.ctypeslib.as_array(pointer, shape=(self.model.vocabulary_size,))

    def copy_sequence(self, source: int, target: int, length: int) -> None:
        """Let `target` begin with the first `length` tokens of `source`."""
        self.api.llama_memory_seq_cp(self._memory, source, target, 0, length)

    def trim_sequence(self, sequence: int, length: int) -> None:
        """Forget what `sequence` holds behind its first `length` tokens."""
        self.api.llama_memory_seq_rm(self._memory, sequence, length, -1)

    def close(self) -> None:
        """Free the context and its batch."""
        if self.handle:
            self.api.llama_batch_free(self._batch)
            self.api.llama_free(self.handle)
            self.handle = None


@contextmanager
def _native_stderr() -> Iterator[list[str]]:
    """Catch what native code writes to stderr: the grammar parser does not use the log."""
    printed = [""]
    with tempfile.TemporaryFile() as file:
        kept = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            yield printed
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            file.seek(0)
            printed[0] = file.read().decode("utf-8", "replace").strip()


class TokenGrammar:
    """llama.cpp's own grammar state: which tokens may come next. `copy` for another text."""

    def __init__(self, model: Model, handle: Any) -> None:
        self._api = model.api
        self._handle = handle
        self._one = (self._api.llama_token_data * 1)()
        self._one_view = self._view(self._one, 1)

    @classmethod
    def load(cls, model: Model, text: str, root: str = "root") -> TokenGrammar:
        """Return the grammar `text` (GBNF) at its beginning.

        Raises:
            EngineError: llama.cpp refuses the grammar (it returns NULL, and would crash if used).
        """
        library().take_errors()
        if not text.strip():
            # llama.cpp would make a sampler of it that allows everything.
            raise EngineError("the grammar is empty")
        with _native_stderr() as printed:
            handle = model.api.llama_sampler_init_grammar(
                model.vocabulary, text.encode(), root.encode()
            )
        if not handle:
            reason = printed[0].split("\n")[0] or library().take_errors() or "no reason given"
            raise EngineError(
                f"llama.cpp refuses the grammar: {reason}",
                hint="nothing was generated; check it with gbnfc lint",
            )
        return cls(model, handle)

    def _view(self, data: Any, size: int) -> Any:
        pointer = ctypes.cast(data, self._api.llama_token_data_p)
        return self._api.llama_token_data_array(pointer, size, -1, False)

    def copy(self, model: Model) -> TokenGrammar:
        """Return an independent copy of this state."""
        return TokenGrammar(model, self._api.llama_sampler_clone(self._handle))

    def allows(self, token: int) -> bool:
        """Return whether `token` may come next (microseconds)."""
        slot, view = self._one[0], self._one_view
        slot.id, slot.logit = token, 0.0
        view.size, view.selected, view.sorted = 1, -1, False
        self._api.llama_sampler_apply(self._handle, ctypes.byref(view))
        return bool(slot.logit == 0.0)

    def allowed(self, tokens: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        """Return which of `tokens` may come next, shape (n,)."""
        import numpy

        layout = numpy.dtype([("id", "<i4"), ("logit", "<f4"), ("p", "<f4")])
        rows = numpy.zeros(len(tokens), dtype=layout)
        rows["id"] = tokens
        view = self._view(ctypes.c_void_p(rows.ctypes.data), len(tokens))
        self._api.llama_sampler_apply(self._handle, ctypes.byref(view))
        found: npt.NDArray[np.bool_] = rows["logit"] == 0.0
        return found

    def accept(self, token: int) -> None:
        """Move past `token`. It must be allowed: the library aborts the process otherwise."""
        self._api.llama_sampler_accept(self._handle, token)

    def close(self) -> None:
        """Free the state."""
        if self._handle:
            self._api.llama_sampler_free(self._handle)
            self._handle = None


def describe_build() -> str:
    """Return llama.cpp's own one-line account of what it was built with."""
    found: bytes = library().api.llama_print_system_info()
    return found.decode("utf-8", "replace").strip()


def has_gpu() -> bool:
    """Return whether this build can offload layers to a GPU."""
    return bool(library().api.llama_supports_gpu_offload())
