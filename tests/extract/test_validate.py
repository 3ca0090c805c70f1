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


@pytest.mark.parametrize("text", ["1e400", '{"a": [-1e999]}', "[1", "nul"])
def test_what_is_no_json(text):
    with pytest.raises(ValueError, match=r"beyond|Expecting"):
        read_answer(text)
