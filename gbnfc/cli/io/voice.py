"""How much a command says beside its data. In: -q and -v, messages by what they are worth.

Out: lines on stderr. What decides whether results can be trusted is said whatever the options; what
stays the same from run to run is said once per machine.
"""

from __future__ import annotations

from dataclasses import dataclass

from gbnfc.cli.io.streams import print_note, print_warning


@dataclass(frozen=True, slots=True)
class Voice:
    """What the user wants to hear: `quiet` is -q, `verbose` is -v."""

    quiet: bool = False
    verbose: bool = False

    def insist(self, message: str) -> None:
        """Say what concerns the worth of a result, under -q as well."""
        print_warning(message)

    def note(self, message: str) -> None:
        """Say what concerns this run."""
        if not self.quiet:
            print_note(message)

    def warn(self, message: str) -> None:
        """Say what was asked for and will not be."""
        if not self.quiet:
            print_warning(message)

    def once(self, message: str, about: str = "") -> None:
        """Say what holds for every such run: the first time on this machine, and under -v always.

        `about` is what the message is about; of something else, the same words are news.
        """
        from gbnfc.engine.cache import is_news

        if self.quiet:
            return
        is_first = is_news(f"{about}\n{message}")
        if is_first or self.verbose:
            print_note(message if self.verbose else f"{message} (said once; -v repeats it)")

    def detail(self, message: str) -> None:
        """Say what is of interest to few."""
        if self.verbose:
            print_note(message)
