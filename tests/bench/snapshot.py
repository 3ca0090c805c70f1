"""What gbnfc answers today, in a file: to show that a change of structure changed nothing else.

    python tests/bench/snapshot.py before.txt --data SCHEMAS.jsonl.gz --count 1000
    (change the code)
    python tests/bench/snapshot.py after.txt --data SCHEMAS.jsonl.gz --count 1000
    diff before.txt after.txt

One line per schema: its name, the SHA-256 of its grammar's bytes, and the SHA-256 of its report's
places, keywords and effects (or the error's class). One line per file of the fixtures, the
published grammars and the examples: the exit code of `gbnfc lint` and the SHA-256 of its findings
without their words; the same for `gbnfc fmt`. Messages may change; what they are about may not.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import hashlib
import io
import json
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gbnfc
from gbnfc.cli.app import run

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDERS = ("tests/lint", "grammars", "examples")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", type=Path)
    parser.add_argument("--data", type=Path, action="append", default=[])
    parser.add_argument("--count", type=int, default=1_000, help="schemas of each file")
    options = parser.parse_args()
    with options.output.open("w", encoding="utf-8", newline="\n") as out:
        for line in sorted((*schemas(options.data, options.count), *files())):
            out.write(line + "\n")


def schemas(data: list[Path], count: int) -> Iterator[str]:
    for path in data:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in islice(lines, count):
                row = json.loads(line)
                yield f"{row['name']} {_compiled(row['schema'])}"


def _compiled(schema: Any) -> str:
    try:
        compiled = gbnfc.compile_schema(schema)
    except gbnfc.GbnfcError as error:
        return type(error).__name__
    report = [f"{e.pointer} {e.keyword} {e.effect.name}" for e in compiled.report]
    return f"{_hash(gbnfc.write_gbnf(compiled.grammar))} {_hash(' '.join(report))}"


def files() -> Iterator[str]:
    found = [p for folder in FOLDERS for p in sorted((ROOT / folder).rglob("*"))]
    for path in found:
        if path.suffix in {".gbnf", ".json", ".jsonl", ".yaml", ".yml"}:
            name = path.relative_to(ROOT).as_posix()
            code, out = _command("lint", "--isolated", "--output-format", "json", name)
            yield f"lint {name} {code} {_hash(_without_words(out))}"
            if path.suffix == ".gbnf":
                code, out = _command("fmt", "--diff", name)
                lines = [line for line in out.splitlines() if name not in line]
                yield f"fmt {name} {code} {_hash(' '.join(lines))}"


def _without_words(findings: str) -> str:
    kept = ("code", "severity", "line", "column", "end_line", "end_column", "fix")
    return json.dumps([[each.get(key) for key in kept] for each in json.loads(findings or "[]")])


def _command(*arguments: str) -> tuple[object, str]:
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        try:
            code = run(list(arguments))
        except SystemExit as end:
            code = end.code
    return code, out.getvalue()


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


if __name__ == "__main__":
    with contextlib.chdir(ROOT):
        main()
