"""Whether a context will fit in memory, asked before the work starts.

In: a model and a number of cache cells. Out: nothing, or an `EngineError` with the numbers.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from gbnfc.errors import EngineError

if TYPE_CHECKING:
    from gbnfc.engine.llama import Model

_MIB = 2**20


def available_bytes() -> int | None:
    """Return the memory that new allocations can take, or None where the system does not tell."""
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def check_memory(model: Model, cells: int) -> None:
    """Raise `EngineError` when the cache of `cells` tokens cannot fit."""
    need, free = cells * model.kv_bytes_per_token, available_bytes()
    if free is not None and need > free:
        raise EngineError(
            f"a context of {cells:,} tokens needs {need // _MIB:,} MB, "
            f"{free // _MIB:,} MB are free",
            hint="use a smaller --parallel, --max-tokens or --context",
        )
