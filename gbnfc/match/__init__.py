"""Matching: does a text belong to a grammar, where does it stop, what may come next.

`network` grammar → static positions · `costs` how few characters finish · `closure` what a place
can do · `states` the parser as a lazily built automaton · `matcher` the questions · `sampling`
random texts of a grammar · `alphabet` characters that no class tells apart.
"""

from gbnfc.match.matcher import Matcher, MatchResult, Verdict, compile_matcher, match_text
from gbnfc.match.sampling import sample
from gbnfc.match.states import Program

__all__ = [
    "MatchResult",
    "Matcher",
    "Program",
    "Verdict",
    "compile_matcher",
    "match_text",
    "sample",
]
