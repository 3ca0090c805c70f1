"""A grammar argument of a command: GBNF, the name of a shipped grammar, or a schema.

In: the argument as given. Out: the grammar. A schema is compiled by its default options, but for
the order of keys where texts are written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gbnfc.cli.inputs.schema_argument import SchemaInput, read_schema
from gbnfc.cli.io.common import parse_json
from gbnfc.cli.io.texts import STDIN, read_text
from gbnfc.errors import InputError
from gbnfc.library import library_files
from gbnfc.source import Source

if TYPE_CHECKING:
    from gbnfc.ir.nodes import Grammar

HELP = "GBNF file, name of a shipped grammar, inline GBNF, or a JSON Schema."

_SCHEMA_SUFFIXES = (".json", ".yaml", ".yml")
_CLASS = re.compile(r".+?:[A-Za-z_][\w.]*")


@dataclass(frozen=True)
class Language:
    """A grammar, and the schema that it was compiled from, read as `draft`, if it was."""

    grammar: Grammar
    given: SchemaInput | None = None
    draft: str | None = None


def read_grammar(argument: str) -> Source:
    """Read a grammar: a file, `-`, inline GBNF, or the name of one of the shipped grammars.

    Raises:
        InputError: nothing of that name, or it cannot be read.
    """
    if "::=" in argument:
        return Source(argument, "<grammar>")
    if argument != STDIN and not Path(argument).exists():
        shipped = library_files().get(argument)
        if shipped is not None:
            return Source(shipped.read_text(encoding="utf-8"), argument)
    try:
        return read_text(argument)
    except InputError as error:
        if error.hint is None and "no such file" in error.message:
            names = ", ".join(library_files())
            hint = f"give a file, '-', GBNF text with ::=, or a shipped grammar ({names})"
            raise replace(error, hint=hint) from None
        raise


def read_language(argument: str, *, order: str = "any") -> Grammar:
    """Return the grammar that `argument` stands for; a schema's keys come in `order`.

    Raises:
        GbnfcError: it cannot be read, parsed or compiled.
    """
    return read_language_and_schema(argument, order=order).grammar


def read_language_and_schema(argument: str, *, order: str = "any") -> Language:
    """Return the same with the schema behind it."""
    if _names_schema(argument):
        return _compiled(read_schema(argument), order)
    source = read_grammar(argument)
    if source.text.lstrip()[:1] == "{":
        return _compiled(SchemaInput(parse_json(source), source.name, source=source), order)
    from gbnfc.gbnf.parse import parse_gbnf

    return Language(parse_gbnf(source.text, name=source.name))


def _names_schema(argument: str) -> bool:
    if "::=" in argument:
        return False
    if argument.lstrip()[:1] == "{" or argument.strip() in ("true", "false"):
        return True
    if Path(argument.partition("#")[0]).suffix.lower() in _SCHEMA_SUFFIXES:
        return True
    return bool(_CLASS.fullmatch(argument)) and not Path(argument).exists()


def _compiled(given: SchemaInput, order: str) -> Language:
    from gbnfc.schema import CompileOptions, Order, compile_schema

    options = CompileOptions(order=Order(order))
    compiled = compile_schema(given.schema, registry=given.registry, options=options)
    return Language(compiled.grammar, given, compiled.draft)
