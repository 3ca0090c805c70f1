"""Hold a compiled grammar against its schema by examples, in both directions.

In: a way to draw texts of the grammar, a way to ask it about a text, a judge of values. Out: the
texts on which grammar and schema differ. Texts are drawn and judged; those that are valid are
changed a little, and what is still valid is written canonically and must belong to the grammar.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice, permutations
from typing import TYPE_CHECKING, Any

from gbnfc.schema.check.oracle import read_value
from gbnfc.schema.emit.literals import scalar_text
from gbnfc.schema.report import Effect, ReportEntry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from random import Random

    from gbnfc.schema.check.oracle import Validity

_TRIES_PER_INSTANCE = 20
_MAX_ORDERS = 120
_MAX_DIGITS = 100
_MAX_KEPT = 200
"""Of so many valid samples changed ones are made."""


@dataclass(frozen=True, slots=True)
class CounterExample:
    """A text on which grammar and schema differ.

    `effect` is `WIDER` when the grammar accepts what the schema refuses, else `NARROWER`;
    `admitted` tells that the report says so.
    """

    text: str
    effect: Effect
    message: str
    admitted: bool


@dataclass(frozen=True, slots=True)
class Verification:
    """What was tried: `samples` of the grammar, valid `instances`; who could not be judged."""

    samples: int
    instances: int
    undecided: int
    counter_examples: tuple[CounterExample, ...]

    @property
    def holds(self) -> bool:
        """Whether the report admits each difference that was found."""
        return all(example.admitted for example in self.counter_examples)


@dataclass(frozen=True, slots=True)
class Subject:
    """A compiled grammar as functions.

    `draw` makes a text of the grammar, `accepts` tells whether a text belongs to it, `judge`
    whether the schema allows a value. `accepts` wants texts with no blanks when `compact`, else as
    `json.dumps` writes them.
    """

    report: tuple[ReportEntry, ...]
    draw: Callable[[], str]
    accepts: Callable[[str], bool]
    judge: Callable[[Any], Validity]
    compact: bool = False


def verify(subject: Subject, count: int, rng: Random) -> Verification:
    """Draw `count` texts and make as many valid instances, and return where the two differ.

    Invalid values that come up on the way must not belong to the grammar.
    """
    found: dict[str, CounterExample] = {}
    valid: list[Any] = []
    undecided = instances = 0
    for _ in range(count):
        text = subject.draw()
        example, value, validity = judge_text(subject, text)
        if example is not None:
            found.setdefault(text, example)
        elif validity is not None and validity.valid is None:
            undecided += 1
        elif len(valid) < _MAX_KEPT:
            valid.append(value)
    for value, validity in changed_values(subject, valid, count * _TRIES_PER_INSTANCE, rng):
        instances += validity.valid is True
        example = _refused(subject, value) if validity.valid else accepted(subject, value, validity)
        if example is not None:
            found.setdefault(example.text, example)
        if instances == count:
            break
    return Verification(count, instances, undecided, tuple(found.values()))


def judge_text(subject: Subject, text: str) -> tuple[CounterExample | None, Any, Validity | None]:
    """Return whether the schema refuses `text`, a text of the grammar; its value; the opinion."""
    try:
        value = read_value(text)
    except ValueError as error:
        return CounterExample(text, Effect.WIDER, f"not JSON: {error}", False), None, None
    validity = subject.judge(value)
    if validity.valid is not False:
        return None, value, validity
    admitted = any(explains(entry, validity) for entry in subject.report)
    return CounterExample(text, Effect.WIDER, validity.message, admitted), value, validity


def accepted(subject: Subject, value: Any, validity: Validity) -> CounterExample | None:
    """Return `value` as a counter-example when it is invalid and the grammar accepts it."""
    text = canonical_text(value, compact=subject.compact)
    if validity.valid is not False or not subject.accepts(text):
        return None
    admitted = any(explains(entry, validity) for entry in subject.report)
    return CounterExample(text, Effect.WIDER, validity.message, admitted)


def explains(entry: ReportEntry, validity: Validity) -> bool:
    """Return whether `entry` admits that values are accepted which `validity` calls invalid."""
    return entry.effect is Effect.WIDER and (
        not validity.keywords or entry.keyword in validity.keywords
    )


def _refused(subject: Subject, value: Any) -> CounterExample | None:
    text = canonical_text(value, compact=subject.compact)
    if subject.accepts(text):
        return None
    # Some orders of keys are refused on purpose: see the option `order`.
    for other in islice(_reordered(value), _MAX_ORDERS):
        if subject.accepts(canonical_text(other, compact=subject.compact)):
            return None
    admitted = any(entry.effect is Effect.NARROWER for entry in subject.report)
    return CounterExample(text, Effect.NARROWER, "the schema allows it", admitted)


# --- writing -------------------------------------------------------------------------------------


def canonical_text(value: Any, *, compact: bool = False) -> str:
    """Return `value` as the compiler's grammars want it written, with or without blanks."""
    comma, colon = (",", ":") if compact else (", ", ": ")

    def write(value: Any) -> str:
        match value:
            case dict():
                members = [scalar_text(key) + colon + write(part) for key, part in value.items()]
                return "{" + comma.join(members) + "}"
            case list():
                return "[" + comma.join(map(write, value)) + "]"
            case Decimal() if abs(value.adjusted()) < _MAX_DIGITS:
                return format(value, "f")
            case _:
                return scalar_text(value)

    return write(value)


