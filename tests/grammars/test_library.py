"""The shipped grammars against real parsers of their languages, both ways.

Samples of a grammar must parse there (`READERS`); real texts must be accepted here (`TEXTS`), and
what the parser refuses must be refused (`REFUSED`). llama.cpp must agree about all of them.
"""

from __future__ import annotations

import ast
import csv
import datetime
import io
import json
import random
import re
import sqlite3
from email.errors import HeaderParseError
from email.headerregistry import Address
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET  # the texts are ours

import jsonschema_rs
import pytest
import yaml
from markdown_it import MarkdownIt

from gbnfc.errors import InputError
from gbnfc.library import library_files, library_grammar, library_text
from gbnfc.match import Program, Verdict, compile_matcher, match_text, sample

if TYPE_CHECKING:
    from collections.abc import Callable

    from judge import EngineJudge

SAMPLES = 150
TABLE_WITHOUT_ROWS = re.compile(r"no such (table|column|function)|ambiguous column|misuse|HAVING")

# From https://semver.org, "Is there a suggested regular expression".
SEMVER = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
    r"(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?"
    r"(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?",
    re.ASCII,
)
IS_URI = jsonschema_rs.validator_for({"format": "uri"}, validate_formats=True)


def read_json(text: str) -> None:
    json.loads(text, parse_constant=_refuse)


def read_jsonl(text: str) -> None:
    _require(text.endswith("\n"))
    for line in text.removesuffix("\n").split("\n"):
        read_json(line)


def read_csv(text: str) -> None:
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise ValueError(str(error)) from error
    _require(bool(rows) and all(rows))
    plain = io.StringIO(newline="")
    csv.writer(plain).writerows(rows)
    again = list(csv.reader(io.StringIO(plain.getvalue(), newline=""), strict=True))
    _require(again == rows)


def read_iso8601(text: str) -> None:
    if "T" in text:
        datetime.datetime.fromisoformat(text)
    elif text[2:3] == ":":
        datetime.time.fromisoformat(text)
    else:
        datetime.date.fromisoformat(text)


def read_email(text: str) -> None:
    try:
        _require(Address(addr_spec=text).addr_spec == text)
    except (HeaderParseError, IndexError) as error:
        raise ValueError(str(error)) from error


def read_uri(text: str) -> None:
    _require(IS_URI.is_valid(text))


def read_semver(text: str) -> None:
    _require(SEMVER.fullmatch(text) is not None)


def read_markdown_list(text: str) -> None:
    kinds = {token.type for token in MarkdownIt("commonmark").parse(text)}
    _require(
        kinds
        <= {
            "bullet_list_open",
            "bullet_list_close",
            "list_item_open",
            "list_item_close",
            "paragraph_open",
            "paragraph_close",
            "inline",
        }
    )
    items = sum(t.type == "list_item_open" for t in MarkdownIt("commonmark").parse(text))
    _require(items == text.count("\n"))


def read_arithmetic(text: str) -> None:
    tree = ast.parse(text, mode="eval")
    allowed = (ast.Expression, ast.BinOp, ast.UnaryOp, ast.Constant, ast.operator, ast.USub)
    _require(all(isinstance(node, allowed) for node in ast.walk(tree)))


def read_sql_select(text: str) -> None:
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute(text)
    except sqlite3.Error as error:
        if not TABLE_WITHOUT_ROWS.search(str(error)):
            raise ValueError(str(error)) from error
    finally:
        connection.close()


def read_python_literal(text: str) -> None:
    ast.literal_eval(text)


def read_xml_fragment(text: str) -> None:
    try:
        ET.fromstring(text)
    except ET.ParseError as error:
        raise ValueError(str(error)) from error


class _UniqueKeysNotNeeded(yaml.SafeLoader):
    """PyYAML's loader: it takes the last of equal keys."""


def read_yaml_flat(text: str) -> None:
    try:
        value = yaml.load(text, Loader=_UniqueKeysNotNeeded)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error
    _require(isinstance(value, dict) and all(isinstance(key, str) for key in value))


CRON_NICKNAMES = ("yearly", "annually", "monthly", "weekly", "daily", "midnight", "hourly")
CRON_NAMES = (
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
    ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
)
CRON_RANGES = ((0, 59, []), (0, 23, []), (1, 31, []), (1, 12, CRON_NAMES[0]), (0, 7, CRON_NAMES[1]))


