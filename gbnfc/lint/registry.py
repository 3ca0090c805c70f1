"""The table of lint rules, by what they look at. A rule exists when it is listed here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.lint.rules import (
    all_optional,
    bare_point,
    beside_reference,
    chained_optionals,
    confusable_names,
    contradiction,
    control_characters,
    deep_chain,
    duplicate_alternative,
    duplicate_rule,
    empty_class,
    empty_root,
    enum_without_way_out,
    gave_up,
    keyword_typo,
    leading_zero,
    left_recursion,
    literal_alternation,
    live_stacks,
    misplaced_subschema,
    missing_description,
    missing_root,
    misspelt_required,
    negative_zero,
    nested_repetition,
    never_finishes,
    newer_escape,
    no_way_to_say_absent,
    not_a_number,
    nullable_ignored,
    odd_name,
    older_limit,
    open_end,
    overlapping_alternatives,
    pattern_not_portable,
    reasoning_after_answer,
    refused_repetition,
    repetition_overlaps,
    reversed_count,
    reversed_exponent,
    reversed_range,
    schema_narrower,
    schema_wider,
    semicolon,
    single_quotes,
    slow_load,
    subsumed_alternative,
    syntax_error,
    unbounded_array,
    unbounded_array_schema,
    unbounded_digits,
    unbounded_string,
    unbounded_string_schema,
    unbounded_whitespace,
    undefined_rule,
    underscore_in_name,
    unescaped_quote,
    unknown_token,
    unreachable_rule,
    unreadable_file,
    unreadable_schema,
    unused_suppression,
    widened_repetition,
    wrong_define,
)

if TYPE_CHECKING:
    from gbnfc.lint.rule import GrammarRule, LintRule, SchemaRule, TextRule

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
    literal_alternation,
    deep_chain,
    live_stacks,
    older_limit,
    slow_load,
    control_characters,
    unescaped_quote,
    leading_zero,
    negative_zero,
    bare_point,
    reversed_exponent,
    not_a_number,
    unbounded_whitespace,
    unbounded_string,
    unbounded_array,
    unbounded_digits,
    open_end,
    empty_root,
    unknown_token,
)
SCHEMA_RULES: tuple[SchemaRule, ...] = (
    unreadable_schema,
    schema_wider,
    schema_narrower,
    contradiction,
    all_optional,
    no_way_to_say_absent,
    reasoning_after_answer,
    unbounded_string_schema,
    unbounded_array_schema,
    enum_without_way_out,
    missing_description,
    keyword_typo,
    pattern_not_portable,
    beside_reference,
    nullable_ignored,
    misplaced_subschema,
    misspelt_required,
)
UNREADABLE_SCHEMA: SchemaRule = unreadable_schema
UNUSED_SUPPRESSION: LintRule = unused_suppression
GAVE_UP: LintRule = gave_up
UNREADABLE_FILE: LintRule = unreadable_file
RUNNER_RULES: tuple[LintRule, ...] = (UNUSED_SUPPRESSION, GAVE_UP, UNREADABLE_FILE)
"""Rules whose findings the runner itself makes."""

RULES: tuple[LintRule, ...] = tuple(
    sorted((*TEXT_RULES, *GRAMMAR_RULES, *SCHEMA_RULES, *RUNNER_RULES), key=lambda rule: rule.CODE)
)


def rule_names() -> dict[str, str]:
    """Return the name of each code, in the order of codes."""
    return {rule.CODE: rule.NAME for rule in RULES}
