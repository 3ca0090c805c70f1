"""What was found out once about this build of llama.cpp on this machine, kept between runs.

In: a JSON file in the user's cache folder, a key. Out: what was found. A file that is missing or
damaged knows nothing; one that cannot be written only costs the next run the finding out.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import json
import os
import platform
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


_MAX_FINDINGS = 500
"""A file keeps no more than this: the oldest go."""


def cache_folder() -> Path:
    """Return the folder for what may be deleted: GBNFC_CACHE, or in the user's cache folder.

    It need not exist.
    """
    if named := os.environ.get("GBNFC_CACHE"):
        return Path(named)
    import platformdirs

    return Path(platformdirs.user_cache_dir("gbnfc"))


def read_findings(file: Path) -> dict[str, Any]:
    """Return everything that `file` knows."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def add_finding(file: Path, key: str, value: Any) -> None:
    """Let `file` know that `key` is `value` (JSON). The file is whole at any time."""
    add_findings(file, {key: value})


def add_findings(file: Path, found: Mapping[str, Any]) -> None:
    """Let `file` know all that was found."""
    known = {key: value for key, value in read_findings(file).items() if key not in found}
    kept = dict([*known.items(), *found.items()][-_MAX_FINDINGS:])
    fresh = file.with_suffix(f".{os.getpid()}.tmp")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text(json.dumps(kept, indent=1), encoding="utf-8")
        fresh.replace(file)
    except OSError:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)


def is_news(text: str) -> bool:
    """Return whether `text` is asked about for the first time on this machine."""
    file, key = cache_folder() / "told.json", short_hash(text)
    if key in read_findings(file):
        return False
    add_finding(file, key, True)
    return True


@functools.cache
def build_key() -> str:
    """Return what tells this build of llama.cpp and this processor from others."""
    parts = [platform.machine(), _processor()]
    spec = importlib.util.find_spec("llama_cpp")
    if spec is not None and spec.origin is not None:
        for library in sorted((Path(spec.origin).parent / "lib").glob("*")):
            about = library.stat()
            parts.append(f"{library.name} {about.st_size} {about.st_mtime_ns}")
    return short_hash("\n".join(parts))


def short_hash(text: str) -> str:
    """Return 32 hexadecimal digits that stand for `text`."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor()
    wanted = ("model name", "flags", "Features")
    return "\n".join(sorted({line for line in lines if line.startswith(wanted)}))
