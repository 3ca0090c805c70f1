"""Keys of objects: which names are allowed, and the contents of those beyond the declared ones.

The complement of a list of names is written straight from their trie. It says what the automaton of
the complement says, in a tenth of the time, and most objects need it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from gbnfc.charset import SCALARS, CharSet
from gbnfc.ir.build import sequence
from gbnfc.ir.nodes import Choice, Expression, Literal, RuleRef, Sequence
from gbnfc.regex import Dfa
from gbnfc.regex.spelling import ESCAPED, class_expression
from gbnfc.schema.shapes import StringShape, TypeShape, ValueShape
from gbnfc.schema.strings import language_content, string_language

if TYPE_CHECKING:
    from gbnfc.schema.canonical import Node
    from gbnfc.schema.context import Context
    from gbnfc.schema.source_map import Places

_MOST_NESTED = 6
"""A trie is written in place to this depth; deeper nodes get a rule."""

_LONGEST_NAME = 200
"""Names longer than this are left to the automaton, which does not recurse."""

_QUOTE = Literal('"')


@dataclass(frozen=True, slots=True)
class AllowedNames:
    """The names that `propertyNames` allows: `listed` ones, and a language beside them or none."""

    listed: tuple[str, ...]
    language: Dfa | None

    def accepts(self, name: str) -> bool:
        """Return whether `name` is allowed."""
        return name in self.listed or (self.language is not None and self.language.accepts(name))

    @property
    def beyond_listed(self) -> Dfa:
        """The language beside the listed names."""
        return Dfa.nothing() if self.language is None else self.language

    @property
    def everything(self) -> Dfa:
        """All allowed names."""
        return self.beyond_listed | Dfa.of_strings(self.listed)


def allowed_names(node: Node, places: Places, context: Context) -> AllowedNames | None:
    """Return the names that the `propertyNames` schema `node` allows; `None`: all of them."""
    listed: list[str] = []
    language: Dfa | None = None
    for atom in context.atoms(node, places):
        match atom:
            case TypeShape(name="string"):
                return None
            case StringShape():
                more = string_language(atom, places, context)
                language = more if language is None else language | more
            case ValueShape(value=str() as name):
                listed.append(name)
    return AllowedNames(tuple(listed), language)


def key_content(keys: Dfa, hint: str, context: Context) -> Expression:
    """Return the expression of the content of `keys` and the closing quote."""
    if keys.is_everything():
        return RuleRef("key")
    body = sequence([language_content(keys, hint, context), _QUOTE])
    return context.rule(hint, body)


def other_key_content(names: tuple[str, ...], hint: str, context: Context) -> Expression:
    """Return the expression of the content of all keys but `names`, and the closing quote."""
    if not names:
        return RuleRef("key")
    if any(len(name) > _LONGEST_NAME or _needs_escape(name) for name in names):
        return key_content(Dfa.everything() - Dfa.of_strings(names), hint, context)
    return context.rule(hint, _avoiding(sorted(names), 0, hint, context))


def _avoiding(names: list[str], depth: int, hint: str, context: Context) -> Expression:
    """Return the contents that are none of the sorted `names`, which share what came before."""
    by_first: dict[str, list[str]] = {}
    for name in names:
        by_first.setdefault(name[:1], []).append(name[1:])
    may_end = by_first.pop("", None) is None
    branches: list[Expression] = [_any_but("".join(by_first))]
    for first, group in by_first.items():
        inner = _avoiding(group, depth + 1, hint, context)
        if depth and depth % _MOST_NESTED == 0:
            inner = context.rule(f"{hint}-rest", inner)
        parts = inner.items if isinstance(inner, Sequence) else (inner,)
        branches.append(Sequence((Literal(first), *parts)))
    if may_end:
        branches.append(_QUOTE)
    return Choice(tuple(branches)) if len(branches) > 1 else branches[0]


@lru_cache(maxsize=4096)
def _any_but(chars: str) -> Expression:
    """Return a first character that is none of `chars`, and any rest of a key."""
    others = class_expression(SCALARS - ESCAPED - CharSet.from_chars(chars))
    return Sequence((Choice((others, RuleRef("escape"))), RuleRef("key")))


def _needs_escape(name: str) -> bool:
    return any(ord(char) in ESCAPED for char in name)
