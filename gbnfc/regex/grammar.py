"""Whole grammars for raw text: one regular expression, or a list of choices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gbnfc.errors import UsageError
from gbnfc.ir.build import choice
from gbnfc.ir.names import NameAllocator
from gbnfc.ir.nodes import Expression, Grammar, Literal, Rule
from gbnfc.regex.dfa import Dfa
from gbnfc.regex.emit import emit_string
from gbnfc.regex.spelling import Content
from gbnfc.regex.tree import emit_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable


def regex_grammar(pattern: str) -> Grammar:
    """Return the grammar of the texts in which a search for `pattern` succeeds.

    Anchor it (`^…$`) to say what the whole text is.

    Raises:
        PatternError, LimitExceeded, Unsatisfiable: as `emit_pattern` does.
    """
    return _grammar(*emit_pattern(pattern, NameAllocator(), "text", Content.RAW))


def choices_grammar(texts: Iterable[str]) -> Grammar:
    """Return the grammar of exactly these texts.

    Listed as they are where the first characters differ, else with shared beginnings, so that the
    engine never follows two of them at once.

    Raises:
        UsageError: no text is given, or one with a lone surrogate.
    """
    choices = list(dict.fromkeys(texts))
    for text in choices:
        if not text.isprintable() and any("\ud800" <= char <= "\udfff" for char in text):
            raise UsageError(f"the choice {text!r} holds half a surrogate pair, which is no text")
    if not choices:
        raise UsageError("there is nothing to choose from", hint="give at least one choice")
    if len({text[:1] for text in choices}) == len(choices) and "" not in choices:
        return _grammar(choice(Literal(text) for text in choices), ())
    return _grammar(*emit_string(Dfa.of_strings(choices), NameAllocator(), "text", Content.RAW))


def _grammar(body: Expression, rules: tuple[Rule, ...]) -> Grammar:
    return Grammar((Rule("root", body), *rules))
