"""Which values of a schema are taken from the document."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from gbnfc.errors import SchemaError, UsageError
from gbnfc.grounding.fields import plan_grounding
from gbnfc.grounding.markers import Free, FromDocument
from gbnfc.schema.models import schema_to_write


def grounded(schema: Any, ground: str = "auto") -> dict[str, str]:
    plan = plan_grounding(schema, ground)
    return {f.pointer: f.kind.value if f.is_grounded else "free" for f in plan.fields}


def properties(**fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": fields}


STRING = {"type": "string"}
NODE = {
    "$ref": "#/$defs/node",
    "$defs": {
        "node": properties(
            name=STRING, children={"type": "array", "items": {"$ref": "#/$defs/node"}}
        )
    },
}

SCHEMAS = [
    (STRING, {"": "text"}),
    (properties(a={"type": "integer"}, b={"type": "number"}), {"/a": "integer", "/b": "number"}),
    (properties(a={"type": "string", "format": "date"}), {"/a": "date"}),
    (properties(a={"type": "string", "format": "date-time"}), {"/a": "date-time"}),
    (properties(a={"type": "string", "format": "email"}), {"/a": "text"}),
    (properties(a={"anyOf": [STRING, {"type": "null"}]}), {"/a": "text"}),
    (properties(a={"type": ["string", "null"]}), {"/a": "text"}),
    (properties(a={"enum": ["x"]}, b={"const": 1}, c={"type": "boolean"}, d={}), {}),
    (properties(a={"type": ["string", "integer"]}), {}),
    (properties(a={"type": "array", "items": properties(b=STRING)}), {"/a/*/b": "text"}),
    (properties(**{"a/b": STRING}), {"/a~1b": "text"}),
    (NODE, {"/name": "text"}),
    (properties(summary=STRING, companyName=STRING), {"/summary": "free", "/companyName": "text"}),
    (
        properties(shortSummary=STRING, reasons=STRING),
        {"/shortSummary": "free", "/reasons": "free"},
    ),
    (properties(tags={"type": "array", "items": STRING}), {"/tags/*": "free"}),
    (properties(a={**STRING, "description": "Explain why"}), {"/a": "free"}),
    (properties(reason={**STRING, "description": "verbatim quote"}), {"/reason": "text"}),
    (properties(a={"type": "number", "minimum": 0, "maximum": 1}), {"/a": "free"}),
    (properties(count={"type": "integer"}), {"/count": "free"}),
    (properties(summary={**STRING, "x-gbnfc-source": "document"}), {"/summary": "text"}),
    (properties(a={"x-gbnfc-source": "free", **properties(b=STRING)}), {"/a/b": "free"}),
]


@pytest.mark.parametrize(("schema", "expected"), SCHEMAS)
def test_auto_grounds_what_the_document_says(schema, expected):
    assert grounded(schema) == expected


def test_all_none_and_pointers():
    schema = properties(
        summary=STRING, a={**STRING, "x-gbnfc-source": "free"}, b=properties(c=STRING, d=STRING)
    )
    assert set(grounded(schema, "none").values()) == {"free"}
    everything = {"/summary": "text", "/a": "free", "/b/c": "text", "/b/d": "text"}
    assert grounded(schema, "all") == everything
    assert grounded(schema, "/b, /a") == {**everything, "/summary": "free", "/a": "text"}


@pytest.mark.parametrize(
    ("ground", "said"),
    [("/nmae", "did you mean /name?"), ("/x/y/z", "there are: /name"), ("some", "neither auto")],
)
def test_an_unknown_pointer_is_an_error(ground, said):
    with pytest.raises(UsageError) as raised:
        plan_grounding(properties(name=STRING, kind={"enum": ["a"]}), ground)
    assert said in str(raised.value)


def test_an_unknown_source_is_an_error():
    with pytest.raises(SchemaError, match=r'"document" or "free"'):
        plan_grounding({**STRING, "x-gbnfc-source": "dokument"})


def test_a_field_is_found_by_the_place_of_its_value():
    plan = plan_grounding(properties(a={"type": "array", "items": properties(b=STRING)}))
    found = plan.field_at("/a/3/b")
    assert found is not None
    assert found.pointer == "/a/*/b"
    assert plan.field_at("/a/3") is None


class Line(BaseModel):
    name: Annotated[str, Free()]
    summary: Annotated[str | None, FromDocument()] = None
    lines: Annotated[list[str], Free()] = []


def test_marks_of_pydantic_classes():
    expected = {"/name": "free", "/summary": "text", "/lines/*": "free"}
    assert grounded(schema_to_write(Line)) == expected
