"""What the user wants from the linter: which rules, how severe, where, and what fails a run.

In: `[tool.gbnfc.lint]` of a `pyproject.toml`, or a `gbnfc.toml`, and command-line options. Out:
`LintSettings`. Unknown keys, codes and levels are errors that name the nearest known one.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import Enum
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gbnfc.errors import UsageError
from gbnfc.lint.diagnostic import Diagnostic, Severity
from gbnfc.lint.text.suppress import matches

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

CONFIG_NAMES = ("gbnfc.toml", "pyproject.toml")


class FailOn(Enum):
    """The mildest severity that makes a run exit with 1."""

    ERROR = "error"
    WARNING = "warning"
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class LintSettings:
    """Selectors are `ALL`, codes, families or names; `severity` maps selectors to a level or `off`.

    `exclude` is of the files of directories, with `force_exclude` also of those that are named.
    `per_file_ignores` maps glob patterns (of the path, as it was given or as seen from the `folder`
    of the configuration file, or of its last part) to selectors. `registry` names a folder, and
    `documents` holds what is in it by URI: schemas that references may lead to.
    """

    select: tuple[str, ...] = ("ALL",)
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    severity: tuple[tuple[str, str], ...] = ()
    fail_on: FailOn = FailOn.WARNING
    exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    baseline: str | None = None
    output_format: tuple[str, ...] = ()
    registry: str | None = None
    documents: Mapping[str, Any] = field(default_factory=dict, repr=False)
    folder: Path = field(default_factory=Path)

    def wants(self, code: str, name: str) -> bool:
        """Return whether the rule is on: the most specific selector decides, `ignore` on a tie."""
        chosen = _specificity((*self.select, *self.extend_select), code, name)
        return chosen > _specificity(self.ignore, code, name)

    def apply(self, diagnostic: Diagnostic) -> Diagnostic | None:
        """Return `diagnostic` at the level the user wants, or `None` when it is off."""
        if not self.wants(diagnostic.code, diagnostic.name):
            return None
        for pattern, selectors in self.per_file_ignores:
            if _names_file(pattern, diagnostic.file, self.folder) and any(
                matches(selector, diagnostic.code, diagnostic.name) for selector in selectors
            ):
                return None
        for selector, level in reversed(self.severity):
            if matches(selector, diagnostic.code, diagnostic.name):
                return None if level == "off" else replace(diagnostic, severity=Severity(level))
        return diagnostic

    def leaves_out(self, file: str) -> bool:
        """Return whether `exclude` names `file`, or a folder that it is in."""
        return any(
            _names_file(pattern, file, self.folder) or pattern in Path(file).parts
            for pattern in self.exclude
        )

    def fails(self, diagnostics: Iterable[Diagnostic]) -> bool:
        """Return whether these findings make the run fail."""
        if self.fail_on is FailOn.NEVER:
            return False
        worst = Severity(self.fail_on.value).rank
        return any(diagnostic.severity.rank <= worst for diagnostic in diagnostics)


def _specificity(selectors: Iterable[str], code: str, name: str) -> int:
    """Return how closely the nearest of `selectors` names the rule: 0 not at all, 1 `ALL`, …"""
    return max(
        (
            1 if selector == "ALL" else 99 if selector == name else 1 + len(selector)
            for selector in selectors
            if matches(selector, code, name)
        ),
        default=0,
    )


def _names_file(pattern: str, file: str, folder: Path) -> bool:
    """Return whether `pattern` is of `file`, as it was named or as seen from `folder`."""
    path = Path(file)
    names = [path.as_posix(), path.name]
    with suppress(ValueError, OSError):  # it is elsewhere
        names.append(path.resolve().relative_to(folder.resolve()).as_posix())
    return any(fnmatch(name, pattern) for name in names) or fnmatch(names[0], f"*/{pattern}")


def find_config(start: Path) -> Path | None:
    """Return the nearest configuration file in `start` or a folder above it."""
    for folder in (start, *start.parents):
        for name in CONFIG_NAMES:
            path = folder / name
            if path.is_file() and (name != "pyproject.toml" or _has_section(path)):
                return path
    return None


def _has_section(path: Path) -> bool:
    return "tool.gbnfc" in path.read_text(encoding="utf-8", errors="replace")


def load_settings(path: Path, rules: Mapping[str, str]) -> LintSettings:
    """Read the configuration file `path`. `rules` maps the known codes to names.

    Raises: `UsageError` for a file that is not TOML, and for unknown keys and values.
    """
    import tomllib

    try:
        document: Mapping[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not UTF-8", hint="save it as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: not TOML: {error}") from None
    if path.name == "pyproject.toml":
        tools = _subtable(document, "tool", str(path))
        document = _subtable(tools, "gbnfc", f"{path}: tool")
    _refuse_unknown(document, ("lint",), f"{path}: key")
    table = _subtable(document, "lint", str(path))
    return replace(read_settings(table, rules, str(path)), folder=path.parent)


def _subtable(table: Mapping[str, Any], name: str, where: str) -> Mapping[str, Any]:
    found = table.get(name, {})
    if not isinstance(found, dict):
        raise UsageError(f"{where}: {name} is not a table", hint="write [tool.gbnfc.lint]")
    return found


_LISTS = ("select", "extend-select", "ignore", "exclude", "output-format")
_KEYS = (
    *(*_LISTS, "per-file-ignores", "severity", "fail-on", "baseline", "force-exclude"),
    "registry",
)


def read_settings(table: Mapping[str, Any], rules: Mapping[str, str], where: str) -> LintSettings:
    """Return the settings of a `[lint]` table. Raises: `UsageError`, naming `where`."""
    _refuse_unknown(table, _KEYS, f"{where}: key")
    lists = {key: _strings(table.get(key), f"{where}: {key}") for key in _LISTS}
    ignores = _table(table.get("per-file-ignores"), f"{where}: per-file-ignores")
    levels = _table(table.get("severity"), f"{where}: severity")
    settings = LintSettings(
        select=lists["select"] or ("ALL",),
        extend_select=lists["extend-select"],
        ignore=lists["ignore"],
        per_file_ignores=tuple(
            (pattern, _strings(value, f"{where}: per-file-ignores"))
            for pattern, value in ignores.items()
        ),
        severity=tuple((selector, str(level)) for selector, level in levels.items()),
        fail_on=read_fail_on(str(table.get("fail-on", "warning")), where),
        exclude=lists["exclude"],
        force_exclude=_flag(table.get("force-exclude", False), f"{where}: force-exclude"),
        baseline=None if table.get("baseline") is None else str(table["baseline"]),
        output_format=lists["output-format"],
        registry=None if table.get("registry") is None else str(table["registry"]),
    )
    check_selectors(settings, rules, where)
    return settings


def read_fail_on(value: str, where: str) -> FailOn:
    """Return the level called `value`. Raises: `UsageError`."""
    _refuse_unknown((value,), [level.value for level in FailOn], f"{where}: fail-on")
    return FailOn(value)


def check_selectors(settings: LintSettings, rules: Mapping[str, str], where: str) -> None:
    """Raise `UsageError` for a selector that means no rule, or a level that is none."""
    used = [*settings.select, *settings.extend_select, *settings.ignore]
    used += [selector for _, selectors in settings.per_file_ignores for selector in selectors]
    used += [selector for selector, _ in settings.severity]
    families = {code.rstrip("0123456789") for code in rules}
    for selector in used:
        known = any(matches(selector, code, name) for code, name in rules.items())
        if not known or not selector:
            _refuse_unknown((selector,), (*rules, *rules.values(), *families), f"{where}: rule")
    levels = ("off", *(severity.value for severity in Severity))
    _refuse_unknown([level for _, level in settings.severity], levels, f"{where}: severity")


def _refuse_unknown(given: Iterable[str], known: Iterable[str], what: str) -> None:
    names = sorted(known)
    for name in given:
        if name not in names:
            import difflib

            near = difflib.get_close_matches(name, names, n=1)
            hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(names[:12])}"
            raise UsageError(f"{what} {name!r} is unknown", hint=hint)


def _strings(value: Any, what: str) -> tuple[str, ...]:
    if value is None:
        return ()
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(item, str) for item in values):
        raise UsageError(f"{what} must be a string or a list of strings")
    return tuple(values)


def _flag(value: Any, what: str) -> bool:
    if not isinstance(value, bool):
        raise UsageError(f"{what} must be true or false")
    return value


def _table(value: Any, what: str) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise UsageError(f"{what} must be a table")
    return value
