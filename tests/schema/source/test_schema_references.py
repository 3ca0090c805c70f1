"""Where references lead, however they are spelled; what stands where a URI is expected."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gbnfc
from gbnfc.extract.validate import Validator
from gbnfc.lint.run import lint_source
from gbnfc.match import Verdict, match_text
from gbnfc.schema.check.oracle import SchemaOracle
from gbnfc.schema.source.uris import join_uri, spelled_as_uri
from gbnfc.source import Source

STR = {"type": "string"}
DRAFTS = ("4", "6", "7", "2019-09", "2020-12")
OLDER = DRAFTS[:3]


def identifier(draft):
    return "id" if draft == "4" else "$id"


def assert_means_string(schema, draft=None, registry=None):
    """All who read the schema follow its references to `STR`."""
    compiled = gbnfc.compile_schema(schema, draft, registry)
    assert match_text(compiled.grammar, '"s"').verdict is Verdict.ACCEPTED
    assert match_text(compiled.grammar, "1").verdict is Verdict.REJECTED
    assert compiled.exact
    judge = SchemaOracle(schema, compiled.draft, registry or {}, asserts_formats=True)
    assert judge.judge("s").valid is True
    assert judge.judge(1).valid is False


# As generators for FastAPI, TypeScript and Rust name generic types, and what else stands in keys.
NAMES = [
    *("Page[Item]", "Map<string,Item>", "foo::Bar", "a b", "Päge", "A|B", "a^b", "a`b", 'a"b'),
    *("a{b}", "a\\b", "a%b", "50%", "a%20b", "a%5Bb%5D", "a#b", "a?b", "a/b", "a~b", "a+b", "日本"),
    *('Record<string, "x">', "Option<Vec<u8>>", "f(x)", "%", "%%41", "#", "[", "http://["),
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("place", ["$defs", "definitions"])
def test_names_of_definitions(name, place):
    segment = name.replace("~", "~0").replace("/", "~1")
    for written in (segment, quote(segment, safe="~"), quote(segment, safe="")):
        schema = {"$ref": f"#/{place}/{written}", place: {name: STR}}
        assert_means_string(schema)
        assert_means_string({**schema, "$schema": "http://json-schema.org/draft-07/schema#"})
        assert Validator(schema).check("s") == ()
        assert len(Validator(schema).check(1)) == 1


@pytest.mark.parametrize("name", NAMES)
def test_names_in_registered_documents(name):
    segment = quote(name.replace("~", "~0").replace("/", "~1"), safe="")
    for written in (name.replace("~", "~0").replace("/", "~1"), segment):
        registry = {"http://e.org/d": {"$defs": {name: STR, "in": {"$ref": f"#/$defs/{written}"}}}}
        assert_means_string({"$ref": "http://e.org/d#/$defs/in"}, registry=registry)


def test_a_decoded_name_comes_before_the_written_one():
    both = {"a%20b": {"type": "integer"}, "a b": STR}
    assert_means_string({"$ref": "#/$defs/a%20b", "$defs": both})


# `ID` is the identifier keyword of the draft.
BESIDE_IDENTIFIERS = [
    ({"ID": "http://e.org/a/r.json", "allOf": [{"$ref": "o.json"}]}, "http://e.org/a/o.json"),
    ({"ID": "http://e.org/a/r.json", "allOf": [{"$ref": "../o.json"}]}, "http://e.org/o.json"),
    ({"ID": "http://e.org/a/r.json", "$ref": "o.json"}, "http://e.org/a/o.json"),
    ({"ID": "http://e.org/a/r.json", "$ref": "o.json"}, "json-schema:///o.json"),
    ({"ID": "http://e.org/a/r.json", "allOf": [{"$ref": "b/o.json"}]}, "json-schema:///b/o.json"),
    ({"ID": "a/r.json", "allOf": [{"$ref": "o.json"}]}, "json-schema:///a/o.json"),
    ({"ID": "a/r.json", "$ref": "o.json"}, "json-schema:///a/o.json"),
    ({"ID": "my schema", "$ref": "o.json"}, "json-schema:///o.json"),
    (
        {"ID": "http://e.org/r", "$ref": "#/definitions/x", "definitions": {"x": {"$ref": "o"}}},
        "http://e.org/o",
    ),
    (
        {"ID": "http://e.org/r", "$ref": "r#/definitions/x", "definitions": {"x": {"$ref": "o"}}},
        "http://e.org/o",
    ),
    (
        {
            "ID": "http://e.org/r",
            "$ref": "#/definitions/x",
            "definitions": {"x": {"ID": "n/", "allOf": [{"$ref": "o"}]}},
        },
        "http://e.org/n/o",
    ),
]


@pytest.mark.parametrize("draft", DRAFTS)
@pytest.mark.parametrize(("schema", "uri"), BESIDE_IDENTIFIERS)
def test_references_beside_identifiers(schema, uri, draft):
    def renamed(value):
        if not isinstance(value, dict):
            return [renamed(item) for item in value] if isinstance(value, list) else value
        return {identifier(draft) if k == "ID" else k: renamed(v) for k, v in value.items()}

    assert_means_string(renamed(schema), draft, {uri: STR})


@pytest.mark.parametrize("draft", OLDER)
def test_a_document_that_refers_back_to_a_root_beside_its_reference(draft):
    schema = {
        identifier(draft): "http://e.org/r",
        "$ref": "http://e.org/o",
        "definitions": {"x": STR},
    }
    assert_means_string(schema, draft, {"http://e.org/o": {"$ref": "r#/definitions/x"}})


@pytest.mark.parametrize("draft", OLDER)
def test_below_the_root_a_reference_silences_the_identifier_beside_it(draft):
    inner = {identifier(draft): "http://z.org/q/", "$ref": "x.json"}
    registry = {"json-schema:///x.json": STR, "http://z.org/q/x.json": {"type": "integer"}}
    assert_means_string({"allOf": [inner]}, draft, registry)


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (
            {"$id": "http://e.org/a/r", "items": {"$ref": "o.json"}},
            ["at /items/$ref: ", "'o.json'", "it means http://e.org/a/o.json"],
        ),
        ({"items": {"$ref": "#/$defs/A[B]"}, "$defs": {"A[C]": {}}}, ["at /items/$ref: "]),
    ],
)
def test_references_that_lead_nowhere(schema, words):
    with pytest.raises(gbnfc.UnresolvableRef) as caught:
        gbnfc.compile_schema(schema)
    assert [word for word in words if word not in str(caught.value)] == []


# --- any text where a URI is expected ------------------------------------------------------------

TEXTS = [
    *(
        "",
        "#",
        "##",
        "::",
        "%",
        "#%",
        "[",
        "]",
        "//[",
        "//]",
        "http://[",
        "http://]",
        "http://[::1",
    ),
    *(
        "http://[::1]x/",
        "http://[V1.fe]",
        "http://[v1.x]",
        "http://a:b:c/%zz",
        "a b",
        "#[a]",
        "urn:",
    ),
    *("http://a/\n", "http://\u2100/", "//\u2100.a/", "http://a\u2048b", "http://a:99999999/"),
    *("\ud800", "\x00", "x" * 3000),
]
KEYWORDS = (
    *("$id", "id", "$ref", "$schema", "$anchor", "$dynamicAnchor", "$dynamicRef"),
    *("$recursiveRef", "$recursiveAnchor", "$vocabulary"),
)
PLACES = [
    lambda part: part,
    lambda part: {"definitions": {"a": part}},
    lambda part: {"$ref": "#/$defs/x", "$defs": {"x": {}}, **part},
    lambda part: {"properties": {"a": part, "b": {"$ref": "#"}}},
    lambda part: {"const": part},
    lambda part: {"enum": [part, 1]},
    lambda part: {"examples": [part], "default": part},
    lambda part: {"allOf": [part, {"$ref": "http://x.org/y"}]},
    lambda part: {"unknown": part},
]


def assert_no_foreign_error(schema, draft, registry):
    try:
        compiled = gbnfc.compile_schema(schema, draft, registry)
    except gbnfc.GbnfcError:  # a finding
        return
    judge = SchemaOracle(schema, compiled.draft, registry, asserts_formats=True)
    judge.judge({"a": 1})
    Validator(schema, tuple(registry.items())).check({"a": 1})


@pytest.mark.parametrize("place", range(len(PLACES)))
@pytest.mark.parametrize("keyword", KEYWORDS)
def test_any_text_where_a_uri_is_expected(keyword, place):
    for number, text in enumerate(TEXTS):
        part = {keyword: text}
        schema = PLACES[place](part)
        registry = ({}, {text: STR}, {"http://x.org/y": part})[number % 3]
        assert_no_foreign_error(schema, (None, *DRAFTS)[number % 6], registry)


@pytest.mark.parametrize("draft", [None, *DRAFTS])
@pytest.mark.parametrize("name", ["1#1", "1#a", "1#/a", "http://x.org/y#a"])
@pytest.mark.parametrize("beside", [[], [{"$id": "1#1"}], [{"type": "object"}]])
def test_a_registered_document_whose_name_for_itself_has_a_fragment(name, beside, draft):
    part = {identifier(draft): name, "required": ["a"]}
    schema = {"allOf": [*beside, {"$ref": "http://x.org/y"}]}
    assert_no_foreign_error(schema, draft, {name: STR, "http://x.org/y": part})


def test_what_one_validator_cannot_read_the_other_judges():
    registry = {"http://x.org/y": {"$id": "1#a", "required": ["a"]}}
    judge = SchemaOracle({"$ref": "http://x.org/y"}, "2020-12", registry, asserts_formats=True)
    assert judge.judge({"a": 1}).valid is True
    assert judge.judge({}).valid is False


@given(
    st.text("ab1[]:/?#%@ .\u2100é<>\\", max_size=12),
    st.sampled_from(KEYWORDS),
    st.sampled_from(PLACES),
    st.sampled_from((None, *DRAFTS)),
)
@settings(max_examples=150, deadline=None)
def test_random_texts_where_a_uri_is_expected(text, keyword, place, draft):
    part = {keyword: text}
    for registry in ({}, {text: STR, "http://x.org/y": part}):
        assert_no_foreign_error(place(part), draft, registry)


@pytest.mark.parametrize("text", TEXTS[:-3])
def test_lint_tells_of_such_texts(text):
    for keyword in KEYWORDS:
        source = Source(f'{{"type": "string", "{keyword}": {json.dumps(text)}}}', "a.schema.json")
        codes = {diagnostic.code for diagnostic in lint_source(source)}
        # No reference leads anywhere here; other keywords may be ignored by the draft.
        assert "SCH001" in codes or keyword != "$ref"


@pytest.mark.parametrize(
    ("base", "reference", "wanted"),
    [
        # RFC 3986, section 5.4
        ("http://a/b/c/d;p?q", "g:h", "g:h"),
        ("http://a/b/c/d;p?q", "./g", "http://a/b/c/g"),
        ("http://a/b/c/d;p?q", "g/", "http://a/b/c/g/"),
        ("http://a/b/c/d;p?q", "/g", "http://a/g"),
        ("http://a/b/c/d;p?q", "//g", "http://g"),
        ("http://a/b/c/d;p?q", "?y", "http://a/b/c/d;p?y"),
        ("http://a/b/c/d;p?q", "g?y#s", "http://a/b/c/g?y#s"),
        ("http://a/b/c/d;p?q", "#s", "http://a/b/c/d;p?q#s"),
        ("http://a/b/c/d;p?q", "", "http://a/b/c/d;p?q"),
        ("http://a/b/c/d;p?q", "..", "http://a/b/"),
        ("http://a/b/c/d;p?q", "../../../g", "http://a/g"),
        ("http://a/b/c/d;p?q", "g;x=1/../y", "http://a/b/c/y"),
        ("http://a", "b", "http://a/b"),
        ("urn:a:b", "#/c", "urn:a:b#/c"),
        ("json-schema:///a/b.json", "c.json#/d", "json-schema:///a/c.json#/d"),
        ("a/b", "c", "a/c"),
        ("http://[", "b", "http://[/b"),
    ],
)
def test_join_uri(base, reference, wanted):
    assert join_uri(base, reference) == wanted


@given(st.text("a[]%#:/?@é \ud800", max_size=12))
def test_a_spelled_uri_is_spelled_already(text):
    once = spelled_as_uri(text)
    assert spelled_as_uri(once) == once


SELF = {"$ref": "#/$defs/a"}
NULL = {"type": "null"}


@pytest.mark.parametrize(
    "body",
    [
        {"not": SELF},
        {"not": {"not": SELF}},
        {"type": "integer", "not": SELF},
        {"anyOf": [SELF, NULL]},
        {"anyOf": [NULL, {"not": SELF}]},
        {"if": SELF, "then": NULL},
        {"if": NULL, "then": SELF},
        {"if": NULL, "else": {"allOf": [SELF]}},
        {"dependentSchemas": {"x": SELF}},
        {"dependentSchemas": {"x": {"$ref": "urn:whole#/$defs/a"}}},
    ],
)
def test_what_depends_on_itself_is_said(body):
    """It has no meaning: one validator does not come to an end, others answer as they like."""
    schema = {"$id": "urn:whole", "properties": {"p": SELF}, "$defs": {"a": body}}
    report = gbnfc.compile_schema(schema).report
    said = [entry for entry in report if "leads back to itself" in entry.message]
    assert [entry.effect.value for entry in said] == ["narrower"]
    assert said[0].pointer.startswith("/$defs/a")


@pytest.mark.parametrize("draft", ["7", "2020-12"])
def test_a_root_that_depends_on_itself_is_not_called_impossible(draft):
    schema = {**SELF, "$defs": {"a": {"not": SELF}}}
    with pytest.raises(gbnfc.GbnfcError, match="/\\$defs/a: it leads back to itself") as caught:
        gbnfc.compile_schema(schema, draft)
    assert not isinstance(caught.value, gbnfc.Unsatisfiable)


@pytest.mark.parametrize(
    "body",
    [
        {"properties": {"x": SELF}},
        {"not": {"properties": {"x": SELF}, "required": ["x"]}},
        {"anyOf": [NULL, {"type": "array", "items": SELF}]},
        {"if": {"type": "object"}, "then": {"additionalProperties": SELF}},
        {"dependentSchemas": {"x": {"properties": {"x": SELF}}}},
        {"contains": SELF},
        {"anyOf": [{"$ref": "#/$defs/b"}, {"not": {"$ref": "#/$defs/b"}}]},
    ],
)
def test_what_leads_back_within_content_depends_on_less(body):
    schema = {"properties": {"p": SELF}, "$defs": {"a": body, "b": NULL}}
    report = gbnfc.compile_schema(schema).report
    assert not [entry for entry in report if "leads back" in entry.message]


def test_what_stands_beside_a_reference_leads_nowhere_in_early_drafts():
    body = {"$ref": "#/$defs/b", "not": SELF}
    schema = {"properties": {"p": SELF}, "$defs": {"a": body, "b": NULL}}
    for draft, is_said in (("7", False), ("2020-12", True)):
        report = gbnfc.compile_schema(schema, draft).report
        assert any("leads back" in entry.message for entry in report) == is_said
