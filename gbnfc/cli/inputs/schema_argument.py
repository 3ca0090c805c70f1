"""A schema argument of a command, whatever its form.

In: the argument as given. Out: one `SchemaInput` for each schema it stands for: a JSON or YAML
file, `-`, inline JSON, `FILE#/json/pointer`, `module:Class`, `file.py:Class`, the short notation;
tool lists and response formats of model APIs are unwrapped.
"""

from __future__ import annotations

import difflib
import json
import re
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import unquote

from gbnfc.cli.inputs.user_object import load_object, schema_of
from gbnfc.cli.io.common import parse_json
from gbnfc.cli.io.texts import STDIN, read_text
from gbnfc.errors import InputError, JsonSyntaxError, UsageError
from gbnfc.schema.source.uris import percent_encoded
from gbnfc.source import Source

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gbnfc.schema.source.envelopes import Envelope

_OBJECT_NAME = re.compile(r"(?P<module>.+?):(?P<name>[A-Za-z_][\w.]*)\Z")
_INLINE = re.compile(r"\s*([\[{]|(true|false)\s*\Z)")
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_INTERNAL = frozenset({"$schema", "$ref", "type", "properties"})
"""What a schema has that is not an OpenAPI document, although it declares such keys."""
_WORD = re.compile(r"[^\W\d][\w-]*")
_YAML = (".yaml", ".yml")
_FRAGMENT = "/~!$&'()*+,;=:@"
"""What may stand in a URI fragment as it is (RFC 3986, section 3.5)."""


@dataclass(frozen=True, slots=True)
class SchemaInput:
    """A schema as given. `name` is what messages call it; `model` is the Python type behind it.

    `source` is the text it was read from, `base` the JSON Pointer of the schema there, `title` the
    name of the tool it belongs to, `bare_tools` the names of those beside it that take nothing.
    `registry` holds the document, by URI, where the schema is a reference into it; `shown` is then
    what the reference leads to, with `$defs` of its own. `homes` tells of a schema that was put
    together where its parts, by their JSON Pointers, are in the text.
    """

    schema: Any
    name: str
    model: Any = None
    source: Source | None = None
    base: str = ""
    title: str | None = None
    bare_tools: tuple[str, ...] = ()
    registry: Mapping[str, Any] = field(default_factory=dict)
    shown: Any = None
    is_tool: bool = False
    homes: Mapping[str, str] = field(default_factory=dict)


def read_schema(argument: str) -> SchemaInput:
    """Read the one JSON Schema that `argument` stands for; `read_schemas` tells what it may be.

    Raises:
        InputError: nothing of that name, or it cannot be read.
        JsonSyntaxError: with line and column.
        UsageError: there are several, of tools.
    """
    return only_schema(read_schemas(argument))


def read_schemas(argument: str) -> tuple[SchemaInput, ...]:
    """Return the schemas that `argument` stands for, at least one.

    Raises:
        InputError: nothing of that name, it cannot be read, or holds no schema.
        SourceError: with line and column, when it is not JSON, YAML or the short notation.
        UsageError: it is empty.
    """
    if not argument.strip():
        raise UsageError("SCHEMA is empty", hint="give a schema file, '-', inline JSON or fields")
    if _INLINE.match(argument) and not _exists(argument):
        return _from_document(Source(argument, "<schema>"))
    if argument != STDIN and not _exists(argument):
        if (parts := _split_pointer(argument)) is not None:
            return (_at_pointer(read_text(parts[0]), parts[1]),)
        named = _OBJECT_NAME.match(argument)
        if named and (named["module"].endswith(".py") or not re.search(r"\s|,", named["module"])):
            model = load_object(named["module"], named["name"])
            return (SchemaInput(schema_of(model, argument), argument, model),)
        from gbnfc.schema.notation import is_notation, parse_notation

        if is_notation(argument):
            return (SchemaInput(parse_notation(argument), "<schema>"),)
    try:
        source = read_text(argument)
    except InputError as error:
        if _WORD.fullmatch(argument) and not _exists(argument):
            typed = f'a one-field notation needs a type: "{argument} str"'
            hint = f"{error.hint}; {typed}" if error.hint else typed
            raise replace(error, hint=hint) from None
        raise
    if PurePath(argument).suffix.lower() == ".py":
        raise InputError(
            f"{argument}: a Python file, not a JSON Schema",
            hint=f"name a class: {argument}:{_first_class(source.text)}",
        )
    return _from_document(source)


def _first_class(text: str) -> str:
    found = re.search(r"^class\s+(\w+)", text, re.MULTILINE)
    return found[1] if found else "Class"


def check_draft(draft: str | None) -> None:
    """Raise `UsageError` for a draft that there is not."""
    from gbnfc.schema.read.canonical import DRAFTS

    if draft is not None and draft not in DRAFTS:
        raise UsageError(f"--draft {draft!r} is unknown", hint=f"use one of: {', '.join(DRAFTS)}")


