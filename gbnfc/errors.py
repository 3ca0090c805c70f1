"""Every exception that gbnfc raises for something a user can cause.

All derive from `GbnfcError`; each holds fields and composes its message from them: what was found,
where, and what to do next. `exit_code` is what the command line leaves with.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from gbnfc.source import Source, Span


@dataclass(eq=False)
class GbnfcError(Exception):
    """Base of all gbnfc errors. `hint` is the next step, in one sentence."""

    exit_code: ClassVar[int] = 3

    message: str
    hint: str | None = field(default=None, kw_only=True)

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\n  hint: {self.hint}"


@dataclass(eq=False)
class UsageError(GbnfcError):
    """Options or configuration that do not make sense."""

    exit_code: ClassVar[int] = 2


@dataclass(eq=False)
class InputError(GbnfcError):
    """A file, document or stream that cannot be read or decoded."""


@dataclass(eq=False)
class SchemaError(GbnfcError):
    """Not a valid JSON Schema. `pointer` is a JSON Pointer (RFC 6901) into the schema."""

    pointer: str = field(default="", kw_only=True)

    def __str__(self) -> str:
        place = f"at {self.pointer or '/'}: " if self.pointer else ""
        return place + super().__str__()


@dataclass(eq=False)
class UnresolvableRef(SchemaError):
    """A `$ref` that names nothing. `ref` is the reference as written."""

    ref: str = field(default="", kw_only=True)


@dataclass(eq=False)
class Unsatisfiable(SchemaError):
    """No value can satisfy the schema; the message is the reason."""


@dataclass(eq=False)
class SourceError(GbnfcError):
    """An error at a place in a text: a pattern, a grammar, a JSON file."""

    source: Source | None = field(default=None, kw_only=True)
    span: Span | None = field(default=None, kw_only=True)

    def __str__(self) -> str:
        text = super().__str__()
        if self.source is None or self.span is None:
            return text
        place = f"{self.source.name}:{self.source.position(self.span.start)}"
        head, _, rest = text.partition("\n")
        excerpt = "\n".join("  " + line for line in self.source.excerpt(self.span).split("\n"))
        return f"{place}: {head}\n{excerpt}" + (f"\n{rest}" if rest else "")


@dataclass(eq=False)
class PatternError(SourceError):
    """A regular expression that cannot be parsed or that no automaton can hold.

    `pointer` is the JSON Pointer of the pattern in a schema; empty for one that stands alone.
    """

    pointer: str = field(default="", kw_only=True)


@dataclass(eq=False)
class JsonSyntaxError(SourceError):
    """A text that is not JSON."""


@dataclass(eq=False)
class GbnfSyntaxError(SourceError):
    """A grammar text that llama.cpp would refuse.

    `expected` names what could have stood there; `others` are the further errors of the text.
    """

    expected: tuple[str, ...] = field(default=(), kw_only=True)
    others: tuple[GbnfSyntaxError, ...] = field(default=(), kw_only=True)

    def __str__(self) -> str:
        return "\n".join([super().__str__(), *map(str, self.others)])


@dataclass(eq=False)
class LimitExceeded(GbnfcError):
    """Work stopped at a stated bound (states, rules, nesting, time) instead of hanging."""


@dataclass(eq=False)
class EngineError(GbnfcError):
    """The engine or the model: missing, not loadable, grammar refused, out of memory."""

    exit_code: ClassVar[int] = 4
