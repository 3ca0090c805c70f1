"""What a folder holds, whatever was put there.

In: a folder. Out: its files, and the symbolic links in it. Links met on the way are not followed,
neither to folders nor to files, as ripgrep does it: so no walk leaves the folder, and none comes
round in a circle. Who wants what a link leads to names it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Listing:
    """Regular files below a folder, and links that were passed over, both sorted."""

    files: tuple[Path, ...]
    links: tuple[Path, ...]


def _nothing(_: str) -> bool:
    return False


def list_folder(folder: Path, skips: Callable[[str], bool] = _nothing) -> Listing:
    """Return what is below `folder`. Files and folders whose name `skips` tells are left out."""
    files: list[Path] = []
    links: list[Path] = []
    for directory, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not skips(name)]
        paths = [Path(directory, name) for name in (*folders, *names) if not skips(name)]
        links += [path for path in paths if path.is_symlink()]
        files += [path for path in paths if path.is_file() and not path.is_symlink()]
    return Listing(tuple(sorted(files)), tuple(sorted(links)))
