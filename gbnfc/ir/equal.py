"""Rules that say the same, found by refining a partition (Hopcroft 1971, "An n log n algorithm for
minimizing states in a finite automaton", with rules for states and references for transitions).

In: an `Signature` of each rule. Out: for each rule that says what an earlier one says, the name of
that one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gbnfc.frozen import frozen
from gbnfc.ir.nodes import CharClass, Choice, Expression, Literal, Repeat, RuleRef, Sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping


@frozen
class Signature:
    """A rule's body without the names that it refers to, and these names.

    `form` is the body in prefix notation, parts from the last to the first: what a node is and how
    many parts it has. `uses` are the names in the body's order, `needs` each of them once.
    `has_dead_parts` tells whether it holds a choice between no alternatives, which matches nothing.
    `copies` is the product of the bounds of its repetitions.
    """

    form: tuple[Hashable, ...]
    uses: tuple[str, ...]
    needs: tuple[str, ...]
    has_dead_parts: bool
    copies: int = 1


def signature(body: Expression) -> Signature:
    """Return the outline of `body`."""
    form: list[Any] = []
    uses: list[str] = []
    has_dead_parts = False
    copies = 1
    pending = [body]
    # Every node of every grammar passes here: the fastest tests there are, one entry for a node.
    while pending:
        node = pending.pop()
        if type(node) is RuleRef:
            form.append(None)
            uses.append(node.name)
        elif type(node) is Sequence:
            form.append(len(node.items))
            pending += node.items
        elif type(node) is Choice:
            form.append(~len(node.alternatives))
            pending += node.alternatives
            has_dead_parts = has_dead_parts or not node.alternatives
        elif type(node) is Literal:
            form.append(node.text)
        elif type(node) is CharClass:
            form.append((node.ranges, node.negated))
        elif type(node) is Repeat:
            form.append((node.minimum, node.maximum))
            copies *= node.maximum or node.minimum or 1
            pending.append(node.body)
        else:
            form.append(node)
    uses.reverse()
    return Signature(tuple(form), tuple(uses), tuple(dict.fromkeys(uses)), has_dead_parts, copies)


def equal_rules(signatures: Mapping[str, Signature], root: str) -> dict[str, str]:
    """Return for each rule the first rule with the same unfolding, where that is another one.

    Two rules have the same unfolding when their bodies are the same but for references, and those
    lead, place by place, to rules with the same unfolding. The root counts as the first rule.

    `a ::= "x" a | "y"`, `b ::= "x" a | "y"` → `{"b": "a"}`
    """
    first: dict[int, str] = {}
    classes = _refined(signatures)
    for name in sorted(signatures, key=lambda name: name != root):
        first.setdefault(classes[name], name)
    return {name: first[number] for name, number in classes.items() if first[number] != name}


def _refined(signatures: Mapping[str, Signature]) -> dict[str, int]:
    """Return the coarsest classes of rules whose forms are equal and lead to equal classes.

    Of a class that splits the largest part keeps its number, and only rules that use a moved one
    are looked at again.
    """
    numbers: dict[Any, int] = {}
    classes = {n: numbers.setdefault(rule.form, len(numbers)) for n, rule in signatures.items()}
    if len(numbers) == len(classes):
        return classes
    members: list[set[str]] = [set() for _ in numbers]
    for name, number in classes.items():
        members[number].add(name)

    def leads_to(name: str) -> tuple[int | str, ...]:
        # A name that is not defined is told apart by itself.
        return tuple(classes.get(used, used) for used in signatures[name].uses)

    users: dict[str, list[str]] = {}
    pending = {name for names in members if len(names) > 1 for name in names}
    while pending:
        asked: dict[int, set[str]] = {}
        for name in pending:
            if len(members[classes[name]]) > 1:
                asked.setdefault(classes[name], set()).add(name)
        pending = set()
        for number, names in asked.items():
            for part in _parts_to_move(members[number], names, leads_to):
                members[number] -= part
                classes |= dict.fromkeys(part, len(members))
                members.append(part)
                users = users or _users(signatures)
                pending.update(user for name in part for user in users.get(name, ()))
    return classes


def _users(signatures: Mapping[str, Signature]) -> dict[str, list[str]]:
    """Return for each name that is referred to the rules that do."""
    users: dict[str, list[str]] = {}
    for name, rule in signatures.items():
        for used in rule.needs:
            users.setdefault(used, []).append(name)
    return users


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
