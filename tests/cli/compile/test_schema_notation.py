"""The short notation: what it stands for, what is taken for it, and what is refused."""

from __future__ import annotations

import pytest

import gbnfc
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


INTEGER = {"type": "integer"}
MAYBE = {"type": ["integer", "null"]}
AS_PEOPLE_WRITE = [
    # text, properties, the required ones
    ("name, age? int", {"name": STRING, "age": INTEGER}, ["name"]),
    ("name, age ? int", {"name": STRING, "age": INTEGER}, ["name"]),
    ("name, age int?", {"name": STRING, "age": INTEGER}, ["name"]),
    ("name, age ?int", {"name": STRING, "age": INTEGER}, ["name"]),
    ("name?, age?", {"name": STRING, "age": STRING}, []),
    (
        "name? str: who, age?: in years",
        {"name": STRING | {"description": "who"}, "age": STRING | {"description": "in years"}},
        [],
    ),
    ("age?: number, name: string", {"age": {"type": "number"}, "name": STRING}, ["name"]),
    ("age:int,b", {"age": INTEGER, "b": STRING}, ["age", "b"]),
    ("a int|null, b: int | None", {"a": MAYBE, "b": MAYBE}, ["a", "b"]),
    ("a Optional[int], b: Optional[int]", {"a": MAYBE, "b": MAYBE}, ["a", "b"]),
    ("a int|str, b", {"a": {"type": ["integer", "string"]}, "b": STRING}, ["a", "b"]),
    (
        "a str[], b list[int], c: list, d array<number>?",
        {
            "a": {"type": "array", "items": STRING},
            "b": {"type": "array", "items": INTEGER},
            "c": {"type": "array", "items": STRING},
            "d": {"type": "array", "items": {"type": "number"}},
        },
        ["a", "b", "c"],
    ),
    (
        "size small|large, s: a | b-c, q 'x y'|\"z\"|null",
        {
            "size": {"enum": ["small", "large"]},
            "s": {"enum": ["a", "b-c"]},
            "q": {"enum": ["x y", "z", None]},
        },
        ["size", "s", "q"],
    ),
    ("Name STR, n: Int", {"Name": STRING, "n": INTEGER}, ["Name", "n"]),
    ("n: number of a|b", {"n": STRING | {"description": "number of a|b"}}, ["n"]),
    ("first-name, a.b, $c, @d", dict.fromkeys(("first-name", "a.b", "$c", "@d"), STRING), None),
]


@pytest.mark.parametrize(("text", "properties", "required"), AS_PEOPLE_WRITE)
def test_as_people_write(text, properties, required) -> None:
    assert is_notation(text)
    schema = parse_notation(text)
    assert schema["properties"] == properties
    assert schema["required"] == (list(properties) if required is None else required)


def test_optional_keys_may_be_left_out() -> None:
    grammar = gbnfc.compile_schema(parse_notation("name, age? int")).grammar
    accepted = ['{"name": "a"}', '{"name": "a", "age": 3}']
    refused = ["{}", '{"age": 3}', '{"name": "a", "age?": 3}', '{"name": "a", "age": null}']
    for text in accepted + refused:
        is_accepted = gbnfc.match_text(grammar, text).verdict.value == "accepted"
        assert is_accepted == (text in accepted), text


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
    ("name; age int", 0, "'name;' is no name"),
    ("b, age(int)", 3, "types stand behind a blank"),
    ("b, age=int", 3, "is no name"),
    ("b, a{int}", 3, "is no name"),
    ('b, "first name" str', 3, "is no name"),
    ("first name, b", 6, "is no type"),
    ("b, d date", 5, "write a JSON Schema"),
    ("b, d int = 3", 5, "is no type"),
    ("b, d: ?, c ??", 12, "is no type"),
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
