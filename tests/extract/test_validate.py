"""The second check: judged by the schema, numbers as the decimals that they were written as."""

from __future__ import annotations

import pytest

from gbnfc.extract.validate import Validator, read_answer


@pytest.mark.parametrize(
    ("divisor", "multiples", "others"),
    [
        (0.01, "1.11 4.35 8.20 0 -0.07 1e3 19.999e2", "1.111 0.005 -0.011"),
        (0.1, "0.3 0.7 1", "0.25"),
        (3, "9 -3.0 3e300 3e-0", "1 3.5"),
        (1e-9, "0.123456789", "1e-10"),
    ],
)
@pytest.mark.parametrize(
    "dialect",
    ["http://json-schema.org/draft-04/schema#", "https://json-schema.org/draft/2020-12/schema"],
)
def test_multiples_are_those_of_decimals(divisor, multiples, others, dialect):
    validator = Validator({"$schema": dialect, "multipleOf": divisor})
    for text in multiples.split():
        assert validator.check(read_answer(text)) == (), text
    for text in others.split():
        (problem,) = validator.check(read_answer(text))
        assert "not a multiple of" in problem.message


@pytest.mark.parametrize(
    ("pattern", "inside", "outside"),
    [
        (r"^\p{L}+$", ["é", "Ab"], ["", "a1"]),
        (r"^\d$", ["7"], ["٣", "77"]),
        ("^a$", ["a"], ["a\n"]),
        (r"\Aab\z", ["ab"], ["abc"]),
        ("^[^]$", ["a", "\n"], ["", "ab"]),
        ("^(?<name>a)$", ["a"], ["b"]),
        (r"^\u{1F600}$", ["😀"], ["u"]),
        (r"^(a|b)\1$", ["aa"], ["ab"]),
    ],
)
def test_patterns_are_those_of_ecma_262(pattern, inside, outside):
    own = Validator({"pattern": pattern})
    registered = Validator({"$ref": "urn:x", "$id": "urn:y"}, (("urn:x", {"pattern": pattern}),))
    keys = Validator({"patternProperties": {pattern: {}}, "additionalProperties": False})
    for text in inside:
        assert [*own.check(text), *registered.check(text), *keys.check({text: 1})] == []
    for text in outside:
        for problems in (own.check(text), registered.check(text)):
            assert repr(pattern) in problems[0].message
        assert keys.check({text: 1}) != ()


def test_a_pattern_that_python_cannot_read_is_left_to_the_grammar():
    schema = {"pattern": "(?<=a+)b", "patternProperties": {"(?<=a+)b": False}, "maxLength": 2}
    assert Validator(schema).check("ab") == Validator(schema).check({"ab": 1}) == ()
    assert Validator(schema).check("abc") != ()


@pytest.mark.parametrize("text", ["1e400", '{"a": [-1e999]}', "[1", "nul"])
def test_what_is_no_json(text):
    with pytest.raises(ValueError, match=r"beyond|Expecting"):
        read_answer(text)
