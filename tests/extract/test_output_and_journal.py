"""Records written, and kept for a run that is taken up again."""

from __future__ import annotations

import csv
import io
import json
import os
import zlib
from pathlib import Path

import pytest

from gbnfc.engine.base import TokenScore
from gbnfc.errors import UsageError
from gbnfc.extract.confidence import score_fields
from gbnfc.extract.journal import journal_path, open_journal
from gbnfc.extract.output import (
    Format,
    RecordOptions,
    check_pluck,
    data_columns,
    in_order,
    with_array,
    written_records,
)
from gbnfc.extract.record import Record, record_from_dict
from gbnfc.extract.spans import value_spans

GOOD = Record("a.txt", data={"n": "Zoë", "k": [1, 2]}, valid=True, finish="stop", tokens=7)
BAD = Record("b.txt", error="b.txt: too long", finish="length")
LIST = Record("c.txt", data={"items": [{"x": 1}, {"x": 2}]}, valid=True, finish="stop")


def written(layout, *records):
    return written_records(records, layout)


def test_json_lines():
    lines = written(RecordOptions(Format.JSONL), GOOD, BAD).splitlines()
    first, second = map(json.loads, lines)
    assert list(first)[:5] == ["source", "data", "valid", "errors", "finish"]
    assert first["data"] == GOOD.data
    assert second["error"] == BAD.error
    assert second["data"] is None
    assert "Zoë" in lines[0]


def test_without_envelope_only_data_is_written():
    lines = written(RecordOptions(Format.JSONL, envelope=False), GOOD, BAD).splitlines()
    assert list(map(json.loads, lines)) == [GOOD.data]


@pytest.mark.parametrize("records", [(), (GOOD,), (GOOD, BAD, LIST)])
def test_a_json_array(records):
    assert len(json.loads(written(RecordOptions(Format.JSON), *records))) == len(records)


def test_csv():
    layout = RecordOptions(Format.CSV, columns=("n", "k", "missing"))
    rows = list(csv.DictReader(io.StringIO(written(layout, GOOD, BAD))))
    assert [row["source"] for row in rows] == ["a.txt", "b.txt"]
    assert rows[0]["n"] == "Zoë"
    assert json.loads(rows[0]["k"]) == [1, 2]
    assert rows[0]["missing"] == rows[1]["n"] == ""
    assert rows[1]["error"] == BAD.error


def test_pluck():
    layout = RecordOptions(Format.JSONL, pluck="items")
    rows = list(map(json.loads, written(layout, LIST, BAD).splitlines()))
    assert [row["data"] for row in rows] == [{"x": 1}, {"x": 2}, None]
    plain = RecordOptions(Format.CSV, envelope=False, pluck="items")
    assert written(plain, LIST, BAD) == "x\n1\n2\n"


NO_ARRAY = "the answer has no array 'k' (--pluck)"


@pytest.mark.parametrize(
    ("data", "error", "rows"),
    [
        ({"k": [1, None]}, None, [1, None]),
        ({"k": None}, None, []),
        ({}, None, []),
        ({"k": "text"}, NO_ARRAY, [None]),
        ([1], NO_ARRAY, [None]),
        (None, NO_ARRAY, [None]),
    ],
)
def test_what_is_no_array_fails_alone(data, error, rows):
    layout = RecordOptions(Format.JSONL, pluck="k")
    record = with_array(Record("a.txt", data=data, valid=True, finish="stop"), layout)
    assert record.error == error
    assert record.failed == (error is not None)
    found = [json.loads(line) for line in written(layout, record, GOOD).splitlines()]
    assert [row["data"] for row in found] == [*rows, *GOOD.data["k"]]


def test_csv_tells_what_is_wrong_and_keeps_its_columns_apart():
    bad = Record("a", data={"valid": 1}, errors=("/x: no",), finish="stop")
    layout = RecordOptions(Format.CSV, columns=("valid", "error"))
    assert written(layout, bad) == (
        "source,gbnfc_valid,finish,gbnfc_error,valid,error\na,false,stop,/x: no,1,\n"
    )


