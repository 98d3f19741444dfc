"""Values that are text on the wire: every type of JSON Schema, in every format that has such values, call by call.

Each test is two parallel calls with the same arguments, letter by letter, to two tools: one whose schema is the row's, and one that takes
a string. The first is typed, the other stays text, in either order: what a call's values are depends on its own tool. Formats are written
down here by hand, not by a template.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final, TypeAlias

import pytest
from attrs import frozen

from tests.corpus.message import message
from tests.corpus.reader import Call
from tests.laws.machines import fold_text, right
from unbraid.core.bind import Machine
from unbraid.core.grammar import Braces, Format, Tree, Value
from unbraid.core.machine import start
from unbraid.formats.registry import formats
from unbraid.shell.bind import bind, with_tools

Schema: TypeAlias = Mapping[str, object]


@frozen
class Markup:
    """How a format writes calls. `call`: one of them, with `{name}` and `{value}`, the value of key `v`."""

    call: str
    before: str = ""
    after: str = ""


GLM: Final = Markup("<tool_call>{name}\n<arg_key>v</arg_key>\n<arg_value>{value}</arg_value>\n</tool_call>\n")


def _dsml(bar: str, outer: str, gap: str = "") -> Markup:
    """Without the attribute that says whether a value is a string."""
    mark = f"｜{bar}｜{gap}"
    call = f'<{mark}invoke name="{{name}}">\n<{mark}parameter name="v">{{value}}</{mark}parameter>\n</{mark}invoke>\n'
    return Markup(call, f"<{mark}{outer}>\n", f"</{mark}{outer}>")


NS: Final = "]<]minimax[>["
MARKUP: Final = {
    "qwen3_coder": Markup(
        "<tool_call>\n<function={name}>\n<parameter=v>\n{value}\n</parameter>\n</function>\n</tool_call>\n"
    ),
    "seed_oss": Markup(
        "<seed:tool_call>\n<function={name}>\n<parameter=v>{value}</parameter>\n</function>\n</seed:tool_call>\n"
    ),
    "mimo": Markup("<tool_call><function={name}><parameter=v>{value}</parameter></function></tool_call>"),
    "glm45": GLM,
    "ling3": GLM,
    "poolside_v1": GLM,
    "hy_v3": Markup(
        "<tool_call>{name}<tool_sep>\n<arg_key>v</arg_key>\n<arg_value>{value}</arg_value>\n</tool_call>\n",
        "<tool_calls>\n",
        "</tool_calls>",
    ),
    "minimax_m2": Markup(
        '<invoke name="{name}">\n<parameter name="v">{value}</parameter>\n</invoke>\n',
        "<minimax:tool_call>\n",
        "</minimax:tool_call>",
    ),
    "minimax_m3": Markup(
        f'{NS}<invoke name="{{name}}">\n{NS}<v>{{value}}{NS}</v>\n{NS}</invoke>\n',
        f"{NS}<tool_call>\n",
        f"{NS}</tool_call>",
    ),
    "k2_horizon": Markup(
        "<ifm|tool_call>{name}\n<ifm|arg_key>v</ifm|arg_key>\n<ifm|arg_value>{value}</ifm|arg_value>\n</ifm|tool_call>\n",
        "<ifm|tool_calls>\n",
        "</ifm|tool_calls>",
    ),
    "deepseek_v32": _dsml("DSML", "function_calls"),
    "deepseek_v4": _dsml("DSML", "tool_calls"),
    "deepseek_v41": _dsml("DSML", "calls", " "),
    "gigachat35": _dsml("GCML", "tool_calls"),
    "step3": Markup(
        '<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="{name}"><steptml:parameter name="v">{value}'
        "</steptml:parameter></steptml:invoke><｜tool_call_end｜>",
        "<｜tool_calls_begin｜>",
        "<｜tool_calls_end｜>",
    ),
    "gemma4": Markup("<|tool_call>call:{name}{{v:{value}}}<tool_call|>"),
    "kimi_k3": Markup(
        '<|open|>call tool="{name}" index="1"<|sep|><|open|>argument key="v"<|sep|>{value}<|close|>argument<|sep|>'
        "<|close|>call<|sep|>",
        "<|open|>tools<|sep|>",
        "<|close|>tools<|sep|>",
    ),
}

TAGGED: Final = {"k2_horizon_typed"}
"""Here each value says its own type; there is none without."""


@frozen(eq=False)
class Row:
    """A property's schema, a value text, and the JSON text that it means. `word`: in braces too, where it would stand bare."""

    schema: Schema
    text: str
    json: str
    word: bool = True


