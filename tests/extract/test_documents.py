"""Documents from files, folders, globs and records."""

from __future__ import annotations

from pathlib import Path

import pytest

from gbnfc.errors import InputError, UsageError
from gbnfc.extract.documents import (
    Cut,
    Cutting,
    Document,
    expand_paths,
    read_documents,
    read_shard,
)


def read(text, cutting):
    return list(read_documents(("f",), cutting, lambda _: text))


CASES = [
    ("a\nb\n", Cutting(), [("f", "a\nb\n")]),
    ("a\n\nb\r\nc", Cutting(Cut.LINES), [("f:1", "a"), ("f:3", "b"), ("f:4", "c")]),
    ("a\nx\0b\0", Cutting(Cut.NULLS), [("f:1", "a\nx"), ("f:2", "b")]),
    ("a\fb\u2028c\x85d\ne", Cutting(Cut.LINES), [("f:1", "a\fb\u2028c\x85d"), ("f:2", "e")]),
    ('{"t": "x"}\n\n{"t": [5]}', Cutting(Cut.JSONL, "t"), [("f:1", "x"), ("f:3", "[5]")]),
    (
        '{"t": "x\u2028y"}\r\n{"t": "z"}',
        Cutting(Cut.JSONL, "t"),
        [("f:1", "x\u2028y"), ("f:2", "z")],
    ),
    ('n,t\n1,"a\nb"\n2,c\n', Cutting(Cut.CSV, "t"), [("f:3", "a\nb"), ("f:4", "c")]),
    ('n;t\n1,5;"a;b"\n', Cutting(Cut.CSV, "t"), [("f:2", "a;b")]),
    ("n\tt\n1\ta, b\n", Cutting(Cut.CSV, "t"), [("f:2", "a, b")]),
    ('n,t\n1,say ""hi""\n', Cutting(Cut.CSV, "t"), [("f:2", 'say ""hi""')]),
    (f"t\n{'x' * 200_000}\n", Cutting(Cut.CSV, "t"), [("f:2", "x" * 200_000)]),
    ("n,t\n", Cutting(Cut.CSV, "t"), []),
    ("n,t\r1,x\r2,y\r", Cutting(Cut.CSV, "t"), [("f:2", "x"), ("f:3", "y")]),
]


@pytest.mark.parametrize(("text", "cutting", "expected"), CASES)
def test_cutting(text, cutting, expected):
    assert [(d.source, d.text) for d in read(text, cutting)] == expected


BAD = [
    ("  \n", Cutting(), "empty"),
    ("{oops\n", Cutting(Cut.JSONL, "t"), "not JSON"),
    ('{"u": 1}\n', Cutting(Cut.JSONL, "t"), "no field 't'"),
    ("[1]\n", Cutting(Cut.JSONL, "t"), "no field 't'"),
    ("", Cutting(Cut.CSV, "t"), "is empty"),
    ('t\n"a\nb\n', Cutting(Cut.CSV, "t"), "not CSV"),
    ("n,t\n1,a,b\n", Cutting(Cut.CSV, "t"), "more fields"),
    ("a\udc96b", Cutting(Cut.LINES), "byte 0x96"),
    ('{"t": "\udcff"}', Cutting(Cut.JSONL, "t"), "byte 0xff"),
    *(
        (f'{{"t": {value}}}', Cutting(Cut.JSONL, "t"), f"is {value}, not a text")
        for value in ("null", "false", "5")
    ),
]


@pytest.mark.parametrize(("text", "cutting", "reason"), BAD)
def test_a_bad_document_is_a_document_with_an_error(text, cutting, reason):
    found = read(text, cutting)
    assert len(found) == 1
    assert reason in found[0].error


@pytest.mark.parametrize(
    ("head", "column", "hint"),
    [
        ("a,b", "t", "there are: a, b"),
        ("id;body", "bdy", "did you mean body? there are: id, body"),
    ],
)
def test_a_missing_column_ends_the_reading_of_a_lone_file(head, column, hint):
    cutting = Cutting(Cut.CSV, column)
    with pytest.raises(UsageError) as raised:
        read(f"{head}\n1,2\n", cutting)
    assert raised.value.hint == hint
    texts = {"f": f"{head}\n1,2\n", "g": f"{column}\n3\n"}
    bad, good = read_documents(("f", "g"), cutting, texts.__getitem__)
    assert f"f: has no column {column!r}" in bad.error
    assert good.text == "3"


def test_rows_before_a_bad_quote_are_read_and_the_rest_is_told():
    found = read('n,t\n1,a\n2,"b, c\n3,"d"\n4,e\n', Cutting(Cut.CSV, "t"))
    assert [document.text for document in found] == ["a", ""]
    assert "f:4: not CSV" in found[1].error
    assert "from here on" in found[1].error


def test_the_others_are_still_read():
    def read_text(path):
        if path == "bad":
            raise InputError("bad: no such file")
        return path

    found = list(read_documents(("a", "bad", "b"), Cutting(), read_text))
    assert [document.error for document in found] == [None, "bad: no such file", None]


def test_a_name_that_is_no_text_gives_a_document_with_one():
    (document,) = read_documents(("caf\udce9.txt",), Cutting(), lambda path: path[:3])
    assert (document.source, document.text) == ("caf?.txt", "caf")


def test_paths(tmp_path):
    for name in ("b.txt", "a.txt", "sub/c.txt", ".hidden", "sub/.git/d"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")

    def below(*names):
        return tuple(str(tmp_path / name) for name in names)

    assert expand_paths((str(tmp_path),)) == below("a.txt", "b.txt", "sub/c.txt")
    assert expand_paths((str(tmp_path / "*.txt"),)) == below("a.txt", "b.txt")
    assert expand_paths((str(tmp_path / "**" / "c*"),)) == below("sub/c.txt")
    assert expand_paths(()) == ("-",)
    assert expand_paths(("-", "nowhere")) == ("-", "nowhere")
    with pytest.raises(InputError):
        expand_paths((str(tmp_path / "*.pdf"),))
    Path(tmp_path / "empty").mkdir()
    with pytest.raises(InputError):
        expand_paths((str(tmp_path / "empty"),))


def test_digests_tell_documents_apart():
    digests = {Document(s, t).digest for s in ("a", "b") for t in ("", "x", "y")}
    assert len(digests) == 6


@pytest.mark.parametrize(("text", "expected"), [("1/1", (1, 1)), ("2/4", (2, 4))])
def test_shard(text, expected):
    assert read_shard(text) == expected


@pytest.mark.parametrize("text", ["", "0/4", "5/4", "a/b", "1", "-1/2"])
def test_bad_shard(text):
    with pytest.raises(UsageError):
        read_shard(text)
