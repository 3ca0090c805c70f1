"""Conditions beside each other that tell values apart: `if`/`then` in a row become one `oneOf`.

    allOf: [if kind is a then A, if kind is b then B]
    → oneOf: [kind is a, and A;  kind is b, and B;  kind is neither]

The canonical form multiplies conditions out, 2 to the power of their number, before it finds that
few combinations are possible. So which are is found out first: values are cut by one condition
after the other, and what no value is in is dropped. What is left are cases without common values,
each with the `then` and `else` that apply in it, and as many as there are conditions, or few more.

Where most combinations are possible, and there are more than the library can compare with each
other (it takes ten times as long for each condition more), each becomes a definition:

    allOf: [if a then A, if b then B]
    → anyOf: [ref to: not a, not b;  ref to: A, not b;  ref to: not a, B;  ref to: A, B]

In: a schema as Python data, and what reads one into canonical form. Out: an equivalent schema.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias

from jsonschema_rs.canonical import (
    AllOfView,
    CanonicalizationError,
    NotView,
    RawView,
    ReferenceView,
    Satisfiability,
)

from gbnfc.documents.pointer import follow_pointer, fragment_pointer
from gbnfc.errors import GbnfcError, InputError
from gbnfc.schema.source.rewrite import edit_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from gbnfc.schema.read.canonical import Node

MAX_WORK = 20_000
"""Conditions on the same keys are held against each other, a hundred of them in 0.4 s. When so many
pairs were, the others stay as they are."""

_MAX_APPLIED = 4_000
"""So many subschemas in all the cases: an `else` applies in all but one."""

_FEWEST_COMBINED = 17
_MAX_COMBINED = 64
"""Combinations that are written as definitions: fewer are quick, more make too large a grammar."""

_MAX_INLINED = 8
"""References within a condition lead at most this far."""

_FIRST_WITH_IF = 7

_ANNOTATIONS = frozenset({"$comment", "title", "description"})
_NAMED = frozenset({"$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor"})
_DYNAMIC = frozenset({"$dynamicRef", "$recursiveRef"})
_MOVED = re.compile("/(allOf|if|then|else)(/|$)")
_BRANCHES = ("if", "then", "else")
_MIXED = frozenset({"$ref", "unevaluatedItems", "unevaluatedProperties"} | _NAMED | _DYNAMIC)
"""What cannot be parted from `if`, or makes it count for nothing (draft 7: `$ref`)."""

_PLAIN = _ANNOTATIONS.union(
    ("type", "const", "enum", "properties", "required", "allOf", "anyOf", "oneOf", "not")
)
_UNCLEAR = (AllOfView, NotView, RawView, ReferenceView)

_Read: TypeAlias = "Callable[[Any], Node]"


@dataclass(frozen=True, slots=True)
class _Conditional:
    """`if`, and what applies where it holds and where it does not (`True`: nothing)."""

    condition: Any
    then: Any
    otherwise: Any
    inside: Node
    outside: Node


@dataclass(frozen=True, slots=True)
class _Case:
    """Values, and which of the conditions hold of them."""

    values: Node
    holds: tuple[bool, ...]


def with_switches(schema: Any, read: _Read, *, looks_back: bool) -> Any:
    """Return `schema` with conditions that tell values apart written as `oneOf`.

    `looks_back` says that some keyword depends on what others evaluated (`unevaluatedProperties`).
    It is returned as it is where references lead into what would move.
    """
    if any(_MOVED.search(reference) for reference in _references(schema)):
        return schema
    rewriter = _Rewriter(schema, read, looks_back)
    written = edit_schema(schema, rewriter.edit)
    if rewriter.combinations:
        written["$defs"] = {**written.get("$defs", {}), **rewriter.combinations}
    return written if rewriter.has_changed else schema


def _references(schema: Any) -> Iterator[str]:
    pending = [schema]
    for value in pending:
        if isinstance(value, dict):
            if isinstance(reference := value.get("$ref"), str):
                yield reference
            pending += value.values()
        elif isinstance(value, list):
            pending += value


class _Rewriter:
    def __init__(self, source: Any, read: _Read, looks_back: bool) -> None:
        self._source = source
        self._looks_back = looks_back
        self._dialect = {k: v for k, v in source.items() if k == "$schema"}
        self._read_schema = read
        self.has_changed = False
        self.combinations: dict[str, Any] = {}
        """Definitions to be added to the document."""
        self._work = 0

    def edit(self, pointer: str, keywords: Mapping[str, Any]) -> dict[str, Any]:
        """Return `keywords`, those of a subschema, with its conditions in cases."""
        branches = keywords.get("allOf")
        if not isinstance(branches, list):
            return dict(keywords)
        own = {k: v for k, v in keywords.items() if k in _BRANCHES}
        rest = {k: v for k, v in keywords.items() if k not in _BRANCHES}
        parts = [self._parted(branch) for branch in branches]
        written = [*parts, (own, None)] if "if" in own and self._knows_if else parts
        if sum(bool(conditional) for conditional, _ in written) < 2:
            return dict(keywords)
        groups: dict[frozenset[str], dict[int, _Conditional]] = {}
        for number, (conditional, _) in enumerate(written):
            if conditional and (found := self._conditional(conditional)) is not None:
                groups.setdefault(_keys(found.condition), {})[number] = found
        cases: list[Any] = []
        moved: set[int] = set()
        for names, group in groups.items():
            work = len(group) ** 2
            if len(group) > 1 and self._work + work <= MAX_WORK:
                self._work += work
                switch = _Switch([*group.values()], self._looks_back, self._is_seen(names, rest))
                starts = [node for node in self._starts(rest) if node is not None]
                made = switch.made(starts) or self._combined(switch, starts)
                if made is not None:
                    cases.append(made)
                    moved.update(group)
        if not moved:
            return dict(keywords)
        self.has_changed = True
        kept = [parts[n][1] if n in moved else branch for n, branch in enumerate(branches)]
        left = own if len(branches) not in moved else {}
        return {**rest, **left, "allOf": [*(b for b in kept if b is not None), *cases]}

    def _combined(self, switch: _Switch, starts: list[Node]) -> dict[str, Any] | None:
        """Return the combinations of `switch` as references to new definitions."""
        if self._looks_back or self._has_identifiers:
            return None
        combined = switch.combined(starts)
        taken = self._source.get("$defs", {}).keys() | self.combinations.keys()
        free = (name for n in count(1) if (name := f"case-{n}") not in taken)
        named = dict(zip(free, combined, strict=False))
        self.combinations |= named
        return {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in named]} if named else None

    def _parted(self, branch: Any) -> tuple[dict[str, Any] | None, Any]:
        said, rest = _parted(branch)
        if said is None:
            return None, branch
        # What B evaluates in "not A, or B" counts without A too.
        is_clear = self._knows_if if "if" in branch else not self._looks_back
        return (said, rest) if is_clear else (None, branch)

    @cached_property
    def _knows_if(self) -> bool:
        everything = self._node(True)
        return everything is not None and everything.draft >= _FIRST_WITH_IF

    def _is_seen(self, names: frozenset[str], around: Mapping[str, Any]) -> bool:
        """Return whether it may matter that a condition evaluates `names`, and they are not
        evaluated anyway."""
        declared = around.get("properties")
        is_declared = isinstance(declared, dict) and names <= declared.keys()
        return self._looks_back and not is_declared

    def _starts(self, around: Mapping[str, Any]) -> Iterator[Node | None]:
        """Yield the nodes of what is cut into cases: objects, and other values if there are any."""
        yield self._node({"type": "object"})
        if around.get("type") != "object":
            yield self._node({"type": [*_OTHER_TYPES]})

    def _conditional(self, branch: Mapping[str, Any]) -> _Conditional | None:
        condition = self._inlined(branch["if"], 0)
        if condition is None or _is_named([branch.get("then"), branch.get("else")]):
            return None
        if self._looks_back and not _speaks_plainly(condition):
            return None
        inside = self._node(condition)
        if inside is None or (outside := self._complement(inside)) is None:
            return None
        then, otherwise = branch.get("then", True), branch.get("else", True)
        return _Conditional(condition, then, otherwise, inside, outside)

    def _inlined(self, schema: Any, depth: int) -> Any | None:
        """Return the condition `schema` without references; `None` where that is not possible."""
        if isinstance(schema, list):
            parts = [self._inlined(part, depth) for part in schema]
            return None if None in parts and None not in schema else parts
        if not isinstance(schema, dict):
            return schema
        if depth > _MAX_INLINED or not (_NAMED | _DYNAMIC).isdisjoint(schema):
            return None
        if isinstance(reference := schema.get("$ref"), str):
            if len(schema) > 1 or not reference.startswith("#") or self._has_identifiers:
                return None
            try:
                target = follow_pointer(self._source, fragment_pointer(reference[1:]))
            except InputError:
                return None
            return self._inlined(target, depth + 1)
        found = {key: self._inlined(value, depth + 1) for key, value in schema.items()}
        lost = [key for key, value in found.items() if value is None and schema[key] is not None]
        return None if lost else found

    @cached_property
    def _has_identifiers(self) -> bool:
        """Whether some part of the document is a document of its own."""
        return any(_is_named(value) for value in self._source.values())

    def _node(self, schema: Any) -> Node | None:
        if not isinstance(schema, dict):
            schema = {} if schema else {"not": {}}
        try:
            node = self._read_schema({**schema, **self._dialect})
        except GbnfcError:
            return None
        return None if isinstance(node.view(), _UNCLEAR) else node

    def _complement(self, node: Node) -> Node | None:
        try:
            outside = node.negate()
        except CanonicalizationError:
            return None
        return None if isinstance(outside.view(), _UNCLEAR) else outside


@dataclass(frozen=True, slots=True)
class _Switch:
    """Conditions on the same keys; `is_seen` says that it matters what they evaluate."""

    group: list[_Conditional]
    looks_back: bool
    is_seen: bool

    def made(self, starts: list[Node]) -> dict[str, Any] | None:
        """Return the `oneOf` that means what the conditions do; `None`: it has too many cases."""
        cases = _cases(self.group, [_Case(node, ()) for node in starts])
        if cases is None:
            return None
        values: dict[tuple[bool | None, ...], Node] = {}
        for case in cases:
            key = tuple(map(self._told, self.group, case.holds))
            known = values.get(key)
            try:
                values[key] = case.values if known is None else known.union(case.values)
            except CanonicalizationError:
                return None
        applied = [self._applied(key) for key in values]
        if sum(map(len, applied)) > _MAX_APPLIED:
            return None
        nodes = values.values()
        if self.looks_back:
            return self._chain([*zip(nodes, applied, strict=True)])
        return {"oneOf": [self._case(n, found) for n, found in zip(nodes, applied, strict=True)]}

    def combined(self, starts: list[Node]) -> list[dict[str, Any]]:
        """Return schemas whose union means what the conditions do; none: they are few, or too many.

        Where a condition holds its `then` applies. That it holds need not be said, if there is no
        `else`: in what is left the `then` holds of values of which it need not.
        """
        start = [_Case(node, ()) for node in starts]
        cases = _cases(self.group, start, most=_MAX_COMBINED + len(start)) or []
        if len(cases) < _FEWEST_COMBINED:
            return []
        found: list[dict[str, Any]] = []
        for key in dict.fromkeys(case.holds for case in cases):
            guards = [
                conditional.inside if holds else conditional.outside
                for conditional, holds in zip(self.group, key, strict=True)
                if self._told(conditional, not holds) is not None
            ]
            applied = self._applied(tuple(map(self._told, self.group, key)))
            try:
                node = reduce(_both, guards) if guards else None
            except CanonicalizationError:
                return []
            if node is not None and isinstance(node.view(), _UNCLEAR):
                return []
            plain = {"allOf": applied} if applied else {}
            found.append(plain if node is None else self._case(node, applied))
        return found

    def _chain(self, cases: list[tuple[Node, list[Any]]]) -> dict[str, Any]:
        """Return one `if` in the `else` of the other.

        Of a `oneOf` the library asks for each set of branches what it evaluates.
        """
        chain: dict[str, Any] = {}
        for values, applied in reversed(cases):
            then = {"allOf": applied} if applied else {}
            chain = {"if": self._case(values, []), "then": then, "else": chain}
        return chain

    def _told(self, conditional: _Conditional, holds: bool) -> bool | None:
        """Return which branch applies; `None` where it says nothing."""
        branch = conditional.then if holds else conditional.otherwise
        says_nothing = branch is True or branch == {}
        return None if says_nothing and not (self.is_seen and holds) else holds

    def _applied(self, key: tuple[bool | None, ...]) -> list[Any]:
        """Return the subschemas that apply in a case.

        Where it matters what is evaluated, a condition that holds is one of them.
        """
        found: list[Any] = []
        for conditional, holds in zip(self.group, key, strict=True):
            if holds is not None:
                found.append(conditional.then if holds else conditional.otherwise)
            if holds and self.is_seen:
                found.append(conditional.condition)
        return found

    def _case(self, values: Node, applied: list[Any]) -> dict[str, Any]:
        guard: Any = values.to_json_schema()
        if not isinstance(guard, dict):
            return {"allOf": [guard, *applied]}
        guard.pop("$schema", None)
        if self.is_seen:  # two negations: the guard evaluates nothing
            guard = {"not": {"not": guard}}
        return {**guard, "allOf": [*guard.get("allOf", ()), *applied]} if applied else guard


_OTHER_TYPES = ("null", "boolean", "number", "string", "array")


def _both(one: Node, other: Node) -> Node:
    return one.intersect(other)


def _cases(
    group: list[_Conditional], cases: list[_Case], *, most: int | None = None
) -> list[_Case] | None:
    """Return `cases` cut by each of the conditions; `None` where they come to too many."""
    most = most or 2 * len(group) + len(cases) + 1
    try:
        for conditional in group:
            cases = list(_cut(cases, conditional))
            if len(cases) > most or any(isinstance(c.values.view(), _UNCLEAR) for c in cases):
                return None
    except CanonicalizationError:
        return None
    return cases


def _cut(cases: Iterable[_Case], conditional: _Conditional) -> Iterator[_Case]:
    for case in cases:
        inside = case.values.intersect(conditional.inside)
        if inside.satisfiability() == Satisfiability.NO:
            yield _Case(case.values, (*case.holds, False))
            continue
        yield _Case(inside, (*case.holds, True))
        outside = case.values.intersect(conditional.outside)
        if outside.satisfiability() != Satisfiability.NO:
            yield _Case(outside, (*case.holds, False))


def is_conditional(schema: Mapping[str, Any]) -> bool:
    """Return whether `schema` may say what holds of values that satisfy some condition."""
    return "if" in schema or ("anyOf" in schema and _implication(schema) is not None)


def _parted(schema: Any) -> tuple[dict[str, Any] | None, Any]:
    """Return the `if`, `then` and `else` that `schema` says, and what else (`None`: nothing)."""
    if not isinstance(schema, dict) or not _MIXED.isdisjoint(schema):
        return None, schema
    rest = {k: v for k, v in schema.items() if k not in _BRANCHES}
    if "if" in schema and len(rest) < len(schema) - 1:
        said = {k: v for k, v in schema.items() if k in _BRANCHES}
        return said, rest if rest.keys() - _ANNOTATIONS else None
    if schema.keys() - _ANNOTATIONS == {"anyOf"}:
        return _implication(schema), None
    return None, schema


def _implication(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return as `if` and `then` what `schema` says as "not A, or B"."""
    match schema.get("anyOf"):
        case [{"not": condition, **others}, then] | [then, {"not": condition, **others}]:
            return None if others else {"if": condition, "then": then}
        case _:
            return None


def _speaks_plainly(condition: Any) -> bool:
    """Return whether `condition` evaluates no keys but those that it names."""
    pending = [condition]
    for schema in pending:
        if isinstance(schema, list):
            pending += schema
        elif isinstance(schema, dict):
            if not schema.keys() <= _PLAIN:
                return False
            pending += [schema[k] for k in ("allOf", "anyOf", "oneOf", "not") if k in schema]
    return True


def _keys(condition: Any) -> frozenset[str]:
    """Return the keys of an object that `condition` speaks of."""
    found: set[str] = set()
    pending = [condition]
    for schema in pending:
        if isinstance(schema, list):
            pending += schema
        elif isinstance(schema, dict):
            found.update(schema.get("properties", ()), schema.get("required", ()))
            pending += [schema[k] for k in ("allOf", "anyOf", "oneOf", "not") if k in schema]
    return frozenset(found)


def _is_named(schema: Any) -> bool:
    """Return whether something in `schema` has a name of its own, which must stand once."""
    pending = [schema]
    for value in pending:
        if isinstance(value, dict):
            if any(isinstance(value.get(keyword), str) for keyword in _NAMED):
                return True
            pending += value.values()
        elif isinstance(value, list):
            pending += value
    return False
