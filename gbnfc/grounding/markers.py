"""Marks for Pydantic classes: where the values of a field come from.

In: `Annotated[str, FromDocument()]`. Out: the keyword `x-gbnfc-source` in the JSON Schema of
the class. Pydantic itself is not imported; it calls `__get_pydantic_json_schema__` of annotations
(https://docs.pydantic.dev, "JSON Schema: implementing __get_pydantic_json_schema__").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

SOURCE_KEYWORD = "x-gbnfc-source"
"""The keyword of a schema that tells where values come from: `"document"` or `"free"`."""


@dataclass(frozen=True, slots=True)
class _Source:
    source: ClassVar[str]

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Any) -> dict[str, Any]:
        return {**handler(core_schema), SOURCE_KEYWORD: self.source}


@dataclass(frozen=True, slots=True)
class FromDocument(_Source):
    """The field's values are pieces of the document.

    >>> class Order(BaseModel):
    ...     company: Annotated[str, FromDocument()]
    """

    source: ClassVar[str] = "document"


@dataclass(frozen=True, slots=True)
class Free(_Source):
    """The field's values are written by the model in its own words."""

    source: ClassVar[str] = "free"
