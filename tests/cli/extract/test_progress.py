"""The progress bar: on a terminal it tells how many are done, how fast, how long it will take."""

from __future__ import annotations

import importlib
import io
import json
import os
import re
import struct
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from gbnfc.cli.io.progress import showing_progress, wants_bar
from gbnfc.engine.base import Progress


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


READING = Progress(prompt=6000, read=2048, written=0)
WRITING = Progress(prompt=6000, read=6000, written=57)


def advance_by(count, total, in_flight=WRITING):
    with showing_progress(total, lambda: in_flight) as bar:
        for _ in range(count):
            time.sleep(0.02)
            bar.advance()


def test_count_rate_and_time_left(screen):
    terminal = screen(is_terminal=True)
    advance_by(3, 4)
    last = [line for line in re.split(r"[\r\n]+", terminal.shown()) if "3/4" in line][-1]
    rate = re.search(r"([0-9.]+)/s", last)
    assert rate is not None
    assert 0 < float(rate[1]) <= 50  # documents in 0.02 s each, or slower
    assert len(re.findall(r"\d:\d\d:\d\d", last)) == 2, "the time passed and the time left"


def test_without_a_known_total_the_time_left_is_not_made_up(screen):
    terminal = screen(is_terminal=True)
    advance_by(3, None)
    shown = terminal.shown()
    assert "3/?" in shown
    assert "/s" in shown
    assert len(re.findall(r"\d:\d\d:\d\d", shown.split("3/?")[1])) == 1, "the time passed only"


@pytest.mark.parametrize(
    ("in_flight", "shown"),
    [(READING, "read 2,048 of 6,000 tokens"), (WRITING, "57 tokens written")],
)
def test_a_long_document_is_seen_to_go_on(screen, in_flight, shown):
    terminal = screen(is_terminal=True)
    advance_by(0, 1, in_flight)
    assert shown in terminal.shown()


def test_a_terminal_that_takes_no_line_back_has_no_bar(screen, monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    terminal = screen(is_terminal=True)
    advance_by(2, 2)
    assert terminal.getvalue() == ""


def test_where_a_bar_is_shown(monkeypatch, tmp_path):
    reader, writer = os.pipe()
    with open(writer, "w") as pipe, open(reader), (tmp_path / "out").open("w") as file:  # noqa: PTH123
        for stderr_is_terminal, stdout, data_to_stdout, wanted, expected in [
            (True, pipe, True, None, False),  # `| tee` may write to the same terminal
            (True, pipe, True, True, True),
            (True, pipe, False, None, True),
            (True, file, True, None, True),
            (True, Screen(True), True, None, True),
            (True, Screen(True), True, False, False),
            (False, file, True, None, False),
            (False, pipe, False, None, False),
        ]:
            monkeypatch.setattr("sys.stderr", Screen(stderr_is_terminal))
            monkeypatch.setattr("sys.stdout", stdout)
            assert wants_bar(wanted=wanted, data_to_stdout=data_to_stdout) is expected


# --- on a terminal -------------------------------------------------------------------------------


def lines_left(raw):
    """Return the lines that a terminal shows in the end: what its escape sequences mean is done."""
    lines, row, column = [""], 0, 0
    for part in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|[^\x1b]", raw.decode()):
        if part == "\r":
            column = 0
        elif part == "\n":
            row += 1
            lines += [""] * (row == len(lines))
        elif part[0] != "\x1b":
            line = lines[row].ljust(column)
            lines[row] = line[:column] + part + line[column + 1 :]
            column += 1
        elif part[-1] == "A":
            row -= int(part[2:-1] or 1)
        elif part[-1] == "K":
            lines[row] = "" if part[2:-1] == "2" else lines[row][:column]
        else:
            assert part[-1] in "mhl", f"unknown to this test: {part!r}"
    return [line.rstrip() for line in lines]


def on_a_terminal(command, folder):
    """Run a shell's `command` on a terminal of its own; return all that was written to it."""
    pty, fcntl, termios = (importlib.import_module(n) for n in ("pty", "fcntl", "termios"))
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 300, 0, 0))
    environment = {**os.environ, "TERM": "xterm", "SCRIPT_DELAY_S": "0.05"}
    for name in ("NO_COLOR", "COLUMNS", "LINES"):
        environment.pop(name, None)
    child = subprocess.Popen(
        ["sh", "-c", command],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        cwd=folder,
        env=environment,
    )
    os.close(theirs)
    written = b""
    with suppress(OSError):  # Linux's way to tell the end
        while piece := os.read(ours, 1 << 16):
            written += piece
    os.close(ours)
    assert child.wait(60) in (0, 6)
    return written


SCRIPTED = Path(__file__).parents[2] / "helpers" / "scripted_cli.py"
SCHEMA = '{"properties": {"n": {"type": "integer"}}, "required": ["n"]}'


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX terminal")
@pytest.mark.parametrize(
    ("more", "has_bar"),
    [("", True), ("| tee copy", False), ("> copy", True), ("--no-progress", False), ("-q", False)],
)
def test_the_bar_and_the_data_share_a_terminal(tmp_path, more, has_bar):
    for number in range(4):
        (tmp_path / f"{number}.txt").write_bytes(b"letter %d" % number if number != 2 else b"\xff")
    command = f"{sys.executable} {SCRIPTED} extract -s '{SCHEMA}' ?.txt {more}"
    written = on_a_terminal(command, tmp_path)
    assert (b"documents" in written) is has_bar
    shown = [line for line in lines_left(written) if line]
    errors = [line for line in shown if line.startswith("error: 2.txt: not UTF-8")]
    hints = [line for line in shown if line.startswith("  hint: ")]
    rows = [json.loads(line) for line in shown if line.startswith("{")]
    assert len(errors) == len(hints) == 1
    assert len(rows) == (0 if more == "> copy" else 4)
    assert len(shown) == len(rows) + 2, "nothing else is left"
    if "copy" in more:
        assert (tmp_path / "copy").read_bytes().count(b"\n") == 4


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX terminal")
def test_names_command_no_terminal(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}\x1b]0;owned\x07\x9b2J").write_bytes(b"\x1b[2J item 7")
    (tmp_path / "c\x1b[2J").write_bytes(b"\xff")
    command = f"{sys.executable} {SCRIPTED} extract -s '{SCHEMA}' --format csv --no-progress ."
    written = re.sub(rb"\x1b\[[0-9;]*m", b"", on_a_terminal(command, tmp_path))  # our colours
    assert written.count(b"owned") == 2
    assert written.count(b"c\\x1b[2J") == 3, "a row, and the error in it and on stderr"
    assert not re.search(b"\x1b|\x07|\xc2[\x80-\x9f]", written)
