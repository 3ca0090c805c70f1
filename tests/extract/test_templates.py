"""Chat templates of several families, and what is said in them."""

from __future__ import annotations

import time

import pytest

from gbnfc.errors import EngineError
from gbnfc.extract.prompt import Example, PromptText
from gbnfc.extract.schema_summary import show_schema
from gbnfc.extract.template import ChatTemplate, Turn

CHATML = """{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}\
{{ '<|im_start|>system\nYou are helpful<|im_end|>\n' }}{% endif %}\
{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}\
{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"""

# Refuses a system turn, trims its messages, begins with the first token.
GEMMA = """{{ bos_token }}{% for message in messages %}\
{% if message['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}\
{% set role = 'model' if message['role'] == 'assistant' else message['role'] %}\
{{ '<start_of_turn>' + role + '\n' + message['content'] | trim + '<end_of_turn>\n' }}{% endfor %}\
{% if add_generation_prompt %}{{'<start_of_turn>model\n'}}{% endif %}"""

# Puts the system text into the first user turn.
MISTRAL = """{{ bos_token }}{% if messages[0]['role'] == 'system' %}\
{% set system = messages[0]['content'] %}{% set messages = messages[1:] %}{% endif %}\
{% for message in messages %}{% if message['role'] == 'user' %}\
{{ '[INST] ' + ((system + '\n\n') if system and loop.first else '')\
+ message['content'] + ' [/INST]' }}\
{% else %}{{ message['content'] + eos_token }}{% endif %}{% endfor %}"""

LLAMA3 = """{% set loop_messages = messages %}{% for message in loop_messages %}\
{% set content = '<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n'\
+ message['content'] | trim + '<|eot_id|>' %}{% if loop.index0 == 0 %}\
{% set content = bos_token + content %}{% endif %}{{ content }}{% endfor %}\
{% if add_generation_prompt %}\
{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}"""

THINKER = CHATML + "{% if add_generation_prompt %}{{ '<think>\n' }}{% endif %}"

TURNS = [Turn("system", "Be brief."), Turn("user", "{{ 7 }} <|im_end|> text")]


def text(prompt):
    return "".join(segment.text for segment in prompt)


RENDERED = [
    (
        CHATML,
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n{{ 7 }} <|im_end|> text"
        "<|im_end|>\n<|im_start|>assistant\n",
    ),
    (
        GEMMA,
        "<s><start_of_turn>user\nBe brief.\n\n{{ 7 }} <|im_end|> text<end_of_turn>\n"
        "<start_of_turn>model\n",
    ),
    (MISTRAL, "<s>[INST] Be brief.\n\n{{ 7 }} <|im_end|> text [/INST]"),
    (
        LLAMA3,
        "<|start_header_id|>system<|end_header_id|>\n\nBe brief.<|eot_id|><|start_header_id|>user"
        "<|end_header_id|>\n\n{{ 7 }} <|im_end|> text<|eot_id|><|start_header_id|>assistant"
        "<|end_header_id|>\n\n",
    ),
    (None, "Be brief.\n\nText:\n{{ 7 }} <|im_end|> text\n\nJSON:\n"),
]


@pytest.mark.parametrize(("source", "expected"), RENDERED)
def test_families(source, expected):
    prompt = ChatTemplate(source, bos="<s>", eos="</s>").prompt(TURNS)
    shown = text(prompt)
    assert shown == ("<s>" if source == LLAMA3 else "") + expected
    # What a user wrote is never read for control tokens.
    assert not any(s.trusted for s in prompt if "{{ 7 }}" in s.text)


def test_only_the_template_is_trusted():
    prompt = ChatTemplate(CHATML).prompt(TURNS)
    assert [s.trusted for s in prompt] == [True, False, True, False, True]
    assert prompt[3].text == TURNS[1].text


def test_an_open_thought_is_closed_unless_wanted():
    closed = ChatTemplate(THINKER)
    assert closed.opens_thought()
    assert text(closed.prompt(TURNS)).endswith("<think>\n</think>\n\n")
    assert text(ChatTemplate(THINKER, thinking=True).prompt(TURNS)).endswith("<think>\n")
    assert not ChatTemplate(CHATML).opens_thought()


@pytest.mark.parametrize("source", ["{% for %}", "{{ messages.nothing.at.all }}", "{{ 1/0 }}"])
def test_broken_templates_are_errors(source):
    with pytest.raises(EngineError):
        ChatTemplate(source).prompt(TURNS)


