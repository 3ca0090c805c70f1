"""The header of a GGUF file, read without the engine. In: a path. Out: metadata by key.

Format: GGUF version 2 and 3 (ggml's `docs/gguf.md`): magic, version, tensor count, key-value count,
then the pairs. Long arrays (the vocabulary) are skipped over, not kept.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gbnfc.errors import EngineError

if TYPE_CHECKING:
    from pathlib import Path

_SCALARS = {
    0: "<B",
    1: "<b",
    2: "<H",
    3: "<h",
    4: "<I",
    5: "<i",
    6: "<f",
    7: "<?",
    10: "<Q",
    11: "<q",
    12: "<d",
}
_STRING, _ARRAY = 8, 9
_KEPT_ARRAY = 16
_MAX_PAIRS = 100_000
_MAX_STRINGS = 4_000_000
"""Vocabularies have up to a million."""

# llama.cpp's `llama_ftype`; the names that people know from file names.
_FILE_TYPES = {
    0: "F32",
    1: "F16",
    2: "Q4_0",
    3: "Q4_1",
    7: "Q8_0",
    8: "Q5_0",
    9: "Q5_1",
    10: "Q2_K",
    11: "Q3_K_S",
    12: "Q3_K_M",
    13: "Q3_K_L",
    14: "Q4_K_S",
    15: "Q4_K_M",
    16: "Q5_K_S",
    17: "Q5_K_M",
    18: "Q6_K",
    19: "IQ2_XXS",
    20: "IQ2_XS",
    21: "Q2_K_S",
    22: "IQ3_XS",
    23: "IQ3_XXS",
    24: "IQ1_S",
    25: "IQ4_NL",
    26: "IQ3_S",
    27: "IQ3_M",
    28: "IQ2_S",
    29: "IQ2_M",
    30: "IQ4_XS",
    31: "IQ1_M",
    32: "BF16",
    36: "TQ1_0",
    37: "TQ2_0",
    38: "MXFP4",
}


@dataclass(frozen=True)
class Header:
    """Metadata of a model file, by GGUF key."""

    metadata: dict[str, Any]

    @property
    def architecture(self) -> str:
        """The model family, as llama.cpp names it."""
        return str(self.metadata.get("general.architecture", "unknown"))

    @property
    def window(self) -> int | None:
        """The number of tokens that the model was trained to see."""
        found = self.metadata.get(f"{self.architecture}.context_length")
        return found if isinstance(found, int) else None

    @property
    def quantisation(self) -> str:
        """The kind of the weights, as in file names (`Q4_K_M`)."""
        kind = self.metadata.get("general.file_type")
        return _FILE_TYPES.get(kind, f"type {kind}") if isinstance(kind, int) else "unknown"

    @property
    def has_template(self) -> bool:
        """Whether the model carries a chat template."""
        return "tokenizer.chat_template" in self.metadata


def read_header(path: Path) -> Header:
    """Read the metadata of the GGUF file `path`.

    Raises:
        EngineError: the file is missing, not GGUF, or ends in its header.
    """
    try:
        with path.open("rb") as file, _mapped(file) as data:
            return Header(_Reader(data, path).pairs())
    except OSError as error:
        raise EngineError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (ValueError, struct.error, IndexError, OverflowError):
        raise EngineError(f"{path}: not a whole GGUF file: it ends in its header") from None
    except RecursionError:
        raise EngineError(f"{path}: not a GGUF model: arrays within arrays without end") from None


def _mapped(file: Any) -> mmap.mmap:
    return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


class _Reader:
    def __init__(self, data: mmap.mmap, path: Path) -> None:
        self._data, self._at = data, 0
        if data[:4] != b"GGUF":
            raise EngineError(f"{path}: not a GGUF model (begins with {data[:4]!r})")
        version = struct.unpack_from("<I", data, 4)[0]
        if version not in (2, 3):
            raise EngineError(f"{path}: GGUF version {version} is unknown (2 and 3 are)")

    def pairs(self) -> dict[str, Any]:
        count = struct.unpack_from("<Q", self._data, 16)[0]
        self._at = 24
        found: dict[str, Any] = {}
        for _ in range(min(count, _MAX_PAIRS)):
            key = self._string().decode("utf-8", "replace")
            found[key] = self._value(self._number("<I"))
        return found

    def _number(self, layout: str) -> Any:
        value = struct.unpack_from(layout, self._data, self._at)[0]
        self._at += struct.calcsize(layout)
        return value

    def _string(self) -> bytes:
        size = self._number("<Q")
        begin = self._at
        self._at += size
        if self._at > len(self._data):
            raise ValueError("a string runs past the end")
        return self._data[begin : self._at]

    def _value(self, kind: int) -> Any:
        if kind == _STRING:
            return self._string().decode("utf-8", "replace")
        if kind == _ARRAY:
            return self._array()
        if kind not in _SCALARS:
            raise ValueError(f"unknown type {kind}")
        return self._number(_SCALARS[kind])

    def _array(self) -> Any:
        kind, count = self._number("<I"), self._number("<Q")
        if kind in _SCALARS and count > _KEPT_ARRAY:
            self._at += struct.calcsize(_SCALARS[kind]) * count
            return None
        if kind == _STRING and count > _KEPT_ARRAY:
            self._skip_strings(count)
            return None
        return [self._value(kind) for _ in range(count)]

    def _skip_strings(self, count: int) -> None:
        if count > _MAX_STRINGS:
            raise ValueError(f"{count} strings")
        at, data, unpack = self._at, self._data, struct.Struct("<Q").unpack_from
        for _ in range(count):
            at += 8 + unpack(data, at)[0]
        self._at = at