def test_no_two_columns_have_one_name():
    text = written(RecordOptions(Format.CSV, columns=("source", "gbnfc_source")), GOOD)
    names = text.splitlines()[0].split(",")
    assert len(names) == len(set(names)) == 6


def _object(**properties):
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    ("schema", "hint"),
    [
        (_object(k={"type": "array"}), None),
        (_object(k={"type": ["null", "array"]}), None),
        (_object(k={"anyOf": [{"type": "array"}, {"type": "null"}]}), None),
        (_object(k=True), None),
        (_object(k={"$ref": "#/$defs/a"}) | {"$defs": {"a": {"type": "array"}}}, None),
        ({"$ref": "#/definitions/o", "definitions": {"o": _object(k={"items": {}})}}, None),
        ({"anyOf": [_object(k={})]}, None),
        ({"$ref": "#"}, None),
        (True, None),
        ({}, None),
        (_object(k={"type": "string"}, l={}, m={"items": {}}), "its arrays are: l, m"),
        (_object(k=False), "no array at all"),
        ({"type": "array"}, "no array at all"),
        ({"$ref": "#/definitions/o", "definitions": {"o": _object(n={})}}, "arrays are: n"),
    ],
)
def test_a_key_to_pluck_is_checked_before_anything_runs(schema, hint):
    if hint is None:
        check_pluck(schema, "k")
    else:
        with pytest.raises(UsageError) as caught:
            check_pluck(schema, "k")
        assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("schema", "pluck", "expected"),
    [
        ({"properties": {"b": {}, "a": {}}}, None, ("b", "a")),
        ({"properties": {"l": {"items": {"properties": {"x": {}}}}}}, "l", ("x",)),
        (
            {
                "properties": {"l": {"items": {"$ref": "#/$defs/I"}}},
                "$defs": {"I": {"properties": {"y": {}}}},
            },
            "l",
            ("y",),
        ),
        (
            {"$ref": "#/definitions/P", "definitions": {"P": {"properties": {"n": {}}}}},
            None,
            ("n",),
        ),
        (True, None, ()),
        ({"type": "array"}, "l", ()),
    ],
)
def test_columns(schema, pluck, expected):
    assert data_columns(schema, pluck) == expected


def test_order_is_restored():
    pairs = [(2, "c"), (0, "a"), (1, "b"), (4, "e")]
    assert list(in_order(pairs)) == ["a", "b", "c", "e"]


@pytest.mark.parametrize("record", [GOOD, BAD, LIST, Record("d", extra={"review": ["/a"]})])
def test_records_survive_the_journal(record):
    assert record_from_dict(json.loads(json.dumps(record.as_dict()))) == record


# --- journal -------------------------------------------------------------------------------------


def test_a_run_is_taken_up_again(tmp_path):
    path = journal_path(tmp_path / "out.jsonl")
    journal = open_journal(path, "job", resume=False, fresh=False)
    journal.append("d1", GOOD)
    journal.append("d1", LIST)
    journal.close()
    with pytest.raises(UsageError, match="broken off"):
        open_journal(path, "job", resume=False, fresh=False)
    with pytest.raises(UsageError, match="another schema"):
        open_journal(path, "other", resume=True, fresh=False)
    again = open_journal(path, "job", resume=True, fresh=False)
    assert again.take("d1") == GOOD
    assert again.take("d1") == LIST
    assert again.take("d1") is None
    assert again.take("d2") is None
    again.append("d2", BAD)
    again.complete()
    again.close()
    with pytest.raises(UsageError, match="another schema"):
        open_journal(path, "other", resume=True, fresh=False)
    more = open_journal(path, "job", resume=True, fresh=False)
    assert [more.take("d2"), more.take("d3")] == [BAD, None]
    more.append("d3", GOOD)
    more.close()
    with pytest.raises(UsageError, match="broken off"):
        open_journal(path, "job", resume=False, fresh=False)


