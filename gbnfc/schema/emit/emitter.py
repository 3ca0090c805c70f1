"""Atoms → grammar: the one that holds the grammar while a schema is compiled.

Objects and arrays become rules, one for each (shape, source places, depth), made from a work list
so that no nesting of a schema nests calls. Equal rule bodies share one rule.
"""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any

from gbnfc.charset import SCALARS
from gbnfc.errors import LimitExceeded
from gbnfc.ir.build import EMPTY_TEXT, choice
from gbnfc.ir.factor import factor
from gbnfc.ir.names import NameAllocator
from gbnfc.ir.nodes import Expression, Literal, Rule, RuleRef
from gbnfc.ir.walk import references
from gbnfc.regex import CharRules, Content, Dfa
from gbnfc.regex.counted import Repetitions
from gbnfc.regex.spelling import ESCAPED
from gbnfc.schema.emit.arrays import array_expression
from gbnfc.schema.emit.context import NEVER, KeyRests, is_never
from gbnfc.schema.emit.literals import trie, value_expression
from gbnfc.schema.emit.objects import object_expression
from gbnfc.schema.emit.scalars import Scalars
from gbnfc.schema.emit.standard import standard_outlines, standard_rules
from gbnfc.schema.emit.whitespace import BLANK, Layout
from gbnfc.schema.options import Additional, CompileOptions, Missing, Order
from gbnfc.schema.read.from_library import only_value
from gbnfc.schema.read.join_objects import join_alternatives
from gbnfc.schema.read.schemas import (
    TYPES,
    ArraySchema,
    ObjectSchema,
    Schema,
    TypeSchema,
    ValueSchema,
    accepts_empty,
    type_of,
)
from gbnfc.schema.report import Effect, ReportEntry, Reporter
from gbnfc.schema.time_limit import TOO_LONG
from gbnfc.schema.vocabulary import ASSERTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gbnfc.ir.equal import Signature
    from gbnfc.schema.read.canonical import Node
    from gbnfc.schema.read.lower import Resolver
    from gbnfc.schema.source.source_map import Place, Places, SourceMap

MAX_RULES = 200_000
"""A schema that needs more rules than this is refused."""

_OBJECT_KEYWORDS = frozenset(
    {
        "properties",
        "patternProperties",
        "additionalProperties",
        "unevaluatedProperties",
        "propertyNames",
        "minProperties",
        "maxProperties",
        "required",
        "dependentRequired",
        "dependentSchemas",
        "dependencies",
    }
)
_ARRAY_KEYWORDS = frozenset(
    {
        "items",
        "prefixItems",
        "additionalItems",
        "contains",
        "unevaluatedItems",
        "uniqueItems",
        "minItems",
        "maxItems",
    }
)
_SAYING = ASSERTIONS - {"format"}
"""Keywords that constrain values in every dialect."""

_MADE_OF = {
    "not": ("oneOf", "if", "contains", "dependentSchemas", "dependencies"),
    "minProperties": ("maxProperties", "not", "oneOf", "if"),
    "maxProperties": ("minProperties", "not", "oneOf", "if"),
}
"""Keywords from which the canonical form makes another."""

_WHOLE_TYPES: dict[str, Expression] = {
    "null": Literal("null"),
    "boolean": RuleRef("boolean"),
    "string": RuleRef("string"),
}
"""Most values are of these, and written alike wherever they stand."""


