"""Names of models on the Hugging Face Hub, and fetching one: only ever when the user says so.

In: `owner/repo`, `owner/repo:QUANT` or `owner/repo/file.gguf`, each also behind `hf://`. Out: the
file in the Hub's own cache, where `models.find_model` finds it again by the same name, without a
network. `huggingface_hub` does the work and is imported only for it (written against 2.4).
"""

from __future__ import annotations

import importlib
import logging
import re
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gbnfc.errors import EngineError
from gbnfc.extras import Extra, install_hint

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_PREFIX = "hf://"
_NAME = re.compile(r"([\w.-]+/[\w.-]+)(?:/([^:]+\.gguf)|:([\w.-]+))?", re.ASCII | re.IGNORECASE)
_PART = re.compile(r"-(\d{5})-of-(\d{5})\.gguf$", re.IGNORECASE)
_ANSWER_TIMEOUT_S = 4.0
_PREFERRED = ("q4_k_m", "q8_0")
"""What llama.cpp's own `-hf` takes where no quantisation is named."""


@dataclass(frozen=True, slots=True)
class HubName:
    """A model on the Hub: its repository `owner/repo`; a file in it, a quantisation, or neither."""

    repository: str
    file: str | None = None
    quantisation: str | None = None


def read_hub_name(name: str) -> HubName | None:
    """Return what `name` means on the Hub, or None when it cannot be a name there."""
    found = _NAME.fullmatch(name.removeprefix(_PREFIX))
    return HubName(*found.groups()) if found else None


def pick_file(files: Sequence[str], name: HubName) -> str | None:
    """Return which of the model files of a repository `name` means, None when none of them.

    Of a split model it is the first part. Without a quantisation: Q4_K_M, else Q8_0, else the
    first.
    """
    if name.file is not None:
        wanted = name.file.lower()
        return next((file for file in files if file.lower() == wanted), None)
    models = model_files(files)
    answer_options = (name.quantisation.lower(),) if name.quantisation else _PREFERRED
    for wish in answer_options:
        for file in models:
            if re.search(rf"(?<![a-z0-9]){re.escape(wish)}(?![a-z0-9_])", file.lower()):
                return file
    return None if name.quantisation or not models else models[0]


def model_files(files: Sequence[str]) -> list[str]:
    """Return the models among `files`, sorted."""
    return [file for file in sorted(files) if is_model_file(file)]


def is_model_file(name: str) -> bool:
    """Return whether `name` is a model's: no vision projector, of a split model the first part."""
    lower = name.lower()
    part = _PART.search(lower)
    return lower.endswith(".gguf") and "mmproj" not in lower and (not part or int(part[1]) == 1)


def all_parts(file: str) -> tuple[str, ...]:
    """Return the files of the split model whose first part is `file`, or `file` alone."""
    part = _PART.search(file)
    if part is None:
        return (file,)
    stem, count = file[: part.start()], int(part[2])
    return tuple(f"{stem}-{number:05}-of-{count:05}.gguf" for number in range(1, count + 1))


def download_model(text: str, say: Callable[[str], None]) -> Path:
    """Fetch the model that `text` names into the Hub's cache and return its path there.

    Raises:
        EngineError: no such name or file, no network, no `huggingface_hub`.
    """
    name = read_hub_name(text)
    if name is None:
        raise EngineError(
            f"{text}: not a name on the Hugging Face Hub",
            hint="write owner/repo, owner/repo:QUANT or owner/repo/file.gguf",
        )
    hub = _import_hub()
    _check_network(hub, text)
    try:
        file = name.file or _choose(hub, name)
        say(f"downloading {name.repository}/{file}")
        paths = [hub.hf_hub_download(name.repository, part) for part in all_parts(file)]
    except _faults(hub) as error:
        raise _explained(error, text) from None
    return Path(paths[0])


def _import_hub() -> Any:
    try:
        return importlib.import_module("huggingface_hub")
    except ImportError as error:
        raise EngineError(
            f"huggingface_hub, which downloads models, is not installed: {error}",
            hint=install_hint(Extra.HUB),
        ) from None


def _check_network(hub: Any, text: str) -> None:
    """Raise `EngineError` unless the Hub answers at all, within seconds.

    Asked for a file, the library would try for 25 s, and tell of each of its six tries. That it
    looks a name up or waits for a proxy cannot be cut short, only left behind: hence the thread.
    """
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    endpoint = importlib.import_module(f"{hub.__name__}.constants").ENDPOINT
    outcome: list[Exception | None] = []

    def ask() -> None:
        try:
            hub.get_session().head(endpoint, timeout=_ANSWER_TIMEOUT_S)
            outcome.append(None)
        except _faults(hub) as error:
            outcome.append(error)

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(_ANSWER_TIMEOUT_S)
    fault = outcome[0] if outcome else TimeoutError(f"{endpoint} does not answer")
    if fault is not None:
        raise _explained(fault, text)


def _choose(hub: Any, name: HubName) -> str:
    files = hub.HfApi().list_repo_files(name.repository)
    file = pick_file(files, name)
    if file is not None:
        return file
    there = model_files(files)
    if not there:
        raise EngineError(f"{name.repository}: holds no .gguf file, only those can be run")
    raise EngineError(
        f"{name.repository}: no file with quantisation {name.quantisation}",
        hint=f"there are: {', '.join(there)}",
    )


def _faults(hub: Any) -> tuple[type[Exception], ...]:
    # What a failed download raises differs: requests' errors are OSErrors, those of httpx are not,
    # and which HTTP library it is shows only in the base of the Hub's own error.
    errors = importlib.import_module(f"{hub.__name__}.errors")
    web: tuple[type[Exception], ...] = errors.HfHubHTTPError.__bases__
    return (OSError, ValueError, RuntimeError, errors.EntryNotFoundError, *web)


_STATUS = {
    "RepositoryNotFoundError": "no such repository (or a private one: see `hf auth login`)",
    "GatedRepoError": "its terms must be accepted on the Hub first, then `hf auth login`",
    "RemoteEntryNotFoundError": "no such file in the repository",
    "EntryNotFoundError": "no such file in the repository",
}


def _explained(error: Exception, text: str) -> EngineError:
    kind, said = type(error).__name__, str(error).strip().split("\n")[0]
    if kind in _STATUS:
        return EngineError(f"{text}: cannot be downloaded: {_STATUS[kind]}")
    return EngineError(
        f"{text}: cannot be downloaded: {said or kind}",
        hint="is the network there? A .gguf file fetched elsewhere works too: -m FILE",
    )
