"""The table of lint rules, by what they look at. A rule exists when it is listed here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.lint.rules.cost import (
    chained_optionals,
    deep_chain,
    literal_alternation,
    live_stacks,
    nested_repetition,
    older_limit,
    overlapping_alternatives,
    refused_repetition,
    repetition_overlaps,
    slow_load,
    widened_repetition,
)
from gbnfc.lint.rules.json import (
    bare_point,
    control_characters,
    leading_zero,
    negative_zero,
    not_a_number,
    reversed_exponent,
    unescaped_quote,
)
from gbnfc.lint.rules.linter import (
    gave_up,
    unreadable_file,
    unused_suppression,
)
from gbnfc.lint.rules.names import (
    confusable_names,
    odd_name,
)
from gbnfc.lint.rules.runaway import (
    empty_root,
    open_end,
    unbounded_array,
    unbounded_digits,
    unbounded_string,
    unbounded_whitespace,
)
from gbnfc.lint.rules.schema import (
    all_optional,
    beside_reference,
    contradiction,
    enum_without_way_out,
    keyword_typo,
    misplaced_subschema,
    missing_description,
    misspelt_required,
    no_way_to_say_absent,
    nullable_ignored,
    pattern_not_portable,
    reasoning_after_answer,
    schema_narrower,
    schema_wider,
    unbounded_array_schema,
    unbounded_string_schema,
    unreadable_schema,
)
from gbnfc.lint.rules.structure import (
    duplicate_alternative,
    duplicate_rule,
    empty_class,
    left_recursion,
    missing_root,
    never_finishes,
    reversed_count,
    reversed_range,
    subsumed_alternative,
    undefined_rule,
    unreachable_rule,
)
from gbnfc.lint.rules.syntax import (
    newer_escape,
    semicolon,
    single_quotes,
    syntax_error,
    underscore_in_name,
    wrong_define,
)
from gbnfc.lint.rules.tokens import (
    unknown_token,
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
