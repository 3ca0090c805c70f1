"""The layers of the program, read from its imports: data flows one way."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "gbnfc"

FOUNDATION = {"charset", "source", "errors", "extras", "frozen", "folders", "user_code"}

# What each package of ours may import, besides itself.
LAYERS = {
    "frozen": set(),
    "charset": {"frozen"},
    "source": set(),
    "folders": set(),
    "errors": {"source"},
    "extras": set(),
    "user_code": {"errors", "source"},
    "ir": FOUNDATION,
    "library": FOUNDATION | {"ir", "gbnf"},
    "gbnf": FOUNDATION | {"ir"},
    "regex": FOUNDATION | {"ir"},
    "match": FOUNDATION | {"ir"},
    "documents": FOUNDATION,
    "schema": FOUNDATION | {"documents", "ir", "regex", "gbnf"},
    "lint": FOUNDATION | {"documents", "ir", "gbnf", "regex", "match", "schema"},
    "grounding": FOUNDATION | {"documents", "ir", "regex", "match", "schema"},
    "engine": FOUNDATION | {"ir", "match", "gbnf"},
    "extract": FOUNDATION | {"documents", "ir", "match", "gbnf", "schema", "engine"},
}

# Where a library may be imported: a package, or a file.
HOMES = {
    "llama_cpp": {"engine/llama.py"},
    "jsonschema_rs": {"schema", "extract/validate.py"},
    "typer": {"cli"},
    "rich": {"cli"},
    "numpy": {"engine"},
    "jinja2": {"extract/sandbox.py"},
    "dateutil": {"grounding/dates.py"},
}


def modules():
    return sorted(PACKAGE.rglob("*.py"))


def imports(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module
            if node.module == "gbnfc":
                yield from (f"gbnfc.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            pytest.fail(f"{path}: relative import")


def layer_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_flow_one_way(path):
    layer = layer_of(path)
    allowed = LAYERS.get(layer)
    for name in imports(path):
        parts = name.split(".")
        if parts[0] != "gbnfc" or len(parts) < 2 or allowed is None:
            continue
        assert parts[1] == layer or parts[1] in allowed, f"{layer} must not import {name}"


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_libraries_stay_in_their_homes(path):
    place = path.relative_to(PACKAGE).as_posix()
    for name in imports(path):
        homes = HOMES.get(name.split(".")[0])
        if homes is not None:
            assert place in homes or place.split("/")[0] in homes, f"{place} imports {name}"


def test_every_package_has_a_layer():
    found = {layer_of(path) for path in modules()}
    assert found - set(LAYERS) == {"__init__", "__main__", "cli"}


HEAVY = ("llama_cpp", "numpy", "jsonschema_rs", "jsonschema", "pydantic", "rich", "jinja2")


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["extract", "--help"], ["lint", "--help"]]
)
def test_help_loads_nothing_heavy(arguments):
    program = (
        "import sys\n"
        "from gbnfc.cli.app import run\n"
        f"code = run({arguments!r})\n"
        f"print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)\n"
        "sys.exit(code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.strip() == "[]"
    assert done.stdout


def test_importing_the_package_costs_nothing():
    program = (
        "import sys; before = set(sys.modules); import gbnfc; print(len(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert int(done.stdout) < 40