def test_a_complete_run_is_begun_again_without_asking(tmp_path):
    path = tmp_path / "j"
    first = open_journal(path, "job", resume=False, fresh=False)
    first.append("d", GOOD)
    first.complete()
    first.close()
    assert open_journal(path, "other", resume=False, fresh=False).take("d") is None


@pytest.mark.parametrize(
    "data",
    [
        *(b"{}\n", b'{"a": 1}\n{"b": 2}\n', b"\0\xff\n", b"my notes", b"[1]\n"),
        # A line without an end is a journal's only where it begins like one.
        *(b'{"a": 1}', b'{"fingerprint": 1}', b"[" * 100_000, b'{"a":' * 100_000 + b"\n"),
    ],
)
def test_a_file_of_another_kind_is_not_gone_on_with(tmp_path, data):
    path = tmp_path / "j"
    path.write_bytes(data)
    with pytest.raises(UsageError, match="not a journal"):
        open_journal(path, "job", resume=True, fresh=False)
    assert path.read_bytes() == data


@pytest.mark.parametrize("options", [{"resume": True}, {"fresh": True}, {}])
def test_two_runs_never_share_an_output(tmp_path, options):
    path = tmp_path / "j"
    journal = open_journal(path, "job", resume=False, fresh=False)
    journal.append("d", GOOD)
    before = path.read_bytes()
    with pytest.raises(UsageError, match="another run"):
        open_journal(path, "job", **{"resume": False, "fresh": False, **options})
    assert path.read_bytes() == before
    journal.close()
    assert open_journal(path, "job", resume=True, fresh=False).take("d") == GOOD


def test_fresh_forgets(tmp_path):
    path = tmp_path / "j"
    first = open_journal(path, "job", resume=False, fresh=False)
    first.append("d", GOOD)
    first.close()
    assert open_journal(path, "other", resume=True, fresh=True).take("d") is None


def test_a_half_written_line_is_cut_off_wherever_it_ends(tmp_path):
    path = tmp_path / "j"
    journal = open_journal(path, "job", resume=False, fresh=False)
    for digest in ("d0", "d1", "d2"):
        journal.append(digest, GOOD)
    journal.close()
    whole = path.read_bytes()
    ends = [i + 1 for i, byte in enumerate(whole) if byte == 10]
    for size in range(len(whole) + 1):
        path.write_bytes(whole[:size])
        again = open_journal(path, "job", resume=True, fresh=False)
        kept = sum(end <= size for end in ends) - 1
        found = [again.take(f"d{i}") is not None for i in range(3)]
        assert found == [i < kept for i in range(3)], size
        again.append("new", BAD)
        again.close()
        rows = path.read_bytes().splitlines()
        assert all(json.loads(row) for row in rows)
        assert len(rows) == max(kept, 0) + 2


def journal_lines(path):
    journal = open_journal(path, "job", resume=False, fresh=False)
    for digest in ("d0", "d1", "d2"):
        journal.append(digest, GOOD)
    journal.close()
    return path.read_bytes().splitlines(keepends=True)


DAMAGED = {
    "a bit": lambda row: row.replace(b'"n"', b'"o"'),
    "another value": lambda row: row.replace(b'"tokens": 7', b'"tokens": 8'),
    "another checksum": lambda row: row[:-4] + b'x"}\n',
    "no checksum": lambda row: row[: row.index(b', "checksum"')] + b"}\n",
    "cut": lambda row: row[:40] + b"\n",
    "half a line before it": lambda row: row[:40] + row,
    "zeros": lambda row: b"\0" * len(row) + b"\n",
    "an empty line": lambda row: b"\n" + row,
    "another line end": lambda row: row.replace(b"\n", b"\r\n"),
    "another encoding": lambda row: row.decode().encode("latin-1"),
    "deep": lambda row: b"[" * 100_000 + b"\n",
    "a fingerprint": lambda row: b'{"fingerprint": "job"}\n',
    "huge": lambda row: b"9" * 5_000 + b"\n",
}


