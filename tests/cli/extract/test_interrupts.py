"""Ctrl-C in the midst of a run: once, twice, and what becomes of what is done."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from gbnfc.cli.extract.interrupts import Interrupts
from gbnfc.extract.output import in_order

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")


def strike(times=1):
    for _ in range(times):
        os.kill(os.getpid(), signal.SIGINT)


def test_once_is_noted_and_told(capsys):
    interrupts = Interrupts()
    with interrupts.catching(lambda: False):
        assert list(interrupts.ending(strike() or number for number in range(1))) == [0]
    assert interrupts.came
    assert not interrupts.broke_off
    assert "again to stop at once" in capsys.readouterr().err
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_twice_ends_the_work_and_keeps_what_is_done():
    def work():
        yield 0, "a"
        yield 2, "c"  # finished before its turn
        strike(2)
        yield 1, "b"

    interrupts = Interrupts()
    with interrupts.catching(lambda: False):
        assert list(in_order(interrupts.ending(work()))) == ["a", "c"]
    assert interrupts.broke_off


def test_what_the_engine_breaks_off_ends_by_its_own_error():
    broken = []

    def work():
        yield 0, "a"
        strike(2)  # within the engine: nothing may be raised in its callbacks
        if broken:
            raise KeyboardInterrupt
        yield 1, "b"

    interrupts = Interrupts()
    with interrupts.catching(lambda: broken.append(True) or True):
        assert list(in_order(interrupts.ending(work()))) == ["a"]
    assert broken == [True]


def test_twice_does_not_break_off_the_writing_of_what_is_done():
    interrupts = Interrupts()
    with interrupts.catching(lambda: False):
        written = []
        for found in interrupts.ending(iter("abc")):
            if found == "b":
                strike(2)
            written.append(found)
        assert written == ["a", "b", "c"]
        with pytest.raises(KeyboardInterrupt):
            strike()
