"""A class judges answers: what it refuses is never valid, what it makes of them is the output."""

from __future__ import annotations

import enum
import json
from datetime import date  # noqa: TC003 - Pydantic reads the annotations
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import (
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    computed_field,
    field_serializer,
    field_validator,
    model_validator,
)

from gbnfc import CompileOptions, Verdict, compile_schema, match_text
from gbnfc.extract.model_judge import ModelJudge
from gbnfc.extract.validate import Validator, read_answer
from gbnfc.schema.models import schema_of_dump, schema_to_read, schema_to_write

AS_EXTRACT = CompileOptions(order="schema", additional="closed", digits=15)


def judge(model, answer):
    schema = schema_to_write(model)
    return Validator(schema, model=ModelJudge(model)).judge(answer)


def accepts_class(model, text):
    if model is DECIMALS["more places than digits"] and text in ("0", "0.0"):
        return True  # Pydantic counts the digit of 0 as one before the point: left to the class
    try:
        TypeAdapter(model).validate_json(text)
    except ValueError:
        return False
    return True


# --- decimals ------------------------------------------------------------------------------------

PRICE = Annotated[Decimal, Field(max_digits=8, decimal_places=2)]
DECIMALS = {
    "digits and places": PRICE,
    "places": Annotated[Decimal, Field(decimal_places=2)],
    "digits": Annotated[Decimal, Field(max_digits=4)],
    "more places than digits": Annotated[Decimal, Field(max_digits=2, decimal_places=3)],
    "no places": Annotated[Decimal, Field(max_digits=3, decimal_places=0)],
    "bounds": Annotated[Decimal, Field(ge=Decimal("0.05"), lt=Decimal("99.95"))],
    "bounds and places": Annotated[Decimal, Field(gt=0, le=100, max_digits=5, decimal_places=1)],
    "step": Annotated[Decimal, Field(multiple_of=Decimal("0.05"))],
    "step and places": Annotated[Decimal, Field(multiple_of=Decimal("0.25"), decimal_places=1)],
    "anything": Decimal,
}
NUMBERS = """
    0 1 -1 7.5 0.1 0.05 0.10 0.25 0.5 0.005 0.0001 0.001 0.012 0.12 0.123 1.000000000000001 12.34
    12.345 99.9 99.95 100 100.1 999 1000 123.4 1234 1234.5 12345 999999 999999.99 1000000
    -999999.99 -1000000.01 0.3 0.15 0.75
"""
PLACES = {
    "itself": (lambda inner: inner, "{}"),
    "optional": (lambda inner: inner | None, "{}"),
    "list": (lambda inner: list[inner], "[{}]"),
    "mapping": (lambda inner: dict[str, inner], '{{"a": {}}}'),
    "union": (lambda inner: inner | Literal["none"], "{}"),
}


CASES = [(name, "itself") for name in DECIMALS] + [("digits and places", p) for p in PLACES]


@pytest.mark.parametrize(("name", "place"), CASES)
def test_the_grammar_writes_the_decimals_that_the_class_reads(name, place):
    wrapped, spelled = PLACES[place]
    model = wrapped(DECIMALS[name])
    for schema in (schema_to_write(model), schema_to_read(model)):
        grammar = compile_schema(schema, options=AS_EXTRACT).grammar
        for number in NUMBERS.split():
            text = spelled.format(number)
            accepted = match_text(grammar, text).verdict is Verdict.ACCEPTED
            assert accepted == accepts_class(model, text), text


@pytest.mark.parametrize("name", DECIMALS)
def test_the_schema_of_a_decimal_judges_as_the_class(name):
    validator = Validator(schema_to_write(DECIMALS[name]))
    for number in NUMBERS.split():
        accepted = validator.check(read_answer(number)) == ()
        assert accepted == accepts_class(DECIMALS[name], number), number


def test_constraints_of_a_field_reach_a_nested_class():
    class Line(BaseModel):
        price: Decimal = Field(max_digits=6, decimal_places=2, gt=0)

    class Invoice(BaseModel):
        lines: list[Line] = Field(max_length=2)

    grammar = compile_schema(schema_to_write(Invoice), options=AS_EXTRACT).grammar

    def holds(*prices):
        lines = ", ".join(f'{{"price": {price}}}' for price in prices)
        return match_text(grammar, f'{{"lines": [{lines}]}}').verdict is Verdict.ACCEPTED

    assert holds("1", "9999.99")
    for refused in (("0",), ("0.001",), ("10000",), ('"1"',), ("1", "1", "1")):
        assert not holds(*refused), refused


def test_a_class_reads_what_it_has_written():
    """The output writes decimals as strings: `match` and `compile` still take it for its own."""
    output = judge(PRICE, 12.5).output
    grammar = compile_schema(schema_to_read(PRICE)).grammar
    assert match_text(grammar, json.dumps(output)).verdict is Verdict.ACCEPTED


# --- verdicts ------------------------------------------------------------------------------------


class Kind(enum.Enum):
    CASH = "cash"


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)

    day: date
    kind: Kind
    share: float
    pair: tuple[int, str]


class Aliased(BaseModel):
    number: int = Field(alias="theNumber")
    city: str = Field(validation_alias="town", serialization_alias="place")
    name: str = Field(validation_alias=AliasChoices("called", "named"))


class ByAlias(Aliased):
    model_config = ConfigDict(serialize_by_alias=True)


