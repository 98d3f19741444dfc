"""Calls in JSON envelopes: key orders, what is no call, arguments in strings, what breaks off."""

from __future__ import annotations

import pytest

from tests.corpus.message import message
from tests.laws.machines import bare, right
from tests.unit.streams import at_every_split, kinds
from unbraid.core.bind import Machine, bind, with_tools
from unbraid.core.compose import CONTENT, compose
from unbraid.core.events import Anomaly, Markup
from unbraid.core.grammar import Envelope, Format, Gap, Policies, Region, Terminal, Text
from unbraid.core.notation import rows


def made(envelope: Envelope, policies: Policies = Policies(), tools: tuple[str, ...] | None = None) -> Machine:
    """A format whose calls stand between `<c>` and `</c>`."""
    half = Format(
        name="made",
        about="for tests",
        tools=True,
        terminals=(Terminal("OPEN", ("<c>",)), Terminal("CLOSE", ("</c>",))),
        regions=(
            CONTENT,
            Region("call", envelope, "call", trial="opening"),
            Region("broken", Text(), "none"),
            Region("after", Gap(touches=True), "content"),
        ),
        rows=rows("""
            content        OPEN     -> call
            call           @closed  -> broken
            call           CLOSE    -> after
            call           @bad     -> broken
            broken         CLOSE    -> after
            broken after   OPEN     -> call
            after          @text    -> content
        """),
    )
    offered = None if tools is None else [{"name": name} for name in tools]
    return right(with_tools(right(bind(right(compose(None, half)), None, policies)), offered))


ONE = made(Envelope())
ARRAY = made(Envelope(shape="array", call_id=("id",)))


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ('<c>{"name": "f", "arguments": {"a": 1}}</c>', [("f", '{"a": 1}', True)]),
        ('<c>{"arguments": {"a": 1}, "name": "f"}</c>', [("f", '{"a": 1}', True)]),
        ('<c>{"x": [{"name": "g"}], "name": "f", "parameters": {}}</c>', [("f", "{}", True)]),
        ('<c>{"name": "f"}</c>', [("f", "{}", True)]),
        ('<c>{"name": "f", "arguments": null}</c>', [("f", "{}", True)]),
        ('<c>{"name": "f", "arguments": ""}</c>', [("f", "{}", True)]),
        ('<c>{"name": "f", "arguments": "x"}</c>', [("f", '"x"', True)]),
        ('<c>{"name": "f", "arguments": [1]}</c>', [("f", "[1]", True)]),
        ('<c>{"name": "f", "arguments": 12}</c>', [("f", "12", True)]),
        ('<c>{"name": "f", "arguments": nil}</c>', [("f", "n", False)]),
        (r'<c>{"name": "f", "arguments": "{\"a\": 1}', [("f", '{"a": 1}', True)]),
        (r'<c>{"name": "f", "arguments": "{\"a\": 1} x"}</c>', [("f", '{"a": 1}', True)]),
        (r'<c>{"name": "f", "arguments": "{\"a\": x', [("f", '{"a": ', False)]),
        (r'<c>{"name": "f\u00e9", "arguments": {}}</c>', [("fé", "{}", True)]),
        (r'<c>{"name": "f", "arguments": "{\"a\": \"\u00e9\\n\ud83d\ude00\"}"}</c>', [("f", r'{"a": "é\n😀"}', True)]),
        (r'<c>{"name": "f", "arguments": "{\"a\" 1}"}</c>', [("f", '{"a" ', False)]),
        (r'<c>{"name": "f", "arguments": "{\"a\": 1"}</c>', [("f", '{"a": 1', False)]),
        (r'<c>{"name": "f", "arguments": "{\"a\": \"x\ny\"} "}</c>', [("f", r'{"a": "x\ny"}', True)]),
        ('<c>{"name": "f", "arguments": {"a": tru }}</c>', [("f", '{"a": tru', False)]),
        ('<c>{"name": "f", "x": {"a": tru }}</c>', [("f", "", False)]),
        ('<c>{"name": "f", "arguments": {"a": "b', [("f", '{"a": "b', False)]),
        ('<c>{"arguments": {"a": "b', []),
        ('<c>{"name": "f", "name": "g", "arguments": {}, "arguments": {"b": 2}}</c>', [("f", "{}", True)]),
    ],
)
def test_one(text: str, calls: list[tuple[str, str, bool]]) -> None:
    got = message(at_every_split(ONE, text))
    assert [(call.name, call.arguments, call.complete) for call in got.calls] == calls


