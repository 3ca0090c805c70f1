"""The compiler's report, and the slips that it tells of, as findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.documents.json_positions import escape_pointer
from gbnfc.errors import GbnfcError
from gbnfc.lint.diagnostic import Finding
from gbnfc.lint.text.show import show_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gbnfc.lint.schema_subject import LintedSchema
    from gbnfc.schema.oversights import Oversight


def report_findings(schema: LintedSchema, effect: str) -> Iterator[Finding]:
    """Yield the entries of the report with this `effect`; none when nothing was compiled."""
    compiled = schema.compiled
    if isinstance(compiled, GbnfcError):
        return
    for entry in compiled.report:
        if entry.effect.value != effect:
            continue
        # Entries of other documents start with their URI: they have no place in this text.
        here = not entry.pointer or entry.pointer.startswith("/")
        at = f"{entry.pointer}/{escape_pointer(entry.keyword)}"
        yield Finding(
            f"{entry.keyword}: {entry.message}",
            schema.key_span(at) if here else None,
            help=f"for example {show_text(entry.witness)}" if entry.witness else None,
        )


def slip_findings(schema: LintedSchema, kind: Oversight) -> Iterator[Finding]:
    """Yield the slips of this `kind`, each at its keyword."""
    for pointer, slip in schema.slips:
        if slip.kind is kind:
            span = schema.key_span(f"{pointer}/{escape_pointer(slip.keyword)}")
            message, _, help = slip.message.partition("; ")
            yield Finding(f"{slip.keyword}: {message}", span, help=help or None)
