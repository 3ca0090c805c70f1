"""A grammar argument of a command: GBNF, the name of a shipped grammar, or a schema.

In: the argument as given. Out: the grammar. A schema is compiled by its default options, but for
the order of keys where texts are written.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gbnfc.cli.common import parse_json, read_grammar, read_schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gbnfc.ir.nodes import Grammar

HELP = "GBNF file, name of a shipped grammar, inline GBNF, or a JSON Schema."

_SCHEMA_SUFFIXES = (".json", ".yaml", ".yml")
_CLASS = re.compile(r".+?:[A-Za-z_][\w.]*")


def read_language(argument: str, *, order: str = "any") -> Grammar:
    """Return the grammar that `argument` stands for; a schema's keys come in `order`.

    Raises:
        GbnfcError: it cannot be read, parsed or compiled.
    """
    if _names_schema(argument):
        given = read_schema(argument)
        return _compiled(given.schema, order, given.registry)
    source = read_grammar(argument)
    if source.text.lstrip()[:1] == "{":
        return _compiled(parse_json(source), order)
    from gbnfc.gbnf.parse import parse_gbnf

    return parse_gbnf(source.text, name=source.name)


def _names_schema(argument: str) -> bool:
    if "::=" in argument:
        return False
    if argument.lstrip()[:1] == "{" or argument.strip() in ("true", "false"):
        return True
    if Path(argument.partition("#")[0]).suffix.lower() in _SCHEMA_SUFFIXES:
        return True
    return bool(_CLASS.fullmatch(argument)) and not Path(argument).exists()


def _compiled(schema: Any, order: str, registry: Mapping[str, Any] | None = None) -> Grammar:
    from gbnfc.schema import CompileOptions, Order, compile_schema

    options = CompileOptions(order=Order(order))
    return compile_schema(schema, registry=registry, options=options).grammar
