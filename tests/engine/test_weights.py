"""A 16-bit copy of the weights: made where it is the faster, never in the way."""

from __future__ import annotations

import os
import struct
import time
from collections import namedtuple
from pathlib import Path

import pytest
from judge import is_available

from gbnfc.engine.models import default_model
from gbnfc.engine.weight_source import Weights
from gbnfc.engine.weights import (
    ENOUGH_GAIN,
    MAX_COPIES,
    MOST_CLOSE,
    CopyOptions,
    faster_file,
    least_times,
    run_child,
)

Q4_1, Q4_K_M = 3, 15


def gguf(path, kind=Q4_1, size=100):
    """Write a file with a GGUF header that says `kind`, `size` bytes longer than that."""
    key = b"general.file_type"
    pair = struct.pack("<Q", len(key)) + key + struct.pack("<II", 4, kind)
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + pair + b"\0" * size)
    return path


class Maker:
    """A child that writes a copy and tells its gain, or fails."""

    def __init__(self, gain):
        self.gain = gain
        self.calls = 0

    def __call__(self, command):
        self.calls += 1
        Path(command[4]).write_bytes(b"a copy")
        return "" if self.gain is None else f"{self.gain}\n"


class Wish:
    """The wishes of a user, and what they were told."""

    def __init__(self, folder):
        self.folder, self.told = folder, []

    def of(self, wanted=Weights.AUTO, *, extra_buffers=True):
        return CopyOptions(wanted, extra_buffers, 2, self.told.append, self.folder)

    def copies(self):
        return sorted(path for path in self.folder.iterdir() if path.suffix == ".gguf")


@pytest.fixture
def wish(tmp_path):
    return Wish(tmp_path / "cache" / "weights")


@pytest.fixture
def model(tmp_path):
    return gguf(tmp_path / "model.gguf")


def test_a_faster_copy_is_made_once_and_used(wish, model):
    make = Maker(ENOUGH_GAIN)
    copy = faster_file(model, wish.of(), make)
    assert copy.read_bytes() == b"a copy"
    assert copy.parent == wish.folder
    assert "--weights file" in wish.told[0]
    for _ in range(2):
        assert faster_file(model, wish.of(), make) == copy
    assert make.calls == 1
    assert len(wish.told) == 2, "nothing is said of a copy that is there"


def test_a_close_judgement_is_made_again_a_few_times(wish, model):
    make = Maker(ENOUGH_GAIN - 0.01)
    for _ in range(MOST_CLOSE + 2):
        assert faster_file(model, wish.of(), make) == model
    assert make.calls == MOST_CLOSE
    assert wish.copies() == []


def test_a_close_judgement_may_turn_out_the_other_way(wish, model):
    assert faster_file(model, wish.of(), Maker(ENOUGH_GAIN - 0.01)) == model
    make = Maker(2.0)
    copy = faster_file(model, wish.of(), make)
    assert copy != model
    assert faster_file(model, wish.of(), make) == copy
    assert make.calls == 1


def test_a_busy_moment_does_not_judge():
    """Both are timed by turns, and the least time of each counts."""
    took = iter([2, 90, 90, 1, 2, 1])  # file, copy, file, copy ...
    now = 0

    def work():
        nonlocal now
        now += next(took)

    assert least_times([work, work], 3, lambda: now) == (2, 1)


def test_a_copy_that_is_no_faster_is_removed_for_good(wish, model):
    make = Maker(1.0)
    for _ in range(3):
        assert faster_file(model, wish.of(), make) == model
    assert make.calls == 1
    assert wish.copies() == []


@pytest.mark.parametrize("damage", ["kind", "size"])
def test_other_kinds_and_large_models_stay_as_they_are(wish, tmp_path, damage):
    kind = Q4_K_M if damage == "kind" else Q4_1
    model = gguf(tmp_path / "m.gguf", kind)
    if damage == "size":
        os.truncate(model, 400 * 2**20)  # a hole: 1.25 GiB as 16 bits
    make = Maker(9.0)
    for _ in range(2):
        assert faster_file(model, wish.of(), make) == model
    assert make.calls == 0
    assert wish.told == []


def test_the_user_may_want_the_file(wish, model):
    make = Maker(9.0)
    assert faster_file(model, wish.of(Weights.FILE), make) == model
    faster_file(model, wish.of(), make)
    assert faster_file(model, wish.of(Weights.FILE), make) == model
    assert make.calls == 1


def test_the_user_may_want_the_copy(wish, tmp_path):
    model = gguf(tmp_path / "m.gguf", Q4_K_M)
    make = Maker(0.5)
    assert faster_file(model, wish.of(), make) == model
    copy = faster_file(model, wish.of(Weights.WIDE), make)
    assert copy != model
    assert faster_file(model, wish.of(Weights.WIDE), make) == copy
    assert make.calls == 1
    # That one run asked for it does not make it the faster one.
    assert faster_file(model, wish.of(), make) == model


def test_a_failure_is_told_and_not_remembered(wish, model):
    make = Maker(None)
    for count in (1, 2):
        assert faster_file(model, wish.of(), make) == model
        assert make.calls == count
    assert "no copy was made" in wish.told[-1]
    assert list(wish.folder.iterdir()) == [], "nothing half made is left"


def test_a_child_that_says_nonsense_is_a_failure(wish, model):
    assert faster_file(model, wish.of(), lambda command: "very fast") == model
    assert "no copy was made" in wish.told[-1]


def test_another_model_under_the_same_name_gets_another_copy(wish, model):
    make = Maker(2.0)
    first = faster_file(model, wish.of(), make)
    gguf(model, size=101)
    second = faster_file(model, wish.of(), make)
    assert first != second
    assert wish.copies() == [second]
    assert make.calls == 2


