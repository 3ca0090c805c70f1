"""Files written so that nothing is lost: at any moment there is the old text or the new one.

In: a path and a text. Out: a file, or an `InputError` that names it and leaves it as it was.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from gbnfc.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable


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


def check_outputs(outputs: Iterable[str], inputs: Iterable[str]) -> None:
    """Raise `UsageError` where writing one of `outputs` would destroy an input, or another output.

    Names that are no files are passed over.
    """
    inputs = tuple(inputs)
    earlier: list[str] = []
    for output in outputs:
        if any(is_same_file(output, path) for path in inputs):
            raise UsageError(f"{output}: the output is also an input", hint="write to another file")
        if any(output == path or is_same_file(output, path) for path in earlier):
            raise UsageError(f"{output}: two outputs in one file", hint="give each its own")
        earlier.append(output)


def is_same_file(path: str, other: str) -> bool:
    """Return whether both are there and are one file, by whatever name or link."""
    try:
        return Path(path).samefile(other)
    except (OSError, ValueError):
        return False


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
    import shutil
    import tempfile

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
