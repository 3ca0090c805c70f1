"""Damaged model files: a whole one, with one thing in its header changed where it stands.

As a program it is a campaign: `python tests/helpers/damaged_models.py [--random N] [--seed S]` runs
`gbnfc extract` on damaged copies of the default model and tells what went wrong: an exit code other
than 0, 4 and 5, more than an error and its hint, anything on stdout with a failure, a refusal after
more than 10 s.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

SCALARS = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}
STRING, ARRAY = 8, 9
NAN, INFINITY = float("nan"), float("inf")
MAX_S = 10.0


@dataclass
class Places:
    """Where the parts of a header stand: (struct layout, offset) by name."""

    fields: dict[str, tuple[str, int]] = field(default_factory=dict)
    arrays: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Kind and offset of the first element, by key."""
    tensors: list[str] = field(default_factory=list)
    end: int = 0


class _Reader:
    def __init__(self, data):
        self.data, self.at, self.places = data, 0, Places()

    def number(self, layout, name=""):
        if name:
            self.places.fields[name] = ("<" + layout, self.at)
        (value,) = struct.unpack_from("<" + layout, self.data, self.at)
        self.at += struct.calcsize("<" + layout)
        return value

    def string(self, name=""):
        size = self.number("Q", f"{name}.size" if name else "")
        self.at += size
        if name:
            self.places.fields[name] = (f"{size}s", self.at - size)
        return self.data[self.at - size : self.at]

    def value(self, kind, name):
        if kind == STRING:
            self.string(name)
        elif kind == ARRAY:
            self.array(name)
        else:
            self.number(SCALARS[kind], name)

    def array(self, name):
        kind, count = self.number("I", f"{name}.kind"), self.number("Q", f"{name}.count")
        self.places.arrays[name] = (kind, self.at)
        if kind in SCALARS:
            self.at += count * struct.calcsize("<" + SCALARS[kind])
            return
        for _ in range(count):
            self.value(kind, "")


def find_places(data):
    """Return where the parts of the GGUF header at the beginning of `data` stand."""
    reader = _Reader(data)
    reader.at = 4
    reader.number("I", "version")
    tensors, pairs = reader.number("Q", "tensors"), reader.number("Q", "pairs")
    for _ in range(pairs):
        key = bytes(reader.string()).decode()
        reader.value(reader.number("I", f"{key}.type"), key)
    for number in range(tensors):
        name = bytes(reader.string(f"tensor{number}.name")).decode()
        reader.places.tensors.append(name)
        for axis in range(reader.number("I", f"{name}.axes")):
            reader.number("Q", f"{name}.{axis}")
        reader.number("I", f"{name}.type"), reader.number("Q", f"{name}.offset")
    reader.places.end = reader.at
    return reader.places


NUMBERS = (0, 1, 3, 7, 2**16, 2**31 - 1, 2**31, 2**32 - 1)
REALS = (NAN, INFINITY, -INFINITY, -1.0, 0.0, 1e38)
BIG = (0, 1, 2**31, 2**63, 2**64 - 1)
# What is changed, and to what.
CHANGES = [
    *(("llama.attention.layer_norm_rms_epsilon", value) for value in REALS),
    *(("llama.rope.freq_base", value) for value in REALS),
    *(("llama.block_count", value) for value in NUMBERS),
    *(("llama.context_length", value) for value in NUMBERS),
    *(("llama.embedding_length", value) for value in NUMBERS),
    *(("llama.feed_forward_length", value) for value in NUMBERS),
    *(("llama.attention.head_count", value) for value in NUMBERS),
    *(("llama.attention.head_count_kv", value) for value in NUMBERS),
    *(("llama.rope.dimension_count", value) for value in NUMBERS),
    *(("llama.vocab_size", value) for value in NUMBERS),
    *(("tokenizer.ggml.bos_token_id", value) for value in NUMBERS),
    *(("tokenizer.ggml.eos_token_id", value) for value in NUMBERS),
    *(("general.file_type", value) for value in NUMBERS),
    *(("tokenizer.ggml.tokens.count", value) for value in BIG),
    *(("tokenizer.ggml.token_type.count", value) for value in BIG),
    *(("tokenizer.ggml.merges.count", value) for value in BIG),
    *(("tokenizer.ggml.tokens.kind", value) for value in (0, 4, 9, 99)),
    *(("general.architecture.size", value) for value in BIG),
    *(("version", value) for value in (0, 1, 2, 4, 2**32 - 1)),
    *(("tensors", value) for value in BIG),
    *(("pairs", value) for value in BIG),
    *(("token_embd.weight.0", value) for value in BIG),
    *(("token_embd.weight.1", value) for value in BIG),
    *(("token_embd.weight.axes", value) for value in (0, 1, 5, 2**32 - 1)),
    *(("token_embd.weight.type", value) for value in (0, 1, 8, 16, 39, 99, 2**32 - 1)),
    *(("blk.0.attn_q.weight.0", value) for value in BIG),
    *(("blk.0.attn_q.weight.type", value) for value in (0, 1, 8, 16, 39, 99, 2**32 - 1)),
    *(("blk.0.attn_norm.weight.offset", value) for value in (1, 32, 2**40, 2**63, 2**64 - 32)),
    *(
        ("general.architecture", name)
        for name in (b"xlama", b"mamba", b"gemma", b"bert\0", b"\x1b[2J\x07")
    ),
    *(
        ("tokenizer.ggml.model", name)
        for name in (b"llam", b"bert", b"rwkv", b"none", b"\xff\xfe\0\0")
    ),
    ("tensor0.name", b"no_such.weight\0\0\0\0"),
]


