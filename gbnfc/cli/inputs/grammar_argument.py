"""A grammar argument of a command: GBNF, the name of a shipped grammar, or a schema.

In: the argument as given. Out: the grammar. A schema is compiled by its default options, but for
the order of keys where texts are written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gbnfc.cli.io.common import SchemaInput, parse_json, read_grammar, read_schema

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
