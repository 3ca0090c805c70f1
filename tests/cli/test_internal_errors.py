"""A fault of the program itself: one line and a next step, its own exit code, no traceback."""

from __future__ import annotations

import sys

import pytest

from gbnfc.cli import EXIT_INTERNAL, main

FAULTS = [
    (KeyError("name"), "internal error: KeyError: 'name'"),
    (AssertionError(), "internal error: AssertionError\n"),
    (RuntimeError("two\nlines"), "internal error: RuntimeError: two lines"),
    (ImportError("no module named typer"), "internal error: ImportError: no module"),
]


def leave(monkeypatch, fault):
    def fail(_):
        raise fault

    monkeypatch.setattr("gbnfc.cli.app.run", fail)
    monkeypatch.setattr(sys, "argv", ["gbnfc", "lint"])
    with pytest.raises(SystemExit) as left:
        main()
    return left.value.code


@pytest.mark.parametrize(("fault", "says"), FAULTS, ids=[repr(fault) for fault, _ in FAULTS])
def test_a_fault_is_told_in_a_line(monkeypatch, capsys, fault, says):
    monkeypatch.delenv("GBNFC_DEBUG", raising=False)
    assert leave(monkeypatch, fault) == EXIT_INTERNAL
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert says in err
    assert "GBNFC_DEBUG=1" in err
    assert "Traceback" not in err


def test_the_traceback_is_shown_when_asked_for(monkeypatch, capsys):
    monkeypatch.setenv("GBNFC_DEBUG", "1")
    assert leave(monkeypatch, KeyError("name")) == EXIT_INTERNAL
    err = capsys.readouterr().err
    assert "Traceback" in err
    assert "in fail" in err
    assert "internal error: KeyError" in err


def test_interrupts_are_no_faults(monkeypatch, capsys):
    assert leave(monkeypatch, KeyboardInterrupt()) == 130
    assert capsys.readouterr().err == "error: interrupted\n"
