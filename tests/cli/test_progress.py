"""The progress bar: on a terminal it tells how many are done, how fast, how long it will take."""

from __future__ import annotations

import io
import re
import time

import pytest

from gbnfc.cli.progress import showing_progress


class Screen(io.StringIO):
    """A stderr that is a terminal, or is not."""

    def __init__(self, is_terminal):
        super().__init__()
        self.is_terminal = is_terminal

    def isatty(self):
        return self.is_terminal

    def shown(self):
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.getvalue())


@pytest.fixture
def screen(monkeypatch):
    def make(*, is_terminal):
        found = Screen(is_terminal)
        monkeypatch.setattr("sys.stderr", found)
        return found

    for name in ("NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    return make


def advance_by(count, total, *, quiet=False):
    with showing_progress(total, quiet=quiet) as advance:
        for _ in range(count):
            time.sleep(0.02)
            advance()


def test_count_rate_and_time_left(screen):
    terminal = screen(is_terminal=True)
    advance_by(3, 4)
    last = [line for line in re.split(r"[\r\n]+", terminal.shown()) if "3/4" in line][-1]
    rate = re.search(r"([0-9.]+)/s", last)
    assert rate is not None
    assert 1 < float(rate[1]) <= 50  # documents in 0.02 s each, or slower
    assert len(re.findall(r"\d:\d\d:\d\d", last)) == 2, "the time passed and the time left"


def test_without_a_known_total_the_time_left_is_not_made_up(screen):
    terminal = screen(is_terminal=True)
    advance_by(3, None)
    shown = terminal.shown()
    assert "3/?" in shown
    assert "/s" in shown
    assert len(re.findall(r"\d:\d\d:\d\d", shown.split("3/?")[1])) == 1, "the time passed only"


@pytest.mark.parametrize(("is_terminal", "quiet"), [(False, False), (True, True)])
def test_nothing_is_shown_elsewhere(screen, is_terminal, quiet):
    terminal = screen(is_terminal=is_terminal)
    advance_by(2, 2, quiet=quiet)
    assert terminal.getvalue() == ""
