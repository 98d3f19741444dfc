"""All arguments as one object under one key: DSML, and a made format with another wrapper."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pytest

from tests.corpus.message import ill_formed, message
from tests.corpus.reader import Call, tool
from unbraid.core.bind import Machine, bind, with_tools
from unbraid.core.compose import CONTENT, compose
from unbraid.core.events import ArgumentsChunk, Events, merge
from unbraid.core.grammar import Capture, Field, Format, Gap, Region, Terminal, Text, Value
from unbraid.core.json_keys import top_keys
from unbraid.core.machine import finish, start, step
from unbraid.core.notation import rows
from unbraid.formats.dsml import DEEPSEEK_V32, DEEPSEEK_V41_TOOLS, GIGACHAT35
from unbraid.shell.snapshot import from_json, to_json

MADE = Format(
    name="made",
    about="made: [f|key=value;key=value;]",
    tools=True,
    terminals=(
        Terminal("CALL", ("[",)),
        Terminal("NAME_END", ("|",)),
        Terminal("KEY_END", ("=",)),
        Terminal("VALUE_END", (";",)),
        Terminal("CALL_END", ("]",)),
        Terminal("KEY", ("-",)),
    ),
    regions=(
        CONTENT,
        Region("name", Capture((Field("name"),), stops="\n"), "call", trial="opening"),
        Region("arguments", Gap(), "call"),
        Region("junk", Text(), "none"),
        Region("key", Capture((Field("key"),)), "call"),
        Region("value", Value(unwrap=("all",)), "call"),
        Region("closing", Gap(), "call", trial="closing"),
        Region("after", Gap(touches=True), "content"),
    ),
    rows=rows("""
        content after  CALL          -> name
        name           NAME_END      -> arguments  do=call when=name
        arguments junk KEY           -> key
        arguments junk CALL_END      -> after      do=end
        arguments      @text         -> junk       odd=stray_text
        key            KEY_END       -> value      when=key
        key            KEY_END       -> junk
        key            @bad          -> junk
        value          VALUE_END     -> closing
        closing        KEY CALL_END  -> arguments  keep
        after          @text         -> content
    """),
)

F: Mapping[str, object] = {"properties": {"cmd": {"type": "string"}, "n": {"type": "integer"}}}
G: Mapping[str, object] = {
    "properties": {"all": {"type": "object"}, "arguments": {"type": "object"}, "cmd": {"type": "string"}}
}
OFFERED = [tool("f", F), tool("g", G), tool("none", {"properties": {}})]


def machine(form: Format, offered: Sequence[Mapping[str, object]] | None = OFFERED) -> Machine:
    return with_tools(bind(compose(None, form).unwrap()).unwrap(), offered).unwrap()


def written(form: Format, name: str, *pairs: tuple[str, str]) -> str:
    """A call in `form`; the wrapper is called `*`."""
    if form is MADE:
        return f"[{name}|" + "".join(f"-{key.replace('*', 'all')}={value};" for key, value in pairs) + "]"
    section, invoke, invoke_end, parameter, end, section_end = _tags(form)
    body = "".join(
        f'{parameter}name="{key.replace("*", "arguments")}" string="false">{value}{end}' for key, value in pairs
    )
    return f'{section}{invoke}name="{name}">{body}{invoke_end}{section_end}'


def _tags(form: Format) -> tuple[str, ...]:
    spelled = {one.name: one.spellings[0] for one in form.terminals}
    names = ("SECTION", "INVOKE", "INVOKE_END", "PARAMETER", "PARAMETER_END", "SECTION_END")
    return tuple(spelled[name] for name in names)


def read(made: Machine, pieces: Sequence[str]) -> Events:
    state, out = start(made), list[Events]()
    for piece in pieces:
        state, events = step(made, state, piece, ())
        assert from_json(made, to_json(made, state)).unwrap() == state
        out.append(events)
    out.append(finish(made, state)[1])
    return tuple(event for events in out for event in events)


def calls(form: Format, text: str, offered: Sequence[Mapping[str, object]] | None = OFFERED) -> tuple[Call, ...]:
    """The calls of `text`, the same in one piece and in many; every code point is accounted for."""
    made = machine(form, offered)
    events = merge(read(made, [text]))
    for size in (1, 2, 3, 7):
        assert merge(read(made, [text[place : place + size] for place in range(0, len(text), size)])) == events
    assert sum(event.points for event in events) == len(text)
    assert not ill_formed(events)
    return message(events).calls


CASES: Sequence[tuple[str, str]] = [
    ('{"cmd": "ls"}', '{"cmd": "ls"}'),
    (' {"cmd":"ls","n": 1}\n', '{"cmd":"ls","n": 1}'),
    ("{}", "{}"),
    ('{"\\u0063md": {"x": "}"}}', '{"\\u0063md": {"x": "}"}}'),
]
FORMATS = [DEEPSEEK_V32, DEEPSEEK_V41_TOOLS, MADE]


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: str(form.name))
@pytest.mark.parametrize(("value", "arguments"), CASES)
def test_an_object_of_known_keys_is_all_arguments(form: Format, value: str, arguments: str) -> None:
    assert calls(form, written(form, "f", ("*", value))) == (Call("f", arguments),)


NO_WRAPPERS = ['{"x": 1}', '{"cmd": 1, "x": 2}', "[1]", "null", "7"]
NO_JSON = ["x", "", '{"cmd": 1', '{"cmd": 1} x', "{"]


@pytest.mark.parametrize("value", [*NO_WRAPPERS, *NO_JSON])
def test_anything_else_is_an_argument(value: str) -> None:
    text = json.dumps(value)
    assert calls(MADE, written(MADE, "f", ("*", value))) == (Call("f", f'{{"all": {text}}}'),)
    meant = value if value in NO_WRAPPERS else text
    for form in (DEEPSEEK_V32, DEEPSEEK_V41_TOOLS):
        assert calls(form, written(form, "f", ("*", value))) == (Call("f", f'{{"arguments": {meant}}}'),)


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: str(form.name))
def test_only_a_first_and_sole_key(form: Format) -> None:
    key, wrapped = ("all", '"{\\"cmd\\": \\"a\\"}"') if form is MADE else ("arguments", '{"cmd": "a"}')
    text = written(form, "f", ("*", '{"cmd": "a"}'), ("n", "1"))
    assert calls(form, text) == (Call("f", f'{{"{key}": {wrapped}, "n": 1}}'),)
    text = written(form, "f", ("n", "1"), ("*", '{"cmd": "a"}'))
    assert calls(form, text) == (Call("f", f'{{"n": 1, "{key}": {wrapped}}}'),)
    text = written(form, "f", ("*", '{"cmd": "a"}'), ("*", '{"cmd": "b"}'))
    assert calls(form, text) == (Call("f", f'{{"{key}": {wrapped}}}'),)


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: str(form.name))
def test_each_call_by_its_own_tool(form: Format) -> None:
    same = ("*", '{"cmd": "a"}')
    found = calls(form, written(form, "f", same) + written(form, "g", same) + written(form, "none", same))
    key, wrapped = ("all", '"{\\"cmd\\": \\"a\\"}"') if form is MADE else ("arguments", '{"cmd": "a"}')
    declared = '{"cmd": "a"}'
    assert [call.arguments for call in found] == [declared, f'{{"{key}": {declared}}}', f'{{"{key}": {wrapped}}}']


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: str(form.name))
def test_nothing_is_unwrapped_for_tools_that_are_not_known(form: Format) -> None:
    text = written(form, "f", ("*", '{"cmd": "a"}'))
    key, wrapped = ("all", '"{\\"cmd\\": \\"a\\"}"') if form is MADE else ("arguments", '{"cmd": "a"}')
    assert calls(form, text, None) == (Call("f", f'{{"{key}": {wrapped}}}'),)


def test_a_format_without_wrappers() -> None:
    text = written(GIGACHAT35, "f", ("arguments", '{"cmd": "a"}'))
    assert calls(GIGACHAT35, text) == (Call("f", '{"arguments": {"cmd": "a"}}'),)


def test_nothing_is_sent_before_it_is_decided() -> None:
    made = machine(MADE)
    state, sent = start(made), []
    for piece in ("[f|-all=", '{"cmd": ', '"a"}', ";", "-n=", "1;]"):
        state, events = step(made, state, piece, ())
        sent.append("".join(event.json for event in events if isinstance(event, ArgumentsChunk)))
    assert sent == ["", "", "", "", '{"all": "{\\"cmd\\": \\"a\\"}", "n": ', "1}"]
    state, _ = step(made, start(made), "[f|-all=x", ())
    assert step(made, state, "y", ())[1] == (ArgumentsChunk(0, "y", 1),)


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('[f|-all={"cmd": "a', ""),
        ('[f|-all={"cmd": "a"};', '{"cmd": "a"'),
        ("[f|-all={};", "{"),
        ('[f|-all={"cmd": "a"};-n', '{"cmd": "a"'),
        ('[f|-all={"cmd": "a"};-n=1', '{"all": "{\\"cmd\\": \\"a\\"}", "n": '),
    ],
)
def test_the_stream_ends(text: str, arguments: str) -> None:
    assert calls(MADE, text) == (Call("f", arguments, complete=False),)


@pytest.mark.parametrize(
    ("json_text", "keys"),
    [
        ("{}", ()),
        ('{"a": 1}', ("a",)),
        ('{"a": "b\\"c:", "d" : {"e": ["f", {"g": 1}]}, "h": ":,"}', ("a", "d", "h")),
        ('{"\\u0061": "", "a": 1}', ("a", "a")),
    ],
)
def test_top_keys(json_text: str, keys: tuple[str, ...]) -> None:
    assert top_keys(json_text) == keys
