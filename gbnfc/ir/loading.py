"""Would llama.cpp load this grammar, and if not, why?

In: a `Grammar`. Out: a `Refusal` or None. This follows `llama_grammar_parser` and
`llama_grammar_init_impl` in `src/llama-grammar.cpp` of the llama.cpp in llama-cpp-python 0.3.36
through everything that decides about loading: the numbering of symbols, the rules that groups and
repetitions generate, and the check for left recursion, which misses some cycles. Left out is what
depends on a vocabulary: whether `<…>` is one token.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from gbnfc.errors import LimitExceeded
from gbnfc.ir.graph import components, shortest_cycle
from gbnfc.ir.nodes import (
    MAX_DEPTH,
    MAX_REPETITION,
    CharClass,
    Choice,
    Expression,
    Grammar,
    Literal,
    Repeat,
    Rule,
    RuleRef,
    Sequence,
)
from gbnfc.ir.walk import walk

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_CHECK_STEPS = 10**9
"""More steps of llama.cpp's check for left recursion, which may take exponentially many, count as
never: they would take half a minute to years."""


class RefusalKind(Enum):
    """Why a grammar does not load."""

    NO_RULES = "no rules"
    NO_ROOT = "no root"
    UNDEFINED = "undefined rule"
    REPETITION = "repetition"
    LEFT_RECURSION = "left recursion"
    ENDLESS = "endless"
    CRASH = "crash"

    @property
    def is_answered(self) -> bool:
        """Whether llama.cpp says no, rather than hanging, eating all memory or crashing."""
        return self not in (RefusalKind.ENDLESS, RefusalKind.CRASH)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why llama.cpp does not load a grammar: it says no, or it does not survive the question.

    `rule` is where the reason lies, `repeat` the repetition, `cycle` the rules of a left recursion.
    """

    kind: RefusalKind
    message: str
    rule: str | None = None
    repeat: Repeat | None = None
    cycle: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.message


def engine_refusal(grammar: Grammar, *, as_spelled: bool = False) -> Refusal | None:
    """Return why llama.cpp would not load `write_gbnf(grammar)`, or None when it would.

    With `as_spelled`, `grammar` comes from `parse_spelling` and the answer is about that text.

    Raises: `LimitExceeded` for an expression higher than `MAX_DEPTH`.
    """
    return next(iter(engine_refusals(grammar, as_spelled=as_spelled)), None)


def engine_refusals(grammar: Grammar, *, as_spelled: bool = False) -> tuple[Refusal, ...]:
    """Return every reason of the first stage that refuses: all repetitions, or all names, …"""
    if not grammar.rules:
        return (Refusal(RefusalKind.NO_RULES, "the grammar has no rules"),)
    sketch = _Sketch(chained=as_spelled)
    for rule in grammar.rules:
        sketch.add(rule.name, rule.body)
    checks: tuple[Callable[[_Sketch, str], tuple[Refusal, ...]], ...] = (
        lambda sketch, _: tuple(sketch.refusals),
        _undefined_rules,
        _missing_root,
        _detected_left_recursion,
        _endless_descent,
        _endless_check,
    )
    return next((found for check in checks if (found := check(sketch, grammar.root))), ())


def refused_repeats(rule: Rule) -> tuple[Refusal, ...]:
    """Return the repetitions of `rule` that llama.cpp refuses, inner before outer ones."""
    sketch = _Sketch(chained=False)
    sketch.add(rule.name, rule.body)
    return tuple(sketch.refusals)


def widened_repeats(grammar: Grammar) -> tuple[Repeat, ...]:
    """Return the repetitions whose upper bound llama.cpp silently drops, as it does above 2,000."""
    return tuple(
        node
        for rule in grammar.rules
        for node in walk(rule.body)
        if isinstance(node, Repeat) and is_widened(node)
    )


