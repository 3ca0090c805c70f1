"""One grammar for a call of any tool of a list, in the form that a model writes calls in.

In: the tools' schemas. Out: the schema of a call, `{"name": …, "arguments": …}`, that refers to
them; and what a chat format writes around it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gbnfc.cli.compile.job import placed
from gbnfc.cli.inputs.schema_argument import SchemaInput, refers
from gbnfc.errors import SchemaError, UsageError
from gbnfc.ir.nodes import Grammar, Literal, Rule, RuleRef, Sequence
from gbnfc.schema.source.dialects import as_newest
from gbnfc.schema.source.references import identifier_keyword, is_older
from gbnfc.schema.source.uris import percent_encoded
from gbnfc.schema.vocabulary import ASSERTIONS

if TYPE_CHECKING:
    import collections.abc

    from gbnfc.cli.compile.job import CompiledSchema

_NOTHING = {"type": "object", "additionalProperties": False}


@dataclass(frozen=True, slots=True)
class ToolFormat:
    """How a call is written: the key of its arguments, and the texts before and behind it."""

    arguments: str
    before: str = ""
    behind: str = ""


FORMATS = {
    "openai": ToolFormat("arguments"),
    "llama": ToolFormat("parameters"),
    "hermes": ToolFormat("arguments", "<tool_call>\n", "\n</tool_call>"),
}
"""By name: OpenAI's `{"name", "arguments"}`, Llama 3.1's `{"name", "parameters"}`, and the form of
Hermes and Qwen, the first within `<tool_call>`."""


def any_of_tools(tools: collections.abc.Sequence[SchemaInput], form: ToolFormat) -> SchemaInput:
    """Return the schema of a call of any one of `tools`, those that take nothing among them.

    Raises:
        UsageError: two tools have the same name.
        SchemaError: a tool's schema is none.
    """
    named = {tool.title or tool.base: tool for tool in tools}
    if len(named) < len(tools):
        names = [tool.title or tool.base for tool in tools]
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(f"{tools[0].name} holds two tools {twice!r}", hint="name each once")
    dialects = {_dialect(tool.schema) for tool in tools}
    shared = next(iter(dialects)) if len(dialects) == 1 else None
    homes: dict[str, str] = {}
    calls: list[dict[str, Any]] = []
    for name, tool in named.items():
        _check(tool)
        homes[f"/anyOf/{len(calls)}/properties/{form.arguments}"] = tool.base
        schema = as_newest(tool.schema) if _is_older(tool.schema) and not shared else tool.schema
        calls.append(_call(name, form, _embedded(name, schema, shared)))
    calls += [_call(name, form, _NOTHING) for name in tools[0].bare_tools]
    return SchemaInput(
        {**({"$schema": shared} if shared else {}), "anyOf": calls},
        tools[0].name,
        source=tools[0].source,
        title=", ".join((*named, *tools[0].bare_tools)),
        homes=homes,
    )


def _dialect(schema: Any) -> str | None:
    named = schema.get("$schema") if isinstance(schema, dict) else None
    return named if isinstance(named, str) else None


def _is_older(schema: Any) -> bool:
    return is_older(_dialect(schema) or "")


def _embedded(name: str, schema: Any, dialect: str | None) -> Any:
    """Return a tool's schema to stand within another one that is read in `dialect`.

    References in it mean its own root, so it gets an identifier.
    """
    if not isinstance(schema, dict):
        return schema
    inner = {k: v for k, v in schema.items() if k != "$schema"}
    if not refers(schema):
        return inner
    if "$ref" in inner and is_older(dialect or ""):  # it would silence the identifier
        rest = {k: v for k, v in inner.items() if k not in ASSERTIONS}
        inner = {**rest, "allOf": [{"$ref": inner["$ref"]}]}
    uri = f"urn:gbnfc:tool:{percent_encoded(name)}"
    return {identifier_keyword(dialect or ""): uri, **inner}


def _call(name: str, form: ToolFormat, arguments: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"name": {"const": name}, form.arguments: arguments},
        "required": ["name", form.arguments],
        "additionalProperties": False,
    }


def _check(tool: SchemaInput) -> None:
    from gbnfc.schema.read.canonical import check_schema

    try:
        check_schema(tool.schema, None)
    except SchemaError as error:
        raise placed(error, tool) from None


def within_form(schema: CompiledSchema, form: ToolFormat) -> CompiledSchema:
    """Return `schema` with its grammar between the texts of `form`."""
    if not form.before and not form.behind:
        return schema
    grammar = schema.compiled.grammar
    names = {rule.name for rule in grammar.rules}
    call = next(n for n in ("call", "tool-call", "call-of-a-tool") if n not in names)
    items = (Literal(form.before), RuleRef(call), Literal(form.behind))
    rules = (
        Rule(grammar.root, Sequence(items)),
        *(replace(r, name=call) if r.name == grammar.root else r for r in grammar.rules),
    )
    return replace(schema, compiled=replace(schema.compiled, grammar=Grammar(rules)))
