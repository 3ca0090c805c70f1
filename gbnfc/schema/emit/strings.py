"""String constraints → automata → JSON string content.

In: `StringSchema`s and fixed strings. Out: an expression for their JSON texts, quotes included.
Every facet is an automaton; all of them are intersected exactly, and none is dropped because
another one is present. A facet that no automaton can hold is reported.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from gbnfc.errors import LimitExceeded, PatternError, Unsatisfiable
from gbnfc.ir.build import EMPTY_TEXT, choice, sequence
from gbnfc.ir.nodes import Expression, Literal, RuleRef
from gbnfc.regex import Dfa, compile_pattern, emit_pattern, emit_string
from gbnfc.schema.emit.context import NEVER, Context
from gbnfc.schema.emit.literals import scalar_text, trie
from gbnfc.schema.formats import Exactness, FormatLanguage, format_automaton
from gbnfc.schema.report import Effect
from gbnfc.schema.time_limit import TOO_LONG

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gbnfc.schema.read.schemas import StringSchema
    from gbnfc.schema.source.source_map import Places

MAX_STATES = 2_500
"""The facets of a string together may need this many states; beyond, the last one is not held."""

MAX_CHARACTERS = 500_000
"""Length bounds above this are not held."""


def strings_expression(
    shapes: Sequence[StringSchema],
    values: Sequence[str],
    places: Places,
    hint: str,
    context: Context,
) -> Expression:
    """Return the expression of all strings of `shapes` and `values`, quotes included."""
    if not shapes:
        return trie(dict.fromkeys(map(scalar_text, values), EMPTY_TEXT)) if values else NEVER
    if len(shapes) == 1 and not values:
        content = _plain_content(shapes[0], places, hint, context)
        if content is not None:
            return sequence([Literal('"'), content, Literal('"')])
    languages = [Dfa.of_strings(values)]
    for shape in shapes:
        if context.resolver.limit.is_short:
            return _any_string(TOO_LONG, places, context)
        languages.append(string_language(shape, places, context))
    language = Dfa.nothing()
    for one in languages:
        if context.resolver.limit.is_short:
            return _any_string(TOO_LONG, places, context)
        try:
            language = language.union(one, max_states=MAX_STATES)
        except LimitExceeded:
            return _side_by_side(languages, places, hint, context)
    if language.is_empty():
        return NEVER
    if language.is_everything():
        return RuleRef("string")
    return sequence([Literal('"'), language_content(language, hint, context), Literal('"')])


def _side_by_side(
    languages: Sequence[Dfa], places: Places, hint: str, context: Context
) -> Expression:
    """Return a choice of languages too large to unite: the same texts, at more live stacks."""
    if sum(language.state_count for language in languages) > 2 * MAX_STATES:
        message = "its alternatives are too large for a grammar; not held"
        return _any_string(message, places, context)
    contents = [language_content(one, hint, context) for one in languages if not one.is_empty()]
    return sequence([Literal('"'), choice(contents), Literal('"')])


def _any_string(message: str, places: Places, context: Context) -> Expression:
    context.report(places, "pattern", Effect.WIDER, message)
    return RuleRef("string")


def string_language(
    shape: StringSchema, places: Places, context: Context, *, of_patterns: str = "pattern"
) -> Dfa:
    """Return the automaton of `shape`; what it cannot hold is reported as wider.

    `of_patterns` is the keyword of the source from which the patterns come.
    """
    language = Dfa.everything()

    def narrow(keyword: str, facet: Callable[[], Dfa | None], *, excluded: bool = False) -> None:
        nonlocal language
        try:
            other = facet()
            if other is not None:
                combine = language.difference if excluded else language.intersection
                language = combine(other, max_states=MAX_STATES)
        except (LimitExceeded, PatternError) as error:
            said = "" if error.message == TOO_LONG else "not held: "
            context.report(places, keyword, Effect.WIDER, said + error.message)

    for pattern in shape.patterns:
        narrow(of_patterns, partial(pattern_language, pattern, context))
    for name in shape.formats:
        narrow("format", partial(_format_dfa, name, places, context))
    for pattern in shape.excluded_patterns:
        narrow(of_patterns, partial(pattern_language, pattern, context), excluded=True)
    for name in shape.excluded_formats:
        narrow("format", partial(_excluded_format, name, places, context), excluded=True)
    if shape.excluded:
        narrow("enum", partial(Dfa.of_strings, shape.excluded), excluded=True)
    return _bounded(language, shape, places, context)


def pattern_language(pattern: str, context: Context) -> Dfa:
    """Return the strings in which `pattern` is found.

    Raises:
        PatternError: not a regular language; LimitExceeded: too large, or the time is short.
    """
    if context.resolver.limit.is_short:
        raise LimitExceeded(TOO_LONG)
    return compile_pattern(pattern)


def _bounded(language: Dfa, shape: StringSchema, places: Places, context: Context) -> Dfa:
    bounds = language.length_bounds()
    if bounds is None:
        return language
    least, most = bounds
    too_short = shape.minimum > least
    too_long = shape.maximum is not None and (most is None or most > shape.maximum)
    if not too_short and not too_long:
        return language
    try:
        window = Dfa.of_length(shape.minimum, shape.maximum, max_states=MAX_STATES)
        return language.intersection(window, max_states=MAX_STATES)
    except LimitExceeded as error:
        for keyword, bites in (("minLength", too_short), ("maxLength", too_long)):
            if bites:
                context.report(places, keyword, Effect.WIDER, f"not held: {error.message}")
        return language


def _format_dfa(name: str, places: Places, context: Context) -> Dfa | None:
    found = _format(name, places, context)
    return None if found is None else found.dfa


def _excluded_format(name: str, places: Places, context: Context) -> Dfa | None:
    """Return the strings of a format to be left out: what is not exact errs the other way."""
    turned = {Exactness.WIDER: Effect.NARROWER, Exactness.NARROWER: Effect.WIDER}
    found = _known_format(name, places, context, Effect.WIDER)
    if found is not None and found.exactness in turned:
        context.report(places, "format", turned[found.exactness], found.note)
    return None if found is None else found.dfa


def _format(name: str, places: Places, context: Context) -> FormatLanguage | None:
    """Return the language of a format, with what is not exact reported."""
    found = _known_format(name, places, context, Effect.NARROWER)
    if found is not None and found.exactness is not Exactness.EXACT:
        context.report(places, "format", Effect(found.exactness.value), found.note)
    return found


def _known_format(
    name: str, places: Places, context: Context, beyond: Effect
) -> FormatLanguage | None:
    """Return the language of a format; `None` where no draft has it (`unknown_formats`).

    Format names are open in every draft (2020-12 validation, section 7.2.3), so one that a later
    draft defines means the same in an earlier one. Validators know it as little as that draft does,
    which is reported to be `beyond` the schema in that direction.
    """
    found = format_automaton(name, context.draft)
    if found is None:
        found = format_automaton(name, "2020-12")
        message = f"draft {context.draft} has no {name!r}; it is held as later drafts define it"
        context.report(places, "format", beyond, message)
    return found


def _plain_content(
    shape: StringSchema, places: Places, hint: str, context: Context
) -> Expression | None:
    """Return the content of a shape with a readable form: only a length, one pattern or format."""
    others = (shape.excluded_patterns, shape.excluded_formats, shape.excluded)
    if any(others) or len(shape.patterns) + len(shape.formats) > 1:
        return None
    pattern = next(iter(shape.patterns), None)
    for name in shape.formats:
        language = _format(name, places, context)
        pattern = None if language is None else language.pattern
    if pattern is None:
        return _length(shape, places, hint, context)
    try:
        content, rules = emit_pattern(
            pattern,
            context.names,
            hint,
            chars=context.chars,
            minimum=shape.minimum,
            maximum=shape.maximum,
            max_states=MAX_STATES,
        )
    except Unsatisfiable:
        return NEVER
    except (PatternError, LimitExceeded):
        return None  # the general way drops, and reports, the one facet that is at fault
    context.add(rules)
    return content


def _length(shape: StringSchema, places: Places, hint: str, context: Context) -> Expression:
    minimum, maximum = shape.minimum, shape.maximum
    if maximum is not None and maximum > MAX_CHARACTERS:
        message = f"lengths above {MAX_CHARACTERS} are not held"
        context.report(places, "maxLength", Effect.WIDER, message)
        maximum = None
    if minimum > MAX_CHARACTERS:
        message = f"lengths above {MAX_CHARACTERS} are not held"
        context.report(places, "minLength", Effect.WIDER, message)
        minimum = MAX_CHARACTERS
    if maximum is not None and maximum < minimum:
        return NEVER
    return context.repeated(RuleRef("char"), minimum, maximum, hint)


def language_content(language: Dfa, hint: str, context: Context) -> Expression:
    """Return the expression of the JSON contents of the strings of `language`."""
    expression, rules = emit_string(language, context.names, hint, chars=context.chars)
    context.add(rules)
    return expression