def is_widened(repeat: Repeat) -> bool:
    """Return whether llama.cpp reads `x{m,n}` as `x{m,}`."""
    return repeat.maximum is not None and repeat.minimum <= MAX_REPETITION < repeat.maximum


_Item: TypeAlias = int | None
"""The number of a rule, or None for a terminal."""


class _Sketch:
    """llama.cpp's flat rules, as far as loading depends on them.

    Rules are numbered as llama.cpp numbers them. Runs are shortened: terminals to one, copies of a
    repeated item to two, rules generated for optional copies to two.
    """

    def __init__(self, *, chained: bool) -> None:
        self._chained = chained
        self._size = 0
        self.numbers: dict[str, int] = {}
        self.rules: dict[int, list[list[_Item]]] = {}
        self.owners: dict[int, str] = {}
        self.refusals: list[Refusal] = []
        self.loops: dict[int, Repeat] = {}
        """The repetitions without bound, by the number of the rule generated for each."""
        self._owner = ""

    @cached_property
    def left_graph(self) -> dict[int, list[int]]:
        """What llama.cpp's check sees: only a rule with an empty alternate counts as empty."""
        empty = {number for number, alternates in self.rules.items() if [] in alternates}
        return {
            number: [
                after
                for items in alternates
                if items and items[0] is not None
                for after, _ in _left_items(items, empty)
            ]
            for number, alternates in self.rules.items()
        }

    @cached_property
    def left_components(self) -> list[list[int]]:
        """The components of `left_graph`."""
        return components(self.left_graph)

    def add(self, name: str, body: Expression) -> None:
        self._owner = name
        number = self._number_of(name)
        self._add_alternates(number, body, 0)

    def _number_of(self, name: str) -> int:
        number = self.numbers.get(name)
        if number is None:
            number = self.numbers[name] = self._size
            self.owners[number] = name
            self._size += 1
        return number

    def _generate(self, count: int = 1) -> int:
        """Number `count` new rules and return the last number."""
        self._size += count
        self.owners[self._size - 1] = self._owner
        return self._size - 1

    def _add_alternates(self, number: int, body: Expression, height: int) -> None:
        if height > MAX_DEPTH:
            raise LimitExceeded(f"an expression is nested deeper than {MAX_DEPTH} levels")
        parts = body.alternatives if isinstance(body, Choice) and body.alternatives else (body,)
        self.rules[number] = [self._items_of(part, height) for part in parts]

    def _items_of(self, part: Expression, height: int) -> list[_Item]:
        items: list[_Item] = []
        for item in part.items if isinstance(part, Sequence) else (part,):
            self._add_item(items, item, height + 1)
        return items

    def _add_item(self, items: list[_Item], item: Expression, height: int) -> int:
        """Add `item`; return its weight, the rules that repeating it once more would cost."""
        match item:
            case RuleRef(name=name):
                items.append(self._number_of(name))
            case Repeat():
                return self._add_repeat(items, item, height)
            case Sequence(items=()) | Literal(text="") | CharClass(ranges=()):
                pass
            case Sequence() | Choice(alternatives=(_, *_)):
                return self._add_group(items, item, height)
            case _:
                items.append(None)
        return 1

    def _add_group(self, items: list[_Item], body: Expression, height: int) -> int:
        before = self._size
        number = self._generate()
        self._add_alternates(number, body, height + 1)
        items.append(number)
        return self._size - before

    def _add_repeat(self, items: list[_Item], repeat: Repeat, height: int) -> int:
        start = len(items)
        body = repeat.body
        if _needs_group(body) and not (self._chained and isinstance(body, Repeat)):
            weight = self._add_group(items, body, height)
        else:
            weight = self._add_item(items, body, height)
        body_items = items[start:]
        minimum = repeat.minimum
        maximum = None if is_widened(repeat) else repeat.maximum
        weight *= maximum or minimum or 1
        self._check_bounds(repeat, weight)
        if minimum == 0:
            del items[start:]
        elif minimum > 1:
            items.extend(body_items)
        if maximum is None:
            number = self._generate()
            self.rules[number] = [[*body_items, number], []]
            self.loops[number] = repeat
            items.append(number)
        elif minimum < maximum:
            items.append(self._add_optional_copies(body_items, maximum - minimum))
        return weight

    def _add_optional_copies(self, body: list[_Item], count: int) -> int:
        number = self._generate()
        self.rules[number] = [body, []]
        if count > 1:
            last = self._generate(count - 1)
            self.rules[last] = [[*body, number], []]
            return last
        return number

    def _check_bounds(self, repeat: Repeat, weight: int) -> None:
        bounds = f"{{{repeat.minimum},{'' if repeat.maximum is None else repeat.maximum}}}"
        where = f"in rule {self._owner}"
        if repeat.minimum > MAX_REPETITION:
            message = f"the repetition {bounds} {where} asks for more than {MAX_REPETITION} copies"
        elif repeat.maximum is not None and repeat.maximum < repeat.minimum:
            message = f"the bounds {bounds} {where} are reversed: llama.cpp runs out of memory"
            self._refuse(RefusalKind.ENDLESS, message, repeat)
            return
        elif weight > MAX_REPETITION:
            message = (
                f"the repetition {bounds} {where} makes {weight} rules, "
                f"more than the {MAX_REPETITION} that llama.cpp allows"
            )
        else:
            return
        self._refuse(RefusalKind.REPETITION, message, repeat)

    def _refuse(self, kind: RefusalKind, message: str, repeat: Repeat) -> None:
        self.refusals.append(Refusal(kind, message, self._owner, repeat))


