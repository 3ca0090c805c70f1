"""Files that are written: the old text or the new one, whatever goes wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gbnfc.cli.io.writing import write_file
from gbnfc.errors import InputError

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX modes, links and limits")
UGLY = "root   ::=   " + " | ".join(f'"{number}"' for number in range(200)) + "\n"
SCHEMA = json.dumps({"enum": list(range(200))})


def test_a_file_is_made_and_replaced(tmp_path):
    path = tmp_path / "out.txt"
    for text in ("first\n", "größer\r\n", ""):
        write_file(path, text)
        assert path.read_bytes() == text.encode()
        assert list(tmp_path.iterdir()) == [path]


@posix
def test_mode_and_links_stay(tmp_path):
    path, link, twin = (tmp_path / name for name in ("a.txt", "link.txt", "twin.txt"))
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to("a.txt")
    write_file(link, "new")
    assert link.is_symlink()
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", 0o640)
    twin.hardlink_to(path)
    write_file(path, "newer")
    assert twin.read_text() == "newer"


@posix
@pytest.mark.parametrize(("folder", "file"), [(0o500, 0o600), (0o700, 0o400)])
def test_what_is_protected(tmp_path, folder, file):
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(file)
    if os.access(path, os.W_OK) and file == 0o400:
        pytest.skip("this user may write everything")
    tmp_path.chmod(folder)
    try:
        if file == 0o600:
            write_file(path, "new")
            assert path.read_text() == "new"
        else:
            with pytest.raises(InputError, match=r"a\.txt: cannot be written"):
                write_file(path, "new")
            assert path.read_text() == "old"
    finally:
        tmp_path.chmod(0o700)


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(InputError, match="cannot be written"):
        write_file(tmp_path, "text")


def short_of_room(*arguments, cwd):
    """Run gbnfc where no file may grow beyond 100 bytes: what a full disk does, for all writes."""
    code = (
        "import resource, sys\n"
        "from gbnfc.cli import main\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "main()"
    )
    # -B: modules' bytecode would fall short of room as well.
    return subprocess.run(
        [sys.executable, "-B", "-c", code, *arguments], cwd=cwd, capture_output=True
    )


@posix
@pytest.mark.parametrize("old", [UGLY, None])
@pytest.mark.parametrize(
    "command",
    [
        "fmt FILE",
        "lint --fix FILE",
        "compile schema.json -o FILE",
        "compile wide.json -o small.gbnf --report json --report-file FILE",
        "lint other.gbnf --output-format json:FILE",
    ],
)
def test_without_room_nothing_is_lost(tmp_path, command, old):
    (tmp_path / "schema.json").write_text(SCHEMA)
    (tmp_path / "wide.json").write_text('{"type": "array", "uniqueItems": true}')
    (tmp_path / "other.gbnf").write_text("root ::= a_b\n")
    path = tmp_path / "file.gbnf"
    if old is not None:
        old = old.replace("root", "my_rule") if "--fix" in command else old
        path.write_text(old)
    elif command.startswith(("fmt", "lint --fix")):
        pytest.skip("there is nothing to mend")
    before = sorted(tmp_path.iterdir())
    done = short_of_room(*command.replace("FILE", path.name).split(), cwd=tmp_path)
    assert (sorted(tmp_path.iterdir()), done.returncode) == (before, 3), done.stderr
    assert b"file.gbnf: cannot be written: File too large" in done.stderr
    if old is not None:
        assert path.read_text() == old


@posix
def test_without_room_a_run_names_its_output_and_goes_on_later(tmp_path):
    program = Path(__file__).parents[2] / "helpers" / "scripted_cli.py"
    run = f"import runpy; runpy.run_path({str(program)!r}, run_name='__main__')"
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (400, 400)); "
    schema = '{"properties": {"n": {"type": "integer"}}, "required": ["n"]}'
    (tmp_path / "items.txt").write_text("\n".join(f"item {number}" for number in range(40)))

    def extract(code, *more):
        arguments = ["extract", "-s", schema, "--lines", "-o", "out.jsonl", *more, "items.txt"]
        return subprocess.run(
            [sys.executable, "-B", "-c", code, *arguments], cwd=tmp_path, capture_output=True
        )

    done = extract(limit + run)
    assert done.returncode == 3, done.stderr
    assert b"error: out.jsonl: cannot be written: File too large" in done.stderr
    assert b"--resume" in done.stderr
    assert extract(run, "--resume").returncode == 0
    rows = (tmp_path / "out.jsonl").read_text().splitlines()
    assert [json.loads(row)["data"]["n"] for row in rows] == [*range(40)]
