"""What is done already, so that a run can be broken off at any moment and taken up again.

In: finished records, one at a time. Out: a file of JSON lines beside the output, first line a
fingerprint of the job. It is only ever appended to; a half-written last line, left by a process
that was killed, is cut off when the file is opened again.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, BinaryIO

from gbnfc.errors import UsageError
from gbnfc.extract.record import Record, record_from_dict

if TYPE_CHECKING:
    from pathlib import Path


class Journal:
    """An open journal. Get one from `open_journal`."""

    def __init__(self, path: Path, file: BinaryIO, done: dict[str, list[Record]]) -> None:
        self._path, self._file = path, file
        self._done = done

    def take(self, digest: str) -> Record | None:
        """Return the record of a document done earlier, or None.

        Each record is given once: equal documents of one run each have their own.
        """
        records = self._done.get(digest)
        return records.pop(0) if records else None

    def append(self, digest: str, record: Record) -> None:
        """Note that a document is done. Survives a kill of this process from here on."""
        self._write({"digest": digest, "record": record.as_dict()})

    def _write(self, row: dict[str, Any]) -> None:
        self._file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
        self._file.flush()

    def close(self) -> None:
        """Keep the journal for a later run."""
        self._file.close()

    def discard(self) -> None:
        """The run is complete: remove the journal."""
        self._file.close()
        self._path.unlink(missing_ok=True)


def journal_path(output: Path) -> Path:
    """Return where the journal of a run that writes `output` lies."""
    return output.with_name(output.name + ".journal")


def open_journal(path: Path, fingerprint: str, *, resume: bool, fresh: bool) -> Journal:
    """Open the journal at `path` for a job with `fingerprint`.

    Raises:
        UsageError: an earlier run left a journal and neither `resume` nor `fresh` is given, or it
            belongs to another job.
    """
    if fresh or not path.exists():
        return _begin(path, fingerprint)
    if not resume:
        raise UsageError(
            f"{path}: an earlier run was broken off",
            hint="take it up with --resume, or begin again with --fresh",
        )
    rows = _repair(path)
    if not rows:
        return _begin(path, fingerprint)
    if rows[0].get("fingerprint") != fingerprint:
        raise UsageError(
            f"{path}: the earlier run had another schema, model, or options",
            hint="use the same ones, or begin again with --fresh",
        )
    done: dict[str, list[Record]] = {}
    for row in rows[1:]:
        record = record_from_dict(row["record"])
        done.setdefault(row["digest"], []).append(record)
    return Journal(path, path.open("ab"), done)


def _begin(path: Path, fingerprint: str) -> Journal:
    journal = Journal(path, path.open("wb"), {})
    journal._write({"fingerprint": fingerprint})
    return journal


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