class Total(BaseModel):
    parts: list[int]
    total: int

    @computed_field
    @property
    def size(self) -> int:
        return len(self.parts)

    @field_validator("parts")
    @classmethod
    def few(cls, parts):
        if len(parts) > 2:
            raise AssertionError("at most\ntwo")
        return sorted(parts)

    @model_validator(mode="after")
    def adds_up(self):
        if sum(self.parts) != self.total:
            raise ValueError("the parts do not add up")
        return self


class Union(BaseModel):
    either: Total | list[PRICE]


STRICT = {"day": "2024-02-29", "kind": "cash", "share": 1, "pair": [1, "a"]}
ALIASED = {"theNumber": 1, "town": "Bonn", "called": "x"}
# class, answer, what is passed on or the problems
JUDGED = [
    (Strict, STRICT, STRICT | {"share": 1.0}),
    (Aliased, ALIASED, {"number": 1, "city": "Bonn", "name": "x"}),
    (ByAlias, ALIASED, {"theNumber": 1, "place": "Bonn", "name": "x"}),
    (Total, {"parts": [3, 1], "total": 4}, {"parts": [1, 3], "total": 4, "size": 2}),
    (Total, {"parts": [3], "total": 4}, ["/: Value error, the parts do not add up"]),
    (Total, {"parts": [1, 1, 1], "total": 3}, ["/parts: Assertion failed, at most two"]),
    (list[Total], [{"parts": [3]}],
     ["/0/total: Field required", "/0: 'total' is a required property"]),
    (PRICE, 1.125, ["/: Decimal input should have no more than 2 decimal places"]),
    (PRICE, 12.5, "12.5"),
    (dict[str, PRICE], {"a/b": 1e7},
     ["/a~1b: Decimal input should have no more than 6 digits before the decimal point"]),
    (list[int], [1, "x"],
     ["/1: Input should be a valid integer, unable to parse string as an integer"]),
    (list[float], [1e300, 2], [1e300, 2.0]),
]  # fmt: skip


@pytest.mark.parametrize(("model", "answer", "expected"), JUDGED)
def test_the_class_judges_and_its_dump_is_the_output(model, answer, expected):
    found = judge(model, answer)
    assert found.data == answer
    assert found.fault is None
    said = list(map(str, found.problems))
    if said:
        assert (said, found.output) == (expected, answer)
    else:
        assert found.output == expected
        assert expected == TypeAdapter(model).dump_python(
            TypeAdapter(model).validate_json(json.dumps(answer)), mode="json"
        )


def test_problems_of_a_union_are_at_places_of_the_answer():
    found = judge(Union, {"either": [1.125]})
    assert {problem.pointer for problem in found.problems} == {"/either", "/either/0"}


def test_the_schema_is_heard_beside_the_class():
    class Odd(BaseModel):
        n: int = Field(json_schema_extra={"maximum": 5})

    (problem,) = judge(Odd, {"n": 6}).problems
    assert str(problem) == "/n: 6 is greater than the maximum of 5"
    assert judge(Odd, {"n": 5}).problems == ()


@pytest.mark.parametrize(
    ("model", "columns"),
    [
        (Aliased, ["number", "city", "name"]),
        (ByAlias, ["theNumber", "place", "name"]),
        (Total, ["parts", "total", "size"]),
    ],
)
def test_the_schema_of_the_dump_names_its_keys(model, columns):
    assert list(schema_of_dump(model)["properties"]) == columns


# --- the class's own faults ----------------------------------------------------------------------


class Fails(BaseModel):
    how: str

    @field_validator("how")
    @classmethod
    def breaks(cls, how):
        match how:
            case "key":
                return {}[how]
            case "exit":
                raise SystemExit(3)
            case "file":
                Path("gone").read_text()
            case "type":
                raise TypeError
            case "endless":
                return cls.breaks(how)
        print("checking")
        return how

    @field_serializer("how")
    def write(self, how):
        if how == "write":
            raise OSError("no\nroom")
        return how


@pytest.mark.parametrize(
    ("how", "place", "said"),
    [
        ("key", "breaks", "KeyError: 'key'"),
        ("exit", "breaks", "SystemExit(3)"),
        ("file", "breaks", "FileNotFoundError: [Errno 2] No such file or directory: 'gone'"),
        ("type", "breaks", "TypeError"),
        ("endless", "breaks", "RecursionError: maximum recursion depth exceeded"),
        ("write", "write", "PydanticSerializationError: Error calling function `write`"),
    ],
)  # fmt: skip
def test_a_validator_that_breaks_is_named_by_its_line(how, place, said):
    found = judge(Fails, {"how": how})
    assert found.problems == ()
    assert found.output == found.data == {"how": how}
    assert found.fault.startswith("Fails cannot judge the answer: ")
    assert said in found.fault
    if how != "write":  # Pydantic keeps the place of a serializer to itself
        assert f"test_model_judge.py:{line_of(how)}, in {place}: " in found.fault
    assert "\n" not in found.fault


def line_of(how):
    text = Path(__file__).read_text(encoding="utf-8").splitlines()
    at = next(number for number, line in enumerate(text, 1) if f'case "{how}":' in line)
    return at + 1


def test_what_a_validator_prints_stays_out_of_the_data(capsys):
    assert judge(Fails, {"how": "well"}).output == {"how": "well"}
    assert capsys.readouterr() == ("", "checking\n")


def test_ctrl_c_in_a_validator_is_no_fault():
    class Slow(BaseModel):
        n: int

        @field_validator("n")
        @classmethod
        def wait(cls, n):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        judge(Slow, {"n": 1})