def read_cron(text: str) -> None:
    """As crontab(5) describes it, field by field."""
    if text.startswith("@"):
        _require(text[1:] in CRON_NICKNAMES)
        return
    fields = text.split(" ")
    _require(len(fields) == 5)
    for field, (low, high, names) in zip(fields, CRON_RANGES, strict=True):
        for part in field.split(","):
            whole, slash, step = part.partition("/")
            _require(not slash or (step.isdecimal() and int(step) > 0))
            bounds = whole.split("-")
            if whole == "*" or (whole in names and not slash):
                continue
            _require(len(bounds) <= 2 and (len(bounds) == 2 or not slash))
            _require(all(b.isdecimal() and low <= int(b) <= high for b in bounds))


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _require(condition: bool) -> None:
    if not condition:
        raise ValueError("refused")


READERS: dict[str, Callable[[str], None]] = {
    "arithmetic": read_arithmetic,
    "cron": read_cron,
    "csv": read_csv,
    "email": read_email,
    "iso8601": read_iso8601,
    "json": read_json,
    "jsonl": read_jsonl,
    "markdown-list": read_markdown_list,
    "python-literal": read_python_literal,
    "semver": read_semver,
    "sql-select": read_sql_select,
    "uri": read_uri,
    "xml-fragment": read_xml_fragment,
    "yaml-flat": read_yaml_flat,
}

NESTED = {"a": [1, -2.5, 1e30, True, None, 'é\n"\\\u2028😀'], "b": {}, "c": [[], [{}]], "": "/"}

TEXTS = [
    ("arithmetic", ["1", "1 + 2", "(1+2)*3 ** 2", "-4/(5 - -6)", "0.5 * (7)"]),
    ("cron", ["* * * * *", "*/5 0 1,15 * 1-5", "0 22 * jan,jul sun", "@daily", "5 4 * * 7"]),
    ("csv", ["a,b,c\r\n1,2,3\r\n", 'name,note\n"Smith, J.","said ""no"""\n', ",\n", '"a\nb",c\n']),
    ("email", ["a@example.com", "first.last+tag@sub.example.co.uk", "o'neil@x-y.org"]),
    (
        "iso8601",
        [
            "2024-02-29",
            "2000-02-29",
            "1999-12-31T23:59:59.123456Z",
            "12:30",
            "23:59:59",
            "2024-04-30T00:00+05:30",
            "0004-02-29",
            "0400-02-29",
            "0001-01-01",
        ],
    ),
    (
        "json",
        [
            json.dumps(NESTED),
            json.dumps(NESTED, indent=4, ensure_ascii=False),
            "1",
            ' "x" \n',
            "[\n\t1 ,\r\n2]",
            r'"\u00e9\/\b"',
            "-0",
            "1E+5",
            "0.10e-3",
        ],
    ),
    ("jsonl", [json.dumps(NESTED) + "\n" + json.dumps([1]) + "\n", "null\n"]),
    (
        "markdown-list",
        ["- One\n- Two\n", '- Buy *milk*\n  - (two) bottles\n    - cold\n- "Call"\n'],
    ),
    (
        "python-literal",
        [
            repr(NESTED),
            repr((1,)),
            repr(()),
            "{1, (2, 'x')}",  # its repr depends on the hash seed
            repr({}),
            repr(b"a\x00\n'z"),
            repr("it's \u200b\ud800"),
            repr([1.5, -3, 1e22, ()]),
        ],
    ),
    (
        "semver",
        [
            "1.2.3",
            "1.0.0-alpha.1",
            "1.0.0-0.3.7",
            "1.0.0-x-y-z.--",
            "1.0.0+21AF26D3",
            "1.0.0-beta+exp.sha.5114f85",
            "1.0.0-0a.00a",
            "10.20.30",
        ],
    ),
    (
        "sql-select",
        [
            "SELECT * FROM users",
            "SELECT name, COUNT(*) AS total FROM orders WHERE price >= 10 GROUP BY name "
            "HAVING COUNT(*) > 2 ORDER BY total DESC LIMIT 10 OFFSET 5;",
            "SELECT DISTINCT u.name FROM users AS u LEFT JOIN orders AS o ON u.id = o.uid "
            "WHERE (o.total BETWEEN 1 AND 2 OR NOT (u.name LIKE 'a''%')) AND o.id IS NULL",
            "SELECT SUM(price * 2) FROM \"Order Lines\" WHERE kind IN ('a', 2)",
        ],
    ),
    (
        "uri",
        [
            "https://example.com",
            "https://u:p@example.com:8080/a/b?q=1&r=%20#top",
            "urn:isbn:1",
            "mailto:a@b.c",
            "file:///etc/hosts",
            "http://[::1]:80/",
            "http://[1:2:3:4:5:6:7:8]",
            "http://[fe80::1]/",
            "ftp://ftp.is.co.za/rfc/rfc1808.txt",
            "tel:+1-816-555-1212",
        ],
    ),
    (
        "xml-fragment",
        [
            "<item/>",
            '<list id="a&amp;b"><item>x &lt; y</item><note/></list>',
            "<value>é&#10;\n</value>",
        ],
    ),
    (
        "yaml-flat",
        [
            'name: "Ann"\nage: 30\n',
            'tags:\n  - "a"\n  - null\nok: true\nnorway: "no"\n',
            "n_1: -0.5\nfalsey: 1\nnone: 2\nonly: 3\nyesterday: 4\ntruth: 5\nof: 6\n",
        ],
    ),
]