def files_of(argument: str | None) -> tuple[str, ...]:
    """Return the names of which one is the file that a schema argument leads to, if any does."""
    if argument is None:
        return ()
    return argument, argument.split("#")[0], argument.rpartition(":")[0]  # FILE#/…, file.py:Class


def only_schema(schemas: Sequence[SchemaInput]) -> SchemaInput:
    """Return the only one of `schemas`; raises `UsageError` with the places of several."""
    if len(schemas) == 1:
        return schemas[0]
    listed = ", ".join(f"{s.name}#{s.base} ({s.title})" for s in schemas)
    raise UsageError(f"{schemas[0].name} holds {len(schemas)} schemas", hint=f"name one: {listed}")


def pick_tool(schemas: Sequence[SchemaInput], name: str) -> SchemaInput:
    """Return the schema of the tool `name`; raises `UsageError` unless there is exactly one."""
    found = [schema for schema in schemas if schema.title == name]
    if len(found) == 1:
        return replace(found[0], bare_tools=())
    titles = [schema.title for schema in schemas if schema.title]
    if not titles:
        raise UsageError(f"{schemas[0].name} holds no tools", hint="leave --tool out")
    if found:
        return only_schema(found)
    if name in schemas[0].bare_tools:
        raise UsageError(f"the tool {name!r} takes no parameters", hint="its arguments are {}")
    near = difflib.get_close_matches(name, titles, n=1)
    known = f"there are: {', '.join(titles)}"
    hint = f"did you mean {near[0]}? {known}" if near else known
    raise UsageError(f"{schemas[0].name} has no tool {name!r}", hint=hint)


def read_document(source: Source) -> Any:
    """Return the value of a JSON text, or of a YAML text by the name of `source`.

    Raises:
        SourceError: with line and column.
        InputError: a grammar, or YAML without the extra that reads it.
    """
    if PurePath(source.name).suffix.lower() in _YAML:
        from gbnfc.documents.json_positions import check_keys, read_yaml

        document = read_yaml(source)
        check_keys(source, document)
        return document.value
    try:
        return parse_json(source)
    except JsonSyntaxError:
        if re.search(r"^[\w-]+\s*::=", source.text, re.MULTILINE):
            raise InputError(
                f"{source.name}: a GBNF grammar, not a JSON Schema",
                hint="gbnfc lint, fmt, match and extract -g take grammars",
            ) from None
        raise


# --- parts of documents --------------------------------------------------------------------------


def _exists(argument: str) -> bool:
    try:
        return Path(argument).exists()
    except (OSError, ValueError):  # longer than a name may be, or with a NUL
        return False


def _split_pointer(argument: str) -> tuple[str, str] | None:
    """Return the file and the JSON Pointer of `FILE#/pointer`, or `None` for anything else."""
    file, sign, pointer = argument.partition("#")
    if not sign or not file or (pointer and not pointer.startswith("/")):
        if sign and file and _exists(file):
            raise InputError(
                f"{argument}: {pointer!r} is no JSON Pointer", hint=f"write {file}#/{pointer}"
            )
        return None
    return file, pointer


def _from_document(source: Source) -> tuple[SchemaInput, ...]:
    from gbnfc.schema.source.envelopes import why_no_schema
    from gbnfc.schema.source.schema_files import find_enveloped, tools_without_schema

    document = read_document(source)
    found = find_enveloped(document, named=True)
    if not found:
        _refuse(source, "", document)
    if [envelope.pointer for envelope in found] == [""]:
        if (lacking := why_no_schema(document)) is not None:
            place = f"{source.name}#{lacking.pointer}" if lacking.pointer else source.name
            raise InputError(f"{place}: {lacking.what}, not a JSON Schema", hint=lacking.hint)
        _refuse_api(source, document)
        return (_unwrapped(source, document, found[0]),)
    bare = tools_without_schema(document)
    return tuple(replace(_unwrapped(source, document, at), bare_tools=bare) for at in found)


def _refuse_api(source: Source, document: Any) -> None:
    """Refuse an OpenAPI document as a whole: it holds many schemas."""
    is_api = isinstance(document, dict) and ("openapi" in document or "swagger" in document)
    if not is_api or _INTERNAL.intersection(document):
        return
    from gbnfc.documents.pointer import join_pointer

    held: list[str] = []
    for place in (("components", "schemas"), ("definitions",)):
        value: Any = document
        for key in place:
            value = value.get(key) if isinstance(value, dict) else None
        names = value if isinstance(value, dict) else {}
        held += [f"{source.name}#{join_pointer('', *place, name)}" for name in names]
    shown = ", ".join(held[:8]) + (", …" if held[8:] else "")
    raise InputError(
        f"{source.name}: an OpenAPI document, which holds {len(held)} named schemas",
        hint=f"name one: {shown}" if held else "name one: FILE#/json/pointer",
    )


