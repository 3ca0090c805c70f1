"""Where a schema comes to too many kinds of objects and arrays, and the schema wider only there.

Conditions on different keys hold in any combination, each of which is a kind of object of its own.
How many there are is known only when the grammar is written; so the place is looked for after
that has failed, and real schemas pay nothing for it.

In: a document in canonical form. Out: a wider one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gbnfc.errors import GbnfcError
from gbnfc.schema.read.canonical import CanonicalDocument, raw_reason, reader
from gbnfc.schema.read.lower import Resolver, TooManyKinds
from gbnfc.schema.source.entangled import wider_where_entangled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gbnfc.schema.time_limit import TimeLimit


def with_fewer_kinds(
    document: CanonicalDocument,
    source: Any,
    registry: Mapping[str, Any],
    *,
    asserts_formats: bool,
    limit: TimeLimit,
) -> CanonicalDocument | None:
    """Return `document` wider in the places that come to too many kinds; `None`: there is none.

    The losses speak of `source`, the schema as its author wrote it.
    """
    read = reader(document.draft, registry, document.schema, asserts_formats)

    def is_modelled(part: Any) -> bool:
        try:
            root = read(part)
            if raw_reason(root) is None:
                Resolver(root, asserts_formats=asserts_formats, limit=limit).union(root)
                return True
        except TooManyKinds:
            pass
        except GbnfcError:  # it cannot be read apart
            return True
        return False

    found = wider_where_entangled(document.schema, source, is_modelled, limit)
    if found is None:
        return None
    schema, losses = found
    return CanonicalDocument(read(schema), schema, document.draft, document.losses + losses)
