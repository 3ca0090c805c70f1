"""Hold compiled patterns against independent engines, pattern by pattern.

    python tests/campaigns/regex_campaign.py DATA.jsonl[.gz] [--grammars] [--seed N]

DATA is MaskBench-like: one `{"schema": …}` a line. Every `pattern` and `patternProperties` key in
it is compiled; strings of its language, of the complement and mutated ones go to jsonschema-rs, and
to Python's `re` where the dialects agree. Differences that a clause of ECMA-262 decides are counted
apart (`known_difference`). With --grammars the emitted grammar, JSON content, is held against the
automaton instead, by our own matcher and by llama.cpp.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import sys
import time
import unicodedata
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "helpers"))

import jsonschema_rs
from judge import EngineJudge
from regex_strings import judged_strings

from gbnfc.errors import LimitExceeded, PatternError
from gbnfc.gbnf.parse import parse_gbnf
from gbnfc.gbnf.write import write_gbnf
from gbnfc.ir.names import NameAllocator
from gbnfc.ir.nodes import Grammar, Rule
from gbnfc.match import Verdict, match_text
from gbnfc.regex import Content, Dfa, compile_pattern, emit_pattern

# What Python reads otherwise: `{,n}`, named groups, `\Z`, properties, look-behind of any width, …
_OTHER_IN_PYTHON = re.compile(r"\{,|\(\?[<Pi]|\\[ZAahpPkczuU]|\[\^?\]|\\b|\\B|\[[^\]]*\[")


def patterns_of(path: Path) -> list[str]:
    """Return the distinct patterns of all schemas in a JSONL file, in order of appearance."""
    found: dict[str, None] = {}
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            pending: list[Any] = [json.loads(line)["schema"]]
            while pending:
                node = pending.pop()
                if isinstance(node, dict):
                    if isinstance(node.get("pattern"), str):
                        found[node["pattern"]] = None
                    if isinstance(node.get("patternProperties"), dict):
                        found.update(dict.fromkeys(node["patternProperties"]))
                    pending += node.values()
                elif isinstance(node, list):
                    pending += node
    return list(found)


def known_difference(pattern: str, text: str) -> str | None:
    """Return the clause of ECMA-262 by which jsonschema-rs 0.61 reads `pattern` wrongly here."""
    if "(?" in pattern and "." in pattern and re.search("[\r\u2028\u2029]", text):
        # Its engine for look-arounds lets `.` match every line terminator but the line feed.
        return "22.2.2.7 CompileAtom: `.` matches no LineTerminator (12.3)"
    if "(?" in pattern and re.search(r"\\[wWdDsS]", pattern) and not text.isascii():
        # The same engine reads the classes as those of Unicode.
        return "22.2.2.7.2 CharacterClassEscape: `\\w` and `\\d` are ASCII, `\\s` is a list"
    if re.search(r"\\[bB]", pattern) and not text.isascii():
        # Its word characters are those of Unicode, for borders only.
        return "22.2.2.7.3 IsWordChar: A-Z, a-z, 0-9 and _, without the flags i and u"
    if r"\p" in pattern.lower() and any(unicodedata.category(char) == "Cn" for char in text):
        return "22.2.2.9 UnicodeMatchProperty: a younger Unicode than that of this Python"
    if re.search(r"\\[<>]", pattern):
        # It reads `\<` and `\>` as the borders of a word.
        return "B.1.2 IdentityEscape: `\\<` is the character"
    return None


def disagreements(pattern: str, dfa: Dfa, seed: int, count: int = 20) -> list[str]:
    """Return a line for each string on which another engine differs from `dfa`."""
    texts = judged_strings(dfa, random.Random(f"{seed} {pattern}"), count)
    found = []
    try:
        schema = jsonschema_rs.Draft202012Validator({"pattern": pattern})
    except (ValueError, jsonschema_rs.ValidationError):
        schema = None
    for text in texts:
        ours = dfa.accepts(text)
        if schema is not None and known_difference(pattern, text) is None:
            found += _difference("jsonschema-rs", pattern, text, ours, schema.is_valid(text))
    python = _python_pattern(pattern)
    for text in texts if python else ():
        if text.isascii() and text.isprintable():
            found += _difference(
                "re", pattern, text, dfa.accepts(text), bool(python and python.search(text))
            )
    return found


def grammar_disagreements(
    pattern: str, dfa: Dfa, judge: EngineJudge, seed: int, count: int = 8
) -> list[str]:
    """Return a line for each string on which the emitted grammar differs from `dfa`."""
    if dfa.is_empty():
        return []
    body, rules = emit_pattern(pattern, NameAllocator(), "text", Content.JSON)
    text = write_gbnf(Grammar((Rule("root", body), *rules)))
    grammar = parse_gbnf(text)
    found = []
    with judge.loaded(text) as sampler:
        for string in judged_strings(dfa, random.Random(f"{seed} {pattern}"), count):
            content = json.dumps(string, ensure_ascii=False)[1:-1]
            ours = dfa.accepts(string)
            matched = match_text(grammar, content).verdict is Verdict.ACCEPTED
            found += _difference("matcher", pattern, string, ours, matched)
            if judge.text_of(judge.tokens(content)) == content.encode():
                engine = judge.accepts(sampler, content)
                found += _difference("llama.cpp", pattern, string, ours, engine)
    return found


def _difference(judge: str, pattern: str, text: str, ours: bool, theirs: bool) -> list[str]:
    if ours == theirs:
        return []
    return [f"{judge}: {pattern!r} on {text!r}: ours {ours}, theirs {theirs}"]


def _python_pattern(pattern: str) -> re.Pattern[str] | None:
    if _OTHER_IN_PYTHON.search(pattern):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return re.compile(pattern, re.ASCII)
    except (re.error, OverflowError):
        return None


def main() -> None:
    """Run over a whole data file and print what differs."""
    options = argparse.ArgumentParser()
    options.add_argument("data", type=Path)
    options.add_argument("--grammars", action="store_true")
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    patterns, seed = patterns_of(given.data), given.seed
    judge = EngineJudge() if given.grammars else None
    counts = {"exact": 0, "refused": 0, "limit": 0, "disagreements": 0}
    compile_s = 0.0
    for pattern in patterns:
        start = time.perf_counter()
        try:
            dfa = compile_pattern(pattern)
        except PatternError as error:
            counts["refused"] += 1
            print(f"refused {pattern!r}: {error.message}")
            continue
        except LimitExceeded as error:
            counts["limit"] += 1
            print(f"limit {pattern!r}: {error.message}")
            continue
        finally:
            compile_s += time.perf_counter() - start
        counts["exact"] += 1
        if judge is None:
            found = disagreements(pattern, dfa, seed)
        else:
            found = grammar_disagreements(pattern, dfa, judge, seed)
        counts["disagreements"] += len(found)
        for line in found[:3]:
            print(line)
    print(f"{len(patterns)} patterns, compiled in {compile_s:.1f} s: {counts}")


if __name__ == "__main__":
    main()
