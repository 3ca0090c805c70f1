"""The `gbnfc` command with a scripted engine in the model's place, as a program of its own.

    python scripted_cli.py extract -s SCHEMA …

Answers copy the document's number. Environment: SCRIPT_ANSWERS (a JSON list of the answers to give
instead, one after the other, the last one for ever), SCRIPT_DELAY_S (seconds per document),
SCRIPT_FULL (the disk is full at this record), SCRIPT_REFUSE (the engine refuses the grammar),
SCRIPT_GATE (after SCRIPT_FREE answers, 1 unless given, wait until this file is there),
SCRIPT_READING (make this file when stdin is waited for), SCRIPT_PRESSURE (of the grammar on every
answer), SCRIPT_TEMPLATE (the model's chat template).
"""

from __future__ import annotations

import errno
import json
import os
import re
import sys
import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

from gbnfc.cli import main
from gbnfc.cli.extract import job as extract_job
from gbnfc.cli.extract.engine import Opened
from gbnfc.cli.io import texts
from gbnfc.engine.base import TokenScore
from gbnfc.engine.scripted import ScriptedEngine
from gbnfc.errors import EngineError

MAX_WAIT_S = 120


def answer(prompt, count):
    time.sleep(float(os.environ.get("SCRIPT_DELAY_S", "0")))
    if count >= int(os.environ.get("SCRIPT_FREE", "1")):
        wait_at_gate()
    if "SCRIPT_ANSWERS" in os.environ:
        answers = json.loads(os.environ["SCRIPT_ANSWERS"])
        return answers[min(count, len(answers) - 1)]
    document = prompt.rsplit("Text:\n", 1)[-1]
    number = re.search(r"[0-9]+", document)
    return json.dumps({"n": int(number[0]) if number else 0})


def wait_at_gate():
    gate = os.environ.get("SCRIPT_GATE")
    deadline = time.monotonic() + MAX_WAIT_S
    while gate is not None and not Path(gate).exists() and time.monotonic() < deadline:
        time.sleep(0.005)


def tell_of_reading(sign):
    raw_stdin = texts._raw_stdin

    def telling():
        found = raw_stdin()
        Path(sign).touch()
        return found

    texts._raw_stdin = telling


class Pressed(ScriptedEngine):
    """Says how unwillingly its answers were written."""

    def _complete(self, job, answer):
        done = super()._complete(job, answer)
        score = TokenScore(0, len(answer), 0.5, float(os.environ.get("SCRIPT_PRESSURE", "0")))
        return replace(done, scores=(score,) if job.want_scores else ())


@contextmanager
def open_engine(options, constraint, *, weights):
    if os.environ.get("SCRIPT_REFUSE"):
        raise EngineError("llama.cpp refuses the grammar: because", hint="nothing was generated")
    engine = Pressed(constraint, answer, parallel=2, window=options.model.context or 4096)
    model = SimpleNamespace(
        chat_template=os.environ.get("SCRIPT_TEMPLATE"), special_text=lambda _: ""
    )
    yield Opened(engine, model, Path("scripted.gguf"), time.perf_counter())


def fill_disk(at):
    write = extract_job.RecordWriter.write
    count = 0

    def limited(self, record):
        nonlocal count
        count += 1
        if count > at:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(self, record)

    extract_job.RecordWriter.write = limited


if __name__ == "__main__":
    extract_job.open_engine = open_engine
    if os.environ.get("SCRIPT_FULL"):
        fill_disk(int(os.environ["SCRIPT_FULL"]))
    if os.environ.get("SCRIPT_READING"):
        tell_of_reading(os.environ["SCRIPT_READING"])
    sys.argv[0] = "gbnfc"
    main()
