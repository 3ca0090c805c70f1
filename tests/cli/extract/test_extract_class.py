"""`gbnfc extract -s file.py:Class` from the outside: the class judges, its dump is the output."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = [sys.executable, str(Path(__file__).parents[2] / "helpers" / "scripted_cli.py")]
CLASSES = """
from decimal import Decimal
from pydantic import BaseModel, Field, field_validator

class Item(BaseModel):
    title: str = Field(alias="theTitle")
    price: Decimal = Field(max_digits=6, decimal_places=2)

    @field_validator("price")
    @classmethod
    def even(cls, price):
        print("judging")
        if price == 13:
            return {}[price]
        if price % 2:
            raise ValueError("an odd price")
        return price

class Order(BaseModel):
    items: list[Item]
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "shop.py").write_text(CLASSES)
    (tmp_path / "broken.py").write_text("def load():\n    return int('x')\n\nN = load()\n")
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text(f"pen {name}")
    return tmp_path


def extract(folder, *arguments, answers=(), name="Item"):
    return subprocess.run(
        [*PROGRAM, "extract", "-s", f"shop.py:{name}", *arguments],
        capture_output=True,
        cwd=folder,
        env={**os.environ, "SCRIPT_ANSWERS": json.dumps(answers)},
        text=True,
        encoding="utf-8",
        timeout=120,
    )


def item(price):
    return f'{{"theTitle": "pen", "price": {price}}}'


def test_the_dump_of_the_class_is_the_output(folder):
    done = extract(folder, "a.txt", answers=[item("12.00")])
    assert (done.returncode, json.loads(done.stdout)) == (0, {"title": "pen", "price": "12"})
    assert "judging" in done.stderr


def test_columns_and_rows_are_those_of_the_dump(folder):
    done = extract(folder, "a.txt", "b.txt", "--format", "csv", answers=[item(2), item(4)])
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(row["title"], row["price"]) for row in rows] == [("pen", "2"), ("pen", "4")]
    order = f'{{"items": [{item(2)}, {item(4)}]}}'
    done = extract(
        folder, "a.txt", "--pluck", "items", "--format", "csv", "--no-envelope",
        answers=[order], name="Order",
    )  # fmt: skip
    assert done.stdout == "title,price\npen,2\npen,4\n"


def test_what_the_class_refuses_is_asked_for_again(folder):
    done = extract(folder, "a.txt", "--envelope", answers=[item(3), item(4)])
    row = json.loads(done.stdout)
    assert (done.returncode, row["valid"], row["retries"]) == (0, True, 1)
    assert row["data"] == {"title": "pen", "price": "4"}


@pytest.mark.parametrize("retries", [0, 2])
def test_what_the_class_keeps_refusing_is_never_valid(folder, retries):
    done = extract(
        folder, "a.txt", "--envelope", "--retries", str(retries), "--temp", "1", answers=[item(3)]
    )
    row = json.loads(done.stdout)
    assert (done.returncode, row["valid"], row.get("retries", 0)) == (5, False, retries)
    assert row["errors"] == ["/price: Value error, an odd price"]
    assert row["data"] == {"theTitle": "pen", "price": 3}
    assert "an odd price" in done.stderr


def test_a_validator_that_breaks_costs_one_record_and_names_its_line(folder):
    arguments = ("a.txt", "b.txt", "-o", "out.jsonl")
    done = extract(folder, *arguments, answers=[item(13), item(4)])
    rows = [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]
    assert done.returncode == 6
    assert [row["valid"] for row in rows] == [False, True]
    assert rows[0]["data"] == {"theTitle": "pen", "price": 13}
    fault = "Item cannot judge the answer: shop.py:14, in even: KeyError: Decimal('13')"
    assert rows[0]["error"] == fault
    assert f"error: a.txt: {fault}\n" in done.stderr
    assert "Traceback" not in done.stderr
    # Mended, a resumed run tries it again and keeps the others.
    (folder / "shop.py").write_text(CLASSES.replace("return {}[price]", "return price"))
    done = extract(folder, *arguments, "--resume", answers=[item(13)])
    rows = [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]
    assert [row["data"] for row in rows] == [
        {"title": "pen", "price": "13"},
        {"title": "pen", "price": "4"},
    ]


def test_a_file_that_cannot_be_imported_is_named_by_its_line(folder):
    done = extract(folder, "a.txt", "-s", "broken.py:N")
    assert (done.returncode, done.stdout) == (3, "")
    said = "broken.py: cannot be imported: broken.py:2, in load: ValueError: invalid literal"
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_an_example_is_judged_by_the_class(folder):
    good = extract(folder, "a.txt", "--example", f"x={item(2)}", answers=[item(4)])
    assert good.returncode == 0, good.stderr
    bad = extract(folder, "a.txt", "--example", f"x={item(3)}")
    assert bad.returncode == 2
    assert "an odd price" in bad.stderr


def test_pieces_are_judged_by_the_schema_and_the_whole_by_the_class(folder):
    (folder / "sum.py").write_text(
        "from pydantic import BaseModel, model_validator\n\n\n"
        "class Sum(BaseModel):\n    parts: list[int]\n    total: int\n\n"
        "    @model_validator(mode='after')\n    def adds_up(self):\n"
        "        assert sum(self.parts) == self.total, 'wrong'\n        return self\n"
    )
    (folder / "long.txt").write_text("one and two are three. " * 20)
    answers = [f'{{"parts": [{n}], "total": 6}}' for n in (1, 2, 3, 3)]
    done = extract(
        folder, "long.txt", "-s", "sum.py:Sum", "--chunk", "tokens:40", "--retries", "0",
        "--envelope", answers=answers,
    )  # fmt: skip
    row = json.loads(done.stdout)
    assert row["chunks"] > 2, row
    assert (row["valid"], row["data"]) == (True, {"parts": [1, 2, 3], "total": 6}), row
