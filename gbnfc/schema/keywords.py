"""Which keywords the grammar holds: the table of the README, from the limits in the code.

`KEYWORDS` lists every asserting keyword once; `keyword_table()` writes it as Markdown. What becomes
of the keywords of one schema is told by the report of its compilation.

    python -m gbnfc.schema.keywords README.md      rewrite the table between the markers there
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from gbnfc.schema.emit import arrays, key_parts, numbers, object_states, strings
from gbnfc.schema.formats import FORMAT_NAMES, Exactness, format_automaton
from gbnfc.schema.report import Effect

START = "<!-- keywords: written by python -m gbnfc.schema.keywords README.md -->"
END = "<!-- end of keywords -->"

_ALL = "all"
_DIRECTIONS = {Effect.WIDER: "wider", Effect.NARROWER: "narrower"}


@dataclass(frozen=True, slots=True)
class KeywordRow:
    """Keywords of a kind: the drafts that have them, and when (`None`: never) they are not held."""

    keywords: tuple[str, ...]
    drafts: str
    unless: str | None = None
    directions: tuple[Effect, ...] = ()


def _row(keywords: str, drafts: str, unless: str | None = None, *directions: Effect) -> KeywordRow:
    if unless is not None and not directions:
        directions = (Effect.WIDER,)
    return KeywordRow(tuple(keywords.split()), drafts, unless, directions)


def _formats(exactness: Exactness) -> str:
    names = [
        name
        for name in FORMAT_NAMES
        if (found := format_automaton(name, "2020-12")) and found.exactness is exactness
    ]
    return ", ".join(f"`{name}`" for name in names)


_ENTANGLED = "the schema is too entangled to be brought into a canonical form"

KEYWORDS = (
    _row(
        "type",
        _ALL,
        "a number must be no `integer` in draft 4, to which 2.0 is none: it is not written",
        Effect.NARROWER,
    ),
    _row("enum", _ALL),
    _row("const", "6 and later"),
    _row("properties required", _ALL),
    _row(
        "additionalProperties",
        _ALL,
        f"it stands beside `patternProperties` that cannot be held, or {_ENTANGLED}",
    ),
    _row(
        "patternProperties",
        _ALL,
        "a pattern cannot be held (see `pattern`), patterns of different values cut the keys into "
        f"over {key_parts.MAX_PARTS} parts or {key_parts.MAX_STATES:,} states, or {_ENTANGLED}",
    ),
    _row("propertyNames", "6 and later", "it names a pattern or format that cannot be held"),
    _row(
        "minProperties maxProperties",
        _ALL,
        "free keys count although one might be written twice (from 2 on); "
        f"counting needs over {object_states.MAX_STATES:,} states",
    ),
    _row("items", _ALL),
    _row("prefixItems", "2020-12"),
    _row("additionalItems", "4 to 2019-09"),
    _row("minItems maxItems", _ALL, f"above {arrays.MAX_ITEMS:,}"),
    _row(
        "uniqueItems",
        _ALL,
        f"items are not from a list of at most {arrays.MAX_UNIQUE_VALUES} values, or `contains` "
        "stands beside it",
    ),
    _row("contains", "6 and later", f"counting needs over {arrays.MAX_STATES:,} states"),
    _row(
        "minContains maxContains",
        "2019-09 and later",
        f"as `contains`; the upper bound where the complement cannot be expressed, or {_ENTANGLED}",
    ),
    _row(
        "unevaluatedItems unevaluatedProperties",
        "2019-09 and later",
        f"they depend on a dynamic reference or on nested `contains`, or {_ENTANGLED}",
    ),
    _row(
        "minLength maxLength",
        _ALL,
        f"above {strings.MAX_CHARACTERS:,}, or beside a `pattern` or "
        "`format` whose automaton grows too large",
    ),
    _row("pattern", _ALL, "back-references, and automata that grow too large"),
    _row(
        "format",
        _ALL,
        f"wider: {_formats(Exactness.WIDER)}; narrower: {_formats(Exactness.NARROWER)}, "
        "and what only later drafts define (`uuid` in draft 7), which is held all the same; "
        "unknown ones constrain nothing, nor do any where `$schema` names 2019-09 or 2020-12, in "
        "which they are annotations (`--formats assert` holds them)",
        Effect.WIDER,
        Effect.NARROWER,
    ),
    _row(
        "minimum maximum exclusiveMinimum exclusiveMaximum",
        _ALL,
        f"more than {numbers.MAX_DIGITS:,} digits",
    ),
    _row(
        "multipleOf",
        _ALL,
        f"its digits, as in 25 for 0.025 and 2500, are above {numbers.MAX_DIVISOR:,}",
    ),
    _row("allOf anyOf", _ALL, _ENTANGLED),
    _row("oneOf", _ALL, f"branches cannot be told apart, or {_ENTANGLED}"),
    _row(
        "not",
        _ALL,
        f"the complement cannot be expressed, or {_ENTANGLED}; narrower where an object must break "
        f"over {object_states.MAX_TOGETHER} rules in one member",
        Effect.WIDER,
        Effect.NARROWER,
    ),
    _row("if then else", "7 and later", _ENTANGLED),
    _row("dependencies", "4 to 7", _ENTANGLED),
    _row("dependentRequired dependentSchemas", "2019-09 and later", _ENTANGLED),
    _row("$ref", _ALL),
    _row("$recursiveRef", "2019-09"),
    _row("$dynamicRef", "2020-12"),
)
"""Every keyword that says which values are valid."""


def keyword_table() -> str:
    """Return the table as Markdown, one line for each row, ended by a line end."""
    lines = [
        "| keyword | drafts | held exactly, unless | then the grammar is |",
        "|---|---|---|---|",
    ]
    for row in KEYWORDS:
        names = " ".join(f"`{keyword}`" for keyword in row.keywords)
        then = ", ".join(_DIRECTIONS[effect] for effect in row.directions)
        lines.append(f"| {names} | {row.drafts} | {row.unless or 'always'} | {then} |")
    return "\n".join(lines) + "\n"


def with_keyword_table(text: str) -> str:
    """Return `text` with the table written anew between its markers.

    Raises:
        ValueError: a marker is missing.
    """
    before, rest = text.split(START, 1)
    _, after = rest.split(END, 1)
    return f"{before}{START}\n\n{keyword_table()}\n{END}{after}"


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(with_keyword_table(path.read_text(encoding="utf-8")), encoding="utf-8")