def _needs_group(body: Expression) -> bool:
    """Return whether `body` is written in parentheses when it is repeated."""
    match body:
        case Sequence() | Repeat() | Literal(text="") | CharClass(ranges=()):
            return True
        case Choice(alternatives=alternatives):
            return bool(alternatives)
        case _:
            return False


def _undefined_rules(sketch: _Sketch, root: str) -> tuple[Refusal, ...]:
    # A name that only occurs under `{0}` leaves no trace in the rules, yet llama.cpp misses it,
    # unless no rule has a higher number.
    highest = max(sketch.rules)
    used = {item for rule in sketch.rules.values() for items in rule for item in items}
    return tuple(
        Refusal(RefusalKind.UNDEFINED, f"the rule {name} is not defined", name)
        for name, number in sketch.numbers.items()
        if number not in sketch.rules and (number < highest or number in used)
    )


def _missing_root(sketch: _Sketch, root: str) -> tuple[Refusal, ...]:
    if root in sketch.numbers and sketch.numbers[root] in sketch.rules:
        return ()
    # A root that only a replaced rule refers to has a number, but none of the rules: llama.cpp
    # reads past their end.
    kind = RefusalKind.CRASH if root in sketch.numbers else RefusalKind.NO_ROOT
    return (Refusal(kind, f"the grammar has no rule named {root}"),)


def _detected_left_recursion(sketch: _Sketch, root: str) -> tuple[Refusal, ...]:
    """Return each repetition of what may be empty, and a cycle of each component."""
    graph = sketch.left_graph
    found: list[Refusal] = []
    for component in sketch.left_components:
        if len(component) == 1 and component[0] not in graph[component[0]]:
            continue
        others = [n for n in sorted(component) if n not in sketch.loops or n not in graph[n]]
        found += [_empty_loop(sketch, number) for number in component if number not in others]
        cycles = (shortest_cycle(graph, number, frozenset(component)) for number in others)
        cycle = next((cycle for cycle in cycles if cycle is not None), None)
        if cycle is not None:
            found.append(_left_recursion(RefusalKind.LEFT_RECURSION, "", sketch, cycle))
    return tuple(found)


