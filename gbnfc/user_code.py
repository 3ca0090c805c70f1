"""Running code that is not ours: a module with a class, its validators, its serializers.

In: a call into the user's code. Out: what it returns, or an error that names the user's own line.
Any exception may come from there, `sys.exit()` too; no traceback through our files is shown.
"""

from __future__ import annotations

import sys
import sysconfig
import traceback
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from gbnfc.errors import GbnfcError

if TYPE_CHECKING:
    from collections.abc import Iterator

_NOT_THEIRS = (
    Path(__file__).resolve().parent,
    *(Path(sysconfig.get_path(name)).resolve() for name in ("purelib", "platlib", "stdlib")),
)


@dataclass(eq=False)
class UserCodeError(GbnfcError):
    """Code of the user's raised. `frame` is the place in it, `file.py:12, in name`, if any."""

    frame: str | None = field(default=None, kw_only=True)


@contextmanager
def running(what: str, *, hint: str | None = None) -> Iterator[None]:
    """Run the user's code in the body; `what` begins the message when it raises.

    What it prints goes to stderr: stdout is for data.

    Raises:
        UserCodeError: anything else than a `GbnfcError` or Ctrl-C was raised.
    """
    try:
        with redirect_stdout(sys.stderr):
            yield
    except (GbnfcError, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:  # noqa: BLE001 - any code may run there, sys.exit() too
        frame = user_frame(error)
        place = "" if frame is None else f"{frame}: "
        raise UserCodeError(f"{what}: {place}{described(error)}", hint=hint, frame=frame) from None


def described(error: BaseException) -> str:
    """Return the exception on one line: its kind and its text."""
    if isinstance(error, SystemExit):
        return repr(error)
    if isinstance(error, SyntaxError):  # its text names the file, which the frame has named
        return f"{type(error).__name__}: {error.msg}"
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def user_frame(error: BaseException) -> str | None:
    """Return where `error` was raised in the user's code: `file.py:12, in name`.

    The innermost frame counts that is neither ours nor a library's. `None` where there is none,
    as for a module that does not exist.
    """
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return f"{_shown(error.filename)}:{error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if _is_users(frame.filename)]
    if not theirs:
        return None
    last = theirs[-1]
    inside = "" if last.name == "<module>" else f", in {last.name}"
    return f"{_shown(last.filename)}:{last.lineno}{inside}"


def _shown(filename: str) -> str:
    path = Path(filename)
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def _is_users(filename: str) -> bool:
    if filename.startswith("<"):  # frozen and generated code
        return False
    return not any(map(Path(filename).resolve().is_relative_to, _NOT_THEIRS))
