"""The manual of a lint rule, read from its module's docstring."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gbnfc.lint.rule import LintRule

_SECTION = re.compile(r"^### (.+)$", re.MULTILINE)
_BLOCK = re.compile(r"```\w*\n(.*?)```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Manual:
    """The four parts of a rule's manual, and the whole `text` in Markdown.

    `example` and `instead` are the code blocks of their sections; empty when prose stands there.
    """

    text: str
    what: str
    why: str
    example: str
    instead: str


def manual_of(rule: LintRule) -> Manual:
    """Return the manual of `rule`."""
    text = (rule.__doc__ or "").strip()
    parts = _SECTION.split(text)
    sections = {
        name.strip(): body.strip() for name, body in zip(parts[1::2], parts[2::2], strict=True)
    }
    return Manual(
        text=text,
        what=_prose(sections.get("What it does", "")),
        why=_prose(sections.get("Why is this bad", "")),
        example=_code(sections.get("Example", "")),
        instead=_code(sections.get("Use instead", "")),
    )


def _prose(section: str) -> str:
    return " ".join(section.split())


def _code(section: str) -> str:
    found = _BLOCK.search(section)
    return found[1] if found else ""