def _empty_loop(sketch: _Sketch, number: int) -> Refusal:
    """`("a" | "")*` is `loop ::= group loop |`: where the group may be empty, the loop is first."""
    repeat, owner = sketch.loops[number], sketch.owners[number]
    message = (
        f"left recursion: what a repetition in rule {owner} repeats may be empty, "
        "and llama.cpp repeats by recursion"
    )
    return Refusal(RefusalKind.LEFT_RECURSION, message, owner, repeat, (owner,))


def _left_recursion(
    kind: RefusalKind, addition: str, sketch: _Sketch, cycle: tuple[int, ...]
) -> Refusal:
    owners = [sketch.owners[number] for number in cycle]
    names = tuple(name for i, name in enumerate(owners) if i == 0 or owners[i - 1] != name)
    if len(names) > 1 and names[0] == names[-1]:
        names = names[:-1]
    way = " -> ".join((*names, names[0]))
    return Refusal(kind, f"left recursion: {way}{addition}", names[0], cycle=names)


def _left_items(items: list[_Item], empty: set[int]) -> list[tuple[int, bool]]:
    """Return the rules an alternate may start with, each with whether something follows it."""
    found = []
    for index, item in enumerate(items):
        if item is None:
            break
        found.append((item, index + 1 < len(items)))
        if item not in empty:
            break
    return found


def _endless_descent(sketch: _Sketch, root: str) -> tuple[Refusal, ...]:
    """Find the left recursion that the check misses and on which the stacks then grow for ever.

    A cycle that ends each alternate it passes adds nothing to the stack, and does no harm.
    """
    empty = _nullable(sketch)
    reached = _reachable(sketch, sketch.numbers[root])
    steps = {
        number: [
            step
            for items in alternates
            if items and items[0] is not None
            for step in _left_items(items, empty)
        ]
        for number, alternates in sketch.rules.items()
        if number in reached
    }
    graph = {number: [after for after, _ in found] for number, found in steps.items()}
    for component in map(frozenset, components(graph)):
        for number in sorted(component) if len(component) > 1 else component:
            if any(grows and after in component for after, grows in steps[number]):
                cycle = shortest_cycle(graph, number, component) or (number,)
                missed = ", which llama.cpp does not notice and never gets out of"
                return (_left_recursion(RefusalKind.ENDLESS, missed, sketch, cycle),)
    return ()


def _reachable(sketch: _Sketch, root: int) -> set[int]:
    found = {root}
    pending = [root]
    while pending:
        for items in sketch.rules[pending.pop()]:
            new = {item for item in items if item is not None} - found
            found |= new
            pending.extend(new)
    return found


def _nullable(sketch: _Sketch) -> set[int]:
    # An alternate with a terminal is never empty, so few are left to look at.
    silent: dict[int, list[list[_Item]]] = {}
    used_by: dict[_Item, list[int]] = {}
    for number, alternates in sketch.rules.items():
        for items in alternates:
            if None not in items:
                silent.setdefault(number, []).append(items)
                for item in items:
                    used_by.setdefault(item, []).append(number)
    found: set[int] = set()
    pending = list(silent)
    while pending:
        number = pending.pop()
        if number not in found and any(found.issuperset(items) for items in silent[number]):
            found.add(number)
            pending.extend(used_by.get(number, ()))
    return found


def _endless_check(sketch: _Sketch, root: str) -> tuple[Refusal, ...]:
    """Count the steps of llama.cpp's check, which follows every way down instead of every rule."""
    graph = sketch.left_graph
    steps: dict[int, int] = {}
    for (number,) in sketch.left_components:
        steps[number] = 1 + sum(steps[after] for after in graph[number])
        if steps[number] > MAX_CHECK_STEPS:
            owner = sketch.owners[number]
            message = "llama.cpp's check for left recursion takes exponentially many steps"
            return (Refusal(RefusalKind.ENDLESS, f"{message} in rule {owner}", owner),)
    return ()