TEXT: Final[Schema] = {"type": "string"}
ITEM: Final[Schema] = {"$ref": "#/$defs/Item"}
DEFS: Final = {"Item": {"type": "integer"}, "Loop": {"anyOf": [{"$ref": "#/$defs/Loop"}, {"type": "boolean"}]}}
ROWS: Final = (
    Row({"type": "null"}, "null", "null"),
    Row({"type": "null"}, "None", "null"),
    Row({"type": "boolean"}, "true", "true"),
    Row({"type": "boolean"}, "False", "false"),
    Row({"type": "boolean"}, "yes", '"yes"'),
    Row({"type": "integer"}, "5", "5"),
    Row({"type": "integer"}, "-0", "-0"),
    Row({"type": "integer"}, "3.0", "3.0"),
    Row({"type": "integer"}, "1e3", "1e3"),
    Row({"type": "integer"}, "123456789012345678901234567890", "123456789012345678901234567890"),
    Row({"type": "integer"}, "1_000", '"1_000"'),
    Row({"type": "integer"}, "٣", '"٣"'),
    Row({"type": "integer"}, "2026-01-15", '"2026-01-15"'),
    Row({"type": "integer"}, " 7\t", "7", word=False),
    Row({"type": "number"}, "2.50", "2.50"),
    Row({"type": "number"}, "-1E-7", "-1E-7"),
    Row({"type": "number"}, "1e999", '"1e999"'),
    Row({"type": "number"}, "NaN", '"NaN"'),
    Row({"type": "number"}, "0x1f", '"0x1f"'),
    Row(TEXT, "02134", '"02134"'),
    Row(TEXT, "null", '"null"'),
    Row(TEXT, "Łódź \\ 'x' <b>", "\"Łódź \\\\ 'x' <b>\""),
    Row({"type": "array"}, '[1, "2", null]', '[1, "2", null]', word=False),
    Row({"type": "object"}, '{"a": {"b": [1, null]}}', '{"a": {"b": [1, null]}}', word=False),
    Row({"items": {}}, "[1.0]", "[1.0]", word=False),
    Row({"properties": {}}, "{}", "{}", word=False),
    Row({"type": ["integer", "null"]}, "null", "null"),
    Row({"type": ["integer", "string"]}, "5", "5"),
    Row({"type": ["integer", "string"]}, "five", '"five"'),
    Row({"type": ["integer", "string"]}, "3.5", '"3.5"'),
    Row({"type": "integer", "nullable": True}, "null", "null"),
    Row({"anyOf": [{"type": "boolean"}, {"type": "string"}]}, "true", "true"),
    Row({"anyOf": [ITEM, {"type": "null"}]}, "null", "null"),
    Row({"anyOf": [ITEM, {"type": "null"}]}, "4", "4"),
    Row({"oneOf": [{"type": "number"}, {"type": "string"}]}, "1.5", "1.5"),
    Row({"allOf": [{"type": "number"}, {"type": "integer"}]}, "2", "2"),
    Row({"enum": [1, 2]}, "2", "2"),
    Row({"enum": ["1", "2"]}, "2", '"2"'),
    Row({"enum": ["1", None]}, "null", "null"),
    Row({"const": 3}, "3", "3"),
    Row({"const": "3"}, "3", '"3"'),
    Row(ITEM, "6", "6"),
    Row({"$ref": "#/$defs/Loop"}, "true", "true"),
    Row({"type": "datetime"}, "7", '"7"'),
    Row({}, "7", '"7"'),
)


