"""The command line: one small file per command, a table of them in `app.py`, shared readers
in `common.py`. The last station of the pipeline: only here do `typer` and `rich` appear, and only
here is anything printed.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the `gbnfc` command with the process's arguments and leave with its exit code."""
    from gbnfc.cli.app import run

    sys.exit(run(sys.argv[1:]))
