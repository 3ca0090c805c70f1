"""Keys of objects: which names are allowed, and the contents of those beyond the declared ones.

The complement of a list of names is written straight from their trie. It says what the automaton of
the complement says, in a tenth of the time, and most objects need it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from gbnfc.charset import SCALARS, CharSet
from gbnfc.ir.build import choice, sequence
from gbnfc.ir.equal import Signature, signature
from gbnfc.ir.nodes import CharClass, Choice, Expression, Literal, RuleRef, Sequence
from gbnfc.regex import Dfa
from gbnfc.regex.spelling import ESCAPED, class_expression
from gbnfc.schema.emit.literals import scalar_text, trie
from gbnfc.schema.emit.strings import language_content, string_language
from gbnfc.schema.read.schemas import StringSchema, TypeSchema, ValueSchema

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from gbnfc.schema.emit.context import Context
    from gbnfc.schema.emit.members import Region
    from gbnfc.schema.read.canonical import Node
    from gbnfc.schema.source.source_map import Places

_MAX_NESTED = 6
"""A trie is written in place to this depth; deeper nodes get a rule."""

_MAX_NAME_LENGTH = 200
"""Names longer than this are left to the automaton, which does not recurse."""

_FIRST_BEYOND_ASCII = 0x80

_QUOTE = Literal('"')
_ESCAPE = RuleRef("escape")

_Known: TypeAlias = "tuple[str, Expression | None]"
"""What is left of a name, and its closing quote with what follows; `None`: it is not written."""


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
    """Return the names that the schema `node` of names allows; `None`: all of them.

    Where the source has no `propertyNames` they are those that match one of its patterns, because
    it has `additionalProperties: false`.
    """
    source_map = context.source_map
    said = tuple(
        source_map.child(place, "propertyNames")
        for place in source_map.flatten(places)
        if isinstance(place.schema, dict) and "propertyNames" in place.schema
    )
    of_patterns = "pattern" if said else "additionalProperties"
    listed: list[str] = []
    language: Dfa | None = None
    for atom in context.atoms(node, said or places):
        match atom:
            case TypeSchema(name="string"):
                return None
            case StringSchema():
                more = string_language(atom, said or places, context, of_patterns=of_patterns)
                language = more if language is None else language | more
            case ValueSchema(value=str() as name):
                listed.append(name)
    return AllowedNames(tuple(listed), language)


def key_content(keys: Dfa, hint: str, context: Context) -> Expression:
    """Return the expression of the content of `keys` and the closing quote."""
    if keys.is_everything():
        return RuleRef("key")
    known = context.keys.get(keys)
    if known is None:
        body = sequence([language_content(keys, hint, context), _QUOTE])
        known = context.keys[keys] = context.rule(hint, body)
    return known


def other_key_content(names: Iterable[str], hint: str, context: Context) -> Expression:
    """Return the expression of the content of all keys but `names`, and the closing quote."""
    names = sorted(names)
    if not names:
        return RuleRef("key")
    if any(map(_is_odd, names)):
        return key_content(Dfa.everything() - Dfa.of_strings(names), hint, context)
    others = _Others(_QUOTE, RuleRef("key"), hint, context)
    return others.rule(hint, [(name, None) for name in names])


def region_key(region: Region, hint: str, context: Context) -> Expression:
    """Return the expression of the content of the keys of `region`, and the closing quote."""
    if region.allowed is None:
        return other_key_content(region.excluded, f"{hint}-key", context)
    return key_content(region.keys, f"{hint}-key", context)


def member_trie(ends: Mapping[str, Expression]) -> Expression:
    """Return the members of the keys of `ends`, from behind the opening quote.

    `ends` gives what follows each closing quote. Shared starts stand once:
    `{"name": x, "note": y}` → `"n" ("ame\\"" x | "ote\\"" y)`
    """
    return trie({scalar_text(name)[1:]: end for name, end in ends.items()})


def open_member(
    values: Mapping[str, Expression],
    excluded: Iterable[str],
    other: Expression,
    hint: str,
    context: Context,
) -> RuleRef:
    """Return the members of the keys of `values`, and `other` for any key but these and `excluded`.

    One trie serves both, so that the engine follows a key with a single stack.
    """
    name, hint = f"{hint}-member", f"{hint}-key"
    colon = context.layout.colon()
    names = dict.fromkeys(excluded) | dict.fromkeys(values)
    if not names or any(map(_is_odd, names)):
        ends = {name: sequence([colon, value]) for name, value in values.items()}
        others = sequence([other_key_content(names, hint, context), colon, other])
        return context.new_rule(name, choice([*([member_trie(ends)] if ends else []), others]))
    any_rest = context.rule(f"{hint}-rest", sequence([RuleRef("key"), colon, other]))
    closing = sequence([_QUOTE, colon])
    written: list[_Known] = [
        (key, sequence([closing, values[key]]) if key in values else None) for key in sorted(names)
    ]
    return _Others(sequence([closing, other]), any_rest, hint, context).rule(name, written)


@dataclass(slots=True)
class _Others:
    """Writes the contents of keys beside known ones: `end` is the closing quote and what follows.

    `any_rest` is any end of a key, then `end`.
    """

    end: Expression
    any_rest: RuleRef
    hint: str
    context: Context
    _unlike: dict[str, Expression] = field(default_factory=dict)
    _rests: dict[Hashable, dict[str, RuleRef]] = field(init=False)
    _signatures: dict[int, Signature] = field(default_factory=dict)
    _needs: list[str] = field(default_factory=list)
    """The rules that what is being written refers to, as it comes."""

    def __post_init__(self) -> None:
        rest = self._outlined(self.end)
        key = (rest.form, rest.uses, self.any_rest.name)
        self._rests = self.context.key_rests.setdefault(key, {})

    def rule(self, hint: str, names: list[_Known]) -> RuleRef:
        """Return a rule for the contents of all keys beside the sorted `names`, and these."""
        return self._rule(hint, self._content(names, 0), names, 0)

    def _rule(self, hint: str, body: Expression, names: list[_Known], start: int) -> RuleRef:
        """Return a rule for `body`, what may follow the start that `names` share.

        Its outline is what makes it: most of a large grammar is such rules, and to walk through
        their bodies would take longer than to write them. What it needs came from `start` on.
        """
        ends = [self._outlined(end) for _, end in names if end is not None]
        rest = self._outlined(self.end)
        uses = [self.any_rest.name, *rest.uses]
        for end in ends:
            uses += end.uses
        known = tuple([(name, end and self._signatures[id(end)].form) for name, end in names])
        needs = dict.fromkeys([_ESCAPE.name, self.any_rest.name, *self._needs[start:]])
        is_dead = any(end.has_dead_parts for end in (rest, *ends))
        made = Signature(("keys", rest.form, known), tuple(uses), tuple(needs), is_dead)
        reference = self.context.new_rule(hint, body, made)
        self._needs[start:] = [reference.name]
        return reference

    def _outlined(self, end: Expression) -> Signature:
        known = self._signatures.get(id(end))
        if known is None:
            known = self._signatures[id(end)] = signature(end)
        return known

    def _content(self, names: list[_Known], depth: int) -> Expression:
        """Return what may follow the start that the sorted `names` share (and have lost)."""
        if len(names) == 1 and names[0][0]:
            return self._beside(*names[0])
        by_first: dict[str, list[_Known]] = {}
        for name, end in names:
            by_first.setdefault(name[:1], []).append((name[1:], end))
        ends = by_first.pop("", None)
        branches = [self._any_but("".join(by_first))]
        for first, group in by_first.items():
            start = len(self._needs)
            inner = self._content(group, depth + 1)
            if depth and depth % _MAX_NESTED == 0:
                inner = self._rule(f"{self.hint}-rest", inner, group, start)
            branches.append(sequence([_letter(first), inner]))
        end = self.end if ends is None else ends[0][1]
        if end is not None:
            branches.append(end)
            self._needs += self._outlined(end).uses
        return Choice(tuple(branches)) if len(branches) > 1 else branches[0]

    def _beside(self, name: str, end: Expression | None) -> Expression:
        # What `_content` does for a single name, from its end to its start: most of a trie is such,
        # and names often end alike (`minValue`, `maxValue`).
        own = None if end is None else self._outlined(end)
        known = self._rests.setdefault(own and (own.form, own.uses), {})
        start = len(self._needs)
        rest_uses = self._outlined(self.end).uses
        done = next((size for size in _whole_steps(len(name)) if name[-size:] in known), 0)
        if done:
            inner: Expression = known[name[-done:]]
            self._needs.append(known[name[-done:]].name)
        elif end is None or own is None:
            inner = self._any_but("")
        else:
            inner = Choice((self._any_but(""), end))
            self._needs += own.uses
        self._needs += rest_uses
        for size in range(done + 1, len(name) + 1):
            first = name[-size]
            follows = inner.items if isinstance(inner, Sequence) else (inner,)
            go_on = Sequence((_letter(first), *follows))
            inner = Choice((self._any_but(first), go_on, self.end))
            if size % _MAX_NESTED == 0 and size < len(name):
                suffix = name[-size:]
                inner = self._rule(f"{self.hint}-rest", inner, [(suffix, end)], start)
                known[suffix] = inner
                self._needs += rest_uses
        return inner

    def _any_but(self, chars: str) -> Expression:
        """Return a first character that is none of `chars`, and any rest of a key."""
        known = self._unlike.get(chars)
        if known is None:
            known = self._unlike[chars] = Sequence((_char_unlike(chars), self.any_rest))
        return known


@lru_cache(maxsize=4096)
def _letter(char: str) -> Literal:
    return Literal(char)


@lru_cache(maxsize=4096)
def _char_unlike(chars: str) -> Expression:
    excluded = ESCAPED | CharSet.from_chars(chars)
    if excluded.ranges[-1][1] < _FIRST_BEYOND_ASCII:  # what `class_expression` would find out
        return Choice((CharClass(excluded.ranges, negated=True), _ESCAPE))
    return Choice((class_expression(SCALARS - excluded), _ESCAPE))


def _whole_steps(size: int) -> range:
    """Return the sizes of the ends of a name of `size` that have rules, longest first."""
    return range((size - 1) // _MAX_NESTED * _MAX_NESTED, 0, -_MAX_NESTED)


def _is_odd(name: str) -> bool:
    """Return whether `name` is left to the automaton: it needs an escape, or would nest deeply."""
    return len(name) > _MAX_NAME_LENGTH or len(scalar_text(name)) != len(name) + 2
