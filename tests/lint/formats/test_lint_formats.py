"""Each output format, read back by an independent reader."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from gbnfc.cli.app import run
from gbnfc.lint import Diagnostic, Severity, lint_text
from gbnfc.lint.baseline import read_baseline, subtract_baseline, write_baseline
from gbnfc.lint.check_schema import lint_schema_text
from gbnfc.lint.formats import FORMATS, writer_of
from gbnfc.lint.manual import manual_of
from gbnfc.lint.registry import RULES
from gbnfc.source import Source

SARIF = jsonschema.Draft7Validator(
    json.loads((Path(__file__).parent / "sarif" / "sarif-schema-2.1.0.json").read_text("utf-8"))
)
TEXT = """root ::= "#" [a-f]? [a-f]? undefined "%"
item ::= "a" | "b"
item ::= [^\\x00-\\x1f]
"""
DIAGNOSTICS = lint_text(Source(TEXT, "some dir/a,b:c.gbnf"))
WITHOUT_PLACE = (
    Diagnostic("RUN006", "empty-root", Severity.WARNING, "50 % of\nit: \x01 <&\"'>", "a b.gbnf"),
)


def write(name: str, diagnostics=DIAGNOSTICS) -> str:
    return writer_of(name)(diagnostics)


def test_the_sample_has_what_the_formats_must_show() -> None:
    assert {d.code for d in DIAGNOSTICS} == {"COST001", "STR001", "STR003", "STR004"}
    assert any(d.fix for d in DIAGNOSTICS)
    assert any(d.related for d in DIAGNOSTICS)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_writes_nothing_and_findings_without_a_place(name: str) -> None:
    assert isinstance(write(name, ()), str)
    assert "RUN006" in write(name, WITHOUT_PLACE)


def test_json_has_exactly_the_promised_fields() -> None:
    records = json.loads(write("json"))
    fields = "code name severity file line column end_line end_column message help fixable fix"
    assert all(list(record) == fields.split() for record in records)
    chained = next(record for record in records if record["code"] == "COST001")
    assert (chained["line"], chained["column"], chained["end_column"]) == (1, 14, 27)
    assert (chained["fixable"], chained["fix"]) == (True, "safe")


def test_json_lines_are_the_same_records() -> None:
    assert [json.loads(line) for line in write("jsonl").splitlines()] == json.loads(write("json"))


def test_concise_is_one_line_each() -> None:
    lines = write("concise").splitlines()
    assert len(lines) == len(DIAGNOSTICS)
    assert lines[0].startswith("some dir/a,b:c.gbnf:1:14: warning COST001 [chained-optionals] ")


def test_full_shows_carets_under_the_place() -> None:
    shown = write("full").splitlines()
    assert '  1 | root ::= "#" [a-f]? [a-f]? undefined "%"' in shown
    assert "                   ^^^^^^^^^^^^^" in shown


def test_github_escapes_what_ends_properties() -> None:
    command = write("github").splitlines()[0]
    found = re.fullmatch(r"::(error|warning|notice) ([^:]*)::(.*)", command)
    assert found
    properties = dict(pair.split("=", 1) for pair in found[2].split(","))
    assert properties["file"] == "some dir/a%2Cb%3Ac.gbnf"
    assert properties["line"] == "1"
    assert "\n" not in write("github", WITHOUT_PLACE).rstrip("\n")
    assert "50 %25 of%0Ait" in write("github", WITHOUT_PLACE)


def test_gitlab_fingerprints_are_unique() -> None:
    issues = json.loads(write("gitlab"))
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    assert {issue["severity"] for issue in issues} <= {"critical", "minor", "info"}


def test_junit_is_xml_with_matching_counts() -> None:
    root = ElementTree.fromstring(write("junit", DIAGNOSTICS + WITHOUT_PLACE))
    cases = root.findall(".//testcase")
    assert root.get("tests") == str(len(cases))
    assert root.get("failures") == str(len(root.findall(".//failure")))


@pytest.mark.parametrize("diagnostics", [(), DIAGNOSTICS, WITHOUT_PLACE])
def test_sarif_is_valid(diagnostics) -> None:
    log = json.loads(write("sarif", diagnostics))
    SARIF.validate(log)
    run = log["runs"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert [rules[result["ruleIndex"]] for result in run["results"]] == [
        diagnostic.code for diagnostic in diagnostics
    ]


def test_sarif_of_every_rule_is_valid() -> None:
    examples = [manual_of(rule).example for rule in RULES]
    schema = '{"type": "object", "properties": {"a": {"type": "string", "patern": "x"}}}'
    found = [d for text in examples for d in lint_text(Source(text, "a.gbnf"))]
    found += lint_schema_text(Source(schema, "a.json"))
    assert len({diagnostic.code for diagnostic in found}) > len(RULES) // 2
    SARIF.validate(json.loads(write("sarif", tuple(found))))


def test_sarif_of_a_compile_report_is_valid(tmp_path) -> None:
    schema, report = tmp_path / "a schema.json", tmp_path / "report.sarif"
    schema.write_text('{"type": "string", "format": "email"}', encoding="utf-8")
    arguments = ["compile", str(schema), "--report", "sarif", "--report-file", str(report)]
    assert run(arguments) == 0
    log = json.loads(report.read_text(encoding="utf-8"))
    SARIF.validate(log)
    assert [result["ruleId"] for result in log["runs"][0]["results"]] == ["SCH002"]


def test_sarif_has_fixes_related_places_and_help() -> None:
    run = json.loads(write("sarif"))["runs"][0]
    results = {result["ruleId"]: result for result in run["results"]}
    change = results["COST001"]["fixes"][0]["artifactChanges"][0]["replacements"][0]
    assert change["insertedContent"]["text"] == "[a-f]{0,2}"
    assert results["STR003"]["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 3
    assert all(
        "### Why is this bad" in r["help"]["markdown"] for r in run["tool"]["driver"]["rules"]
    )


def test_baseline_hides_what_it_knows_wherever_it_moves_to() -> None:
    known = read_baseline(write_baseline(DIAGNOSTICS, Path()), "baseline.json")
    moved = lint_text(Source("# a new line\n\n" + TEXT, "some dir/a,b:c.gbnf"))
    assert subtract_baseline(moved, known, Path()) == ()
    more = lint_text(Source(TEXT + 'lost ::= "x"\n', "some dir/a,b:c.gbnf"))
    assert [d.code for d in subtract_baseline(more, known, Path())] == ["STR004"]
