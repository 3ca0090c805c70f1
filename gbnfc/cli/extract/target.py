"""What the answer must look like. In: the options that say so. Out: the grammar the engine is held
to, the schema the answer is judged by, and a report of what the grammar does not hold.

Nothing here looks for a model: a mistake in the schema is told first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gbnfc.cli.inputs.grammar_argument import read_grammar
from gbnfc.cli.inputs.schema_argument import check_draft, read_schema
from gbnfc.cli.inputs.user_object import schema_of
from gbnfc.engine.base import ConstraintGrammar
from gbnfc.errors import EngineError, UsageError
from gbnfc.extract.model_judge import ModelJudge
from gbnfc.extract.validate import Validator
from gbnfc.user_code import running

if TYPE_CHECKING:
    from gbnfc.cli.extract.options import AnswerSpec
    from gbnfc.cli.io.voice import Voice
    from gbnfc.schema import Compiled

_DIGITS = 15
"""What a double holds. Without a bound a small model may write zeros until it is cut off."""


@dataclass(frozen=True, slots=True)
class Target:
    """The goal of a run. `schema` is None when answers are plain text.

    Where `schema` is only a reference into a document of the `registry`, `referred` is what it
    leads to: the part that people and models look at. `model` is the Python type that `schema` was
    made from, if it was.
    """

    constraint: ConstraintGrammar
    schema: Any = None
    choices: tuple[str, ...] = ()
    registry: tuple[tuple[str, Any], ...] = ()
    referred: Any = None
    model: Any = None

    @property
    def is_json(self) -> bool:
        """Whether answers are JSON."""
        return self.schema is not None

    @property
    def shown_schema(self) -> Any:
        """The schema as a model is told it; None when answers are plain text."""
        return self.schema if self.referred is None else self.referred

    @property
    def validator(self) -> Validator:
        """What judges answers."""
        judge = None if self.model is None else ModelJudge(self.model)
        return Validator(self.schema, self.registry, model=judge)

    @property
    def output_schema(self) -> Any:
        """The schema of what is passed on: of a class, what it serialises to."""
        if self.model is None:
            return self.shown_schema
        from gbnfc.schema.models import schema_of_dump

        with running("no JSON Schema can be made of what the class serialises to"):
            return schema_of_dump(self.model)


def read_target(spec: AnswerSpec, voice: Voice) -> Target:
    """Compile what is asked for, and say on stderr what the grammar does not hold.

    Raises:
        UsageError: none or several of --schema, --grammar, --regex and --choice.
        GbnfcError: it cannot be read or compiled.
    """
    given = [
        spec.schema,
        spec.grammar,
        spec.regex,
        spec.choice,
    ]
    if sum(bool(item) for item in given) != 1:
        raise UsageError(
            "say once what the answer must look like", hint="use one of -s, -g, --regex, --choice"
        )
    if spec.schema:
        return _from_schema(spec.schema, spec, voice)
    if spec.grammar:
        return _from_grammar(spec.grammar)
    from gbnfc.schema import compile_choices, compile_regex

    if spec.regex:
        return Target(_constraint(compile_regex(_whole(spec.regex))))
    choices = tuple(dict.fromkeys(spec.choice or ()))
    return Target(_constraint(compile_choices(choices)), choices=choices)


def _whole(pattern: str) -> str:
    """Return the pattern of the texts that match `pattern` from end to end.

    Found anywhere, as patterns are by themselves, it would let the answer go on for ever.
    """
    from gbnfc.regex.parse import parse_pattern

    parse_pattern(pattern)  # the mistakes of `a)(b` are not to be hidden by the parentheses
    return f"^(?:{pattern})$"


def _constraint(compiled: Compiled) -> ConstraintGrammar:
    return ConstraintGrammar(compiled.text, compiled.grammar)


def _from_schema(argument: str, spec: AnswerSpec, voice: Voice) -> Target:
    from gbnfc.schema import CompileOptions, compile_schema
    from gbnfc.schema.options import Formats

    check_draft(spec.draft)
    given = read_schema(argument)
    model = None if isinstance(given.model, dict | bool) else given.model
    schema = given.schema if model is None else schema_of(model, argument, is_written=True)
    compiled = compile_schema(
        schema,
        draft=spec.draft,
        registry=given.registry,
        options=CompileOptions(
            whitespace=spec.whitespace,
            additional=spec.additional,
            order=spec.order,
            missing=spec.missing,
            formats=Formats.ASSERT,  # as the validator does, whatever the dialect
            digits=_DIGITS,
        ),
    )
    _tell_wider(compiled, voice)
    return Target(
        _constraint(compiled),
        schema=schema,
        registry=tuple(given.registry.items()),
        referred=given.shown,
        model=model,
    )


def _tell_wider(compiled: Compiled, voice: Voice) -> None:
    """Say what only the second check holds: once for a schema, for every answer is checked."""
    from gbnfc.schema import Effect

    lines = [
        f"wider: {entry.pointer or '/'} {entry.keyword}: {entry.message}"
        for entry in compiled.report
        if entry.effect is Effect.WIDER
    ]
    if lines:
        voice.once("\n".join(lines), compiled.text)


def _from_grammar(argument: str) -> Target:
    from gbnfc.gbnf.parse import parse_concrete, parse_gbnf
    from gbnfc.ir.loading import engine_refusal

    source = read_grammar(argument)
    grammar = parse_gbnf(source.text, name=source.name)
    # llama.cpp would say less of it, or not survive it.
    refusal = engine_refusal(parse_concrete(source.text, name=source.name), as_spelled=True)
    if refusal is not None:
        raise EngineError(
            f"{source.name}: llama.cpp does not load this grammar: {refusal}",
            hint="gbnfc lint shows the place",
        )
    return Target(ConstraintGrammar(source.text, grammar))
