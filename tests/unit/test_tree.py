"""Nested elements, with MiniMax M3 and with a made format without a prefix."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise

import pytest
from attrs import evolve

from tests.corpus.message import ill_formed, message
from tests.corpus.reader import Call, tool
from unbraid.core.bind import Machine, bind, with_tools
from unbraid.core.check import check
from unbraid.core.compose import CONTENT, compose
from unbraid.core.elements import DEPTH
from unbraid.core.errors import RegionDefect, TerminalDefect
from unbraid.core.events import Anomaly, ArgumentsChunk, Events, Markup, merge
from unbraid.core.grammar import KEYS_CAP, Capture, Field, Format, Gap, Region, Terminal, Text, Tree
from unbraid.core.machine import finish, start, step
from unbraid.core.notation import rows
from unbraid.formats.minimax import MINIMAX_M3_TOOLS, NS
from unbraid.shell.snapshot import from_json, to_json

PLAIN = Format(
    name="plain_tree",
    about="made: elements without a prefix",
    tools=True,
    terminals=(
        Terminal("CALL", ("<call ",)),
        Terminal("NAME_END", (">",)),
        Terminal("CALL_END", ("</call>",)),
    ),
    regions=(
        CONTENT,
        Region("name", Capture((Field("name"),), stops="<\n"), "call", trial="opening"),
        Region("arguments", Tree(text_key="#text"), "call"),
        Region("broken", Text(), "none"),
        Region("after", Gap(touches=True), "content"),
    ),
    rows=rows("""
        content after  CALL      -> name
        name           NAME_END  -> arguments  do=call when=name
        arguments      CALL_END  -> after      do=end
        arguments      @bad      -> broken
        broken         CALL_END  -> after
        after          @text     -> content
    """),
)

NUMBER: Mapping[str, object] = {"type": "integer"}
STRING: Mapping[str, object] = {"type": "string"}
PROPERTIES: Mapping[str, object] = {
    "s": STRING,
    "n": NUMBER,
    "list": {"type": "array", "items": NUMBER},
    "rows": {"type": "array", "items": {"type": "object", "properties": {"s": STRING, "n": NUMBER}}},
    "grid": {"type": "array", "items": {"type": "array", "items": NUMBER}},
    "o": {"type": "object", "properties": {"n": NUMBER, "o": {"$ref": "#/properties/o"}, "list": {"type": "array"}}},
    "maybe": {"anyOf": [{"type": "null"}, {"type": "array", "items": STRING}]},
    "either": {"type": ["string", "object"]},
    "open": {},
}


def machine(form: Format, offered: Sequence[Mapping[str, object]] | None = None) -> Machine:
    known = [tool("f", {"properties": PROPERTIES})] if offered is None else offered
    bound = bind(compose(None, form).unwrap()).unwrap()
    return with_tools(bound, known).unwrap()


def whole(form: Format, body: str) -> tuple[str, str]:
    """An output with one call of `f` around `body`, in which `~` stands for the format's prefix."""
    if form is PLAIN:
        return "<call f>" + body.replace("~", "") + "</call>", ""
    return f'{NS}<tool_call>{NS}<invoke name="f">' + body.replace("~", NS) + f"{NS}</invoke>{NS}</tool_call>", NS


def read(made: Machine, pieces: Sequence[str], *, saved: bool = False) -> Events:
    state, out = start(made), list[Events]()
    for piece in pieces:
        state, events = step(made, state, piece, ())
        out.append(events)
        if saved:
            assert from_json(made, to_json(made, state)).unwrap() == state
            assert hash(state) == hash(from_json(made, to_json(made, state)).unwrap())
    out.append(finish(made, state)[1])
    return tuple(event for events in out for event in events)


