"""What watches over the campaigns tells what goes wrong, and goes on."""

from __future__ import annotations

import os
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def dies():
    os._exit(3)


def hangs():
    while True:
        pass


def grows():
    bytearray(400_000_000)
    return []


def fails():
    raise KeyError("nowhere")


CASES = (list, lambda: ["wrong", "worse"], dies, list, hangs, grows, list, fails, list)


def test_what_goes_wrong_is_told_and_the_rest_is_looked_at(capfd):
    from watched import Bounds, peak_kb, watched

    seen = os.memfd_create("seen")

    def prepare():
        def check(number):
            os.write(seen, b"%d" % number)
            return CASES[number]()

        return check

    bounds = Bounds(hangs_s=3, max_kb=peak_kb() + 200_000, told_every=3)
    problems = watched(range(len(CASES)), prepare, "case {}".format, bounds)
    said = capfd.readouterr().out
    assert os.pread(seen, 100, 0) == b"012345678"
    assert problems == 6, said
    for text in ("case 1\n    wrong", "case 1\n    worse", "case 2\n    dies", "case 4\n    hangs"):
        assert text in said
    assert "case 5\n    needed" in said
    assert "case 7\n    Traceback" in said
    assert "KeyError: 'nowhere'" in said
    assert "9 looked at, 6 problems" in said


def test_what_cannot_begin_is_no_case(capfd):
    from watched import Bounds, watched

    def prepare():
        raise OSError("no model")

    with pytest.raises(RuntimeError, match="before its first case"):
        watched(range(5), prepare, str, Bounds())
    assert "no model" in capfd.readouterr().err
