"""llama.cpp's own grammars say what their comments say: texts they accept and refuse, two judges.

The grammars are not ours to copy: set GBNFC_LLAMA_GRAMMARS to the `grammars` folder of llama.cpp.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gbnfc.gbnf.parse import parse_gbnf
from gbnfc.match import Verdict, match_text

if TYPE_CHECKING:
    from judge import EngineJudge

FOLDER = os.environ.get("GBNFC_LLAMA_GRAMMARS")

# grammar, texts that belong to it, texts that do not
TABLE = [
    (
        "arithmetic",
        ["1 +2 = 3\n", "x = y\n", "(a*2)/b = c\n"],
        ["1 + 2 = 3\n", "1 += 3\n", "1 = 2", "A = 1\n"],
    ),
    (
        "chess",
        ["1. e4 e5\n2. Nf3 Nc6\n", "1. O-O O-O-O\n12. exd8=Q+ Kh1#\n"],
        ["2. e4 e5\n3. a4 a5\n", "1. e9 e5\n2. a4 a5\n", "1. e4 e5\n", "1. e4 e5\n123. a4 a5\n"],
    ),
    ("english", ["Hello, world!", "a b\nc\td"], ["", "na\u00efve", "two  blanks", " a"]),
    (
        "japanese",
        ["\u3053\u3093\u306b\u3061\u306f", "\u65e5\u672c \u30ab\u30ca"],
        ["", "abc", "\u3042a"],
    ),
    ("json", ['{"a": [1, 2.5e3, "x\\n", null]}', "{}"], ["[1]", '{"a": 01}', '{"a": "\n"}']),
    ("json_arr", ['[\n1,\n{"a": true}]', "[\n]"], ["[1]", '{"a": 1}', "[\n1]\n"]),
    ("list", ["- one\n", "- one\n- two\n"], ["", "one\n", "- one", "- a\rb\n", "- a\x85b\n"]),
    ("c", ["int main(){return 0;}"], ["main(){", "int 1x(){}"]),
]


@pytest.mark.skipif(not FOLDER, reason="set GBNFC_LLAMA_GRAMMARS to llama.cpp's grammars folder")
@pytest.mark.parametrize(("name", "accepted", "refused"), TABLE, ids=[row[0] for row in TABLE])
def test_grammars_of_llama_cpp(
    name: str, accepted: list[str], refused: list[str], judge: EngineJudge
) -> None:
    text = (Path(FOLDER or "") / f"{name}.gbnf").read_text(encoding="utf-8")
    grammar = parse_gbnf(text, name)
    sampler = judge.load(text)
    for candidate in (*accepted, *refused):
        belongs = match_text(grammar, candidate).verdict is Verdict.ACCEPTED
        assert belongs == (candidate in accepted), candidate
        assert judge.accepts(sampler, candidate) == belongs, candidate
