"""Files written so that nothing is lost: at any moment there is the old text or the new one.

In: a path and a text. Out: a file, or an `InputError` that names it and leaves it as it was.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from gbnfc.errors import InputError


def write_file(path: Path, text: str) -> None:
    """Write `text` to `path` in UTF-8, line ends as they are.

    Raises:
        InputError: it cannot be written, with the system's reason.
    """
    data = text.encode("utf-8")
    try:
        if not path.exists():
            _create(path, data)
        elif not (_stands_alone(path) and _replace(path.resolve(), data)):
            path.write_bytes(data)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None


def _create(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError:
        with suppress(OSError):
            path.unlink()  # the half of a text is none
        raise


def _stands_alone(path: Path) -> bool:
    """Return whether another file may take the place of `path` without anyone noticing.

    That is not so for devices, for files with several names, with another owner, or protected.
    """
    found = path.stat()
    is_own = not hasattr(os, "geteuid") or found.st_uid == os.geteuid()
    return (
        stat.S_ISREG(found.st_mode) and found.st_nlink == 1 and is_own and os.access(path, os.W_OK)
    )


def _replace(path: Path, data: bytes) -> bool:
    """Put a new file in the place of `path`; return whether the folder allows that."""
    try:
        number, name = tempfile.mkstemp(prefix=f".{path.name[:100]}.", dir=path.parent)
    except PermissionError:
        return False
    fresh = Path(name)
    try:
        with os.fdopen(number, "wb") as stream:
            stream.write(data)
        shutil.copymode(path, fresh)
        fresh.replace(path)
    except PermissionError:  # Windows, while another program has it open
        return False
    finally:
        fresh.unlink(missing_ok=True)
    return True
