"""ECMA-262 patterns → automata → grammar.

`parse` pattern text → `syntax` tree · `nfa` lays a tree out · `determinise` decides anchors and
look-arounds · `dfa` the finished, minimal value with its set operations (on `tables`, `minimise`) ·
`respell` tree → pattern for another engine ·
`emit` automaton → rules, `tree` simple pattern → readable rule, both through `spelling` (JSON
escapes) and `counted` (bounds) · `grammar` whole grammars for raw text.
"""

from gbnfc.regex.compile import compile_pattern
from gbnfc.regex.dfa import Dfa
from gbnfc.regex.emit import emit_string
from gbnfc.regex.grammar import choices_grammar, regex_grammar
from gbnfc.regex.respell import Reader, respell
from gbnfc.regex.spelling import CharRules, Content
from gbnfc.regex.tables import MAX_STATES
from gbnfc.regex.tree import emit_pattern

__all__ = [
    "MAX_STATES",
    "CharRules",
    "Content",
    "Dfa",
    "Reader",
    "choices_grammar",
    "compile_pattern",
    "emit_pattern",
    "emit_string",
    "regex_grammar",
    "respell",
]
