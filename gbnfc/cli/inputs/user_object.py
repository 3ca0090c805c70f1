"""Objects of the user's own code: `module:Class`, `file.py:Class`. Only here is such code run.

In: a module and a name. Out: the object, and the JSON Schema of a type.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gbnfc.cli.io.texts import similar_file
from gbnfc.errors import InputError
from gbnfc.user_code import running

if TYPE_CHECKING:
    from collections.abc import Iterator


def load_object(module_name: str, name: str) -> Any:
    """Import `module_name` (a module, or a `.py` file) and return its attribute `name` (dotted).

    Raises:
        InputError: the module has no such name.
        UserCodeError: it cannot be imported.
    """
    module = _import(module_name)
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            raise InputError(f"{module_name} has no {name}", hint=_similar_class(module, name))
        found = getattr(found, part)
    return found


def _import(module_name: str) -> Any:
    """Import a module of the user's, from the current folder too."""
    hint = "give a schema file, '-', inline JSON, module:Class or file.py:Class"
    with running(f"{module_name}: cannot be imported", hint=hint), _importing_from(Path.cwd()):
        return _load_module(module_name)


@contextmanager
def _importing_from(folder: Path) -> Iterator[None]:
    # A console script does not have the current folder on its path; `python -m` would.
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        if str(folder) in sys.path:  # the module may have changed it
            sys.path.remove(str(folder))


def _load_module(name: str) -> Any:
    if not name.endswith(".py"):
        return importlib.import_module(name)
    path = Path(name)
    if not path.is_file():
        raise InputError(f"{name}: no such file", hint=similar_file(path))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise InputError(f"{name}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    with _importing_from(path.resolve().parent):
        spec.loader.exec_module(module)
    return module


def _similar_class(module: Any, name: str) -> str | None:
    import difflib

    near = difflib.get_close_matches(name, list(vars(module)), n=1)
    return f"did you mean {near[0]}?" if near else None


def schema_of(model: Any, name: str, *, is_written: bool = False) -> Any:
    """Return the JSON Schema of a Pydantic model or any type that `TypeAdapter` takes.

    `is_written`: of the values that are to be written for it, which are fewer than it reads.

    Raises:
        UserCodeError: Pydantic has none for it. `name` is what the message calls it.
    """
    if isinstance(model, (dict, bool)):
        return model
    from gbnfc.schema.models import schema_to_read, schema_to_write

    make = schema_to_write if is_written else schema_to_read
    with running(f"{name}: no JSON Schema can be made of it"):
        return make(model)
