"""Run the rules: text, grammar or schema in, diagnostics out, sorted by place.

A text that does not parse gets the text rules, and the grammar rules for what could be read of it:
findings about what could not are left out, and no fixes are offered, as none could be proved.
Suppression comments are applied here, settings (`settings.py`) by the caller.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from gbnfc.errors import LimitExceeded
from gbnfc.gbnf.recover import Recovered, recover
from gbnfc.lint.diagnostic import Diagnostic, Finding
from gbnfc.lint.registry import GAVE_UP, GRAMMAR_RULES, TEXT_RULES, UNUSED_SUPPRESSION
from gbnfc.lint.rule import RULE_STEPS, Budget, LintRule
from gbnfc.lint.subject import LintedGrammar, LintedText, Tokenizer
from gbnfc.lint.text.lexemes import cut_lexemes
from gbnfc.lint.text.suppress import Suppression, Suppressions, find_suppressions
from gbnfc.source import Source, Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gbnfc.ir.nodes import Grammar


def lint_grammar(grammar: Grammar | str, *, name: str = "<string>") -> tuple[Diagnostic, ...]:
    """Return what is wrong with a grammar or a grammar text, in source order.

    A `Grammar` is judged as it is: its spans mean a text that is not at hand, so its diagnostics
    have no line. Nothing is raised for wrong texts; they are findings.

    >>> [d.code for d in lint_grammar('root ::= item')]
    ['STR001']
    """
    if isinstance(grammar, str):
        return lint_text(Source(grammar, name))
    return tuple(in_order(_run_grammar_rules(LintedGrammar(grammar), name)))


def lint_text(source: Source, tokenizer: Tokenizer | None = None) -> tuple[Diagnostic, ...]:
    """Return what is wrong with a GBNF text. `tokenizer` is needed by the token rules alone."""
    read = recover(source)
    found = _run_grammar_rules(LintedGrammar(read.grammar, source, tokenizer), source.name)
    if read.errors:
        in_text = _run_text_rules(LintedText(source, read.errors))
        found = chain(in_text, _about_what_was_read(found, read))
    if "gbnfc:" not in source.text:
        return tuple(in_order(found))
    suppressions = find_suppressions(source, cut_lexemes(source.text))
    return tuple(in_order(_suppress(source, tuple(found), suppressions)))


def _about_what_was_read(found: Iterable[Diagnostic], read: Recovered) -> Iterator[Diagnostic]:
    if not read.grammar.rules:
        return  # then the syntax errors are all there is to say
    for diagnostic in found:
        span = diagnostic.span
        if span is None or not any(a <= span.start and span.end <= b for a, b in read.holes):
            yield replace(diagnostic, fix=None)


def _run_grammar_rules(grammar: LintedGrammar, name: str) -> Iterator[Diagnostic]:
    for rule in GRAMMAR_RULES:
        budget = Budget(RULE_STEPS)
        yield from collect(rule, rule.check(grammar, budget), name, grammar.source)


def _run_text_rules(text: LintedText) -> Iterator[Diagnostic]:
    for rule in TEXT_RULES:
        found = rule.check(text, Budget(RULE_STEPS))
        yield from collect(rule, found, text.source.name, text.source)


def collect(
    rule: LintRule, findings: Iterator[Finding], file: str, source: Source | None
) -> Iterator[Diagnostic]:
    """Turn findings into diagnostics; a rule that runs out of budget says so."""
    try:
        for finding in findings:
            yield diagnose(rule, finding, file, source)
    except LimitExceeded as error:
        gave_up = Finding(f"{rule.CODE} [{rule.NAME}] did not finish: {error.message}")
        yield diagnose(GAVE_UP, gave_up, file, source)


def diagnose(rule: LintRule, finding: Finding, file: str, source: Source | None) -> Diagnostic:
    """Return `finding` with its rule and place."""
    return Diagnostic(
        code=rule.CODE,
        name=rule.NAME,
        severity=finding.severity or rule.SEVERITY,
        message=finding.message,
        file=file,
        span=finding.span if source is not None else None,
        help=finding.help,
        fix=finding.fix if source is not None else None,
        related=finding.related if source is not None else (),
        source=source,
    )


def _suppress(
    source: Source, found: tuple[Diagnostic, ...], suppressions: Iterable[Suppression]
) -> Iterator[Diagnostic]:
    used: set[Suppression] = set()
    index = Suppressions(suppressions)
    for diagnostic in found:
        covering = index.covering(diagnostic)
        used.update(covering)
        if not covering:
            yield diagnostic
    for suppression in suppressions:
        if suppression not in used:
            message = f"nothing to ignore here: {suppression.selector}"
            finding = Finding(message, suppression.span, help="delete the comment")
            yield diagnose(UNUSED_SUPPRESSION, finding, source.name, source)


def in_order(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return diagnostics in the order of their places, those without one first."""
    nowhere = Span(0, 0)
    return sorted(found, key=lambda d: (d.span or nowhere, d.code, d.message))