def call_of(
    form: Format, body: str, offered: Sequence[Mapping[str, object]] | None = None
) -> tuple[Call, tuple[str, ...]]:
    """The one call of `body`, the same at every cut in two, and one code point at a time."""
    made, (text, _) = machine(form, offered), whole(form, body)
    events = merge(read(made, [text]))
    assert merge(read(made, list(text), saved=True)) == events
    for place in range(len(text)):
        assert merge(read(made, [text[:place], text[place:]])) == events, place
    assert sum(event.points for event in events) == len(text)
    assert not ill_formed(events)
    found = message(events)
    assert found.content is None
    (call,) = found.calls
    return call, found.anomalies


CASES: Sequence[tuple[str, str]] = [
    ("", "{}"),
    (" \n ", "{}"),
    ("~<s>a~</s>", '{"s": "a"}'),
    ("~<s>~</s>", '{"s": ""}'),
    ("~<s> a\n~</s>\n~<n> 5 ~</n>", '{"s": " a\\n", "n": 5}'),
    ("~<n>five~</n>", '{"n": "five"}'),
    ("~<n>~</n>", '{"n": ""}'),
    ("~<n>1e3~</n>", '{"n": 1e3}'),
    ("~<list>~</list>", '{"list": []}'),
    ("~<list>~<a>1~</a>~<b>2~</b>~</list>", '{"list": [1, 2]}'),
    ("~<list>1~</list>", '{"list": [1]}'),
    ("~<list>1~</list>~<list>2~</list>~<n>3~</n>", '{"list": [1, 2], "n": 3}'),
    ("~<list>~</list>~<list>2~</list>", '{"list": [2]}'),
    ("~<list>[1,2]~</list>~<list>~<x>3~</x>~</list>", '{"list": [1,2, 3]}'),
    ("~<rows>~<r>~<s>a~</s>~<n>1~</n>~</r>~</rows>~<rows>~<r>~</r>~</rows>", '{"rows": [{"s": "a", "n": 1}, {}]}'),
    ("~<grid>~<r>~<c>1~</c>~</r>~<r>[2]~</r>~<r>3~</r>~</grid>", '{"grid": [[1], [2], [3]]}'),
    ("~<o>~</o>", '{"o": {}}'),
    ('~<o>{"a": 1}~</o>', '{"o": {"a": 1}}'),
    ("~<o>text~</o>", '{"o": "text"}'),
    ("~<o>~<n>1~</n>~<o>~<o>~<n>2~</n>~</o>~</o>~</o>", '{"o": {"n": 1, "o": {"o": {"n": 2}}}}'),
    ("~<o>~<list>~<i>x~</i>~</list>~<list>y~</list>~</o>", '{"o": {"list": ["x", "y"]}}'),
    ("~<maybe>null~</maybe>", '{"maybe": null}'),
    ("~<maybe>x~</maybe>", '{"maybe": ["x"]}'),
    ("~<maybe>~<i>null~</i>~</maybe>", '{"maybe": ["null"]}'),
    ("~<either>x~</either>", '{"either": "x"}'),
    ("~<either>~</either>", '{"either": ""}'),
    ('~<either>{"a": 1}~</either>', '{"either": {"a": 1}}'),
    ("~<either>~<a>1~</a>~</either>", '{"either": {"a": "1"}}'),
    ("~<open>1~</open>~<x y>~<z>2~</z>~</x y>", '{"open": "1", "x y": {"z": "2"}}'),
    ("~<open>\n ~</open>", '{"open": "\\n "}'),
    ('~<s>"é\\n\U0001f469~</s>', '{"s": "\\"é\\\\n\U0001f469"}'),
    ("~<s>a~<b>c~</b>~< ~</>~<s>~</s>", '{"s": "a~<b>c~</b>~< ~</>~<s>"}'),
    ("~<o>~<é>1~</é>~</o>", '{"o": {"é": "1"}}'),
]


@pytest.mark.parametrize("form", [MINIMAX_M3_TOOLS, PLAIN], ids=lambda form: str(form.name))
@pytest.mark.parametrize(("body", "arguments"), CASES)
def test_elements(form: Format, body: str, arguments: str) -> None:
    call, anomalies = call_of(form, body)
    assert call == Call("f", arguments.replace("~", whole(form, "")[1]))
    assert anomalies == ()
    json.loads(call.arguments)


