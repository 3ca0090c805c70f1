"""What the emitters of strings, arrays and objects may ask of the one that holds the grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

from gbnfc.ir.nodes import Choice, Expression, Rule, RuleRef

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from gbnfc.ir.equal import Signature
    from gbnfc.ir.names import NameAllocator
    from gbnfc.regex import CharRules, Dfa
    from gbnfc.schema.emit.whitespace import Layout
    from gbnfc.schema.options import CompileOptions
    from gbnfc.schema.read.canonical import Node
    from gbnfc.schema.read.lower import Resolver
    from gbnfc.schema.read.schemas import Schema
    from gbnfc.schema.report import Effect
    from gbnfc.schema.source.source_map import Places, SourceMap

NEVER = Choice(())
"""The expression of no text at all; rules that need it are pruned at the end."""


def is_never(expression: Expression) -> bool:
    """Return whether `expression` is `NEVER`."""
    return isinstance(expression, Choice) and not expression.alternatives


KeyRests: TypeAlias = "dict[Hashable, dict[Hashable, dict[str, RuleRef]]]"
"""The rules made for the ends of keys beside one name (`schema.keys`): by what follows other keys,
by what follows the name, by the end of the name."""


class Context(Protocol):
    """The state of one compilation: the grammar so far, its names, and the source beside it."""

    options: CompileOptions
    resolver: Resolver
    source_map: SourceMap
    names: NameAllocator
    chars: CharRules
    layout: Layout
    draft: str
    keys: dict[Dfa, RuleRef]
    """The rules made for the contents of keys, with the closing quote."""
    key_rests: KeyRests

    def value(self, node: Node | None, places: Places, hint: str, depth: int) -> Expression:
        """Return an expression for the values of `node` (`None`: any value)."""

    def atoms(self, node: Node | None, places: Places) -> tuple[Schema, ...]:
        """Return the atoms of `node`, reporting what they do not hold."""

    def conjunction(self, nodes: Iterable[Node], places: Places) -> Node:
        """Return the intersection of `nodes`, reporting where it is not exact."""

    def rule(self, hint: str, body: Expression) -> RuleRef:
        """Return a reference to a rule with this body; equal bodies share one rule."""

    def new_rule(self, hint: str, body: Expression, made: Signature | None = None) -> RuleRef:
        """Return a reference to a new rule with this body: for large ones, where to look for an
        equal one takes long. Equal rules become one in the end.

        `made` is an outline that says as much as that of the body would, where one is at hand."""

    def repeated(
        self, body: Expression, minimum: int, maximum: int | None, hint: str
    ) -> Expression:
        """Return `body` repeated within the engine's limits, however large the bounds."""

    def add(self, rules: Iterable[Rule]) -> None:
        """Add finished rules, whose names came from `names`."""

    def note(self, rule: RuleRef, places: Places) -> RuleRef:
        """Note for which place `rule` was made: the first that says more than where to look."""

    def report(self, places: Places, keyword: str, effect: Effect, message: str) -> None:
        """Report `keyword` at each of `places` (and what applies with them) that has it."""
