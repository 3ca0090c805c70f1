"""Damage journals and kill runs, by hand: `--resume` must lose and double nothing, or say why not.

    python tests/campaigns/journal_campaign.py [--damages N] [--kills N] [--seed N]

A damaged journal is refused with one error, exit code 2 or 3, and left as it is; or the run goes on
and its output is that of an undisturbed run, byte for byte, without doing again what was whole.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

PROGRAM = [sys.executable, str(Path(__file__).parents[1] / "helpers" / "scripted_cli.py")]
SCHEMA = '{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}'
COUNT = 8
DONE = 5
JSON_VALUES = ("null", "7", "[]", "{}", '""', "true", "1e999", "9" * 5_000, "[" * 100_000)
OTHER_FILES = (
    *(b"", b"\n", b"{", b'{"a": 1}', b'{"fingerprint": 1}', b'{"fingerprint": []}\n', b"{}\n"),
    *(b"\x7fELF\0\0\n\0", b"n,m\n1,2\n", b'{"fingerprint": "x"}\n', b'{"complete": true}\n'),
    *(b"[" * 200_000, b'{"a":' * 100_000 + b"\n", b"9" * 100_000 + b"\n"),
)
FIELDS = ("digest", "record", "source", "data", "valid", "errors", "finish", "tokens", "checksum")


def command(*more):
    return [*PROGRAM, "extract", "-s", SCHEMA, "-o", "out.jsonl", *more, "texts"]


def extract(folder, *more, **environment):
    return subprocess.run(
        command(*more),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env={**os.environ, **{key: str(value) for key, value in environment.items()}},
        timeout=60,
    )


def write_texts(folder, count):
    (folder / "texts").mkdir()
    for number in range(count):
        (folder / "texts" / f"{number:03}.txt").write_text(f"letter {number}", "utf-8")


# --- damage --------------------------------------------------------------------------------------


def cut(data, rng):
    return data[: rng.randrange(len(data))]


def flipped(data, rng):
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 3))):
        changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def doubled_line(data, rng):
    rows = data.splitlines(keepends=True)
    rows.insert(rng.randrange(len(rows) + 1), rng.choice(rows))
    return b"".join(rows)


def lost_line(data, rng):
    rows = data.splitlines(keepends=True)
    del rows[rng.randrange(len(rows))]
    return b"".join(rows)


def mixed_lines(data, rng):
    rows = data.splitlines(keepends=True)
    kept = 1 if rng.random() < 0.7 else 0
    mixed = rows[kept:]
    rng.shuffle(mixed)
    return b"".join(rows[:kept] + mixed)


def foreign_line(data, rng):
    rows = data.splitlines(keepends=True)
    line = rng.choice((*JSON_VALUES, "my notes", "", '{"complete": false}', "\0" * 50, "\udcff"))
    rows.insert(rng.randrange(len(rows) + 1), line.encode("utf-8", "surrogateescape") + b"\n")
    return b"".join(rows)


def wrong_type(data, rng):
    """Give a field another value, with a checksum that is right or wrong."""
    rows = data.splitlines(keepends=True)
    at = rng.randrange(1, len(rows))
    row, name = json.loads(rows[at]), rng.choice(FIELDS)
    inside = row if name in row else row["record"]
    text = json.dumps(row).replace(
        f"{json.dumps(name)}: {json.dumps(inside[name])}",
        f"{json.dumps(name)}: {rng.choice(JSON_VALUES)}",
        1,
    )
    # Any value may be the data of a record: there the checksum alone can tell.
    sign = str if name == "data" else rng.choice((signed, str))
    rows[at] = (sign(text) + "\n").encode()
    return b"".join(rows)


def signed(text):
    start = text.rpartition(', "checksum": ')[0]
    return f'{start}, "checksum": "{zlib.crc32(start.encode()):08x}"}}'


def nul_bytes(data, rng):
    at = rng.randrange(len(data) + 1)
    size = rng.choice((1, 16, 4096))
    return data[:at] + b"\0" * size + data[at + rng.choice((0, size)) :]


def other_encoding(data, rng):
    codec = rng.choice(("utf-16", "utf-16-le", "utf-32", "utf-8-sig", "utf-7"))
    text = data.decode()
    return text.replace("\n", rng.choice(("\n", "\r\n", "\r"))).encode(codec)


def other_file(data, rng):
    return rng.choice(OTHER_FILES)


DAMAGES = (cut, flipped, doubled_line, lost_line, mixed_lines, foreign_line, wrong_type, nul_bytes)
DAMAGES += (other_encoding, other_file)


def as_folder(path):
    path.unlink()
    path.mkdir()


def as_pipe(path):
    path.unlink()
    os.mkfifo(path)


def as_link(path):
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


def as_loop(path):
    path.unlink()
    path.symlink_to(path.name)


def as_dangling_link(path):
    path.unlink()
    path.symlink_to("nowhere")


def as_device(path):
    path.unlink()
    path.symlink_to("/dev/zero")


def unreadable(path):
    path.chmod(0o200)


def read_only(path):
    path.chmod(0o400)


PLACES = (as_folder, as_pipe, as_link, as_loop, as_dangling_link, as_device, unreadable, read_only)


class Bench:
    """A folder with a run that was broken off, which is set up again for every damage."""

    def __init__(self, folder):
        self.folder = folder
        self.output, self.journal = folder / "out.jsonl", folder / "out.jsonl.journal"
        write_texts(folder, COUNT)
        self.expected = self._result("--fresh")
        assert extract(folder, "--fresh", SCRIPT_FULL=DONE).returncode == 3
        self.half = self.output.read_bytes(), self.journal.read_bytes()

    def _result(self, *more):
        done = extract(self.folder, *more)
        return self.output.read_bytes() if done.returncode == 0 else done.stderr

    def set_up(self):
        """Put the broken-off run back, whatever stands there."""
        for path in (*self.folder.glob("out.jsonl*"), *self.folder.glob("*where")):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        self.output.write_bytes(self.half[0])
        self.journal.write_bytes(self.half[1])

    def resumed(self, *, options=()):
        """Go on with what stands there; return the exit code and what is wrong ("": nothing)."""
        before = _bytes_of(self.journal)
        try:
            done = extract(self.folder, "--resume", *options)
        except subprocess.TimeoutExpired:
            return None, "hangs"
        if b"Traceback" in done.stderr:
            return done.returncode, done.stderr.decode("utf-8", "replace")
        if done.returncode in (2, 3):
            return done.returncode, self._refusal_problem(done, before)
        if done.returncode != 0:
            return done.returncode, f"{done.stderr!r}"
        return 0, self._result_problem(before or b"")

    def _refusal_problem(self, done, before):
        said = done.stderr.decode("utf-8", "replace").splitlines()
        if not said or not said[0].startswith("error: ") or "journal" not in said[0]:
            return f"no clear message: {said}"
        if _bytes_of(self.journal) != before:
            return "refused, and the journal is another"
        return "" if self.output.read_bytes() == self.half[0] else "refused, and the output changed"

    def _result_problem(self, before):
        if self.output.read_bytes() != self.expected:
            return f"another result: {self.output.read_bytes()!r}"
        whole = [line for line in self.half[1].splitlines(True) if line in before.splitlines(True)]
        after = self.journal.read_bytes().splitlines(keepends=True)
        lost = [line for line in whole if line not in after and whole[0] == self.first_line]
        return f"lost {lost}" if lost else ""

    @property
    def first_line(self):
        """The fingerprint of the run: without it nothing else counts."""
        return self.half[1].splitlines(keepends=True)[0]


def _bytes_of(path):
    return path.read_bytes() if path.is_file() and path.stat().st_size else None


def damaged_runs(bench, numbers, seed):
    """Yield for each damage its name, the exit code of the resumed run, and what is wrong."""
    for number in numbers:
        rng = random.Random(f"{seed}-{number}")
        damage = DAMAGES[number % len(DAMAGES)]
        bench.set_up()
        bench.journal.write_bytes(damage(bench.half[1], rng))
        yield f"{number} {damage.__name__}", *bench.resumed()


def misplaced_runs(bench, places=PLACES):
    """Yield the same for what stands in the place of a journal, and for other options."""
    for place in places:
        bench.set_up()
        place(bench.journal)
        yield place.__name__, *bench.resumed()
    bench.set_up()
    yield "other options", *bench.resumed(options=("--seed", "9"))


# --- kills ---------------------------------------------------------------------------------------

SIGNALS = ((signal.SIGKILL,), (signal.SIGTERM,), (signal.SIGINT,), (signal.SIGINT, signal.SIGINT))
TEXTS = 40


def killed_run(folder, signals, rng):
    """Kill a run at a random moment, go on with it; return what is wrong."""
    for path in folder.glob("out.jsonl*"):
        path.unlink()
    child = subprocess.Popen(
        command(),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "SCRIPT_DELAY_S": "0.01"},
    )
    journal = folder / "out.jsonl.journal"
    # Python itself answers an interrupt before the program begins, with a traceback.
    least = int(signals[0] is not signal.SIGKILL)
    most = rng.randrange(least, TEXTS)
    while child.poll() is None:
        done = journal.read_bytes().count(b"\n") if journal.exists() else 0
        if done > most or (done >= least and rng.random() < 0.002):
            break
        time.sleep(0.002)
    for number in signals:
        child.send_signal(number)
        time.sleep(rng.choice((0, 0.002, 0.02)))
    _, said = child.communicate(timeout=60)
    kept = journal.read_bytes().splitlines(keepends=True) if journal.exists() else []
    done = extract(folder, *(["--resume"] if journal.exists() else []))
    if b"Traceback" in said + done.stderr or done.returncode != 0:
        return f"{child.returncode}, {done.returncode}: {said!r} {done.stderr!r}"
    after = journal.read_bytes().splitlines(keepends=True)
    if [line for line in kept if line.endswith(b"\n") and after.count(line) != 1]:
        return "a record was lost or doubled"
    return ""


def killed_runs(folder, count, seed):
    """Yield for each kill its name, and what is wrong with what `--resume` makes of it."""
    write_texts(folder, TEXTS)
    assert extract(folder).returncode == 0
    expected = (folder / "out.jsonl").read_bytes()
    for number in range(count):
        rng = random.Random(f"{seed}-{number}")
        signals = SIGNALS[number % len(SIGNALS)]
        wrong = killed_run(folder, signals, rng)
        if not wrong and (folder / "out.jsonl").read_bytes() != expected:
            wrong = "another result"
        yield f"kill {number} {'+'.join(s.name for s in signals)}", wrong


def main():
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--damages", type=int, default=200)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        damaged = damaged_runs(bench, range(arguments.damages), arguments.seed)
        for name, code, wrong in itertools.chain(misplaced_runs(bench), damaged):
            faults += bool(wrong)
            print(f"{'FAULT' if wrong else 'ok'}\t{code}\t{name}\t{wrong}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, wrong in killed_runs(Path(folder), arguments.kills, arguments.seed):
            faults += bool(wrong)
            print(f"{'FAULT' if wrong else 'ok'}\t{name}\t{wrong}", flush=True)
    print(f"{faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
