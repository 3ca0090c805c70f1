"""Long documents: where they are cut, and how the answers of their pieces become one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gbnfc.errors import UsageError
from gbnfc.extract.chunks import Chunking, cut_text, merge_answers, read_chunking


def words(text):
    return len(text.split())


TEXT = " ".join(f"Sentence number {i} says a thing." for i in range(60))


@pytest.mark.parametrize("budget", [10, 25, 100, 1000])
def test_pieces_fit_overlap_and_lose_nothing(budget):
    pieces = cut_text(TEXT, budget, words)
    assert all(words(piece) <= budget for piece in pieces)
    at = 0
    for piece in pieces:
        found = TEXT.find(piece, max(0, at - len(piece)))
        assert 0 <= found <= at  # overlaps or touches the piece before
        at = found + len(piece)
    assert at == len(TEXT)


def test_pieces_end_at_sentence_ends():
    pieces = cut_text(TEXT, 50, words)
    assert len(pieces) > 5
    assert all(piece.rstrip().endswith(".") for piece in pieces)


def test_a_long_text_is_counted_few_times():
    text, counted = TEXT * 400, 0

    def count(part):
        nonlocal counted
        counted += len(part)
        return words(part)

    pieces = cut_text(text, 500, count)
    assert counted < 3 * len(text)
    assert all(words(piece) <= 500 for piece in pieces)
    assert len(pieces) < 1.4 * words(text) / 500


@given(st.text(max_size=400), st.integers(1, 30))
@settings(max_examples=200, deadline=None)
def test_any_text_is_covered(text, budget):
    pieces = cut_text(text, budget, len)
    assert all(len(piece) <= budget for piece in pieces)
    at = 0
    for piece in pieces:
        assert text[: at + 1].startswith(text[:at])
        starts = [i for i in range(at + 1) if text.startswith(piece, i)]
        assert starts
        at = max(at, starts[-1] + len(piece))
    assert at == len(text)


MERGES = [
    ([{"a": 1}], {"a": 1}, []),
    ([{"a": None}, {"a": 2}], {"a": 2}, []),
    ([{"a": 1}, {"a": 2}], {"a": 1}, [("/a", 2)]),
    ([{"a": 1}, {"a": None}], {"a": 1}, []),
    ([{"x": [1, 2]}, {"x": [2, 3]}], {"x": [1, 2, 3]}, []),
    ([[1, True, 1.0]], [1, True, 1.0], []),
    ([[1], [True, 1]], [1, True], []),
    ([{"o": {"a": 1}}, {"o": {"b": 2}}], {"o": {"a": 1, "b": 2}}, []),
    ([{"o": {"k/~": 1}}, {"o": {"k/~": 3}}], {"o": {"k/~": 1}}, [("/o/k~1~0", 3)]),
    ([{"a": [1]}, {"a": "x"}], {"a": [1]}, [("/a", "x")]),
    ([{"a": [1]}, {"a": {}}, {"a": [2]}], {"a": [1, 2]}, [("/a", {})]),
    (["yes", "no", "yes"], "yes", [("", "no")]),
]


@pytest.mark.parametrize(("answers", "data", "conflicts"), MERGES)
def test_merge(answers, data, conflicts):
    merged = merge_answers(answers)
    assert merged.data == data
    assert list(map(type, merged.data)) == list(map(type, data))
    assert list(merged.conflicts) == conflicts


def test_merged_values_know_where_they_came_from():
    answers = [
        {"a": None, "l": [{"x": 1}, 2], "o": {"k": 5}},
        {"a": 1, "l": [2, 3], "o": {"k": 6, "n": None}},
    ]
    merged = merge_answers(answers)
    assert merged.data == {"a": 1, "l": [{"x": 1}, 2, 3], "o": {"k": 5, "n": None}}
    assert merged.origins == (
        ("/a", 1, "/a"),
        ("/l/0", 0, "/l/0"),
        ("/l/1", 0, "/l/1"),
        ("/l/2", 1, "/l/1"),
        ("/o/k", 0, "/o/k"),
        ("/o/n", 1, "/o/n"),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("auto", Chunking("auto")),
        ("none", Chunking("none")),
        ("tokens:500", Chunking("tokens", 500)),
    ],
)
def test_options(text, expected):
    assert read_chunking(text) == expected


@pytest.mark.parametrize("text", ["", "tokens", "tokens:", "tokens:3", "tokens:x", "words:9"])
def test_bad_options(text):
    with pytest.raises(UsageError):
        read_chunking(text)
