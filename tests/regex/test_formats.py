"""The languages of `format`, with the examples of their RFCs, held against jsonschema-rs."""

from __future__ import annotations

import random
import unicodedata

import jsonschema_rs
import pytest
from regex_strings import judged_strings

from gbnfc.gbnf.write import write_gbnf
from gbnfc.ir.names import NameAllocator
from gbnfc.ir.nodes import Grammar, Rule
from gbnfc.match import Verdict, match_text
from gbnfc.regex import Content, emit_pattern
from gbnfc.schema.formats import FORMAT_NAMES, Exactness, format_automaton

VALIDATORS = {
    "4": jsonschema_rs.Draft4Validator,
    "6": jsonschema_rs.Draft6Validator,
    "7": jsonschema_rs.Draft7Validator,
    "2019-09": jsonschema_rs.Draft201909Validator,
    "2020-12": jsonschema_rs.Draft202012Validator,
}

A63 = "a" * 63
UUID = "2eb8aa08-aa98-11ea-b4aa-73b441d16380"

EXAMPLES = {
    "date": (
        ["2024-02-29", "2000-02-29", "1963-06-19", "2020-01-31", "2020-04-30", "0000-02-29"],
        ["2023-02-29", "1900-02-29", "2020-04-31", "2020-13-01", "2020-1-1", "2020-01-00",
         "20200101"],
    ),
    "time": (
        ["08:30:06Z", "08:30:06.283185z", "23:59:60Z", "23:59:60+00:00", "00:00:00-08:00"],
        ["08:30:06", "24:00:00Z", "22:59:60Z", "08:60:00Z", "08:30:06,1Z", "08:30:06+24:00",
         "8:30:06Z"],
    ),
    "date-time": (
        ["1963-06-19T08:30:06.283185Z", "1985-04-12t23:20:50.52z", "1996-12-19T16:39:57-08:00",
         "1990-12-31T23:59:60Z", "1998-06-30T23:59:60Z"],
        ["1963-06-19 08:30:06Z", "2023-02-29T00:00:00Z", "1998-12-31T22:59:60Z",
         "1990-02-31T15:59:59Z", "1963-06-19T08:30:06", "1998-05-30T23:59:60Z"],
    ),
    "duration": (
        ["P4DT12H30M5S", "P4Y", "PT0S", "P1M", "PT1M", "PT36H", "P2W", "P1Y2M3DT1H"],
        ["4DT12H", "P", "P1YT", "PT", "P2D1Y", "P1D2H", "P1Y2W", "P1Y3D", "PT1H5S", "P1.5D", "p1y"],
    ),
    "email": (
        ["joe.bloggs@example.com", "te~st@example.com", '"joe bloggs"@example.com', "a@b",
         '"joe\\"x"@a.b', "j@[127.0.0.1]", "j@[IPv6:::1]"],
        ["2962", ".test@example.com", "te..st@example.com", "a@", "@b", "a@-b", "a@[127.0.0.300]",
         "joe bloggs@example.com", "é@b.c", "a@b_c", f"a@{A63}a"],
    ),
    "idn-email": (["실례@실례.테스트", "joe@example.com"], ["2962", "a b@c", "a@b c"]),
    "hostname": (
        ["www.example.com", "xn--4gbwdl.xn--wgbh1c", A63, f"{A63}.a", "1host", "h0-st", "a--b"],
        ["-a", "a-", "a_b", "", ".", "a..b", "a.", f"{A63}a", "é"],
    ),
    "idn-hostname": (
        ["실례.테스트", "ß.example", "a。b", "l·l", "ßς་〇", "۽۾", "ぁ・",
         "・ぁ", "α͵β", "א׳ב", "क्\u200dष"],
        ["", "-é", "é-", "a_b", "a b", "☃"],
    ),
    "ipv4": (
        ["192.168.0.1", "0.0.0.0", "255.255.255.255"],
        ["127.0.0", "256.0.0.1", "01.2.3.4", "0x7f.0.0.1", "1.2.3.4.5", "1.2.3.4\n", "١.2.3.4"],
    ),
    "ipv6": (
        ["::1", "::", "::abef", "1::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8",
         "1::4:5:6:7:8", "::ffff:192.168.0.1", "1:2:3:4:5:6:1.2.3.4", "1::1.2.3.4", "1:2::8"],
        ["12345::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", ":1", "1:", "1:::2",
         "fe80::1%a",
         "1::2:3:4:5:6:7:8", "::1.2.3.256", "1:2:3:4:5:6:7:1.2.3.4", "::1/64", ""],
    ),
    "uri": (
        ["http://foo.bar/?baz=qux#quux", "http://[2001:db8::7]/c=GB?one#two", "urn:a:b", "a:",
         "mailto:J.D@example.com", "tel:+1-816-555-1212", "http://u:p@h:80/a//b", "http://[v1.a]/",
         "http://[V1.fe]",
         "http://a:1@b", "http://a:1x@b:2", "http://:80", "file:///etc/x", "http://%41%2f",
         "a:b:c"],
        ["", "abc", "//foo.bar", "/abc", "http:// x", "http://a b", ":// x", "http://a\\b", "a:%zz",
         "http://é", "http://[::1", "http://a:x", "a:#b#c", "1a:b", "http://[fe80::1%25en]",
         "a:[b]"],
    ),
    "uri-reference": (
        ["", "abc", "/abc", "//foo.bar/?q", "#frag", "?q", "a/b:c", "http://a/b", "./a:b", "a.b/c",
         "A+b-c.d", "a@b", "a%41/b", "1", "//u@[::1]:1/x"],
        ["\\\\WINDOWS\\share", "#a\\b", "a b", "#a#b", "1a:b", ":a", "%41:", "é", "a{b}", "^"],
    ),
    "iri": (["http://ƒøø.ßår/?∂éœ=πîx#πîüx", "http://a/\U00010348", "http://[V1.fe]"],
         ["abc", "http://a b",
         "a:\ue000"]),
    "iri-reference": (["é", "", "#ƒrägmênt", "//é/?\ue000"], ["\\\\é", "a b", "a:\ufdd0"]),
    "uri-template": (
        ["http://example.com/dictionary/{term:1}/{term}", "{+a,b*}", "{;x.y%41,z:9999}", "",
         "é{?q}"],
        ["http://a/{term", "a}", "{}", "{a:0}", "{a:10000}", "{a b}", "{a..b}", "%", "a b", '"',
         "{a,}"],
    ),
    "uuid": ([UUID, UUID.upper()], [UUID[1:], UUID.replace("-", ""), UUID[:-1] + "g",
         "{" + UUID + "}"]),
    "json-pointer": (["", "/", "/foo/bar~0/baz~1/%a", "/ ", "/a~1b//"], ["a", "/~", "/~2", "#/a"]),
    "relative-json-pointer": (["0", "1/a", "10#", "0/~0"], ["01", "-1", "1a", "", "/a", "0##",
         "0#/"]),
    "regex": (["^a$", "(a)"], []),
}  # fmt: skip