ODD: Sequence[tuple[str, str, bool, tuple[str, ...]]] = [
    ("~<n>1~</n>~<n>2~</n>~<s>a~</s>", '{"n": 1, "s": "a"}', True, ("duplicate_key",)),
    ("~<n>1~</n>~<n>~<a>~<b>2~</b>~</a>x~</n>", '{"n": 1}', True, ("duplicate_key",)),
    ("~<list>1~</list>~<n>1~</n>~<list>2~</list>", '{"list": [1], "n": 1}', True, ("duplicate_key",)),
    ("so ~<n>1~</n> and ~<s>a~</s>", '{"n": 1, "s": "a"}', True, ("stray_text", "stray_text")),
    ("~<list>x ~<i>1~</i>~</list>", '{"list": [1]}', True, ("stray_text",)),
    ("~<o>~<n>1~</n>~</n>~<s>a~</s>", '{"o": {"n": 1', False, ("malformed",)),
    ("~</o>", "", False, ("malformed",)),
    ("~<n>1", '{"n": ', False, ("malformed",)),
    ("~<s>1", '{"s": "1', False, ("malformed",)),
    ("~<list>~<i>1~</i>", '{"list": [1', False, ("malformed",)),
    ("~<n>1~</s>", '{"n": ', False, ("malformed",)),
]


@pytest.mark.parametrize("form", [MINIMAX_M3_TOOLS, PLAIN], ids=lambda form: str(form.name))
@pytest.mark.parametrize(("body", "arguments", "complete", "kinds"), ODD)
def test_what_does_not_fit(form: Format, body: str, arguments: str, complete: bool, kinds: tuple[str, ...]) -> None:
    assert call_of(form, body) == (Call("f", arguments, complete), kinds)


@pytest.mark.parametrize(("form", "key"), [(MINIMAX_M3_TOOLS, "$text"), (PLAIN, "#text")], ids=["minimax_m3", "plain"])
def test_text_before_elements(form: Format, key: str) -> None:
    call, anomalies = call_of(form, f"~<o>a ~<n>1~</n> b ~<{key}>c~</{key}>~</o>")
    assert call == Call("f", f'{{"o": {{"{key}": "a ", "n": 1}}}}')
    assert anomalies == ("stray_text", "duplicate_key")


def test_each_call_is_typed_by_its_own_tool() -> None:
    offered = [tool("a", {"properties": {"x": {"type": "array"}}}), tool("b", {"properties": {"x": NUMBER}})]
    text = "<call a><x>1</x></call><call b><x>1</x></call>"
    assert message(read(machine(PLAIN, offered), [text])).calls == (Call("a", '{"x": ["1"]}'), Call("b", '{"x": 1}'))


def test_unknown_tools_have_strings_and_objects() -> None:
    text = "<call a><x>1</x><y><z>2</z></y></call>"
    bound = bind(compose(None, PLAIN).unwrap()).unwrap()
    unknown = with_tools(bound, None).unwrap()
    assert message(read(unknown, [text])).calls == (Call("a", '{"x": "1", "y": {"z": "2"}}'),)


def test_strings_stream_and_other_values_wait() -> None:
    made = machine(PLAIN)
    state, _ = step(made, start(made), "<call f><s>", ())
    sent = []
    for piece in ("a", "b<", "c", "</s>", "<n>", "1", "2", "</n>"):
        state, events = step(made, state, piece, ())
        sent.append("".join(event.json for event in events if isinstance(event, ArgumentsChunk)))
    assert sent == ["a", "b", "<c", '"', ', "n": ', "", "", "12"]