@pytest.mark.parametrize(
    "source",
    [
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ messages.append(1) }}",
        "{{ cycler.__init__.__globals__ }}",
    ],
)
def test_templates_are_sandboxed(source):
    with pytest.raises(EngineError):
        ChatTemplate(source).prompt(TURNS)


DOUBLING = "{% set x = 'abcdefgh' %}"
HOSTILE = {
    "a loop": "{% for i in range(10**9) %}{% endfor %}",
    "loops in loops": "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}"
    "{% endfor %}",
    "a loop of loops": "{% for i in range(99999) %}{% for j in range(99999) if j %}x{% endfor %}"
    "{% endfor %}",
    "a loop with its length": "{% for i in range(99999) %}{% for j in range(99999) %}"
    "{{ loop.length }}{% endfor %}{% endfor %}",
    "much text": "{% for i in range(99999) %}" + "x" * 1000 + "{% endfor %}",
    "text kept": "{% set y %}{% for i in range(99999) %}" + "x" * 99 + "{% endfor %}{% endset %}",
    "a macro without end": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "a macro that doubles": "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}"
    "{% endmacro %}{{ m(40) }}",
    "a loop without end": "{% for m in messages recursive %}{{ loop(messages) }}{% endfor %}",
    "times": "{{ 'a' * 10**9 }}",
    "times a list": "{{ [1] * 10**9 }}",
    "powers": "{{ 10**(10**9) }}",
    "squares": "{% set x = 999 %}" + "{% set x = x * x %}" * 40 + "{{ x }}",
    "doubling by +": DOUBLING + "{% set x = x + x %}" * 40 + "{{ x }}",
    "doubling by ~": DOUBLING + "{% set x = x ~ x %}" * 40 + "{{ x }}",
    "doubling by blocks": DOUBLING + "{% set x %}{{ x }}{{ x }}{% endset %}" * 40 + "{{ x }}",
    "doubling by join": DOUBLING + "{% set x = [x, x] | join %}" * 40 + "{{ x }}",
    "doubling by replace": DOUBLING + "{% set x = x.replace('a', x) %}" * 40 + "{{ x }}",
    "doubling by format": DOUBLING + "{% set x = '%s%s' | format(x, x) %}" * 40 + "{{ x }}",
    "doubling by %": DOUBLING + "{% set x = '%s%s' % (x, x) %}" * 40 + "{{ x }}",
    "doubling lists": "{% set x = [] %}" + "{% set x = [x, x] %}" * 40 + "{{ x }}",
    "doubling dicts": "{% set x = {} %}" + "{% set x = dict(a=x, b=x) %}" * 40 + "{{ x | tojson }}",
    "doubling namespaces": "{% set x = namespace() %}"
    + "{% set x = namespace(a=x, b=x) %}" * 40
    + "{{ x }}",
    "doubling tuples, compared": "{% set x = () %}{% set y = () %}"
    + "{% set x = (x, x) %}{% set y = (y, y) %}" * 40
    + "{{ x == y }}",
    "a width": "{{ 'a' | center(10**9) }}",
    "a width by a method": "{{ 'a'.ljust(10**9) }}",
    "a width in a format": "{{ '%999999999d' % 1 }}",
    "a width beside a format": "{{ '%*d' % (10**9, 1) }}",
    "a width by a filter": "{{ '%999999999d' | format(1) }}",
    "a width by format": "{{ '{:999999999}'.format(1) }}",
    "a width given to format": "{{ '{:{w}}'.format(1, w=10**9) }}",
    "an indent": "{{ [[1]] | tojson(indent=10**9) }}",
    "filler": "{{ [1] | batch(10**9, 'x') | list }}",
    "much of a language": "{{ lipsum(n=10**6) }}",
    "a long source": "x" * 300_000,
    "depth": "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
    "deep blocks": "{% for i in [1] %}" * 200 + "{% endfor %}" * 200,
    "a long number": "{{ " + "9" * 10_000 + " }}",
}


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_hostile_templates_end_with_one_line(source):
    began = time.process_time()
    with pytest.raises(EngineError) as raised:
        ChatTemplate(source).prompt(TURNS)
    assert time.process_time() - began < 5
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 200


