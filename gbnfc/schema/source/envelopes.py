"""What schemas come in: tool lists, response formats, request bodies of model APIs, CRDs.

In: the value of a JSON document. Out: where in it the schemas are, what they are called, and in
which dialect they are written; or why a request holds none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from gbnfc.documents.pointer import join_pointer
from gbnfc.schema.source.dialects import Dialect, dialect_of_document
from gbnfc.schema.vocabulary import looks_like_subschema

if TYPE_CHECKING:
    from collections.abc import Iterator


class Envelope(NamedTuple):
    """What holds a schema: its JSON Pointer, its name, the pointer of the schema from there.

    `inner` is empty where a tool takes nothing; `is_tool` tells a tool from a form of answers.
    """

    at: str
    name: str
    inner: str
    dialect: Dialect = Dialect.JSON_SCHEMA
    is_tool: bool = False

    @property
    def pointer(self) -> str:
        """The JSON Pointer of the schema."""
        return self.at + self.inner


class NoSchema(NamedTuple):
    """What a request asks for that is no schema: where, what it is, and what to do instead."""

    pointer: str
    what: str
    hint: str


_TOOL_KEYS = ("inputSchema", "input_schema", "parameters", "parametersJsonSchema", "schema")
"""Where a tool, by its name, has its schema: MCP, Anthropic, OpenAI, Gemini."""

_ANSWERS = (
    # where in a request the form of the answer is a schema, and whose requests these are
    ("/format", Dialect.JSON_SCHEMA),  # Ollama
    ("/guided_json", Dialect.JSON_SCHEMA),  # vLLM
    ("/structured_outputs/json", Dialect.JSON_SCHEMA),
    ("/extra_body/guided_json", Dialect.JSON_SCHEMA),
    ("/extra_body/structured_outputs/json", Dialect.JSON_SCHEMA),
    ("/json_schema", Dialect.JSON_SCHEMA),  # llama-server
    ("/generationConfig/responseSchema", Dialect.GEMINI),
    ("/generationConfig/responseJsonSchema", Dialect.JSON_SCHEMA),
    ("/generationConfig/_responseJsonSchema", Dialect.JSON_SCHEMA),
    ("/generation_config/response_schema", Dialect.GEMINI),
    ("/generation_config/response_json_schema", Dialect.JSON_SCHEMA),
    ("/config/response_schema", Dialect.GEMINI),
    ("/config/response_json_schema", Dialect.JSON_SCHEMA),
)
_FORMATS = (
    # where in a request a response format is: {"type": "json_schema", …}
    *("/response_format", "/format", "/text/format"),  # OpenAI, LM Studio, vLLM
    *("/output_format", "/output_config/format"),  # Anthropic
)
_PATTERN = "gbnfc compile --regex PATTERN takes a pattern"
_CHOICE = "gbnfc compile --choice TEXT takes choices, one by one"
_GRAMMAR = "a grammar needs no compiling; gbnfc lint checks it"
_OTHERS = (
    ("/guided_regex", "a pattern", _PATTERN),
    ("/structured_outputs/regex", "a pattern", _PATTERN),
    ("/extra_body/guided_regex", "a pattern", _PATTERN),
    ("/guided_choice", "choices", _CHOICE),
    ("/structured_outputs/choice", "choices", _CHOICE),
    ("/extra_body/guided_choice", "choices", _CHOICE),
    ("/guided_grammar", "a grammar", _GRAMMAR),
    ("/structured_outputs/grammar", "a grammar", _GRAMMAR),
    ("/extra_body/guided_grammar", "a grammar", _GRAMMAR),
    ("/grammar", "a grammar", _GRAMMAR),
    ("/guided_json", "a schema as text", "write it as an object, or in a file of its own"),
    ("/response_format", "a format without a schema", "any JSON: the shipped grammar json"),
    ("/format", "a format without a schema", "any JSON: the shipped grammar json"),
)
_REQUESTS = ("messages", "prompt", "contents", "input")


def find_envelopes(value: Any) -> tuple[Envelope, ...]:
    """Return the envelopes of a document, in its order; none when it is itself a schema."""
    if dialect_of_document(value) is Dialect.KUBERNETES:
        return tuple(_versions(value))
    return tuple(_envelopes(value, ""))


def why_no_schema(value: Any) -> NoSchema | None:
    """Return what a request asks for instead of a schema; `None`: it is no request at all."""
    if not isinstance(value, dict):
        return None
    for pointer, what, hint in _OTHERS:
        if pointer.count("/") > 1 or any(key in value for key in _REQUESTS):
            found = _at(value, pointer)
            if found is not None and not looks_like_subschema(found):
                return NoSchema(pointer, what, hint)
    if "model" in value and any(key in value for key in _REQUESTS):
        return NoSchema("", "a request without a schema", "give the schema in a file of its own")
    return None


def _versions(document: Any) -> Iterator[Envelope]:
    """Yield the schemas of the versions of a CustomResourceDefinition."""
    spec = document["spec"] if isinstance(document["spec"], dict) else {}
    versions = spec.get("versions")
    for index, version in enumerate(versions if isinstance(versions, list) else []):
        inner = "/schema/openAPIV3Schema"
        if isinstance(_at(version, inner), dict):
            name = version.get("name")
            said = name if isinstance(name, str) else ""
            yield Envelope(f"/spec/versions/{index}", said, inner, Dialect.KUBERNETES)
    if isinstance(_at(spec, "/validation/openAPIV3Schema"), dict):  # v1beta1
        yield Envelope("/spec/validation", "", "/openAPIV3Schema", Dialect.KUBERNETES)


def _envelopes(value: Any, at: str) -> Iterator[Envelope]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _envelope(item, f"{at}/{index}")
        return
    if not isinstance(value, dict):
        return
    own = [*_envelope(value, at)]
    yield from own
    for pointer in ("/tools", "/functions", "/toolConfig/tools"):
        if isinstance(listed := _at(value, pointer), list):
            yield from _envelopes(listed, at + pointer)
    for pointer in _FORMATS:
        if isinstance(form := _at(value, pointer), dict):
            yield from _envelope(form, at + pointer)
    if not at and not own:
        for pointer, dialect in _ANSWERS:
            if looks_like_subschema(_lowered(_at(value, pointer), dialect)):
                yield Envelope(pointer, "", "", dialect)
        if isinstance(value.get("result"), dict):  # JSON-RPC
            yield from _envelopes(value["result"], "/result")


def _envelope(value: Any, at: str) -> Iterator[Envelope]:
    """Yield one envelope, if it is: a function, a response format, a tool."""
    if not isinstance(value, dict):
        return
    kind, holder_key = value.get("type"), ""
    keys: tuple[str, ...] = _TOOL_KEYS
    if isinstance(declared := value.get("functionDeclarations"), list):  # Gemini
        for index, item in enumerate(declared):
            yield from _gemini(item, f"{at}/functionDeclarations/{index}")
        return
    if isinstance(tool := value.get("toolSpec"), dict) and isinstance(tool.get("name"), str):
        has_schema = isinstance(_at(tool, "/inputSchema/json"), dict)  # Bedrock
        inner = "/toolSpec/inputSchema/json" if has_schema else ""
        yield Envelope(at, tool["name"], inner, is_tool=True)
        return
    is_tool = True
    if kind == "function" and isinstance(value.get("function"), dict):
        holder_key, keys = "function", ("parameters",)
    elif kind == "json_schema" and isinstance(value.get("json_schema"), dict):
        holder_key, keys, is_tool = "json_schema", ("schema",), False
    elif kind in ("json_schema", "json_object"):
        keys, is_tool = ("schema",), False
    elif not isinstance(value.get("name"), str):
        return
    holder = value[holder_key] if holder_key else value
    name = holder.get("name")
    found = next((key for key in keys if isinstance(holder.get(key), dict)), None)
    if found is None and not is_tool:
        return
    inner = join_pointer("", *filter(None, (holder_key, found))) if found else ""
    yield Envelope(at, name if isinstance(name, str) else "", inner, is_tool=is_tool)


def _gemini(value: Any, at: str) -> Iterator[Envelope]:
    for envelope in _envelope(value, at):
        is_plain = envelope.inner == "/parametersJsonSchema"
        yield envelope._replace(dialect=Dialect.JSON_SCHEMA if is_plain else Dialect.GEMINI)


def _at(value: Any, pointer: str) -> Any:
    """Return what is at `pointer` in nested objects, or `None`."""
    for key in pointer.split("/")[1:]:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _lowered(value: Any, dialect: Dialect) -> Any:
    """Return `value` with its own type as JSON Schema writes it."""
    kind = value.get("type") if isinstance(value, dict) else None
    is_upper = dialect is Dialect.GEMINI and isinstance(kind, str)
    return {**value, "type": kind.lower()} if is_upper and isinstance(kind, str) else value