def test_plain_pieces_of_a_string_change_nothing() -> None:
    made = machine(PLAIN)
    state, _ = step(made, start(made), "<call f><s>", ())
    after, _ = step(made, state, "word", ())
    again, events = step(made, after, "word", ())
    assert again is after
    assert events == (ArgumentsChunk(0, "word", 4),)


@pytest.mark.parametrize("size", [1, 5, 10**6])
def test_depth_is_capped(size: int) -> None:
    made = machine(PLAIN)
    inside = "<call f>" + "<x>" * (DEPTH - 1)
    assert message(read(made, [inside + "</x>" * (DEPTH - 1) + "</call>"])).calls[0].complete
    text = inside + "<x>" * 5000
    events = read(made, [text[place : place + size] for place in range(0, len(text), size)])
    assert [event.kind for event in events if isinstance(event, Anomaly)] == ["malformed"]
    assert sum(event.points for event in events) == len(text)


def test_keys_are_capped() -> None:
    made = machine(PLAIN)
    body = "".join(f"<k{place}>1</k{place}>" for place in range(KEYS_CAP + 2))
    events = read(made, ["<call f>" + body + "</call>"])
    (call,) = message(events).calls
    assert len(json.loads(call.arguments)) == KEYS_CAP
    assert [event.kind for event in events if isinstance(event, Anomaly)] == ["overlong", "overlong"]


def test_long_names_are_no_tags() -> None:
    made = machine(PLAIN)
    name = "x" * 257
    events = read(made, list(f"<call f><{name}>1</{name}><n>1</n></call>"))
    assert message(events).calls == (Call("f", '{"n": 1}'),)
    assert "stray_text" in message(events).anomalies


def test_a_cut_tag_is_nobody_s_between_elements_and_text_in_a_value() -> None:
    made = machine(PLAIN)
    between = read(made, ["<call f><n>1</n><o"])
    assert between[-3] == Markup("cut", "<o", 2)
    assert message(between).anomalies == ("truncated",)
    assert message(read(made, ["<call f><s>1</"])).calls == (Call("f", '{"s": "1</', complete=False),)


def test_what_is_sent_is_a_prefix_at_every_place() -> None:
    made = machine(PLAIN)
    text = '<call f><list>1</list><list>2</list><o>a<n>1</n><list><i>x</i></list></o><s>"</s></call>'
    sent = []
    for place in range(len(text) + 1):
        _, events = step(made, start(made), text[:place], ())
        sent.append("".join(event.json for event in events if isinstance(event, ArgumentsChunk)))
    assert all(later.startswith(earlier) for earlier, later in pairwise(sent))
    assert json.loads(sent[-1]) == {"list": [1, 2], "o": {"#text": "a", "n": 1, "list": ["x"]}, "s": '"'}


def changed(region: Region) -> Format:
    """The made format with another record for one region."""
    return evolve(PLAIN, regions=tuple(region if one.name == region.name else one for one in PLAIN.regions))


def test_defects() -> None:
    elements = Tree(text_key="#text")
    assert RegionDefect("plain_tree", "arguments", "wrong_channel") in check(
        changed(Region("arguments", elements, "none"))
    )
    tentative = changed(Region("arguments", elements, "call", trial="opening"))
    assert RegionDefect("plain_tree", "arguments", "wrong_kind") in check(tentative)
    without = evolve(PLAIN, rows=tuple(row for row in PLAIN.rows if row.region != "arguments" or row.on != "@bad"))
    assert RegionDefect("plain_tree", "arguments", "no_bad_row") in check(without)
    endless = evolve(PLAIN, rows=tuple(row for row in PLAIN.rows if row.region != "arguments" or row.on == "@bad"))
    assert RegionDefect("plain_tree", "arguments", "no_exit") in check(endless)
    spelled = evolve(PLAIN, terminals=(*PLAIN.terminals[:2], Terminal("CALL_END", ("[<x]",))))
    assert TerminalDefect("plain_tree", "@tag", "inner_spelling", "arguments", "'[<x]' of CALL_END") in check(spelled)