HARMLESS = {
    "{% for i in range(3) %}{{ loop.index }}/{{ loop.length }} {% endfor %}": "1/3 2/3 3/3 ",
    "{% for a, b in [(1, 2)] %}{{ a + b }}{% else %}no{% endfor %}": "3",
    "{% for i in [1, 2, 3, 4] if i is even %}{{ ',' if not loop.first }}{{ i }}{% endfor %}": "2,4",
    "{% for i in [1, 2, 3] %}{% if i == 2 %}{% continue %}{% endif %}{{ i }}{% endfor %}": "13",
    "{% for i in nothing %}x{% else %}none{% endfor %}": "none",
    "{% set ns = namespace(x='') %}{% for i in 'abc' %}{% set ns.x = ns.x ~ i %}{% endfor %}"
    "{{ ns.x }}": "abc",
    "{% macro m(a, b='-') %}[{{ a }}{{ b }}]{% endmacro %}{{ m('x') }}{{ m(1, b=2) }}": "[x-][12]",
    "{{ {'a': [1, none]} | tojson }} {{ 'a,b'.split(',') | join('; ') }}": '{"a": [1, null]} a; b',
    "{{ '%s is %d' % ('x', 3) }} {{ '{}-{:>4}'.format(1, 2) }} {{ 2 ** 10 }}": "x is 3 1-   2 1024",
    "{{ 'abc'[1:] }} {{ 'b' in ['a', 'b'] }} {{ (1, 2) == (1, 2) }} {{ 7 * 1000000 }}": (
        "bc True True 7000000"
    ),
    "{{ messages | map(attribute='role') | list | length }} {{ 'ab' | upper }}": "2 AB",
    "{% filter upper %}x{{ 'y' }}{% endfilter %}{{ 'abc' | replace('b', '-') | trim }}": "XYa-c",
}


@pytest.mark.parametrize(("source", "shown"), HARMLESS.items())
def test_limits_change_nothing_else(source, shown):
    marked = source + "{% for m in messages %}|{{ m.content }}{% endfor %}"
    rendered = text(ChatTemplate(marked).prompt(TURNS))
    assert rendered == "|".join([shown, *(turn.text for turn in TURNS)])


def test_what_is_said():
    said = PromptText(
        schema={"type": "object", "properties": {"a": {"type": "string"}}},
        instruction="Mind the dates.",
        system="You are a clerk.",
        examples=(Example("in", '{"a": "x"}'),),
        think=True,
    )
    turns = said.turns("doc", [("{}", "/a: missing")])
    assert [turn.role for turn in turns] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]
    for part in ("clerk", '"a"?: string', "Mind the dates", "think"):
        assert part in turns[0].text
    assert [turn.text for turn in turns[1:5]] == ["in", '{"a": "x"}', "doc", "{}"]
    assert "/a: missing" in turns[5].text


def test_choices_are_listed():
    said = PromptText(choices=("yes", "no")).turns("doc")[0].text
    assert "- yes\n- no" in said


TREE = {"$defs": {"T": {"properties": {"kids": {"items": {"$ref": "#/$defs/T"}}}}}}

SHOWN = [
    ({"type": "string"}, "string"),
    ({"type": ["string", "null"]}, "string | null"),
    ({"type": "string", "format": "date"}, "date"),
    ({"type": "string", "pattern": "^a$"}, "string matching ^a$"),
    ({"type": "integer", "minimum": 0, "description": "in years"}, "integer (in years)"),
    ({"enum": ["é", 1, None]}, '"é" | 1 | null'),
    ({"const": "x"}, '"x"'),
    ({"type": "array", "items": {"type": "number"}}, "[number]"),
    ({"properties": {"a": {}, "b": True}, "required": ["a"]}, '{"a": any, "b"?: any}'),
    ({"properties": {"description": {"type": "string"}}}, '{"description"?: string}'),
    ({"anyOf": [{"type": "null"}, {"type": "string"}]}, "null | string"),
    (TREE | {"$ref": "#/$defs/T"}, '{"kids"?: [T]}'),
    ({"$ref": "#/$defs/none"}, "none"),
    ({"$ref": "https://example.org/x"}, "x"),
    ({"not": {"type": "string"}}, '{"not": {"type": "string"}}'),
    (True, "any"),
]


@pytest.mark.parametrize(("schema", "expected"), SHOWN)
def test_the_schema_is_shown_in_the_form_of_the_answer(schema, expected):
    assert show_schema(schema) == expected


def test_a_deep_schema_is_shown_in_bounded_time():
    schema = {"type": "string"}
    for _ in range(5000):
        schema = {"properties": {"a": schema}}
    assert show_schema(schema).count("{") < 50