REFUSED = [
    ("arithmetic", ["", "1 +", "(1", "01", "1 2", "a", "1 // 2", "* 2"]),
    (
        "cron",
        [
            "",
            "* * * *",
            "60 * * * *",
            "* 24 * * *",
            "* * 0 * *",
            "* * * 13 *",
            "* * * * 8",
            "*/0 * * * *",
            "@never",
            "1- * * * *",
        ],
    ),
    ("csv", ["", "a", '"a\n', 'a"b\n', '"a"b\n', "\n"]),
    ("email", ["a", "@b.c", "a@", "a..b@c.d", "a@b", "a b@c.d", "a@-b.c", ".a@b.c"]),
    (
        "iso8601",
        [
            "2023-02-29",
            "1900-02-29",
            "2024-13-01",
            "2024-04-31",
            "2024-00-10",
            "24:00",
            "12:60",
            "0000-01-01",
            "2024-1-1",
            "2024-01-01T",
            "2024-01-01T10:00+24:00",
        ],
    ),
    (
        "json",
        [
            "",
            "01",
            "1.",
            "+1",
            "[1,]",
            '{"a":1,}',
            "{a:1}",
            "'a'",
            '"\t"',
            '"\\x"',
            "NaN",
            "[1] 2",
            '{"a" 1}',
            "tru",
        ],
    ),
    ("jsonl", ["", "1", "1\n\n", "[\n1]\n", "1 2\n"]),
    ("markdown-list", ["", "- One", "* One\n", "-One\n", "- \n", "- # a\n"]),
    (
        "python-literal",
        [
            "",
            "[1",
            "{[1]: 2}",
            "{{}}",
            "(1)",
            "f'x'",
            "'a",
            "b'é'",
            "None()",
            "01",
            "'\\U00110000'",
            "{1: 2, 3}",
        ],
    ),
    ("semver", ["", "1", "1.2", "01.2.3", "1.2.3-", "1.2.3-01", "1.2.3+", "1.2.3-a..b", "v1.2.3"]),
    (
        "sql-select",
        [
            "",
            "SELECT",
            "SELECT a",
            "DROP TABLE a",
            "SELECT * FROM a; DELETE FROM a",
            "SELECT a FROM b WHERE",
            "SELECT * FROM a WHERE b = 'x",
        ],
    ),
    (
        "uri",
        ["", "example.com/a", "http://a b", "http://a/%zz", "1http://a", "http://[::1", "a:b#c#d"],
    ),
    (
        "xml-fragment",
        [
            "",
            "x",
            "<item>",
            "<item></list>",
            "<item>a & b</item>",
            "<item>&no;</item>",
            "<item/><item/>",
            '<item id="<"/>',
            "<value>&#11;</value>",
        ],
    ),
    (
        "yaml-flat",
        [
            "",
            "no: 1\n",
            "yes: 1\n",
            "null: 1\n",
            "on: 1\n",
            "off: 1\n",
            "true: 1\n",
            "false: 1\n",
            "y: 1\n",
            "n: 1\n",
            "a: yes\n",
            "a: 1",
            "a:1\n",
            "a:\n",
            "A: 1\n",
        ],
    ),
]