def _unwrapped(source: Source, document: Any, envelope: Envelope) -> SchemaInput:
    """Return a schema that stands alone: references in it start at its own root."""
    from gbnfc.documents.pointer import follow_pointer
    from gbnfc.schema.source.dialects import as_json_schema

    pointer = envelope.pointer
    name = envelope.name or pointer.strip("/").replace("/", "-")
    return SchemaInput(
        as_json_schema(follow_pointer(document, pointer), envelope.dialect),
        source.name,
        source=source,
        base=pointer,
        title=name or None,
        is_tool=envelope.is_tool,
    )


def _at_pointer(source: Source, pointer: str) -> SchemaInput:
    from gbnfc.schema.source.dialects import as_json_schema, dialect_of_document
    from gbnfc.schema.source.schema_files import find_enveloped

    document = read_document(source)
    if not pointer:
        return only_schema(_from_document(source))
    pointer, schema = _follow(source, document, pointer)
    if not isinstance(schema, dict | bool):
        _refuse(source, pointer, schema)
    enveloped = [e for e in find_enveloped(document, named=False) if e.pointer]
    for envelope in enveloped:
        if envelope.pointer == pointer:
            return _unwrapped(source, document, envelope)
    around = [e.dialect for e in enveloped if pointer.startswith(f"{e.pointer}/")]
    dialect = around[0] if around else dialect_of_document(document)
    schema, document = as_json_schema(schema, dialect), as_json_schema(document, dialect)
    named = document.get("$schema") if isinstance(document, dict) else None
    declared = {"$schema": named} if isinstance(named, str) else {}
    if not refers(schema):
        alone = {**declared, **schema} if isinstance(schema, dict) else schema
        return SchemaInput(alone, source.name, source=source, base=pointer)
    # References in it mean the whole document, so it is compiled as a reference into that.
    uri = document_uri(source)
    reference = {**declared, "$ref": f"{uri}#{percent_encoded(pointer, safe=_FRAGMENT)}"}
    return SchemaInput(
        reference,
        source.name,
        source=source,
        base=pointer,
        registry={uri: document},
        shown=_self_contained(document, schema),
    )


def document_uri(source: Source) -> str:
    """Return the URI under which the document of `source` is registered."""
    return f"urn:gbnfc:{percent_encoded(PurePath(source.name).name)}"


def _self_contained(document: Any, schema: Any) -> Any:
    """Return `schema` to be looked at: what it refers to in `document` is in its `$defs`."""
    from gbnfc.documents.pointer import follow_pointer

    names: dict[str, str] = {}

    def renamed(value: dict[str, Any]) -> dict[str, Any]:
        reference = value.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#/"):
            return value
        pointer = unquote(reference[1:])
        last = pointer.rpartition("/")[2]
        name = names.setdefault(pointer, last if last not in names.values() else pointer[1:])
        return {**value, "$ref": f"#/$defs/{name.replace('~', '~0').replace('/', '~1')}"}

    def copied(part: Any) -> Any:
        return json.loads(json.dumps(part), object_hook=renamed)

    shown = copied(schema)
    parts: dict[str, Any] = {}
    while pending := [pointer for pointer in names if names[pointer] not in parts]:
        for pointer in pending:
            try:
                parts[names[pointer]] = copied(follow_pointer(document, pointer))
            except InputError:  # the compiler names references that lead nowhere
                parts[names[pointer]] = {}
    return {**shown, "$defs": {**shown.get("$defs", {}), **parts}} if parts else shown


def _follow(source: Source, document: Any, pointer: str) -> tuple[str, Any]:
    from gbnfc.documents.pointer import follow_pointer

    try:
        return pointer, follow_pointer(document, pointer)
    except InputError as error:
        decoded = unquote(pointer)
        if decoded != pointer:
            return _follow(source, document, decoded)
        raise InputError(f"{source.name}: {error.message}", hint=error.hint) from None


def refers(schema: Any) -> bool:
    """Return whether there is a reference anywhere in `schema`."""
    stack = [schema]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            if any(isinstance(value.get(keyword), str) for keyword in _REFERENCES):
                return True
            stack += value.values()
        elif isinstance(value, list):
            stack += value
    return False


def _refuse(source: Source, pointer: str, value: Any) -> NoReturn:
    kinds = {dict: "an object", list: "an array", str: "a string", type(None): "null"}
    kind = kinds.get(type(value), "a number")
    place = f"{source.name}#{pointer}" if pointer else source.name
    raise InputError(
        f"{place}: {kind}, not a JSON Schema",
        hint="a schema is an object or a boolean, a tool list an array of tools",
    )
