"""What a lint rule is.

A rule is one module under `gbnfc.lint.rules`: its docstring is its manual (*What it does*, *Why is
bad*, *Example*, *Use instead*), `CODE`, `NAME`, `SEVERITY` are constants, and `check` yields
what it finds. Modules fit the protocols below as they are; `registry.py` lists them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from gbnfc.errors import LimitExceeded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.diagnostic import Finding, Severity
    from gbnfc.lint.schema_subject import LintedSchema
    from gbnfc.lint.subject import LintedGrammar, LintedText


RULE_STEPS = 400_000
"""What one rule may spend on one file."""


class Budget:
    """Steps that one rule may spend on one file, so that no input hangs the linter.

    Counting steps instead of seconds keeps the findings the same on every machine.
    """

    __slots__ = ("_whole", "left", "total")

    def __init__(self, total: int, whole: Budget | None = None) -> None:
        self.total = self.left = total
        self._whole = whole

    def spend(self, steps: int = 1) -> None:
        """Take `steps` off. Raises: `LimitExceeded` when none are left."""
        budget: Budget | None = self
        while budget is not None:
            budget.left -= steps
            budget = budget._whole
        if self.left < 0:
            raise LimitExceeded(f"gave up after {self.total:,} steps")

    def share(self, parts: int) -> Budget:
        """Return a budget of one of `parts` equal parts of what is left.

        What is spent of it is spent of this one too; what it leaves, this one keeps.
        """
        return Budget(max(0, self.left) // parts, self)


class LintRule(Protocol):
    """What every rule module has."""

    __name__: str
    __doc__: str | None

    @property
    def CODE(self) -> str:
        """The stable code, family and number: `COST001`."""

    @property
    def NAME(self) -> str:
        """The readable name, usable wherever the code is: `chained-optionals`."""

    @property
    def SEVERITY(self) -> Severity:
        """The severity unless the configuration says otherwise."""


class TextRule(LintRule, Protocol):
    """A rule about a grammar text that does not parse."""

    def check(self, text: LintedText, budget: Budget) -> Iterator[Finding]:
        """Yield the findings in source order."""


class GrammarRule(LintRule, Protocol):
    """A rule about a grammar."""

    def check(self, grammar: LintedGrammar, budget: Budget) -> Iterator[Finding]:
        """Yield the findings in source order."""


class SchemaRule(LintRule, Protocol):
    """A rule about a JSON Schema."""

    def check(self, schema: LintedSchema, budget: Budget) -> Iterator[Finding]:
        """Yield the findings in source order."""