def changed(data, places, name, value):
    """Change one field of `data`, a bytearray, in place; return whether it has it."""
    if name not in places.fields:
        return False
    layout, offset = places.fields[name]
    if layout.endswith("s"):
        value = value[: int(layout[:-1])].ljust(int(layout[:-1]), b"x")
    elif layout == "<i":
        value = (value + 2**31) % 2**32 - 2**31
    struct.pack_into(layout, data, offset, value)
    return True


def flipped(data, places, rng):
    """Change some bytes of the header of `data` in place, most of them outside the vocabulary."""
    begin = 0
    inside = [offset for layout, offset in places.fields.values() if layout != "0s"]
    for _ in range(rng.choice((1, 1, 2, 4))):
        at = (
            rng.choice(inside) + rng.randrange(8)
            if rng.random() < 0.8
            else rng.randrange(begin, places.end)
        )
        data[at] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))


class Bench:
    """A folder with one copy of the model, whose header is damaged and put right again."""

    def __init__(self, source, folder):
        self.path = Path(folder) / "damaged.gguf"
        shutil.copyfile(source, self.path)
        with self.path.open("rb") as file:
            head = file.read(8 << 20)
        self.places = find_places(head)
        self.head = head[: self.places.end + 64]

    def write(self, head):
        with self.path.open("r+b") as file:
            file.write(head)
        # No two states are to have the same time: a cache may know a file by it.
        os.utime(self.path, ns=(time.time_ns(), time.time_ns()))

    def damaged(self, name, value):
        head = bytearray(self.head)
        if not changed(head, self.places, name, value):
            return False
        self.write(head)
        return True


def max_s():
    """Return how long a refusal may take, in seconds: longer where others use the processors."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0
    return MAX_S * max(1, load / (os.cpu_count() or 1))


def extract(path, *more):
    """Run `gbnfc extract` on a text; return how it ended and how long it took."""
    command = [sys.executable, "-m", "gbnfc", "extract", "-s", "name str", "--retries", "0"]
    command += ["--max-tokens", "20"]
    began = time.monotonic()
    done = subprocess.run(
        [*command, "-m", str(path), "--weights", "file", *more],
        input=b"Maria Lopez lives in Lisbon.",
        capture_output=True,
        timeout=600,
    )
    return done, time.monotonic() - began


def fault(done, seconds):
    """Return what is wrong with how a run on a damaged model ended, "" when nothing is."""
    err = done.stderr.decode("utf-8", "replace")
    if done.returncode not in (0, 4, 5):
        return f"exit code {done.returncode}"
    if done.returncode == 4 and seconds > max_s():
        return f"took {seconds:.1f} s"
    if done.returncode == 4 and done.stdout:
        return "something on stdout"
    lines = err.splitlines()
    if done.returncode == 4 and not (1 <= len(lines) <= 2 and lines[0].startswith("error: ")):
        return "more than an error and its hint"
    if any(not line.isprintable() for line in lines):
        return "control characters"
    return ""


def tried(path, number, *, vocabulary_only):
    """Try a damaged model; return exit code, seconds, what was said, and what is wrong with that.

    Where the probing child survives, and for every tenth that it does not, the whole command runs.
    """
    from gbnfc.engine.probe import Health, Trial, default_cache, remembered_verdict

    began = time.monotonic()
    verdict = remembered_verdict(Trial(path, vocabulary_only=vocabulary_only), default_cache())
    seconds = time.monotonic() - began
    if verdict.health is not Health.BROKEN or number % 10 == 0:
        done, seconds = extract(path, *(["--dry-run"] if vocabulary_only else []))
        said = done.stderr.decode("utf-8", "replace").strip().split("\n")[0]
        return done.returncode, seconds, said, fault(done, seconds)
    wrong = f"took {seconds:.1f} s" if seconds > max_s() else ""
    return 4, seconds, verdict.reason, wrong if verdict.reason.isprintable() else "control codes"


def main():
    from gbnfc.engine.models import default_model

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--random", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    codes, faults, slowest = Counter(), 0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GBNFC_CACHE"] = str(Path(folder) / "cache")
        bench = Bench(default_model(), folder)
        extract(bench.path)  # what is found out once per machine
        for number, name in enumerate(damages(bench, arguments)):
            for kind in (False, True) if number % 3 == 0 else (False,):
                code, seconds, said, wrong = tried(bench.path, number, vocabulary_only=kind)
                codes[code] += 1
                slowest = max(slowest, seconds if code == 4 else 0)
                faults += bool(wrong)
                mark = f"FAULT {wrong}" if wrong else "ok"
                what = f"{name}{', vocabulary' if kind else ''}"
                print(f"{mark}\t{code}\t{seconds:.1f} s\t{what}\t{said}", flush=True)
    print(f"{dict(codes)}, {faults} faults, slowest refusal {slowest:.1f} s")
    return 1 if faults else 0


def damages(bench, arguments):
    """Damage the file, one way after the other, and yield what was done."""
    changes = [(name, value) for name, value in CHANGES if arguments.only in name]
    random.Random(arguments.seed).shuffle(changes)  # who ends it early has seen something of each
    for name, value in changes:
        if bench.damaged(name, value):
            yield f"{name} = {value!r}"
    for number in range(arguments.random):
        head = bytearray(bench.head)
        flipped(head, bench.places, random.Random(f"{arguments.seed} {number}"))
        bench.write(head)
        yield f"random {arguments.seed} {number}"


if __name__ == "__main__":
    sys.exit(main())