class Emitter:
    """The state of one compilation; see `Context` for what the emitters of each kind use."""

    def __init__(
        self,
        resolver: Resolver,
        source_map: SourceMap,
        reporter: Reporter,
        options: CompileOptions,
        draft: str,
    ) -> None:
        self.resolver = resolver
        self.source_map = source_map
        self.options = options
        self.draft = draft
        self.layout = Layout(*options.style)
        self._standard = standard_rules(self.layout.without_depth(), options.digits)
        self.standard = standard_outlines(self.layout.without_depth(), options.digits)
        """The outlines of the rules that every compilation has."""
        self.signatures: dict[str, Signature] = {}
        """The outlines of rules that were made with one."""
        self.names = NameAllocator(reserved=("root", BLANK, *self._standard))
        known = {SCALARS: RuleRef("char"), ESCAPED: RuleRef("escape")}
        self.chars = CharRules(self.names, Content.JSON, known)
        self._reporter = reporter
        self.origins: dict[str, str] = {"root": ""}
        """The pointer, as a report shows it, of the subschema that a rule was made for."""
        self._bodies: dict[str, Expression] = {}
        self._rules_of_body: dict[Expression, list[RuleRef]] = {}
        self._containers: dict[tuple[Any, ...], RuleRef] = {}
        self._chosen: dict[ObjectSchema, dict[Place, Places]] = {}
        """Which branch of alternatives an object came from, by their first."""
        self.keys: dict[Dfa, RuleRef] = {}
        self.key_rests: KeyRests = {}
        self._scalars = Scalars(self)
        self._jobs: deque[tuple[str, Schema, Places, int]] = deque()
        """Rules whose bodies are still to be made, each of a container at some places and depth."""
        self._alternatives: dict[tuple[Expression, ...], RuleRef] = {}

    def bodies(self, root: Node, place: Place) -> dict[str, Expression]:
        """Return the bodies of the rules for `root`, the start rule `root` first."""
        places = (place,)
        atoms = self.atoms(root, places)
        self._bodies["root"] = NEVER
        containers = [a for a in atoms if isinstance(a, ObjectSchema | ArraySchema)]
        if len(atoms) == len(containers) == 1:
            key = self._container_key(containers[0], places, 0)
            self._containers[key] = RuleRef("root")
            self._jobs.append(("root", containers[0], key[1], 0))
        else:
            self._bodies["root"] = self._union(atoms, places, "root", 0)
        while self._jobs:
            name, atom, chosen, depth = self._jobs.popleft()
            if self.resolver.limit.is_over:
                self._bodies[name] = self._given_up(atom, chosen)
            else:
                self._bodies[name] = self._built(name, atom, chosen, depth)
        self._factor_alternatives()
        if (blank := self.layout.blank_rule()) is not None:
            self._bodies[BLANK] = blank
        self._inline_root()
        return self._bodies | self._standard

    def _inline_root(self) -> None:
        """Give the root the body of the rule that it only refers to, when nothing else does."""
        body = self._bodies["root"]
        if isinstance(body, RuleRef) and body.name in self._bodies:
            uses = sum(body.name in references(other) for other in self._bodies.values())
            if uses == 1:
                self._bodies["root"] = self._bodies.pop(body.name)

    # --- what the emitters ask for --------------------------------------------------------------

    def value(self, node: Node | None, places: Places, hint: str, depth: int) -> Expression:
        """Return an expression for the values of `node` (`None`: any value)."""
        if node is None:
            node = self.resolver.everything
        atoms = self.atoms(node, places)
        match atoms:
            case (TypeSchema(name="null" | "boolean" | "string" as name),):
                return _WHOLE_TYPES[name]
        hint = self.resolver.union(node).name or hint
        return self._union(atoms, places, hint, depth)

    def atoms(self, node: Node | None, places: Places) -> tuple[Schema, ...]:
        """Return the atoms of `node`, reporting what they do not hold."""
        union = self.resolver.union(self.resolver.everything if node is None else node)
        for keyword, message in union.losses:
            self.report(places, keyword, Effect.WIDER, message)
        return union.atoms

    def conjunction(self, nodes: Iterable[Node], places: Places) -> Node:
        """Return the intersection of `nodes`, reporting where it is not exact."""
        node, is_exact = self.resolver.intersect(nodes)
        if not is_exact:
            message = "what applies here cannot be intersected; some of it is not held"
            self.report(places, "allOf", Effect.WIDER, message)
        return node

    def rule(self, hint: str, body: Expression) -> RuleRef:
        """Return a reference to a rule with this body; equal bodies share one rule."""
        known = self._rules_of_body.setdefault(body, [])  # none or one: a body is hashed once
        if not known:
            known.append(self.new_rule(hint, body))
        return known[0]

    def new_rule(self, hint: str, body: Expression, made: Signature | None = None) -> RuleRef:
        """Return a reference to a new rule with this body, and this outline if there is one."""
        reference = self._new_rule(hint)
        self._bodies[reference.name] = body
        if made is not None:
            self.signatures[reference.name] = made
        return reference

    def repeated(
        self, body: Expression, minimum: int, maximum: int | None, hint: str
    ) -> Expression:
        """Return `body` repeated within the engine's limits, however large the bounds."""
        repetitions = Repetitions(self.names, [])
        expression = repetitions.counted(body, minimum, maximum, hint)
        self.add(repetitions.rules)
        return expression

    def note(self, rule: RuleRef, places: Places) -> RuleRef:
        """Note for which place `rule` was made: the first that says more than where to look."""
        saying = (p for p in self.source_map.flatten(places) if not _only_refers(p))
        place = next(saying, places[0] if places else self.source_map.root)
        self.origins.setdefault(rule.name, place.label)
        return rule

    def add(self, rules: Iterable[Rule]) -> None:
        """Add finished rules, whose names came from `names`."""
        for rule in rules:
            self._bodies[rule.name] = rule.body

    def report(self, places: Places, keyword: str, effect: Effect, message: str) -> None:
        """Report `keyword` at each of `places` (and what applies with them) that has it.

        What the canonical form made of other keywords is reported with one of those.
        """
        everywhere = self.source_map.flatten(places)
        for said in (keyword, *_MADE_OF.get(keyword, ())):
            having = [p for p in everywhere if isinstance(p.schema, dict) and said in p.schema]
            for place in having:
                self._reporter.add(ReportEntry(place.label, said, effect, message))
            if having:
                return
        place = places[0] if places else self.source_map.root
        keywords = place.schema if isinstance(place.schema, dict) else ()
        said = next((k for k in keywords if k in ASSERTIONS), keyword)
        if keyword == "additionalProperties":  # it says something by not being there
            said = keyword
        self._reporter.add(ReportEntry(place.label, said, effect, message))

    # --- unions ---------------------------------------------------------------------------------

    def _union(
        self, atoms: tuple[Schema, ...], places: Places, hint: str, depth: int
    ) -> Expression:
        if self._is_anything(atoms, places):
            self._scalars.report_digits(places)
            return RuleRef("value")
        kinds: dict[str, list[Schema]] = {}
        for atom in atoms:
            kinds.setdefault(type_of(atom), []).append(atom)
        parts: list[Expression] = []
        for kind, members in kinds.items():
            match kind:
                case "null":
                    parts.append(Literal("null"))
                case "boolean":
                    parts.append(self._scalars.booleans(members))
                case "number":
                    parts.append(self._scalars.numbers(members, places, hint))
                case "string":
                    parts.append(self._scalars.strings(members, places, hint))
                case _:
                    parts += self._containers_of(members, places, hint, depth)
        parts = [part for part in parts if not is_never(part)]
        return choice(parts) if parts else NEVER

    def _is_anything(self, atoms: tuple[Schema, ...], places: Places) -> bool:
        if len(atoms) < len(TYPES) or self.layout.needs_depth:
            return False
        whole = {atom.name for atom in atoms if isinstance(atom, TypeSchema)}
        return whole.issuperset(TYPES) and not self._relevant(places, _OBJECT_KEYWORDS)

    # --- containers -----------------------------------------------------------------------------

    def _containers_of(
        self, atoms: list[Schema], places: Places, hint: str, depth: int
    ) -> list[Expression]:
        """Return the alternatives of `atoms`, all of arrays or all of objects."""
        if self.options.missing is Missing.SCHEMA and any(map(accepts_empty, atoms)):
            atoms = [atom for atom in atoms if not _is_empty_value(atom)]
        fixed = self._fixed_containers(atoms, places, depth)
        containers = [
            self._container(atom, places, hint, depth)
            for atom in (self._joined(atoms) if atoms[1:] else atoms)
            if not isinstance(atom, ValueSchema)
        ]
        return [*fixed, self._alike(containers, hint)] if containers[1:] else fixed + containers

    def _fixed_containers(
        self, atoms: list[Schema], places: Places, depth: int
    ) -> list[Expression]:
        """Return the expressions of fixed arrays and objects; single texts share their starts."""
        values = [atom.value for atom in atoms if isinstance(atom, ValueSchema)]
        if not values:
            return []
        values = self._scalars.in_source_order(values, places)
        written = [value_expression(value, self.layout, depth) for value in values]
        texts = [part.text for part in written if isinstance(part, Literal)]
        others: list[Expression] = [p for p in written if not isinstance(p, Literal)]
        return [trie(dict.fromkeys(texts, EMPTY_TEXT)), *others] if texts else others

    def _container(self, atom: Schema, places: Places, hint: str, depth: int) -> Expression:
        match atom:
            case TypeSchema(name="object"):
                return self._open_container(ObjectSchema(), places, hint, depth)
            case TypeSchema():
                return self._open_container(ArraySchema(), places, hint, depth)
            case _:
                return self._shaped(atom, places, hint, depth)

    def _joined(self, atoms: list[Schema]) -> list[Schema]:
        """Return `atoms` with the objects joined that differ in the keys they must have."""
        objects = [atom for atom in atoms if isinstance(atom, ObjectSchema)]
        is_plain = self.options.order is Order.ANY and self.options.missing is Missing.SCHEMA
        if len(objects) < 2 or not is_plain:
            return atoms
        others = [atom for atom in atoms if not isinstance(atom, ObjectSchema)]
        return [*others, *join_alternatives(objects, self.resolver, self._is_fixed)]

    def _is_fixed(self, shape: ObjectSchema) -> bool:
        """Return whether objects of `shape` hold certain keys and nothing else."""
        is_never = self.resolver.is_never
        is_open = shape.additional is None or not is_never(shape.additional)
        if shape.patterns or (is_open and self.options.additional is Additional.SCHEMA):
            return False
        return all(name in shape.required or is_never(node) for name, node in shape.properties)

    def _alike(self, containers: list[Expression], hint: str) -> Expression:
        """Return a rule for `containers` of one kind, to be factored when all rules are known."""
        key = tuple(containers)
        if key not in self._alternatives:
            self._alternatives[key] = self.new_rule(hint, choice(containers))
        return self._alternatives[key]

    def _factor_alternatives(self) -> None:
        for containers, rule in self._alternatives.items():
            if self.resolver.limit.is_over:
                return  # beside each other they say the same, at more live stacks
            made = partial(self.rule, f"{rule.name}-rest")
            self._bodies[rule.name] = factor(containers, self._bodies, made)

    def _open_container(
        self, shape: ObjectSchema | ArraySchema, places: Places, hint: str, depth: int
    ) -> Expression:
        if isinstance(shape, ObjectSchema) and self._relevant(places, _OBJECT_KEYWORDS):
            return self._shaped(shape, places, hint, depth)
        self._scalars.report_digits(places)
        return RuleRef("object" if isinstance(shape, ObjectSchema) else "array")

    def _shaped(self, atom: Schema, places: Places, hint: str, depth: int) -> Expression:
        key = self._container_key(atom, places, depth)
        known = self._containers.get(key)
        if known is None:
            known = self.note(self._new_rule(hint), key[1])
            self._containers[key] = known
            self._bodies[known.name] = NEVER
            self._jobs.append((known.name, atom, key[1], depth))
        return known

    def _built(self, name: str, atom: Schema, places: Places, depth: int) -> Expression:
        hint = "" if name == "root" else name
        if isinstance(atom, ObjectSchema):
            return object_expression(atom, places, hint, depth, self)
        assert isinstance(atom, ArraySchema)
        return array_expression(atom, places, hint, depth, self)

    def _given_up(self, atom: Schema, places: Places) -> Expression:
        """Return any object or array, which is what is left to say when the time is over."""
        is_object = isinstance(atom, ObjectSchema)
        keywords = _OBJECT_KEYWORDS if is_object else _ARRAY_KEYWORDS
        for place in places:
            for keyword in place.schema if isinstance(place.schema, dict) else ():
                if keyword in keywords:
                    self.report((place,), keyword, Effect.WIDER, TOO_LONG)
        self.report(places, "properties" if is_object else "items", Effect.WIDER, TOO_LONG)
        return RuleRef("object" if is_object else "array")

    def _container_key(self, atom: Schema, places: Places, depth: int) -> tuple[Any, ...]:
        """Return what a container's rule depends on: its shape, its places in order, its depth."""
        if isinstance(atom, ObjectSchema):
            score = partial(_affinity, shape=atom)
            may_apply = partial(_may_apply, shape=atom)
            known = self._chosen.setdefault(atom, {})
            chosen = self.source_map.select(places, score, may_apply, known)
            keywords = _OBJECT_KEYWORDS
        else:
            chosen = self.source_map.flatten(places)
            keywords = _ARRAY_KEYWORDS
        relevant = tuple(p for p in chosen if _has_any(p, keywords))
        return (atom, relevant or chosen[:1], depth if self.layout.needs_depth else 0)

    def _relevant(self, places: Places, keywords: frozenset[str]) -> bool:
        if self.options.additional is Additional.SCHEMA:
            keywords = frozenset({"properties"})
        return any(_has_any(place, keywords) for place in self.source_map.flatten(places))

    def _new_rule(self, hint: str) -> RuleRef:
        if len(self._bodies) >= MAX_RULES:
            raise LimitExceeded(f"the schema needs more than {MAX_RULES} rules")
        return RuleRef(self.names.allocate(hint))


