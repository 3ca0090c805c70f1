"""The engine and the prompt of a run. In: options, a target. Out: a loaded engine, freed at the
end; the model's template; what it is told.
"""

from __future__ import annotations

import json
import re
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gbnfc.cli.io.streams import print_note
from gbnfc.cli.io.texts import read_text
from gbnfc.errors import EngineError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.cli.extract.options import DecodingSpec, ExtractOptions, ModelSpec, PromptSpec
    from gbnfc.cli.extract.target import Target
    from gbnfc.cli.io.voice import Voice
    from gbnfc.engine.base import ConstraintGrammar, Engine
    from gbnfc.engine.llama import Model
    from gbnfc.extract.prompt import Example, PromptText
    from gbnfc.extract.template import ChatTemplate

_GPU_PARALLEL = 16


@dataclass(slots=True)
class Opened:
    """An engine with its model."""

    engine: Engine
    model: Model
    model_path: Path
    began: float

    def show_stats(self, documents: int) -> None:
        """Write the engine's counters and rates on stderr."""
        seconds = max(time.perf_counter() - self.began, 1e-9)
        counts = self.engine.stats.as_dict()
        tokens = counts["prompt"] + counts["forced"] + counts["sampled"]
        print_note(
            f"{documents} documents in {seconds:.2f} s ({documents / seconds:.2f}/s), "
            f"{tokens / seconds:.0f} tokens/s"
        )
        shown = {key: round(value, 3) for key, value in counts.items()}
        print_note(json.dumps(shown))


@contextmanager
def open_engine(
    options: ExtractOptions, constraint: ConstraintGrammar, *, weights: bool
) -> Iterator[Opened]:
    """Give an engine for `constraint`. Without `weights` it can only count tokens.

    Raises:
        EngineError: no model, not loadable, the grammar is refused, no memory.
    """
    from gbnfc.engine.models import check_engine

    began = time.perf_counter()
    if options.model.download and options.model.model is None:
        raise UsageError("--download fetches a model by its name", hint="name it with -m")
    check_engine(options.model.model)
    from gbnfc.engine.inprocess import LlamaEngine
    from gbnfc.engine.load import open_vocabulary

    voice = options.diagnostics.voice
    path = _model_path(options.model, voice)
    engine_options = _engine_options(
        options.model, options.decoding
    )  # wrong ones are told before anything takes its time
    model = _load(path, options.model, voice) if weights else open_vocabulary(path)
    try:
        engine = LlamaEngine(model, constraint, engine_options)
    except BaseException:
        model.close()
        raise
    voice.detail(f"model {path}: window {engine.window:,} tokens")
    _warn_of_vain_options(options.model, model, voice)
    try:
        yield Opened(engine, model, path, began)
    finally:
        engine.close()


def _warn_of_vain_options(spec: ModelSpec, model: Model, voice: Voice) -> None:
    from gbnfc.engine.llama import has_gpu

    if spec.context is not None and spec.context > model.trained_window:
        voice.insist(
            f"--context {spec.context:,} is beyond what the model was trained on "
            f"({model.trained_window:,} tokens): what it writes there may be anything"
        )
    if spec.gpu_layers not in ("auto", "0") and not has_gpu():
        voice.warn(f"--gpu-layers {spec.gpu_layers}: this llama.cpp uses no GPU")


def _model_path(spec: ModelSpec, voice: Voice) -> Path:
    from gbnfc.engine.hub import download_model
    from gbnfc.engine.models import find_model

    try:
        return find_model(spec.model)
    except EngineError:
        if spec.model is None or not spec.download:
            raise
    return download_model(spec.model, voice.note)


def _load(path: Path, spec: ModelSpec, voice: Voice) -> Model:
    from gbnfc.engine.llama import library
    from gbnfc.engine.load import LoadOptions, default_threads, open_model

    if voice.verbose:
        library().echo = print_note
    loading = LoadOptions(
        gpu_layers=spec.gpu_layers,
        weights=spec.weights,
        threads=spec.threads or default_threads(),
        once=voice.once,
        note=voice.note,
        say=voice.detail,
    )
    return open_model(path, loading)


def _engine_options(spec: ModelSpec, decoding: DecodingSpec) -> Any:
    from gbnfc.engine.base import Sampling
    from gbnfc.engine.inprocess import LlamaOptions
    from gbnfc.engine.load import default_threads
    from gbnfc.engine.sequence import DecodingOptions

    return LlamaOptions(
        parallel=_read_parallel(spec.parallel),
        window=spec.context,
        threads=spec.threads or default_threads(),
        sampling=Sampling(
            decoding.temp,
            decoding.top_k,
            decoding.top_p,
            decoding.min_p,
            decoding.seed,
        ),
        decoding=DecodingOptions(forced_text=decoding.forced_text, drafts=decoding.drafts),
    )