@pytest.mark.parametrize("damage", DAMAGED)
@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_damaged_line_is_named_and_nothing_behind_it_is_lost(tmp_path, damage, at):
    path = tmp_path / "j"
    rows = journal_lines(path)
    damaged = b"".join([*rows[:at], DAMAGED[damage](rows[at]), *rows[at + 1 :]])
    path.write_bytes(damaged)
    with pytest.raises(UsageError, match=rf":{at + 1}: the line is not as gbnfc wrote it"):
        open_journal(path, "job", resume=True, fresh=False)
    assert path.read_bytes() == damaged
    path.write_bytes(b"".join([*rows[:at], *rows[at + 1 :]]))  # what the hint says
    again = open_journal(path, "job", resume=True, fresh=False)
    assert [again.take(f"d{i}") == GOOD for i in range(3)] == [i != at - 1 for i in range(3)]
    again.close()


@pytest.mark.parametrize("data", [b"[" * 100_000, b"9" * 5_000, b'{"source": 1}', b"[]"])
def test_a_record_that_nobody_here_wrote_is_refused_whatever_its_checksum(tmp_path, data):
    path = tmp_path / "j"
    rows = journal_lines(path)
    start = b'{"digest": "d", "record": ' + data
    rows.append(start + b', "checksum": "%08x"}\n' % zlib.crc32(start))
    path.write_bytes(b"".join(rows))
    with pytest.raises(UsageError, match="another version"):
        open_journal(path, "job", resume=True, fresh=False)
    assert path.read_bytes() == b"".join(rows)


@pytest.mark.parametrize("make", [Path.mkdir, getattr(os, "mkfifo", Path.mkdir)])
def test_what_is_no_ordinary_file_is_no_journal(tmp_path, make):
    path = tmp_path / "j"
    make(path)
    for options in ({"resume": True, "fresh": False}, {"resume": False, "fresh": True}):
        with pytest.raises(UsageError, match="not an ordinary file"):
            open_journal(path, "job", **options)


@pytest.mark.parametrize(
    "change", [{"source": None}, {"valid": 1}, {"tokens": "7"}, {"errors": {}}]
)
def test_a_record_is_of_the_types_that_it_had(change):
    with pytest.raises(TypeError):
        record_from_dict(GOOD.as_dict() | change)


# --- confidence ----------------------------------------------------------------------------------

JSON_TEXT = '{"a": "x\\"y", "b": [1, {"c": null}, []], "d/e": true, "f": {}, "g": -1.5e3}'


def test_spans_of_values():
    spans = {pointer: JSON_TEXT[start:end] for pointer, start, end in value_spans(JSON_TEXT)}
    assert spans == {
        "": JSON_TEXT,
        "/a": '"x\\"y"',
        "/b": '[1, {"c": null}, []]',
        "/b/0": "1",
        "/b/1": '{"c": null}',
        "/b/1/c": "null",
        "/b/2": "[]",
        "/f": "{}",
        "/d~1e": "true",
        "/g": "-1.5e3",
    }


@pytest.mark.parametrize("text", ["5", '"a"', "[]", "{}", "[[[1]]]", '{"a":{"b":[[],2]}}'])
def test_spans_lie_where_the_values_are(text):
    for pointer, start, end in value_spans(text):
        found = json.loads(text)
        for part in pointer.split("/")[1:]:
            found = found[int(part)] if isinstance(found, list) else found[part]
        assert json.loads(text[start:end]) == found


def test_fields_are_scored_by_the_tokens_that_wrote_them():
    text = '{"a": "xy", "b": 12}'
    scores = [
        TokenScore(6, 8, 0.5, 0.1),
        TokenScore(8, 11, 0.5, 0.3),
        TokenScore(17, 18, 0.9, 0.0),
        TokenScore(18, 20, 0.5, 0.2),
    ]
    first, second = score_fields(text, scores)
    assert (first.pointer, first.probability, first.pressure) == ("/a", 0.25, 0.3)
    assert (second.pointer, second.probability, second.pressure) == ("/b", 0.45, 0.2)
    assert score_fields('{"a": 1}', [])[0].probability == 1
