"""What is done already, so that a run can be broken off at any moment and taken up again.

In: finished records, one at a time. Out: a file of JSON lines beside the output, first line a
fingerprint of the job, last line, when all went through, a mark of that. It is only ever appended
to; a half-written last line, left by a process that was killed, is cut off when the file is opened
again. It stays beside the output: without it nothing would tell by which schema, model and options
an output was written, or which documents it lacks.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, BinaryIO

from gbnfc.errors import UsageError
from gbnfc.extract.record import Record, record_from_dict

if TYPE_CHECKING:
    from pathlib import Path


_COMPLETE = {"complete": True}
_BEYOND_ALL_LINES = 1 << 62


def _line(row: dict[str, Any]) -> bytes:
    return json.dumps(row, ensure_ascii=False).encode() + b"\n"


_COMPLETE_LINE = _line(_COMPLETE)


class Journal:
    """An open journal. Get one from `open_journal`."""

    def __init__(self, file: BinaryIO, done: dict[str, list[Record]]) -> None:
        self._file = file
        self._done = done

    def take(self, digest: str) -> Record | None:
        """Return the record of a document done earlier, or None.

        Each record is given once: equal documents of one run each have their own.
        """
        records = self._done.get(digest)
        return records.pop(0) if records else None

    @property
    def left(self) -> int:
        """The number of records done earlier that nobody took: their documents are gone."""
        return sum(map(len, self._done.values()))

    def append(self, digest: str, record: Record) -> None:
        """Note that a document is done. Survives a kill of this process from here on."""
        self._write({"digest": digest, "record": record.as_dict()})

    def _write(self, row: dict[str, Any]) -> None:
        self._file.write(_line(row))
        self._file.flush()

    def close(self) -> None:
        """Keep the journal for a later run."""
        self._file.close()

    def complete(self) -> None:
        """Note that the run went through all its documents."""
        self._write(_COMPLETE)


def journal_path(output: Path) -> Path:
    """Return where the journal of a run that writes `output` lies."""
    return output.with_name(output.name + ".journal")


def open_journal(path: Path, fingerprint: str, *, resume: bool, fresh: bool) -> Journal:
    """Open the journal at `path` for a job with `fingerprint`.

    Raises:
        UsageError: an earlier run was broken off and neither `resume` nor `fresh` is given, or
            `resume` is, and the journal belongs to another job, or to none; another run is at it.
    """
    is_begun = path.exists() and not fresh
    file = _open_alone(path)
    try:
        done = _done_before(path, fingerprint, resume=resume) if is_begun else {}
    except BaseException:
        file.close()
        raise
    journal = Journal(file, done)
    if not done:
        file.truncate(0)
        journal._write({"fingerprint": fingerprint})
    return journal


def _done_before(path: Path, fingerprint: str, *, resume: bool) -> dict[str, list[Record]]:
    """Return what an earlier run has done, by digest; nothing where it is to be begun anew."""
    if not resume:
        if _is_complete(path):
            return {}
        raise UsageError(
            f"{path}: an earlier run was broken off",
            hint="take it up with --resume, or begin again with --fresh",
        )
    if _is_foreign(path):
        raise UsageError(
            f"{path}: not a journal of gbnfc, or damaged", hint="move it away, or use --fresh"
        )
    rows = _repair(path)
    if not rows:
        return {}
    if "fingerprint" not in rows[0]:
        raise UsageError(f"{path}: not a journal of gbnfc", hint="move it away")
    if rows[0]["fingerprint"] != fingerprint:
        raise UsageError(
            f"{path}: the earlier run had another schema, model, or options",
            hint="use the same ones, or begin again with --fresh",
        )
    done: dict[str, list[Record]] = {}
    for number, row in enumerate(rows[1:], 2):
        if row == _COMPLETE:
            continue
        try:
            done.setdefault(row["digest"], []).append(record_from_dict(row["record"]))
        except (KeyError, TypeError):
            raise UsageError(
                f"{path}:{number}: not a record of gbnfc; the journal is damaged",
                hint="mend the line, or begin again with --fresh",
            ) from None
    return done


def _open_alone(path: Path) -> BinaryIO:
    """Open the journal for appending, for this run alone while it is open."""
    file = path.open("ab")
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(_BEYOND_ALL_LINES)  # a locked byte cannot be read
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        file.close()
        raise UsageError(
            f"{path}: another run is writing its output",
            hint="wait for it to end, or give this one an output of its own",
        ) from None
    except OSError:
        pass  # a file system without locks
    return file


def _is_foreign(path: Path) -> bool:
    """Return whether the first line is no JSON; one that was being written has no end yet."""
    with path.open("rb") as file:
        first = file.readline()
    try:
        return bool(first) and not isinstance(json.loads(first), dict)
    except ValueError:
        return first.endswith(b"\n") or not first.startswith(b"{")


def _is_complete(path: Path) -> bool:
    """Return whether the last line of the journal is the mark of a run that went through."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - len(_COMPLETE_LINE)))
        return file.read() == _COMPLETE_LINE


def _repair(path: Path) -> list[dict[str, Any]]:
    """Return the whole lines of the journal, cutting the file behind the last of them."""
    rows: list[dict[str, Any]] = []
    good = 0
    with path.open("rb") as file:
        for line in file:
            if not line.endswith(b"\n"):
                break
            try:
                rows.append(json.loads(line))
            except ValueError:
                break
            good += len(line)
    with path.open("r+b") as file:
        file.truncate(good)
    return rows
