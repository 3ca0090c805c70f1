"""Jinja programs of strangers, run so that they come to an end, however they are written.

In: the source of a chat template. Out: a function that renders it. Jinja's immutable sandbox keeps
a template from the rest of the process; here each loop, call, operator and output also spends of a
fixed amount of work, and what could become too large is refused before it is made. That needs no
process of its own, so it is the same on every system.
"""

from __future__ import annotations

import functools
import re
import time
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Sequence, ValuesView
from typing import Any, TypeAlias

import jinja2
from jinja2 import nodes
from jinja2.ext import loopcontrols
from jinja2.runtime import Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace
from jinja2.visitor import NodeTransformer

from gbnfc.errors import EngineError

MAX_SOURCE_LENGTH = 1 << 18
"""Characters. The templates of today's models have up to 20,000."""

MAX_WORK = 500_000
"""Of one rendering: steps taken, characters and elements made. Templates of today need 1,000."""

_MAX_MADE = 4_000_000
"""Of what a built-in could make at the worst."""

MAX_TIME_S = 10.0
_MAX_POWER = 1000
_MAX_LOOP_DEPTH = 20
"""What Python compiles."""

_FAILS = "the model's chat template fails"
_WIDTH = re.compile(r"\d{5}|%[^a-z%]*\*")
"""A width in a format that is large, or is given elsewhere."""

Renderer: TypeAlias = Callable[..., str]


def compile_template(source: str, globals: dict[str, Any], filters: dict[str, Any]) -> Renderer:
    """Return a function that renders the template `source` with the variables it is called with.

    Raises:
        EngineError: it does not parse; and, of the function, it fails or takes too much. What
            `globals` raise goes through.
    """
    if len(source) > MAX_SOURCE_LENGTH:
        raise EngineError(
            f"the model's chat template has {len(source):,} characters, the most are "
            f"{MAX_SOURCE_LENGTH:,}"
        )
    environment = _Metered(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    environment.filters |= filters
    environment.globals |= globals
    environment.meter_filters()
    try:
        template = environment.from_string(source)
    except (jinja2.TemplateError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
        message = f"the model's chat template does not parse: {_one_line(error)}"
        raise EngineError(message) from None

    def render(**variables: Any) -> str:
        environment.refill()
        try:
            return template.render(**variables)
        except (jinja2.TemplateError, *_FAULTS) as error:
            raise EngineError(f"{_FAILS}: {_one_line(error)}") from None

    return render


_FAULTS = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, NameError),
    *(RecursionError, TypeError, ValueError),
)
"""What a template's expressions may raise."""


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