def test_every_format_has_examples() -> None:
    assert sorted(EXAMPLES) == sorted(FORMAT_NAMES)


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_examples(name: str) -> None:
    language = format_automaton(name, "2020-12")
    assert language is not None
    inside, outside = EXAMPLES[name]
    assert [text for text in inside if not language.dfa.accepts(text)] == []
    assert [text for text in outside if language.dfa.accepts(text)] == []


@pytest.mark.parametrize("draft", VALIDATORS)
def test_names_of_each_draft(draft: str) -> None:
    for name in (*FORMAT_NAMES, "color", "url", "int32", ""):
        validator = VALIDATORS[draft]({"format": name}, validate_formats=True)
        ignored = validator.is_valid("\x01 {[(")
        assert (format_automaton(name, draft) is None) == ignored, name


def test_index_manipulation_since_2019_09() -> None:
    for draft, expected in (("7", False), ("2019-09", True), ("2020-12", True)):
        language = format_automaton("relative-json-pointer", draft)
        assert language is not None
        assert language.dfa.accepts("0-1/a") == expected
        assert language.dfa.accepts("0+10#") == expected
        assert not language.dfa.accepts("0+0")


# Exact in the same reading of the RFC as jsonschema-rs. The others differ, for these reasons:
# date-time: it lets a leap second end any day; relative-json-pointer: it knows no index
# manipulation; uri-template: it lets … in literals (RFC 6570 leaves them out).
SAME = ("date", "duration", "ipv4", "ipv6", "uri", "uri-reference", "iri", "iri-reference", "uuid",
        "json-pointer")  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_same_as_jsonschema_rs(name: str) -> None:
    language = format_automaton(name, "2020-12")
    assert language is not None
    assert language.exactness is Exactness.EXACT
    validator = jsonschema_rs.Draft202012Validator({"format": name}, validate_formats=True)
    texts = judged_strings(language.dfa, random.Random(name), 150)
    assert [t for t in texts if language.dfa.accepts(t) != validator.is_valid(t)] == []


@pytest.mark.parametrize("name", ["time", "date-time"])
def test_narrower_is_never_wider(name: str) -> None:
    language = format_automaton(name, "2020-12")
    assert language is not None
    assert language.exactness is Exactness.NARROWER
    assert language.note
    validator = jsonschema_rs.Draft202012Validator({"format": name}, validate_formats=True)
    texts = judged_strings(language.dfa, random.Random(name), 150)
    assert [t for t in texts if language.dfa.accepts(t) and not validator.is_valid(t)] == []


@pytest.mark.parametrize("name", ["email", "idn-email", "hostname", "idn-hostname"])
def test_wider_is_never_narrower(name: str) -> None:
    language = format_automaton(name, "2020-12")
    assert language is not None
    assert language.exactness is Exactness.WIDER
    assert language.note
    validator = jsonschema_rs.Draft202012Validator({"format": name}, validate_formats=True)
    texts = judged_strings(language.dfa, random.Random(name), 60)
    # jsonschema-rs maps names first (UTS 46), which IDNA 2008 leaves to the user interface.
    texts = [text for text in texts if _is_mapped(text)]
    assert [t for t in texts if validator.is_valid(t) and not language.dfa.accepts(t)] == []


def _is_mapped(text: str) -> bool:
    return unicodedata.normalize("NFKC", text.casefold()) == text and "\ufeff" not in text


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_written_form_is_the_automaton(name: str) -> None:
    language = format_automaton(name, "2020-12")
    assert language is not None
    body, rules = emit_pattern(language.pattern, NameAllocator(), name, Content.RAW)
    grammar = Grammar((Rule("root", body), *rules))
    assert len(write_gbnf(grammar)) < 24_000
    for text in judged_strings(language.dfa, random.Random(name), 12):
        if "\0" not in text:
            accepted = match_text(grammar, text).verdict is Verdict.ACCEPTED
            assert accepted == language.dfa.accepts(text), text
