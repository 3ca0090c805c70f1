"""The table of lint rules, by what they look at. A rule exists when it is listed here."""

from __future__ import annotations

from gbnfc.lint.rule import GrammarRule, LintRule, SchemaRule, TextRule
from gbnfc.lint.rules import (
    chained_optionals,
    confusable_names,
    duplicate_alternative,
    duplicate_rule,
    empty_class,
    gave_up,
    left_recursion,
    missing_root,
    nested_repetition,
    never_finishes,
    newer_escape,
    odd_name,
    overlapping_alternatives,
    refused_repetition,
    repetition_overlaps,
    reversed_count,
    reversed_range,
    semicolon,
    single_quotes,
    subsumed_alternative,
    syntax_error,
    undefined_rule,
    underscore_in_name,
    unreachable_rule,
    unused_suppression,
    widened_repetition,
    wrong_define,
)

TEXT_RULES: tuple[TextRule, ...] = (
    syntax_error,
    underscore_in_name,
    wrong_define,
    single_quotes,
    semicolon,
)
GRAMMAR_RULES: tuple[GrammarRule, ...] = (
    newer_escape,
    odd_name,
    confusable_names,
    undefined_rule,
    missing_root,
    duplicate_rule,
    unreachable_rule,
    left_recursion,
    never_finishes,
    empty_class,
    reversed_range,
    reversed_count,
    duplicate_alternative,
    subsumed_alternative,
    chained_optionals,
    nested_repetition,
    overlapping_alternatives,
    refused_repetition,
    widened_repetition,
    repetition_overlaps,
)
SCHEMA_RULES: tuple[SchemaRule, ...] = ()
UNUSED_SUPPRESSION: LintRule = unused_suppression
GAVE_UP: LintRule = gave_up
RUNNER_RULES: tuple[LintRule, ...] = (UNUSED_SUPPRESSION, GAVE_UP)
"""Rules whose findings the runner itself makes."""

RULES: tuple[LintRule, ...] = tuple(
    sorted(
        (*TEXT_RULES, *GRAMMAR_RULES, *SCHEMA_RULES, *RUNNER_RULES), key=lambda rule: rule.CODE
    )
)


def rule_names() -> dict[str, str]:
    """Return the name of each code, in the order of codes."""
    return {rule.CODE: rule.NAME for rule in RULES}