class _Metered(ImmutableSandboxedEnvironment):
    """Jinja's sandbox, in which everything that takes time or room is counted."""

    intercepted_binops = frozenset(("+", "*", "**", "%"))

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, finalize=_spend_on_output)
        del self.globals["lipsum"]
        self._work, self._deadline = 0, 0.0

    def meter_filters(self) -> None:
        for name, function in self.filters.items():
            self.filters[name] = self._metered_filter(name, function)

    def _metered_filter(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)  # also copies what tells Jinja to pass its context
        def call(*args: Any, **options: Any) -> Any:
            given = (*args, *options.values())
            if name == "format":
                self._check_format(given)
            return self._made(function, given, args, options)

        return call

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree = super()._parse(source, name, filename)
        metered: nodes.Template = _Meter().visit(tree)
        return metered

    # --- what is spent --------------------------------------------------------------------------

    def refill(self) -> None:
        """Begin a rendering."""
        self._work, self._deadline = 0, time.monotonic() + MAX_TIME_S

    def spend(self, amount: int) -> None:
        """Count `amount` of work. Raises `EngineError` where it is too much."""
        self._work += amount
        if self._work > MAX_WORK or time.monotonic() > self._deadline:
            raise _too_much()

    def _made(
        self,
        function: Callable[..., Any],
        given: Sequence[Any],
        args: Sequence[Any],
        options: dict[str, Any],
    ) -> Any:
        """Call `function`, once it is sure that what it can make of `given` is not too large.

        No built-in makes more than the product of two of its arguments: `"a" * n`, `center(n)`,
        `replace(old, new)`, `join(items)`.
        """
        largest = sorted(map(_magnitude, given))[-2:]
        if len(largest) == 2 and largest[0] * largest[1] > _MAX_MADE:
            raise _too_much()
        self.spend(1 + sum(largest[-1:]))
        made = function(*args, **options)
        self.spend(_size(made))
        return made

    def _check_format(self, given: Sequence[Any]) -> None:
        if any(isinstance(text, str) and _WIDTH.search(text) for text in given):
            raise _too_much()

    # --- what the code of a template calls ------------------------------------------------------

    def call(__self, __context: Any, __obj: Any, *args: Any, **options: Any) -> Any:
        """Call an object from the template."""
        function = functools.partial(super().call, __context, __obj)
        if isinstance(__obj, Macro | type) or getattr(__obj, "__self__", None) is __self:
            # Its body is metered itself; it makes nothing but what holds its arguments.
            __self.spend(1)
            return function(*args, **options)
        method = getattr(__obj, "__wrapped__", __obj)
        receiver = getattr(method, "__self__", None)
        if getattr(method, "__name__", "") in ("format", "format_map"):
            __self._check_format((receiver,))
        given = (receiver, *args, *options.values())
        return __self._made(function, given, args, options)

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Apply a binary operator."""
        function = functools.partial(super().call_binop, context, operator)
        if operator == "%" and isinstance(left, str):
            self._check_format((left,))
        if operator == "**" and _size(left) * _magnitude(right) > _MAX_POWER:
            raise _too_much()
        is_arithmetic = all(isinstance(side, int | float) for side in (left, right))
        given = () if is_arithmetic or operator == "+" else (left, right)
        return self._made(function, given, (left, right), {})

    def counted(self, items: Iterable[Any]) -> Iterator[Any]:
        """Yield `items` to a loop."""
        for item in items:
            self.spend(1)
            yield item

    def sized(self, literal: Any) -> Any:
        """Return a list, tuple or dictionary that is written in the template."""
        self.spend(_size(literal))
        return literal

    def joined(self, *parts: Any) -> str:
        """Return what `~` makes of `parts`."""
        self.spend(sum(map(_size, parts)))
        return "".join(map(str, parts))


@jinja2.pass_context
def _spend_on_output(context: Any, value: Any) -> Any:
    context.environment.spend(_size(value))
    return value


class _Meter(NodeTransformer):
    """Puts the calls of `_Metered` into a template where Jinja itself has no place for them."""

    def __init__(self) -> None:
        self._depth = 0

    def visit_For(self, node: nodes.For) -> nodes.Node:
        self._depth += 1
        if self._depth > _MAX_LOOP_DEPTH:  # Jinja would take long to come to that
            raise jinja2.TemplateSyntaxError("loops are nested too deeply", node.lineno)
        self.generic_visit(node)
        self._depth -= 1
        node.iter = _calling("counted", node.iter)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:
        self.generic_visit(node)
        return _calling("joined", *node.nodes)

    def visit_List(self, node: nodes.List) -> nodes.Node:
        self.generic_visit(node)
        return _calling("sized", node)

    def visit_Dict(self, node: nodes.Dict) -> nodes.Node:
        self.generic_visit(node)
        return _calling("sized", node)

    def visit_Tuple(self, node: nodes.Tuple) -> nodes.Node:
        self.generic_visit(node)
        return _calling("sized", node) if node.ctx == "load" else node

    def visit_TemplateData(self, node: nodes.TemplateData) -> nodes.Node:
        # As a constant it is an output like others, and spent for.
        return nodes.Const(node.data, lineno=node.lineno)


def _calling(name: str, *arguments: nodes.Node) -> nodes.Call:
    line = arguments[0].lineno
    target = nodes.EnvironmentAttribute(name, lineno=line)
    return nodes.Call(target, list(arguments), [], None, None, lineno=line)


def _too_much() -> EngineError:
    return EngineError(
        f"{_FAILS}: it takes more than {MAX_WORK:,} steps and characters, or {MAX_TIME_S:.0f} s"
    )


def _magnitude(value: Any) -> int:
    """Return how much a built-in may make of `value`: of a number, that many."""
    if isinstance(value, bool):
        return 1
    return abs(value) if isinstance(value, int) else _size(value)


def _size(value: Any) -> int:
    """Return the number of characters and elements in `value`, each as often as it is met."""
    total, waiting = 0, [value]
    while waiting:
        item = waiting.pop()
        total += 1
        match item:
            case str():
                total += len(item)
            case int():
                total += item.bit_length() // 3
            case dict():
                waiting += item.keys()
                waiting += item.values()
            case list() | tuple() | set() | frozenset() | KeysView() | ValuesView() | ItemsView():
                waiting += item
            case range():
                total += len(item)
            case Namespace():
                waiting.append(item._Namespace__attrs)
        if total > MAX_WORK:
            raise _too_much()
    return total
