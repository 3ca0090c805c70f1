"""GBNF text to tidy GBNF text: what `gbnfc fmt` does.

Parentheses that say nothing are left out, but where llama.cpp needs them: it sees whether a rule
may be empty only where an alternative of its own is (`llama_grammar_detect_left_recursion` in
0.3.36), so `(("a" | ""))*` loads and `("a" | "")*` is refused as a left recursion; and it counts
the rules of groups against its limit for repetitions. The result is checked as llama.cpp would
load it, and rules that it would refuse keep the parentheses they had.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gbnfc.gbnf.parse import parse_concrete, parse_gbnf
from gbnfc.gbnf.write import write_gbnf
from gbnfc.ir.loading import engine_refusal

if TYPE_CHECKING:
    from gbnfc.ir.nodes import Grammar


def format_gbnf(text: str, name: str = "<string>") -> str:
    """Return `text` laid out anew: same grammar, same comments; formatting twice changes nothing.

    What llama.cpp loads it loads afterwards, and each comment keeps its neighbours.

    Raises: `GbnfSyntaxError` for a text that is not GBNF.
    """
    grammar = parse_gbnf(text, name)
    formatted = write_gbnf(grammar, source=text)
    spelling = parse_concrete(text, name)
    kept: set[str] = set()
    while (refused := _refused_rules(formatted)) and _loads(spelling):
        new = refused - kept
        kept |= new or {rule.name for rule in grammar.rules}
        formatted = _write_mixed(grammar, spelling, frozenset(kept), text)
        if not new:
            break
    return formatted


def _write_mixed(plain: Grammar, spelling: Grammar, kept: frozenset[str], text: str) -> str:
    """Write the rules named `kept` as they were spelled, the others plainly."""
    pairs = zip(plain.rules, spelling.rules, strict=True)
    rules = tuple(written if rule.name in kept else rule for rule, written in pairs)
    return write_gbnf(replace(plain, rules=rules), source=text, chained=kept)


def _loads(spelling: Grammar) -> bool:
    return engine_refusal(spelling, as_spelled=True) is None


def _refused_rules(text: str) -> set[str]:
    refusal = engine_refusal(parse_concrete(text), as_spelled=True)
    if refusal is None:
        return set()
    return {*refusal.cycle, refusal.rule or ""}