def _tool(name: str, schema: Schema) -> Mapping[str, object]:
    parameters = {"type": "object", "properties": {"v": schema}, "$defs": DEFS}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


@cache
def _machine(form: str, row: Row) -> Machine:
    return right(with_tools(right(bind(None, form)), [_tool("typed", row.schema), _tool("text", TEXT)]))


def _rows() -> Iterator[tuple[str, Row]]:
    for form in MARKUP:
        yield from ((form, row) for row in ROWS if form != "gemma4" or row.word)


def _untyped(form: Format) -> bool:
    return form.tools and any(isinstance(region.kind, Value | Tree | Braces) for region in form.regions)


def test_every_format_with_such_values_is_here() -> None:
    assert {form.name for form in formats() if _untyped(form)} == {*MARKUP, *TAGGED}


def test_every_type_is_here() -> None:
    named = [row.schema["type"] for row in ROWS if "type" in row.schema]
    assert {"null", "boolean", "integer", "number", "string", "array", "object"} <= {
        kind for kind in named if isinstance(kind, str)
    }


@pytest.mark.parametrize(
    ("form", "row"), list(_rows()), ids=lambda part: part if isinstance(part, str) else f"{part.text}"
)
def test_each_call_is_typed_by_its_own_tool(form: str, row: Row) -> None:
    markup, machine = MARKUP[form], _machine(form, row)
    expected = {"typed": f'{{"v": {row.json}}}', "text": f'{{"v": {json.dumps(row.text, ensure_ascii=False)}}}'}
    for names in (("typed", "text"), ("text", "typed")):
        calls = "".join(markup.call.format(name=name, value=row.text) for name in names)
        output = f"{markup.before}{calls}{markup.after}"
        for pieces in ([output], list(output)):
            got = message(fold_text(machine, start(machine, at="content"), pieces))
            assert got.calls == tuple(Call(name, expected[name]) for name in names)
            assert (got.reasoning, got.anomalies) == (None, ())


def test_elements_are_typed_by_their_own_tool() -> None:
    row = Row({"type": "array", "items": {"type": "integer"}}, f"{NS}<item>1{NS}</item>", "[1]")
    other = {"type": "object", "properties": {"item": {"type": "string"}}}
    machine = right(with_tools(right(bind(None, "minimax_m3")), [_tool("list", row.schema), _tool("object", other)]))
    markup = MARKUP["minimax_m3"]
    for names in (("list", "object"), ("object", "list")):
        calls = "".join(markup.call.format(name=name, value=row.text) for name in names)
        got = message(fold_text(machine, start(machine), [f"{markup.before}{calls}{markup.after}"]))
        expected = {"list": '{"v": [1]}', "object": '{"v": {"item": "1"}}'}
        assert got.calls == tuple(Call(name, expected[name]) for name in names)


@pytest.mark.parametrize("form", ["deepseek_v32", "deepseek_v4", "deepseek_v41"])
def test_a_wrapper_is_one_by_its_own_tool(form: str) -> None:
    """`arguments` holds all arguments of a tool that has none of that name."""
    properties = ({"x": {"type": "integer"}}, {"arguments": {"type": "object"}})
    tools = [
        {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": declared}}}
        for name, declared in zip("ab", properties, strict=True)
    ]
    machine = right(with_tools(right(bind(None, form)), tools))
    markup = MARKUP[form]
    for names in ("ab", "ba"):
        calls = "".join(markup.call.format(name=name, value='{"x": 1}') for name in names)
        output = f"{markup.before}{calls}{markup.after}".replace('name="v"', 'name="arguments"')
        got = message(fold_text(machine, start(machine), [output]))
        expected = {"a": '{"x": 1}', "b": '{"arguments": {"x": 1}}'}
        assert got.calls == tuple(Call(name, expected[name]) for name in names)
