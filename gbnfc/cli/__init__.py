"""The command line: one small file per command, a table of them in `app.py`, shared readers in
`inputs` and `io`. The last station of the pipeline: only here do `typer` and `rich` appear, and
only here is anything printed.
"""

from __future__ import annotations

import os
import sys

EXIT_INTERNAL = 70
"""EX_SOFTWARE of BSD's sysexits.h: the fault is in the program, not in what it was given."""
EXIT_INTERRUPTED = 130


def main() -> None:
    """Run the `gbnfc` command with the process's arguments and leave with its exit code."""
    _fill_closed_streams()
    try:
        from gbnfc.cli.app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while modules were still being loaded
        print("error: interrupted", file=sys.stderr)
        code = EXIT_INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the last station: no traceback may reach a user
        code = _fail_internally(error)
    sys.exit(code)


def _fill_closed_streams() -> None:
    """Give the process the standard streams that it was started without.

    The next file to be opened would take their numbers, and what is meant for them. What is written
    to a stdout that was closed fails as in a pipe that nobody reads; messages go nowhere.
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115 - kept open
    if sys.stdout is None:
        reader, writer = os.pipe()
        os.close(reader)
        if writer != 1:
            os.dup2(writer, 1)
            os.close(writer)
        sys.stdout = open(1, "w", encoding="utf-8")  # noqa: SIM115 - kept open
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - kept open


def _fail_internally(error: Exception) -> int:
    # Nothing of gbnfc's own is used here: it is what has just failed.
    if os.environ.get("GBNFC_DEBUG"):
        import traceback

        traceback.print_exception(error)
    said = "".join(char if char.isprintable() else "?" for char in " ".join(str(error).split()))
    print(
        f"error: internal error: {type(error).__name__}{': ' if said else ''}{said}\n"
        "  hint: this is a fault of gbnfc, please report it with the command you gave; "
        "GBNFC_DEBUG=1 shows where it happened",
        file=sys.stderr,
    )
    return EXIT_INTERNAL
