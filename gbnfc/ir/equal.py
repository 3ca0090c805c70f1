"""Rules that say the same, found by refining a partition (Moore 1956, "Gedanken-experiments on
sequential machines", section 3, with rules for states and references for transitions).

In: a `Grammar`. Out: for each rule that says what an earlier one says, the name of that one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from gbnfc.ir.analysis import definitions
from gbnfc.ir.nodes import Choice, Expression, Grammar, Repeat, RuleRef, Sequence
from gbnfc.ir.walk import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

Form: TypeAlias = "tuple[Hashable, ...]"


def equal_rules(grammar: Grammar) -> dict[str, str]:
    """Return for each rule the first rule with the same unfolding, where that is another one.

    Two rules have the same unfolding when their bodies are the same but for references, and those
    lead, place by place, to rules with the same unfolding. The root counts as the first rule.

    `a ::= "x" a | "y"`, `b ::= "x" a | "y"` → `{"b": "a"}`
    """
    forms = {name: _form(rule.body) for name, rule in definitions(grammar).items()}
    classes = _refined(forms)
    first: dict[int, str] = {}
    for name in _root_first(forms, grammar.root):
        first.setdefault(classes[name], name)
    return {name: first[number] for name, number in classes.items() if first[number] != name}


def _refined(forms: dict[str, tuple[Form, tuple[str, ...]]]) -> dict[str, int]:
    """Return the coarsest classes of rules whose forms are equal and lead to equal classes.

    Of a class that splits the largest part keeps its number, and only rules that use a moved one
    are looked at again (Hopcroft 1971, "An n log n algorithm for minimizing states").
    """
    classes = _numbered({name: form for name, (form, _) in forms.items()})
    members: dict[int, set[str]] = {}
    users: dict[str, list[str]] = {}
    for name, number in classes.items():
        members.setdefault(number, set()).add(name)
        for used in dict.fromkeys(forms[name][1]):
            users.setdefault(used, []).append(name)

    def leads_to(name: str) -> tuple[int | str, ...]:
        # A name that is not defined is told apart by itself.
        return tuple(classes.get(used, used) for used in forms[name][1])

    pending = set(classes)
    while pending:
        asked: dict[int, set[str]] = {}
        for name in pending:
            asked.setdefault(classes[name], set()).add(name)
        pending = set()
        for number, names in asked.items():
            for part in _parts_to_move(members[number], names, leads_to):
                members[number] -= part
                members[len(members)] = part
                classes |= dict.fromkeys(part, len(members) - 1)
                pending.update(user for name in part for user in users.get(name, ()))
    return classes


def _parts_to_move(
    members: set[str], asked: set[str], leads_to: Callable[[str], tuple[int | str, ...]]
) -> list[set[str]]:
    """Return the parts into which `members` fall, without the largest.

    Those that are not `asked` lead where they led, all to the same.
    """
    parts: dict[tuple[int | str, ...], set[str]] = {}
    for name in asked:
        parts.setdefault(leads_to(name), set()).add(name)
    sizes = {key: len(part) for key, part in parts.items()}
    if left := len(members) - len(asked):
        of_left = leads_to(next(name for name in members if name not in asked))
        sizes[of_left] = sizes.get(of_left, 0) + left
    largest = max(sizes, key=sizes.__getitem__)
    if left and of_left != largest:
        parts.setdefault(of_left, set()).update(members - asked)
    return [part for key, part in parts.items() if key != largest]


def _form(body: Expression) -> tuple[Form, tuple[str, ...]]:
    """Return `body` without the names that it refers to, in prefix notation, and these names."""
    form: list[Any] = []
    uses: list[str] = []
    for node in walk(body):
        match node:
            case RuleRef(name=name):
                form.append(RuleRef)
                uses.append(name)
            case Sequence(items=items):
                form += (Sequence, len(items))
            case Choice(alternatives=alternatives):
                form += (Choice, len(alternatives))
            case Repeat(minimum=minimum, maximum=maximum):
                form += (Repeat, minimum, maximum)
            case _:
                form.append(node)
    return tuple(form), tuple(uses)


def _numbered(keys: dict[str, Any]) -> dict[str, int]:
    numbers: dict[Any, int] = {}
    return {name: numbers.setdefault(key, len(numbers)) for name, key in keys.items()}


def _root_first(names: Iterable[str], root: str) -> Iterable[str]:
    return sorted(names, key=lambda name: name != root)
