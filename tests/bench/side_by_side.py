"""Extraction side by side, and how near the engine comes to what the machine can do.

    python tests/bench/side_by_side.py [--model GGUF] [--documents 8] [--threads 2] [--server-bin
    PATH]

Prints, for the same documents, schema and model: documents per second and field accuracy of
gbnfc, of llama-cpp-python's own JSON-schema mode, and of llama-server when a binary is given
(model load left out); the share of the machine's bound that gbnfc reaches; and what the grammar
costs.

gbnfc runs on the weights that it would choose (`--weights`), and so do the bound and the plain
loop, which may also use those of the file. The bound is measured in the same run: prompt and
forced tokens at the rate of a prompt of that length, sampled tokens at the rate of batched decoding
with as many sequences, behind prompts of that length. Compare the numbers of one run, not of two.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from gbnfc import compile_schema
from gbnfc.engine.base import ConstraintGrammar, Job, Prompt, Stats
from gbnfc.engine.inprocess import LlamaEngine, LlamaOptions
from gbnfc.engine.llama import Context, Model
from gbnfc.engine.load import LoadOptions, default_threads, open_model
from gbnfc.engine.models import find_model
from gbnfc.engine.sequence import DecodingOptions
from gbnfc.engine.weight_source import Weights
from gbnfc.extract.prompt import PromptText
from gbnfc.extract.template import ChatTemplate

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 60},
        "age": {"type": "integer", "minimum": 0, "maximum": 120},
        "city": {"type": "string", "maxLength": 60},
        "trade": {"enum": ["welder", "baker", "driver", "tailor"]},
        "years": {"type": "integer", "minimum": 0, "maximum": 60},
    },
    "required": ["name", "age", "city", "trade", "years"],
    "additionalProperties": False,
}
FIRST = ["Yuki", "Tom", "Ines", "Omar", "Maria", "Sven", "Fatima", "Chloe"]
LAST = ["Diallo", "Haddad", "Roth", "Rahman", "Lopez", "Berg", "Okafor", "Costa"]
CITIES = ["Nara", "Oslo", "Bern", "Amman", "Lisbon", "Bergen", "Dakar", "Lyon"]
FILLER = ["The office is closed on Monday.", "Nothing else was decided.", "Please keep this note."]
LIMIT = 200


def documents(count: int) -> list[tuple[str, dict[str, object]]]:
    """Return texts and the answers they should have."""
    rng = random.Random(7)
    made = []
    for _ in range(count):
        gold: dict[str, object] = {
            "name": f"{rng.choice(FIRST)} {rng.choice(LAST)}",
            "age": rng.randint(20, 60),
            "city": rng.choice(CITIES),
            "trade": rng.choice(SCHEMA["properties"]["trade"]["enum"]),  # type: ignore[index]
            "years": rng.randint(1, 19),
        }
        text = (
            f"Application note. {rng.choice(FILLER)} {gold['name']}, aged {gold['age']}, lives in "
            f"{gold['city']} and has worked as a {gold['trade']} for {gold['years']} years. "
            f"{rng.choice(FILLER)} {rng.choice(FILLER)}"
        )
        made.append((text, gold))
    return made


def turns(template: ChatTemplate, text: str) -> Prompt:
    return template.prompt(PromptText(schema=SCHEMA).turns(text))


@dataclass(slots=True)
class Run:
    """A finished run. `prompt_s` is the time of the steps that took a prompt in."""

    seconds: float
    prompt_s: float
    answers: list[str]
    stats: Stats

    @property
    def written(self) -> int:
        """The tokens of all answers."""
        return self.stats.forced + self.stats.sampled


def run_gbnfc(
    model: Model, rows: list[tuple[str, dict[str, object]]], options: LlamaOptions
) -> Run:
    """Run all of `rows` through an engine; the model stays open."""
    compiled = compile_schema(SCHEMA)
    template = ChatTemplate(model.chat_template, model.special_text("bos"))
    engine = LlamaEngine(model, ConstraintGrammar(compiled.text, compiled.grammar), options)
    began = time.perf_counter()
    engine.share_prefix((turns(template, "a"), turns(template, "0 b")))
    waiting = [Job(i, turns(template, t), LIMIT, t) for i, (t, _) in enumerate(rows)]
    done: dict[int, str] = {}
    prompt_s, stats = 0.0, engine.stats
    while waiting or not engine.is_idle:
        while waiting and engine.has_room:
            engine.submit(waiting.pop(0))
        prompt, started = stats.prompt, time.perf_counter()
        done.update({c.key: c.text for c in engine.step()})
        if stats.prompt > prompt:
            prompt_s += time.perf_counter() - started
    seconds = time.perf_counter() - began
    engine.close()
    return Run(seconds, prompt_s, [done[i] for i in range(len(rows))], stats)


def best_run(model: Model, rows: list[tuple[str, dict[str, object]]], options: LlamaOptions) -> Run:
    """Return the fastest of three runs: the machine's rates are the best of three as well."""
    return min((run_gbnfc(model, rows, options) for _ in range(3)), key=lambda run: run.seconds)


