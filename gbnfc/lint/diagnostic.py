"""What a lint rule says: findings (from a rule) and diagnostics (what the user sees).

A rule yields `Finding`s; the runner adds the rule's code, name and severity and the file, and hands
`Diagnostic`s on to the output formats. Both are values; nothing here prints.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from gbnfc.source import visible_line

if TYPE_CHECKING:
    from gbnfc.source import Position, Source, Span


class Severity(Enum):
    """How bad a finding is. `INFO` findings are worth knowing and never fail a run."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for errors, growing as findings get milder."""
        return list(Severity).index(self)


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the characters of `span` by `text`."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that remove a finding together. `title` says what they do, in the imperative.

    `safe` promises the same language; it is proved before the fix is applied.
    """

    title: str
    edits: tuple[Edit, ...]
    safe: bool = True


@dataclass(frozen=True, slots=True)
class Related:
    """A second place that belongs to a finding: the first definition, the other alternative."""

    message: str
    span: Span


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a rule found. `span` is `None` for findings about the whole file.

    `severity` is set where this one is milder or worse than the rule's usual.
    """

    message: str
    span: Span | None = None
    help: str | None = None
    fix: Fix | None = None
    related: tuple[Related, ...] = ()
    severity: Severity | None = None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding with its rule and its place. `source` takes no part in equality."""

    code: str
    name: str
    severity: Severity
    message: str
    file: str = "<string>"
    span: Span | None = None
    help: str | None = None
    fix: Fix | None = None
    related: tuple[Related, ...] = ()
    source: Source | None = field(default=None, compare=False, repr=False)

    @property
    def position(self) -> Position | None:
        """The 1-based line and column of the start; `None` without a text or a span."""
        if self.source is None or self.span is None:
            return None
        return self.source.position(self.span.start)

    @property
    def end_position(self) -> Position | None:
        """The 1-based line and column just behind the end."""
        if self.source is None or self.span is None:
            return None
        return self.source.position(self.span.end)

    @property
    def fixable(self) -> bool:
        """Whether a fix, safe or not, comes with it."""
        return self.fix is not None

    @property
    def has_safe_fix(self) -> bool:
        """Whether `--fix` alone may apply its fix."""
        return self.fix is not None and self.fix.safe

    @property
    def has_unsafe_fix(self) -> bool:
        """Whether its fix needs `--unsafe-fixes`: it may change the language."""
        return self.fix is not None and not self.fix.safe

    def __str__(self) -> str:
        file = visible_line(self.file)
        place = f"{file}:{self.position}" if self.position else file
        return f"{place}: {self.severity.value} {self.code} [{self.name}] {self.message}"


def fix_mark(diagnostic: Diagnostic) -> str:
    """Return what people see behind a finding that can be fixed, a blank first; else nothing."""
    if diagnostic.fix is None:
        return ""
    return " [*]" if diagnostic.fix.safe else " [* unsafe]"
