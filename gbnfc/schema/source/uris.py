"""URI references (RFC 3986): joined, and spelled as URIs where authors wrote other characters.

In: any text that stands where a URI is expected. Out: a text; nothing here ever raises, unlike
`urllib.parse.urljoin`, which reads hosts and knows no relative references of its own schemes.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import quote

DEFAULT_BASE = "json-schema:///"
"""What a document without an identifier is called; `jsonschema_rs` calls it so too."""

# RFC 3986 appendix B, with the schemes of section 3.1.
_PARTS = re.compile(
    r"(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.DOTALL
)
_SEGMENT = "!$&'()*+,;=:@/"
"""What paths hold as it is, beside letters, digits and `._~-` (section 3.3)."""

_BAD_PERCENT = re.compile("%(?![0-9A-Fa-f]{2})")
_HALF_PAIR = re.compile("[\ud800-\udfff]")
_ODD = re.compile(rf"[^A-Za-z0-9._~\-{re.escape(_SEGMENT)}?#]|#.*#", re.DOTALL)


class Uri(NamedTuple):
    """A reference cut into its parts; `None` is a part that is not there."""

    scheme: str | None
    authority: str | None
    path: str
    query: str | None
    fragment: str | None

    def __str__(self) -> str:
        """Put the parts together (RFC 3986, section 5.3)."""
        text = "" if self.scheme is None else f"{self.scheme}:"
        text += "" if self.authority is None else f"//{self.authority}"
        text += self.path
        text += "" if self.query is None else f"?{self.query}"
        return text + ("" if self.fragment is None else f"#{self.fragment}")


def split_uri(text: str) -> Uri:
    """Return the parts of `text`; every text has some."""
    found = _PARTS.fullmatch(text)
    return Uri(*found.groups()) if found else Uri(None, None, text, None, None)


def join_uri(base: str, reference: str) -> str:
    """Return `reference` as seen from `base` (RFC 3986, section 5.2).

    >>> join_uri("http://example.org/a/b.json", "c.json#/d")
    'http://example.org/a/c.json#/d'
    """
    start, to = split_uri(base), split_uri(reference)
    if to.scheme is not None:
        return reference
    if to.authority is not None:
        return str(to._replace(scheme=start.scheme))
    if not to.path:
        query = start.query if to.query is None else to.query
        return str(start._replace(query=query, fragment=to.fragment))
    path = to.path if to.path.startswith("/") else _merged(start, to.path)
    return str(start._replace(path=_without_dots(path), query=to.query, fragment=to.fragment))


def _merged(base: Uri, path: str) -> str:
    if base.authority is not None and not base.path:
        return f"/{path}"
    return base.path[: base.path.rfind("/") + 1] + path


def _without_dots(path: str) -> str:
    """Return `path` without `.` and `..` (section 5.2.4); more `..` than folders are left out."""
    *folders, last = path.split("/")
    is_rooted = folders[:1] == [""]
    if last in (".", ".."):
        folders, last = [*folders, last], ""
    kept: list[str] = []
    for folder in folders[1:] if is_rooted else folders:
        if folder == "..":
            kept = kept[:-1]
        elif folder != ".":
            kept.append(folder)
    return "/".join([*([""] if is_rooted else []), *kept, last])


def without_fragment(uri: str) -> str:
    """Return `uri` up to its `#`."""
    return uri.partition("#")[0]


def is_odd(text: str) -> bool:
    """Return whether `text` holds what a URI spells in another way, or percent signs."""
    return _ODD.search(text) is not None


def spelled_as_uri(text: str) -> str:
    """Return `text` with what no URI holds there percent-encoded; it means the same.

    The host is left alone: what is wrong there cannot be encoded.

    >>> spelled_as_uri("#/$defs/Page[Item]")
    '#/$defs/Page%5BItem%5D'
    """
    if not is_odd(text) or _HALF_PAIR.search(text):
        return text
    uri = split_uri(text)
    return str(
        uri._replace(
            path=_encoded(uri.path, _SEGMENT),
            query=None if uri.query is None else _encoded(uri.query, f"{_SEGMENT}?"),
            fragment=None if uri.fragment is None else _encoded(uri.fragment, f"{_SEGMENT}?"),
        )
    )


def percent_encoded(text: str, *, safe: str = "") -> str:
    """Return `text` as a part of a URI, where only letters, digits and `safe` stand as they are.

    Halves of surrogate pairs, which names of files may hold (PEP 383), are written as escapes.
    """
    return quote(text.encode("utf-8", "backslashreplace"), safe=safe)


def _encoded(part: str, allowed: str) -> str:
    return quote(_BAD_PERCENT.sub("%25", part), safe=f"{allowed}%")
