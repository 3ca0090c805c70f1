"""Forms: which texts fit, and when a blank is filled."""

from __future__ import annotations

import json

import pytest

from gbnfc.engine.forms import Form, fits
from gbnfc.extract.spans import text_around

# What is given around the blanks, what is written, and what is to stand there then.
CONTINUED = [
    (('{"a": ', ', "b": 1}'), '{"a":', None),
    (('{"a": ', ', "b": 1}'), '{"a": "x', None),
    (('{"a": ', ', "b": 1}'), '{"a": "x\\"', None),
    (('{"a": ', ', "b": 1}'), '{"a": "x, 1}', None),
    (('{"a": ', ', "b": 1}'), '{"a": "x"', '{"a": "x", "b": 1}'),
    (('{"a": ', ', "b": 1}'), '{"a": "x"}', '{"a": "x", "b": 1}'),
    (('{"a": ', ', "b": 1}'), '{"a": "\\\\"}', '{"a": "\\\\", "b": 1}'),
    (('{"a": ', ', "b": 1}'), '{"a": -1.5e', None),
    (('{"a": ', ', "b": 1}'), '{"a": -1.5e3', None),
    (('{"a": ', ', "b": 1}'), '{"a": -1.5e3,', '{"a": -1.5e3, "b": 1}'),
    (('{"a": ', ', "b": 1}'), '{"a": nul', None),
    (('{"a": ', ', "b": 1}'), '{"a": null}', '{"a": null, "b": 1}'),
    (('{"a": ', ', "b": 1}'), '{"a": ["x"', None),
    (("[", ", 2, 3]"), "[1]", "[1, 2, 3]"),
    (("[\n  ", "\n]"), "[\n  1\n", "[\n  1\n]"),
]


@pytest.mark.parametrize(("parts", "written", "wanted"), CONTINUED)
def test_a_filled_blank_is_followed_by_what_is_given(parts, written, wanted):
    form = Form(parts)
    begun = form.continued("")
    assert begun == parts[0].rstrip()
    form.give(begun)
    assert form.continued(written) == wanted


ANSWER = {"a": 'some, "a"]', "b": [1, -2.5, None, True], "c": {"d": "}", "e": ""}, "f": []}
SCALARS = ["/a", "/b/0", "/b/1", "/b/2", "/b/3", "/c/d", "/c/e"]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("blanks", [[at] for at in SCALARS] + [SCALARS, SCALARS[::2]])
def test_an_answer_fits_the_form_around_any_of_its_values(blanks, indent):
    text = json.dumps(ANSWER, indent=indent)
    parts = text_around(text, set(blanks))
    assert len(parts) == len(blanks) + 1
    assert fits(parts, text)
    assert not fits(parts, text[:-1])
    assert not fits(parts, f"{text}}}")
    assert not fits(parts, text.replace('"f"', '"g"'))
    for value in (7, None, 'new \\ "x"', ""):
        assert fits(parts, json.dumps(value).join(parts))
    assert not fits(parts, "[1]".join(parts))


@pytest.mark.parametrize("value", ['"x"', "7", "null"])
def test_an_answer_may_be_one_blank(value):
    parts = text_around(value, {""})
    assert parts == ("", "")
    assert fits(parts, value)
