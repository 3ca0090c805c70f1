"""How long patterns, products and formats take to become automata and grammars.

    python tests/bench/bench_regex.py [DATA.jsonl[.gz]]

Prints the best of several runs beside the target; DATA (MaskBench-like) adds the total over all of
its patterns. Caches are passed by: the functions behind them are measured.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "campaigns"))

from regex_campaign import patterns_of

from gbnfc.errors import LimitExceeded, PatternError
from gbnfc.ir.names import NameAllocator
from gbnfc.regex import Content, Dfa, compile_pattern, emit_string
from gbnfc.regex.tree import emit_pattern
from gbnfc.schema.formats import FORMAT_NAMES, format_automaton

if TYPE_CHECKING:
    from collections.abc import Callable

compile_fresh = compile_pattern.__wrapped__


def best_ms(work: Callable[[], object], runs: int = 5) -> float:
    """Return the shortest time of `runs` runs, in milliseconds."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times) * 1000


def bounded_hyphens() -> object:
    dfa = compile_fresh("^[a-z0-9-]+$") & Dfa.of_length(1, 255)
    return emit_string(dfa, NameAllocator(), "text", Content.JSON)


def two_of_fifty() -> object:
    one = compile_fresh("^(?:[a-m]+[0-9]{2}-?){12}[a-z]*$")
    two = compile_fresh("^(?:[a-z]{1,3}[0-9]*[.-]?){12}$")
    assert min(one.state_count, two.state_count) >= 45
    return one & two


def date_time() -> object:
    language = format_automaton("date-time", "2020-12")
    assert language is not None
    return emit_string(compile_fresh(language.pattern), NameAllocator(), "text", Content.JSON)


ROWS: list[tuple[str, float, Callable[[], object]]] = [
    ("^[a-z0-9-]+$ with lengths 1-255, to grammar", 20, bounded_hyphens),
    ("two intersected patterns of 50 states", 50, two_of_fifty),
    ("date-time, to grammar", 30, date_time),
    (r"^\p{L}+$ (tables loaded)", 30, lambda: compile_fresh(r"^\p{L}+$")),
    ("500 choices", 20, lambda: Dfa.of_strings(f"item-{n * 7919}" for n in range(500))),
    ("10,000 choices", 1000, lambda: Dfa.of_strings(f"item-{n * 7919}" for n in range(10_000))),
]


def main() -> None:
    """Print the table."""
    compile_fresh(r"\p{L}")
    for name, target, work in ROWS:
        print(f"{best_ms(work):8.1f} ms  (target {target:g} ms)  {name}")
    for name in FORMAT_NAMES:
        language = format_automaton(name, "2020-12")
        assert language is not None
        pattern = language.pattern
        print(f"{best_ms(lambda p=pattern: compile_fresh(p), 3):8.1f} ms  format {name}")
    if len(sys.argv) > 1:
        total(Path(sys.argv[1]))


def total(path: Path) -> None:
    """Compile and write every pattern of a data file once."""
    patterns = patterns_of(path)
    exact, compile_s, emit_s, worst = 0, 0.0, 0.0, (0.0, "")
    for pattern in patterns:
        start = time.perf_counter()
        try:
            compile_fresh(pattern)
            compiled = time.perf_counter()
            emit_pattern(pattern, NameAllocator(), "text")
            exact += 1
        except (PatternError, LimitExceeded):
            compiled = time.perf_counter()
        emit_s += time.perf_counter() - compiled
        compile_s += compiled - start
        worst = max(worst, (compiled - start, pattern))
    print(
        f"{len(patterns)} patterns: {compile_s:.1f} s to automata, {emit_s:.1f} s to grammars, "
        f"{exact / len(patterns):.2%} exact, slowest {worst[0]:.2f} s: {worst[1][:70]}"
    )


if __name__ == "__main__":
    main()