# What a grammar refuses although the language has it; its head comment says so.
NARROWER = [
    ("csv", ["a", 'a"b\n']),
    ("email", ["a@b", "a@-b.c"]),
    ("jsonl", ["1"]),
    ("markdown-list", ["", "- One", "* One\n"]),
    ("python-literal", ["(1)", "f'x'"]),
    ("arithmetic", ["1 // 2"]),
    ("sql-select", ["", "SELECT a", "DROP TABLE a", "SELECT * FROM a; DELETE FROM a"]),
    (
        "yaml-flat",
        ["no: 1\n", "yes: 1\n", "a: yes\n", "y: 1\n", "n: 1\n", "a: 1", "a:\n", "A: 1\n"],
    ),
    ("markdown-list", ["- \n", "- # a\n"]),
]


def flat(table: list[tuple[str, list[str]]]) -> list[tuple[str, str]]:
    return [(name, text) for name, texts in table for text in texts]


@pytest.fixture(scope="module")
def programs() -> dict[str, Program]:
    return {name: compile_matcher(library_grammar(name)) for name in library_files()}


def test_every_grammar_is_tested() -> None:
    assert list(library_files()) == sorted(READERS)
    assert [name for name, _ in TEXTS] == sorted(READERS)
    assert [name for name, _ in REFUSED] == sorted(READERS)


@pytest.mark.parametrize("name", sorted(READERS))
def test_samples_are_read_by_the_parser(programs: dict[str, Program], name: str) -> None:
    rng = random.Random(1)
    for number in range(SAMPLES):
        text = sample(programs[name], rng, max_depth=4 + number % 12)
        if name == "sql-select" and _has_keyword_as_name(text):
            continue
        try:
            READERS[name](text)
        except (ValueError, SyntaxError, TypeError) as error:
            pytest.fail(f"{text!r}: {error}")


def _has_keyword_as_name(text: str) -> bool:
    bare = re.sub(r"'(?:[^']|'')*'|\"[^\"]*\"", "", text)
    return any(word.upper() in SQL_KEYWORDS for word in re.findall(r"\b[a-z]+\b", bare))


# https://www.sqlite.org/lang_keywords.html, the short ones that samples hit
SQL_KEYWORDS = {"AS", "BY", "DO", "IF", "IN", "IS", "NO", "OF", "ON", "OR", "TO"} | {
    *("ADD", "ALL", "AND", "ASC", "END", "FOR", "KEY", "NOT", "ROW", "SET")
}


@pytest.mark.parametrize(("name", "text"), flat(TEXTS))
def test_real_texts_are_accepted(programs: dict[str, Program], name: str, text: str) -> None:
    READERS[name](text)
    assert match_text(programs[name], text).verdict is Verdict.ACCEPTED


@pytest.mark.parametrize(("name", "text"), flat(REFUSED))
def test_wrong_texts_are_refused(programs: dict[str, Program], name: str, text: str) -> None:
    assert match_text(programs[name], text).verdict is not Verdict.ACCEPTED
    if (name, text) not in flat(NARROWER):
        with pytest.raises((ValueError, SyntaxError, TypeError)):
            READERS[name](text)


@pytest.mark.parametrize("name", sorted(READERS))
def test_llama_cpp_agrees(judge: EngineJudge, programs: dict[str, Program], name: str) -> None:
    texts = [t for n, t in flat(TEXTS) + flat(REFUSED) if n == name and "\ud800" not in t]
    rng = random.Random(2)
    texts += [sample(programs[name], rng)[:200] for _ in range(20)]
    with judge.loaded(library_text(name)) as sampler:
        for text in texts:
            assert judge.verdict(sampler, text) == match_text(programs[name], text).verdict.value


@pytest.mark.parametrize("name", sorted(READERS))
def test_head_comment_and_readme(name: str) -> None:
    assert library_text(name).startswith("# ")
    folder = library_files()[name].parent
    assert f"| `{name}` |" in (folder / "README.md").read_text(encoding="utf-8")


def test_unknown_names_are_told() -> None:
    with pytest.raises(InputError, match="did you mean json"):
        library_grammar("jsonn")
