"""Forced calls in JSON: arguments of a named function, and arrays of calls."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.corpus.message import ill_formed
from tests.corpus.message import message as core_message
from unbraid.core.check import check
from unbraid.core.compose import complete
from unbraid.core.events import Anomaly, ContentChunk, Event, Events, Markup, ReasoningChunk, ReasoningStart, merge
from unbraid.shell.bind import bind, with_tools
from unbraid.shell.forced_json import REQUIRED_JSON, Named, named_call, named_end
from unbraid.shell.session import parse


def run(steps: list[Events]) -> Events:
    named = Named()
    out: list[Event] = []
    for events in steps:
        named, told = named_call("f", named, events)
        out += told
    return merge((*out, *named_end("f", named)[1]))


def chunks(text: str, size: int) -> list[Events]:
    return [
        (ContentChunk(text[start : start + size], len(text[start : start + size]), 1),)
        for start in range(0, len(text), size)
    ]


NAMED = [
    ('{"a": 1}', "", '{"a": 1}', True, ()),
    (' \n{"a":  [1, {"b": "}"}]}\n', "", '{"a":  [1, {"b": "}"}]}', True, ()),
    ("{}", "", "{}", True, ()),
    ('{"a": "x\ty"}', "", '{"a": "x\\ty"}', True, ("control_character",)),
    ('{"a": 1} and more', " and more", '{"a": 1}', True, ()),
    ('{"a": 1}' + " " * 20, " " * 20, '{"a": 1}', True, ()),
    ('{"a": 1', "", '{"a": 1', False, ("truncated",)),
    ('{"a" 1} x', "1} x", '{"a" ', False, ("malformed",)),
    ("No.", "No.", None, None, ()),
    ('["a"]', '["a"]', None, None, ()),
    ("  ", "  ", None, None, ()),
    (" " * 20 + "{}", " " * 20 + "{}", None, None, ()),
    ("", "", None, None, ()),
]


@pytest.mark.parametrize("size", [1, 2, 3, 100])
@pytest.mark.parametrize(("text", "content", "arguments", "whole", "odd"), NAMED)
def test_named(
    text: str, content: str, arguments: str | None, whole: bool | None, odd: tuple[str, ...], size: int
) -> None:
    steps = chunks(text, size)
    events = run(steps)
    found = core_message(events)
    assert found.content == (content or None)
    assert [(call.name, call.arguments, call.complete) for call in found.calls] == (
        [] if arguments is None else [("f", arguments, whole)]
    )
    assert found.anomalies == odd
    assert sum(event.points for event in events) == len(text)
    assert sum(event.tokens for event in events) == len(steps)
    assert not ill_formed(events)
    assert [_untold(event) for event in events] == [_untold(event) for event in run(chunks(text, 100))]


def _untold(event: Event) -> object:
    return (type(event), getattr(event, "text", None), getattr(event, "json", None), event.points)


@given(st.text('{}[]"\\:, a1\n\t-.', max_size=20), st.integers(1, 5))
def test_anything_is_accounted_for(text: str, size: int) -> None:
    events = run(chunks("{" + text, size))
    assert sum(event.points for event in events) == len(text) + 1
    assert not ill_formed(events)


def test_other_events_pass() -> None:
    steps: list[Events] = [
        (ContentChunk(" ", 1), ReasoningStart(), ReasoningChunk("x", 1)),
        (Anomaly("duplicate_end"), ContentChunk("{", 1), Markup("special", "<|x|>", 5), ContentChunk("}", 1)),
    ]
    found = core_message(run(steps))
    assert (found.reasoning, found.content, found.calls[0].arguments) == ("x", " ", "{}")


def test_nothing_is_forced() -> None:
    events = (ContentChunk("{}", 2),)
    assert named_call(None, Named(), events) == (Named(), events)
    assert named_end(None, Named()) == (Named(), ())


def test_required_is_a_format() -> None:
    assert check(complete(REQUIRED_JSON).unwrap()) == ()


TOOLS = [{"type": "function", "function": {"name": "f"}}]


@pytest.mark.parametrize(
    ("text", "content", "calls"),
    [
        ('[{"name": "f", "parameters": {"a":  1}}]', None, [("f", '{"a":  1}', True)]),
        ('\n[ {"parameters": {}, "name": "f"} ]\n', None, [("f", "{}", True)]),
        (
            '[{"name": "f", "parameters": {}}, {"name": "f", "arguments": {"b": 2}}]',
            None,
            [("f", "{}", True), ("f", '{"b": 2}', True)],
        ),
        ('[{"name": "f", "parameters": {"a": ', None, [("f", '{"a": ', False)]),
        ('[{"name": "g", "parameters": {}}]', '[{"name": "g", "parameters": {}}]', []),
        ('[{"na', '[{"na', []),
        ("No.", "No.", []),
        ("[]", None, []),
        ("Yes: [1]", "Yes: [1]", []),
    ],
)
@pytest.mark.parametrize("reasoning", [None, "qwen3", "deepseek_r1"])
def test_required(text: str, content: str | None, calls: list[object], reasoning: str | None) -> None:
    machine = bind(reasoning, REQUIRED_JSON).bind(lambda bound: with_tools(bound, TOOLS)).unwrap()
    found = parse(machine, text, at="content")
    assert found.content == content
    assert [(call.name, call.arguments, call.complete) for call in found.tool_calls] == calls