# --- variants ------------------------------------------------------------------------------------


def changed_values(
    subject: Subject, valid: list[Any], tries: int, rng: Random
) -> Iterator[tuple[Any, Validity]]:
    """Yield different values near those of `valid`, with the judge's opinion of each."""
    seen: set[str] = set()
    pool = [part for value in valid for _, _, part in _slots([value]) if _is_scalar(part)]
    for _ in range(tries if valid else 0):
        value = _changed(rng.choice(valid), pool, rng)
        key = canonical_text(value)
        if key not in seen:
            seen.add(key)
            yield value, subject.judge(value)


def _is_scalar(value: Any) -> bool:
    return not isinstance(value, dict | list)


def _slots(root: list[Any]) -> list[tuple[Any, Any, Any]]:
    """Return each value below `root` with the container and the key or index that holds it."""
    found: list[tuple[Any, Any, Any]] = []
    stack: list[Any] = [root]
    while stack:
        container = stack.pop()
        keyed: Iterable[tuple[Any, Any]] = (
            container.items() if isinstance(container, dict) else enumerate(container)
        )
        for key, value in keyed:
            found.append((container, key, value))
            if not _is_scalar(value):
                stack.append(value)
    return found


def _changed(value: Any, pool: list[Any], rng: Random) -> Any:
    root = [deepcopy(value)]
    container, key, part = rng.choice(_slots(root))
    if isinstance(container, dict) and rng.random() < 0.4:
        del container[key]
    elif isinstance(container, list) and container is not root and rng.random() < 0.4:
        if rng.random() < 0.5:
            container.pop()
        else:
            container.append(deepcopy(part))
    elif _is_scalar(part):
        container[key] = _near(part, pool, rng)
    elif part:
        part.popitem() if isinstance(part, dict) else part.pop()
    return root[0]


def _near(value: Any, pool: list[Any], rng: Random) -> Any:
    """Return a scalar near `value`: the next number, a longer text, or one seen elsewhere."""
    if pool and rng.random() < 0.2:
        return rng.choice(pool)
    match value:
        case bool():
            return not value
        case int():
            return rng.choice([value + 1, value - 1, -value, value * 10, 0, value + Decimal("0.5")])
        case Decimal() if abs(value.adjusted()) < _MAX_DIGITS:
            return rng.choice([value + 1, -value, value * 2, 0])
        case str():
            return rng.choice([value[:-1], value[1:], value + "a", value + value, "", value + "é"])
        case _:
            return value


def _reordered(value: Any) -> Iterator[Any]:
    """Yield `value` with the keys of one of its objects in other orders."""
    root = [deepcopy(value)]
    for container, key, part in _slots(root):
        if isinstance(part, dict) and len(part) > 1:
            for order in permutations(part.items()):
                container[key] = dict(order)
                yield root[0]
            container[key] = part
