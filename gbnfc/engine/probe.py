"""Does this build of llama.cpp survive its first decode on this machine?

In: a model. Out: a verdict, remembered per build and machine. A llama.cpp built for the native
CPU can die in AMX instructions on virtual machines that advertise but do not carry them; leaving
out its extra buffer types avoids them. Only a child process can find out without dying itself.

As a program (`python -m gbnfc.engine.probe MODEL extra|plain`) it is that child.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from enum import Enum
from pathlib import Path
from typing import TypeAlias

from gbnfc.engine.child import run_to_end
from gbnfc.engine.remembered import add_finding, build_key, cache_folder, read_findings
from gbnfc.errors import EngineError

CHILD_TIMEOUT_S = 300
_CHILD = (sys.executable, "-m", "gbnfc.engine.probe")

Runner: TypeAlias = Callable[[Sequence[str]], int]
"""Runs a command and returns its exit status, negative for a signal."""


class Health(Enum):
    """What the probe found. `PLAIN`: works, but only without the extra buffer types."""

    GOOD = "good"
    PLAIN = "plain"
    BROKEN = "broken"


def run_child(command: Sequence[str]) -> int:
    """Run `command` silently; a child that hangs is killed and counts as failed."""
    status = run_to_end(command, CHILD_TIMEOUT_S).status
    return 1 if status is None else status


def probe(model: Path, run: Runner = run_child) -> Health:
    """Decode a few tokens of `model` in a child process, with and, if that dies, without extras."""
    for kind, health in (("extra", Health.GOOD), ("plain", Health.PLAIN)):
        if run([*_CHILD, str(model), kind]) == 0:
            return health
    return Health.BROKEN


def remembered_health(model: Path, cache: Path, run: Runner = run_child) -> Health:
    """Return the verdict for this build and machine, probing with `model` when it is unknown.

    `cache` is the file that verdicts are kept in. A broken verdict is not kept: it may be the
    model's fault.
    """
    known = read_findings(cache).get(build_key())
    if known in (Health.GOOD.value, Health.PLAIN.value):
        return Health(known)
    return fresh_health(model, cache, run)


def fresh_health(model: Path, cache: Path, run: Runner = run_child) -> Health:
    """Return the verdict of running `model` itself, whatever is remembered, and remember it."""
    health = probe(model, run)
    if health is not Health.BROKEN:
        add_finding(cache, build_key(), health.value)
    return health


def failure(model: Path) -> str:
    """Return why a child process cannot load and run `model`: its last line, or how it died."""
    done = run_to_end([*_CHILD, str(model), "plain"], CHILD_TIMEOUT_S)
    if done.status is None:
        return f"{model}: not loaded and run within {CHILD_TIMEOUT_S} s"
    if done.status == 1:
        return done.err.strip() or f"{model}: it fails without a reason"
    return f"{model}: the process that loads and runs it dies (status {done.status})"


def forget(cache: Path) -> None:
    """Forget all verdicts."""
    cache.unlink(missing_ok=True)


def default_cache() -> Path:
    """Return the file that verdicts are kept in, in the user's cache folder."""
    return cache_folder() / "probe.json"


def _decode_once(path: Path, *, extra_buffers: bool) -> None:
    from gbnfc.engine.llama import Context, Model, TokenGrammar

    model = Model(path, extra_buffers=extra_buffers)
    grammar = TokenGrammar.load(model, 'root ::= "a"')
    context = Context(model, cells=256, sequences=1, batch_tokens=64, threads=1)
    tokens = model.tokenize("The quick brown fox jumps over the lazy dog. " * 4)[:48]
    context.decode([(token, i, 0, False) for i, token in enumerate(tokens)])
    context.decode([(tokens[0], len(tokens), 0, True)])
    context.logits(0)
    grammar.allows(tokens[0])
    grammar.close()
    context.close()
    model.close()


def main(arguments: Sequence[str]) -> int:
    """Be the child: load and decode, or die trying."""
    try:
        _decode_once(Path(arguments[0]), extra_buffers=arguments[1] == "extra")
    except EngineError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
