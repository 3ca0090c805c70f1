"""How fast the matcher is. Run: `python tests/bench/bench_match.py`.

Prints characters per second on JSON under `grammars/json.gbnf` (goal: 200,000, with a matcher that
has seen nothing yet), the time of `forced_text` on an object with 50 properties (goal: 1 ms), and
the time of what an engine does per token. Each figure is the best of several runs, in processor
time.
"""

from __future__ import annotations

import json
import random
import time
from typing import TYPE_CHECKING, Any

from gbnfc.gbnf.parse import parse_gbnf
from gbnfc.library import library_grammar
from gbnfc.match import Matcher, Verdict, compile_matcher, match_text, sample

if TYPE_CHECKING:
    from collections.abc import Callable

RUNS = 5


def main() -> None:
    """Measure and print."""
    grammar = library_grammar("json")
    text = json.dumps([_value(random.Random(n), 5) for n in range(400)], indent=1)
    print(f"json.gbnf, {len(text):,} characters of indented JSON")
    fresh = _best(lambda: compile_matcher(grammar), lambda program: _accept(program, text))
    print(f"  fresh matcher     {len(text) / fresh:>12,.0f} characters/s   (goal 200,000)")
    program = compile_matcher(grammar)
    _accept(program, text)
    warm = _best(lambda: program, lambda program: _accept(program, text))
    print(f"  warm matcher      {len(text) / warm:>12,.0f} characters/s")
    deep = "[" * 5_000 + "]" * 5_000
    nested = _best(lambda: compile_matcher(grammar), lambda program: _accept(program, deep))
    print(f"  5,000 levels deep {len(deep) / nested:>12,.0f} characters/s")
    compiled = _best(lambda: grammar, compile_matcher)
    print(f"  compile_matcher   {compiled * 1e3:.2f} ms")

    members = ' ", " '.join(rf'"\"property-{n}\": " value-{n}' for n in range(50))
    values = "\n".join(f'value-{n} ::= "true"' for n in range(50))
    constant = parse_gbnf(f'root ::= "{{" {members} "}}"\n{values}')
    forced = _best(lambda: Matcher(compile_matcher(constant)), lambda m: m.forced_text())
    print("an object of 50 constant properties")
    print(f"  forced_text, fresh {forced * 1e3:.3f} ms   (goal 1)")
    matcher = Matcher(compile_matcher(constant))
    matcher.forced_text()
    warm_forced = _best(lambda: matcher, lambda m: m.forced_text())
    print(f"  forced_text, warm  {warm_forced * 1e3:.3f} ms")

    tokens = [text[at : at + 4] for at in range(0, len(text), 4)]
    per_token = _best(lambda: Matcher(program), lambda m: _tokens(m, tokens)) / len(tokens)
    print(f"copy and advance over 4 characters: {per_token * 1e6:.2f} µs")
    sampled = _best(
        lambda: random.Random(1), lambda rng: [sample(program, rng) for _ in range(200)]
    )
    print(f"sample: {sampled / 200 * 1e3:.2f} ms per text")


def _accept(program: Any, text: str) -> None:
    if match_text(program, text).verdict is not Verdict.ACCEPTED:
        raise SystemExit("the text is not accepted: nothing was measured")


def _tokens(matcher: Matcher, tokens: list[str]) -> None:
    for token in tokens:
        matcher = matcher.copy()
        matcher.advance(token)


def _best(prepare: Callable[[], Any], work: Callable[[Any], Any]) -> float:
    times = []
    for _ in range(RUNS):
        prepared = prepare()
        began = time.process_time()
        work(prepared)
        times.append(time.process_time() - began)
    return min(times)


def _value(rng: random.Random, depth: int) -> Any:
    match rng.randrange(7 if depth else 4):
        case 0:
            return rng.random() * 1000
        case 1:
            return rng.randrange(10**6)
        case 2:
            return "".join(rng.choice('abc defghé\n"日本') for _ in range(rng.randrange(30)))
        case 3:
            return rng.choice([True, False, None])
        case 4 | 5:
            return {f"key{n}": _value(rng, depth - 1) for n in range(rng.randrange(6))}
        case _:
            return [_value(rng, depth - 1) for _ in range(rng.randrange(6))]


if __name__ == "__main__":
    main()