@pytest.mark.parametrize(
    "text",
    [
        "<c>x</c>",
        "<c>[1]</c>",
        "<c>{}</c>",
        "<c>{1",
        '<c>{"name" 1',
        '<c>{"name": 1}</c>',
        '<c>{"a": 1; }</c>',
        '<c>{"arguments": {}}</c>',
        '<c>{"na\nme": 1}</c>',
        '<c>{"name": "f\n"}</c>',
        "<c>" + " " * 17 + "{",
        '<c>{"name": "' + "x" * 257 + '"}</c>',
        '<c>{"a": 1 <c>',
        '<c>{"a": "x\n</c>',
    ],
)
def test_what_is_no_call_stays_text(text: str) -> None:
    events = at_every_split(ONE, text)
    got = message(events)
    assert not got.calls
    assert "malformed" in kinds(events) or "truncated" in kinds(events)
    assert (got.content or "") + "".join(event.text for event in events if isinstance(event, Markup)) == text


@pytest.mark.parametrize(
    ("text", "calls", "odd"),
    [
        ('<c>[{"id": "7", "name": "f", "arguments": {}}, {"name": "g"}]</c>', ["f", "g"], []),
        ("<c>[]</c>", [], []),
        ('<c>[{"name": "f"}, {"arguments": {"a": 1}}]</c>', ["f"], ["malformed"]),
        ('<c>[{"name": "f"}, {"arguments": {"a": 1}, "x": </c>', ["f"], ["malformed"]),
        ('<c>[{"name": "f"} {"name": "g"}]</c>', ["f"], ["malformed"]),
        ('<c>[{"name": "f"}, 1]</c>', ["f"], ["malformed"]),
        ('<c>[{"id": 7, "name": "f"}, {"arguments": {"a": 1}', ["f"], []),
        ('<c>[{"name": "f", "y": "a\x01b"}]</c>', ["f"], []),
        ('<c>[{"name": "f", "y": "a\n</c>ok', ["f"], ["unterminated_string"]),
    ],
)
def test_array(text: str, calls: list[str], odd: list[str]) -> None:
    events = at_every_split(ARRAY, text)
    assert [call.name for call in message(events).calls] == calls
    assert [kind for kind in kinds(events) if kind != "truncated"] == odd


def test_tools_that_are_not_offered() -> None:
    text = 'a<c>{"name": "g", "arguments": {"a": "x"}}</c>b'
    late = 'a<c>{"arguments": {"a": "x"}, "name": "g"}</c>b'
    for wire in (text, late):
        delivered = message(at_every_split(made(Envelope(), tools=("f",)), wire))
        assert [call.name for call in delivered.calls] == ["g"]
        assert delivered.anomalies == ("unknown_tool",)
        dropped = message(at_every_split(made(Envelope(), Policies(unknown_tool="drop"), ("f",)), wire))
        assert (dropped.content, dropped.calls) == ("ab", ())
        as_text = message(at_every_split(made(Envelope(), Policies(unknown_tool="text"), ("f",)), wire))
        assert as_text.content is not None
        assert as_text.content.startswith('a<c>{"')


def test_openers_swallowed_by_an_open_string_are_counted() -> None:
    text = '<tool_call>\n{"name": "f", "arguments": {"a": "x<tool_call>y<tool_call>'
    events = at_every_split(bare(None, "hermes", None, ids=False), text)
    assert kinds(events) == ["unterminated_string", "truncated"]
    odd = [event for event in events if isinstance(event, Anomaly)]
    assert [event.text for event in odd if event.kind == "unterminated_string"] == ["2"]
