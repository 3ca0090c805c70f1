"""Rule names: legal, unique also to a reader, and the same for the same requests."""

from __future__ import annotations

import pytest

from gbnfc.ir.names import NameAllocator


@pytest.mark.parametrize(
    ("hints", "names"),
    [
        (["a", "a", "a"], ["a", "a-2", "a-3"]),
        (["a-2", "a", "a"], ["a-2", "a", "a-3"]),
        (["root", "Root"], ["root-2", "Root-3"]),
        (["xPath", "xpath", "XPATH"], ["xPath", "xpath-2", "XPATH-3"]),
        (["first name", "first_name"], ["first-name", "first-name-2"]),
        (["城市", "--"], ["rule", "rule-2"]),
    ],
)
def test_names(hints: list[str], names: list[str]) -> None:
    allocator = NameAllocator()
    assert [allocator.allocate(hint) for hint in hints] == names


def test_a_long_name_keeps_its_end() -> None:
    assert NameAllocator().allocate("way-" * 30 + "city").endswith("-way-city")