@pytest.mark.parametrize("damage", ["deleted", "cut"])
def test_a_copy_that_was_deleted_or_cut_is_made_again(wish, model, damage):
    make = Maker(2.0)
    copy = faster_file(model, wish.of(), make)
    if damage == "deleted":
        copy.unlink()
    else:
        copy.write_bytes(b"a")
    assert faster_file(model, wish.of(), make) == copy
    assert copy.read_bytes() == b"a copy"
    assert make.calls == 2


def test_what_a_broken_off_run_left_is_tidied(wish, model):
    wish.folder.mkdir(parents=True)
    old, fresh = wish.folder / "x.1.tmp", wish.folder / "y.2.tmp"
    for path in (old, fresh):
        path.write_bytes(b"half")
    os.utime(old, (time.time() - 86400,) * 2)
    faster_file(model, wish.of(), Maker(2.0))
    assert not old.exists()
    assert fresh.exists(), "another run may be writing it"


def test_a_reason_is_told(wish, model):
    assert faster_file(model, wish.of(), lambda _: "m.gguf: cut off") == model
    assert "m.gguf: cut off" in wish.told[-1]


def test_a_folder_that_cannot_be_written_is_no_harm(wish, model, monkeypatch):
    copy = faster_file(model, wish.of(), Maker(2.0))

    def refuse(*_, **__):
        raise OSError(30, "Read-only file system")

    for name in ("unlink", "replace", "mkdir", "write_text"):
        monkeypatch.setattr(Path, name, refuse)
    assert faster_file(model, wish.of(), Maker(2.0)) == copy
    gguf(model, size=101)
    assert faster_file(model, wish.of(), Maker(2.0)) == model
    assert "Read-only" in wish.told[-1]


def test_a_symlink_and_its_file_share_a_copy(wish, model, tmp_path):
    link = tmp_path / "link.gguf"
    try:
        link.symlink_to(model)
    except OSError:
        pytest.skip("no symbolic links here")
    make = Maker(2.0)
    assert faster_file(model, wish.of(), make) == faster_file(link, wish.of(), make)
    assert make.calls == 1


def test_a_model_that_became_of_another_kind_keeps_no_copy(wish, model):
    faster_file(model, wish.of(), Maker(2.0))
    gguf(model, Q4_K_M)
    assert faster_file(model, wish.of(), Maker(2.0)) == model
    assert wish.copies() == []


def test_few_copies_are_kept_the_newest(wish, tmp_path):
    made = []
    for number in range(MAX_COPIES + 2):
        made.append(faster_file(gguf(tmp_path / f"m{number}.gguf"), wish.of(), Maker(2.0)))
        os.utime(made[-1], (time.time() - 1000 + number,) * 2)
    assert wish.copies() == sorted(made[2:])


def test_a_long_name_is_cut(wish, tmp_path):
    model = gguf(tmp_path / f"{'é' * 100}.gguf")
    copy = faster_file(model, wish.of(), Maker(2.0))
    assert copy != model
    assert len(copy.name.encode()) < 120


def test_no_room_and_no_folder_are_told(wish, model, monkeypatch, tmp_path):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage(10, 10, 0))
    make = Maker(2.0)
    assert faster_file(model, wish.of(), make) == model
    assert "no room" in wish.told[-1]
    monkeypatch.undo()
    wish.folder.rmdir()
    wish.folder.write_text("a file in the way")
    assert faster_file(model, wish.of(), make) == model
    assert "no 16-bit copy" in wish.told[-1]
    assert make.calls == 0


@pytest.mark.skipif(not is_available(), reason="needs the extras `llama` and `smollm2`")
def test_the_copy_says_what_the_model_says(wish):
    import numpy as np
    from machine import extra_buffers_work, lent

    from gbnfc.engine.llama import Context

    source = default_model()
    wanted = wish.of(Weights.WIDE, extra_buffers=extra_buffers_work())
    copy = faster_file(source, wanted, run_child)
    assert copy != source, wish.told
    text = "Yuki Diallo, aged 48, lives in Nara and has worked as a baker for nine years. " * 2
    rows = []
    for path in (source, copy):
        with lent(path) as model:
            tokens = model.tokenize(text)
            context = Context(model, cells=256, sequences=1, batch_tokens=256, threads=2)
            context.decode([(token, i, 0, True) for i, token in enumerate(tokens)])
            rows.append(np.array([context.logits(i) for i in range(len(tokens))]))
            context.close()
    ours, theirs = (np.argsort(-found, axis=1)[:, :3] for found in rows)
    best = np.mean(ours[:, 0] == theirs[:, 0])
    assert best > 0.9
    assert all(row[0] in other for row, other in zip(ours, theirs, strict=True))


@pytest.mark.skipif(not is_available(), reason="needs the extra `llama`")
def test_a_file_that_is_no_model_makes_no_copy(wish, model):
    assert faster_file(model, wish.of(), run_child) == model
    assert "no copy was made" in wish.told[-1]
    assert wish.copies() == []


@pytest.mark.skipif(not is_available(), reason="needs the extras `llama` and `smollm2`")
def test_a_copy_that_does_not_load_is_removed_and_the_file_is_used(wish, monkeypatch):
    from machine import loading

    from gbnfc.engine import load as opening

    source = default_model()
    copy = faster_file(source, wish.of(), Maker(2.0))
    monkeypatch.setattr(opening, "default_folder", lambda: wish.folder)
    told = loading(Weights.AUTO, lambda line, *_: wish.told.append(line))
    opened = opening.open_model(source, told)
    assert opened.path == source
    opened.close()
    assert not copy.exists()
    assert any("does not load" in line for line in wish.told)
