"""What became of one document. In: completions and problems. Out: a record, as JSON-able data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Record:
    """The result of one document.

    `data` is None unless the answer is whole. `finish` is `stop`, `length`, `closed` or `error`.
    `errors` are what the schema and the class say against it, `error` is why there is no data, or
    none that could be judged. `extra` holds what was
    asked for besides: thoughts, confidence, conflicts between chunks.
    """

    source: str
    data: Any = None
    valid: bool = False
    errors: tuple[str, ...] = ()
    finish: str = "error"
    error: str | None = None
    tokens: int = 0
    retries: int = 0
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        """Whether the document counts as failed: no data, or data that the schema refuses."""
        return self.error is not None or not self.valid

    def as_dict(self) -> dict[str, Any]:
        """Return the record as one JSON object, in a fixed order."""
        found: dict[str, Any] = {
            "source": self.source,
            "data": self.data,
            "valid": self.valid,
            "errors": list(self.errors),
            "finish": self.finish,
        }
        if self.error is not None:
            found["error"] = self.error
        found["tokens"] = self.tokens
        if self.retries:
            found["retries"] = self.retries
        return found | self.extra


_TYPES = {
    **{"source": str, "valid": bool, "errors": list, "finish": str, "error": str},
    **{"tokens": int, "retries": int},
}


def record_from_dict(row: dict[str, Any]) -> Record:
    """Return the record that `as_dict` wrote. Raises: `KeyError` or `TypeError` for other rows."""
    for name, type_ in _TYPES.items():
        if name in row and type(row[name]) is not type_:
            raise TypeError(f"{name} is no {type_.__name__}")
    known = ("data", *_TYPES)
    return Record(
        source=row["source"],
        data=row["data"],
        valid=row["valid"],
        errors=tuple(row["errors"]),
        finish=row["finish"],
        error=row.get("error"),
        tokens=row["tokens"],
        retries=row.get("retries", 0),
        extra={key: value for key, value in row.items() if key not in known},
    )
