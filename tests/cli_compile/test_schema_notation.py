"""The short notation: what it stands for, what is taken for it, and what is refused."""

from __future__ import annotations

import pytest

from gbnfc.errors import SourceError
from gbnfc.schema.notation import is_notation, parse_notation

STRING = {"type": "string"}

FIELDS = [
    # The examples of https://llm.datasette.io/en/stable/schemas.html
    ("name, age int", {"name": STRING, "age": {"type": "integer"}}),
    ("name, bio", {"name": STRING, "bio": STRING}),
    (
        "name: the person's name, age int: their age in years",
        {
            "name": {"type": "string", "description": "the person's name"},
            "age": {"type": "integer", "description": "their age in years"},
        },
    ),
    (
        "name: the name, or names\n\nage int\n",
        {
            "name": {"type": "string", "description": "the name, or names"},
            "age": {"type": "integer"},
        },
    ),
    ("a float, b bool,", {"a": {"type": "number"}, "b": {"type": "boolean"}}),
    (
        "tags [str], n [int]: all",
        {
            "tags": {"type": "array", "items": STRING},
            "n": {"type": "array", "items": {"type": "integer"}, "description": "all"},
        },
    ),
    (
        "t [ float ], u []",
        {
            "t": {"type": "array", "items": {"type": "number"}},
            "u": {"type": "array", "items": STRING},
        },
    ),
    (
        "城市, url: see http://a.b/c",
        {"城市": STRING, "url": {"type": "string", "description": "see http://a.b/c"}},
    ),
]


@pytest.mark.parametrize(("text", "properties"), FIELDS)
def test_fields(text: str, properties: dict[str, object]) -> None:
    assert is_notation(text)
    schema = parse_notation(text)
    assert schema["properties"] == properties
    assert schema["required"] == list(properties)
    assert schema["additionalProperties"] is False


NOT_NOTATION = [
    "name",
    "schema.json",
    "my schema.json",
    "my folder/schema.json",
    "my folder\\schema.yaml",
    "C:\\my folder\\schema.yaml",
    "my file.json#/a",
    "my models.py",
    '{"type": "object"}',
    "[1, 2]",
    'root ::= "a" b',
    " , \n",
]


@pytest.mark.parametrize("text", NOT_NOTATION)
def test_what_is_something_else(text: str) -> None:
    assert not is_notation(text)


REFUSED = [
    ("name, age itn", 10, "did you mean int"),
    ("name, age int str", 10, "is no type"),
    ("name, name int", 6, "given twice"),
    ("name, : only words", 6, "expected a field"),
    ("name, tags [list]", 11, "is no type"),
    ("name, tags [[str]]", 11, "is no type"),
    (",", 0, "no field"),
    ("name str, , age", 10, "expected a field before this comma"),
    ("name,,age", 5, "expected a field before this comma"),
    (" , name", 1, "expected a field before this comma"),
    ("name, ,", 6, "expected a field before this comma"),
]


@pytest.mark.parametrize(("text", "offset", "told"), REFUSED)
def test_refused(text: str, offset: int, told: str) -> None:
    with pytest.raises(SourceError) as caught:
        parse_notation(text)
    assert told in str(caught.value)
    assert caught.value.span is not None
    assert caught.value.span.start == offset