def run_binding(
    path: Path, rows: list[tuple[str, dict[str, object]]], threads: int
) -> tuple[float, list[str]]:
    """llama-cpp-python's create_chat_completion with the schema as response format."""
    from llama_cpp import Llama

    llm = Llama(str(path), n_ctx=4096, n_threads=threads, verbose=False)
    began, answers = time.perf_counter(), []
    for text, _ in rows:
        answer = llm.create_chat_completion(
            [
                {"role": turn.role, "content": turn.text}
                for turn in PromptText(schema=SCHEMA).turns(text)
            ],
            response_format={"type": "json_object", "schema": SCHEMA},
            temperature=0,
            max_tokens=LIMIT,
        )
        answers.append(answer["choices"][0]["message"]["content"])
    return time.perf_counter() - began, answers


def run_server(
    binary: str, path: Path, rows: list[tuple[str, dict[str, object]]], threads: int, slots: int
) -> tuple[float, list[str]]:
    """llama-server with as many slots."""
    from concurrent.futures import ThreadPoolExecutor

    base = "http://127.0.0.1:18432"
    command = [binary, "-m", str(path), "-c", str(2048 * slots), "-np", str(slots)]
    command += ["-t", str(threads), "--port", base.rsplit(":", 1)[1]]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def ask(text: str) -> str:
        said = [{"role": t.role, "content": t.text} for t in PromptText(schema=SCHEMA).turns(text)]
        form = {"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA}}
        body = {"temperature": 0, "max_tokens": LIMIT, "messages": said, "response_format": form}
        request = urllib.request.Request(
            f"{base}/v1/chat/completions",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=600) as reply:
            content: str = json.load(reply)["choices"][0]["message"]["content"]
            return content

    try:
        for _ in range(300):
            try:
                urllib.request.urlopen(f"{base}/health", timeout=1).close()
                break
            except OSError:
                time.sleep(0.1)
        began = time.perf_counter()
        with ThreadPoolExecutor(slots) as pool:
            answers = list(pool.map(ask, [text for text, _ in rows]))
        return time.perf_counter() - began, answers
    finally:
        server.terminate()
        server.wait()


def accuracy(rows: list[tuple[str, dict[str, object]]], answers: list[str]) -> float:
    right = total = 0
    for (_, gold), answer in zip(rows, answers, strict=True):
        total += len(gold)
        try:
            found = json.loads(answer)
        except ValueError:
            continue
        right += sum(found.get(key) == value for key, value in gold.items())
    return 100 * right / total


def rates(model: Model, sequences: int, threads: int, length: int) -> tuple[float, float]:
    """Return tokens per second: of a prompt, and of decoding with `sequences` sequences.

    The prompt has `length` tokens; decoding goes on behind as long ones.
    """
    room = (sequences + 1) * (length + 32)
    context = Context(model, cells=room, sequences=sequences + 1, batch_tokens=512, threads=threads)
    tokens = model.tokenize("The quick brown fox jumps over the lazy dog near the river. " * 60)
    prompt = tokens[:length]
    best_prompt = best_decode = 0.0
    for _ in range(3):
        for slot in range(sequences + 1):
            context.trim_sequence(slot, 0)
        began = time.perf_counter()
        context.decode([(t, i, 0, i == length - 1) for i, t in enumerate(prompt)])
        context.logits(length - 1)
        best_prompt = max(best_prompt, length / (time.perf_counter() - began))
        context.trim_sequence(0, 0)
        for slot in range(sequences):
            context.decode([(t, i, slot, False) for i, t in enumerate(prompt)])
        began = time.perf_counter()
        for step in range(16):
            context.decode([(tokens[step + s], length + step, s, True) for s in range(sequences)])
            context.logits(0)
        best_decode = max(best_decode, 16 * sequences / (time.perf_counter() - began))
    context.close()
    return best_prompt, best_decode


def lend(path: Path, weights: Weights, threads: int) -> Model:
    """Return the model at `path`, which outlives the engines it is lent to."""
    model = open_model(path, LoadOptions("0", weights, threads, print, print, print))
    model.close = lambda: None  # type: ignore[method-assign]  # lent, not given
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--model")
    parser.add_argument("--documents", type=int, default=16)
    parser.add_argument("--parallel", type=int, default=8)
    parser.add_argument("--threads", type=int, default=default_threads())
    parser.add_argument("--weights", type=Weights, choices=list(Weights), default=Weights.AUTO)
    parser.add_argument("--server-bin")
    arguments = parser.parse_args()
    path, threads = find_model(arguments.model), arguments.threads
    rows, model = documents(arguments.documents), lend(path, arguments.weights, threads)
    is_copy = model.path != path
    print("weights:", f"{arguments.weights.value}, a copy" if is_copy else "of the file")

    def show(name: str, seconds: float, answers: list[str]) -> float:
        rate = len(rows) / seconds
        print(f"{name:18} {rate:6.2f} docs/s   fields {accuracy(rows, answers):5.1f} %", flush=True)
        return rate

    options = LlamaOptions(parallel=arguments.parallel, threads=threads)
    run = best_run(model, rows, options)
    ours = show("gbnfc", run.seconds, run.answers)
    stats = run.stats
    theirs = show("llama-cpp-python", *run_binding(path, rows, threads))
    print(f"{'':18} {ours / theirs:6.2f} x llama-cpp-python")
    if arguments.server_bin:
        other = run_server(arguments.server_bin, path, rows, threads, arguments.parallel)
        print(f"{'':18} {ours / show('llama-server', *other):6.2f} x llama-server")

    length = (stats.prompt + stats.reused) // len(rows)
    prompt_rate, decode_rate = rates(model, arguments.parallel, threads, length)
    bound = (stats.prompt + stats.forced) / prompt_rate + stats.sampled / decode_rate
    print(
        f"machine: prompt {prompt_rate:.0f} tokens/s, decode {decode_rate:.0f} at "
        f"{arguments.parallel} sequences, {length} tokens long; bound {bound:.2f} s, "
        f"reached {100 * bound / run.seconds:.0f} %"
    )
    plain = LlamaOptions(
        1, threads=threads, decoding=DecodingOptions(forced_text=False, drafts=False)
    )
    alone = best_run(model, rows[:4], plain)
    of_file = best_run(lend(path, Weights.FILE, threads), rows[:4], plain) if is_copy else alone
    checks = 100 * alone.stats.choose_s / alone.stats.decode_s
    print(f"constraint overhead without forced text: {checks:.1f} % of decode time")
    fast = best_run(model, rows[:4], LlamaOptions(1, threads=threads))
    # Forced text at the beginning is decoded together with the prompt, whose time is the same.
    fast_rate = fast.written / (fast.seconds - alone.prompt_s)
    # The plain loop may use the weights that it is faster with.
    slow_rate = max(r.written / (r.seconds - r.prompt_s) for r in (alone, of_file))
    print(
        f"one document alone: {fast_rate:.0f} tokens/s written, plain loop {slow_rate:.0f}: "
        f"{fast_rate / slow_rate:.2f} x"
    )


if __name__ == "__main__":
    main()