def _is_empty_value(atom: Schema) -> bool:
    return isinstance(atom, ValueSchema) and not atom.value


def _has_any(place: Place, keywords: frozenset[str]) -> bool:
    return isinstance(place.schema, dict) and not keywords.isdisjoint(place.schema)


def _only_refers(place: Place) -> bool:
    return isinstance(place.schema, dict) and "$ref" in place.schema


def _may_apply(branch: Places, shape: ObjectSchema) -> bool:
    """Return whether `shape` may hold what `branch` says: no key is missing in it.

    Without this each of n branches would spell out the keys of all.
    """
    declared = {name for name, _ in shape.properties}
    declared.update(variant.name for variant in shape.variants)
    required = {*shape.required}.union(*shape.cases)
    for place in branch:
        if not isinstance(place.schema, dict):
            continue
        properties = place.schema.get("properties")
        for name, schema in properties.items() if isinstance(properties, dict) else ():
            if name not in declared and not _says_nothing(schema):
                return False
        listed = place.schema.get("required")
        if isinstance(listed, list) and not required.issuperset(listed):
            return False
    return True


def _says_nothing(schema: Any) -> bool:
    return schema is True or (isinstance(schema, dict) and _SAYING.isdisjoint(schema))


def _affinity(branch: Places, shape: ObjectSchema) -> int:
    """Rate how likely an object of a union came from `branch`: shared and foreign properties."""
    declared = dict(shape.properties)
    score = 0
    for place in branch:
        if not isinstance(place.schema, dict):
            continue
        properties = place.schema.get("properties")
        for name, schema in properties.items() if isinstance(properties, dict) else ():
            score += 1 if name in declared else -1
            if name in declared and isinstance(schema, dict) and "const" in schema:
                score += 4 if only_value(declared[name]) == schema["const"] else -4
        required = place.schema.get("required")
        for name in required if isinstance(required, list) else ():
            score += 2 if name in shape.required else -4
    return score
