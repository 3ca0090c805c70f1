"""The weights that a user may ask for. Apart from `weights`, which an option must not load."""

from __future__ import annotations

from enum import Enum


class Weights(Enum):
    """What the user wants: what is faster here, the file as it is, or the copy in any case."""

    AUTO = "auto"
    FILE = "file"
    WIDE = "16-bit"
