"""What is done already, so that a run can be broken off at any moment and taken up again.

In: finished records, one at a time. Out: a file of JSON lines beside the output, first line a
fingerprint of the job, last line, when all went through, a mark of that. It is only ever appended
to; a half-written last line, left by a process that was killed, is cut off when the file is opened
again. Each record ends in a checksum (CRC-32) of its line: a file that was damaged otherwise is
refused and left as it is. It stays beside the output: without it nothing would tell by which
schema, model and options an output was written, or which documents it lacks.
"""

from __future__ import annotations

import io
import json
import re
import sys
import zlib
from typing import TYPE_CHECKING, Any, BinaryIO

from gbnfc.errors import UsageError
from gbnfc.extract.record import Record, record_from_dict

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


_COMPLETE = {"complete": True}
_BEYOND_ALL_LINES = 1 << 62


def _line(row: dict[str, Any]) -> bytes:
    return json.dumps(row, ensure_ascii=False).encode() + b"\n"


_COMPLETE_LINE = _line(_COMPLETE)
_FIRST_LINE = b'{"fingerprint": "'
_CHECKSUM = re.compile(rb', "checksum": "([0-9a-f]{8})"\}\n\Z')


def _record_line(digest: str, record: Record) -> bytes:
    start = _line({"digest": digest, "record": record.as_dict()}).removesuffix(b"}\n")
    return start + b', "checksum": "%08x"}\n' % zlib.crc32(start)


def _is_whole(line: bytes) -> bool:
    """Return whether `line` is as `_record_line` wrote it."""
    found = _CHECKSUM.search(line)
    return found is not None and zlib.crc32(line[: found.start()]) == int(found[1], 16)


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
        self._write(_record_line(digest, record))

    def _write(self, line: bytes) -> None:
        self._file.write(line)
        self._file.flush()

    def close(self) -> None:
        """Keep the journal for a later run."""
        self._file.close()

    def complete(self) -> None:
        """Note that the run went through all its documents."""
        self._write(_COMPLETE_LINE)


def journal_path(output: Path) -> Path:
    """Return where the journal of a run that writes `output` lies."""
    return output.with_name(output.name + ".journal")


def open_journal(path: Path, fingerprint: str, *, resume: bool, fresh: bool) -> Journal:
    """Open the journal at `path` for a job with `fingerprint`.

    Raises:
        UsageError: an earlier run was broken off and neither `resume` nor `fresh` is given, or
            `resume` is, and the journal belongs to another job, or to none, or is damaged; another
            run is at it; it is no ordinary file.
    """
    if path.exists() and not path.is_file():
        raise UsageError(
            f"{path}: the journal cannot be kept there: not an ordinary file",
            hint="move it away, or give the output another name",
        )
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
        journal._write(_line({"fingerprint": fingerprint}))
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
    lines = io.BytesIO(path.read_bytes()).readlines()
    if lines and _is_foreign(lines[0]):
        raise UsageError(
            f"{path}: not a journal of gbnfc, or damaged", hint="move it away, or use --fresh"
        )
    if lines and not lines[-1].endswith(b"\n"):
        del lines[-1]  # its process was killed while it was written
    if not lines:
        return {}
    if json.loads(lines[0])["fingerprint"] != fingerprint:
        raise UsageError(
            f"{path}: the earlier run had another schema, model, or options",
            hint="use the same ones, or begin again with --fresh",
        )
    done = _records(path, lines)
    with path.open("r+b") as file:
        file.truncate(sum(map(len, lines)))
    return done


def _records(path: Path, lines: Sequence[bytes]) -> dict[str, list[Record]]:
    """Return the records by digest. Raises: `UsageError` when a line is not as it was written."""
    records = {at: line for at, line in enumerate(lines[1:], 2) if line != _COMPLETE_LINE}
    damaged = [at for at, line in records.items() if not _is_whole(line)]
    if damaged:
        more = f" and {len(damaged) - 1:,} more" if len(damaged) > 1 else ""
        raise UsageError(
            f"{path}:{damaged[0]}: the line{more} is not as gbnfc wrote it; the journal is damaged",
            hint="delete the line, and its document is done again, or begin again with --fresh",
        )
    done: dict[str, list[Record]] = {}
    for line in records.values():
        try:
            row = json.loads(line)
            done.setdefault(row["digest"], []).append(record_from_dict(row["record"]))
        except (KeyError, TypeError, ValueError, RecursionError):
            raise UsageError(
                f"{path}: written by another version of gbnfc", hint="begin again with --fresh"
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


def _is_foreign(first: bytes) -> bool:
    """Return whether a first line is of no journal; one that was being written has no end yet."""
    if not first.endswith(b"\n"):
        return not (first.startswith(_FIRST_LINE) or _FIRST_LINE.startswith(first))
    try:
        row = json.loads(first)
    except (ValueError, RecursionError):
        return True
    return not isinstance(row, dict) or row.keys() != {"fingerprint"}


def _is_complete(path: Path) -> bool:
    """Return whether the last line of the journal is the mark of a run that went through."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - len(_COMPLETE_LINE)))
        return file.read() == _COMPLETE_LINE