def _read_parallel(text: str) -> int:
    from gbnfc.engine.inprocess import DEFAULT_PARALLEL, MAX_PARALLEL
    from gbnfc.engine.llama import has_gpu

    if text == "auto":
        return _GPU_PARALLEL if has_gpu() else DEFAULT_PARALLEL
    if not text.isdigit() or not 1 <= int(text) <= MAX_PARALLEL:
        raise UsageError(f"--parallel {text!r}: give auto or a number from 1 to {MAX_PARALLEL}")
    return int(text)


# --- what the model is told ----------------------------------------------------------------------


def prompt_parts(
    options: ExtractOptions, target: Target, opened: Opened
) -> tuple[ChatTemplate, PromptText]:
    """Return the model's template and what it is told in every conversation."""
    from gbnfc.extract.prompt import PromptText
    from gbnfc.extract.template import ChatTemplate

    spec, model = options.prompt, opened.model
    template = ChatTemplate(
        model.chat_template,
        bos=model.special_text("bos"),
        eos=model.special_text("eos"),
        thinking=spec.think is not None,
    )
    if spec.think is None and template.opens_thought():
        options.diagnostics.voice.once(
            "the model's template opens a <think> block; it is closed before the answer",
            str(opened.model_path),
        )
    text = PromptText(
        schema=target.shown_schema,
        instruction=spec.instruction,
        system=spec.system,
        choices=target.choices,
        examples=shown_examples(spec, target, template, options.answer.whitespace),
        think=spec.think is not None,
    )
    return template, text


def shown_examples(
    spec: PromptSpec, target: Target, template: ChatTemplate, whitespace: str
) -> tuple[Example, ...]:
    """Return the examples that were given, or one made from the schema where it helps."""
    from gbnfc.extract.made_example import make_example

    if spec.example:
        return tuple(_read_example(item, target) for item in spec.example)
    if not (spec.made_example and target.is_json) or spec.think is not None:
        return ()
    if template.source is None:  # not taught to converse: it would copy the example
        return ()
    made = make_example(target.shown_schema, target.constraint, whitespace)
    return () if made is None else (made,)


def _read_example(argument: str, target: Target) -> Example:
    from gbnfc.extract.prompt import Example

    document, answer = _split_example(argument)
    if not target.is_json:
        return Example(document, _checked_answer(answer, target))
    try:
        data = json.loads(answer)
    except ValueError as error:
        raise UsageError(f"--example {argument!r}: the answer is not JSON: {error}") from None
    verdict = target.validator.judge(data)
    if verdict.fault is not None:
        raise UsageError(f"--example {argument!r}: {verdict.fault}")
    if verdict.problems:
        refusal = f"the schema refuses the answer: {verdict.problems[0]}"
        raise UsageError(f"--example {argument!r}: {refusal}")
    return Example(document, json.dumps(data, ensure_ascii=False))


def _checked_answer(answer: str, target: Target) -> str:
    from gbnfc.match import Verdict, match_text

    for text in (answer, answer.strip()):
        if match_text(target.constraint.grammar, text).verdict is Verdict.ACCEPTED:
            return text
    raise UsageError(f"--example: {answer.strip()!r} is none of the answers that are asked for")


_FILE_NAME = re.compile(r"[^\s{}\[\]\"]+\.(txt|md|json|csv|eml|html|xml|log)", re.IGNORECASE)


def _split_example(argument: str) -> tuple[str, str]:
    pieces = argument.split("=")
    if len(pieces) < 2:
        raise UsageError(f"--example {argument!r} is not IN=OUT")
    # A file name may hold '=': the longest left side that is a file counts.
    for size in range(len(pieces) - 1, 0, -1):
        left, right = "=".join(pieces[:size]), "=".join(pieces[size:])
        if Path(left).is_file():
            return read_text(left).text, _text_or_file(right)
    return _text_or_file(pieces[0]), _text_or_file("=".join(pieces[1:]))


def _text_or_file(text: str) -> str:
    try:
        is_file = Path(text).is_file()
    except (OSError, ValueError):  # too long or odd for a file name: it is the text itself
        return text
    # A name that is mistyped should not be taken for a document.
    return read_text(text).text if is_file or _FILE_NAME.fullmatch(text) else text
